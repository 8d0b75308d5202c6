"""Proximal policy optimisation in one file: one seat of Big 2 learns against agents, in plain PyTorch.

The algorithm of Schulman et al. (2017), with masks, on the vector environment of Gymnasium, without checkpoints and
recovery. Read it from top to bottom, then run it:

    pip install tyro '.[gymnasium,torch]'
    python examples/ppo_in_one_file.py

It takes one core, and ends with 500 deals in all four seats against three rule agents, which it learned from. With the
settings as they are, 200,000 decisions, it won 0.137 ± 0.013 of the games at EV -2.022 ± 0.266 (cards won per game);
an equal of the rule agent would win a quarter. The options of `actions='reduced'` are in docs/gymnasium.md.
"""

import math
import time
from dataclasses import dataclass
from typing import Any, Literal

import gymnasium
import numpy as np
import torch
import tyro
from torch import Tensor, nn

import rlcard_big2  # noqa: F401  # registers 'Big2-v0'
from rlcard_big2.duplicate import play_match
from rlcard_big2.gymnasium import PolicyAgent

STATE_SIZE, MOVE_SIZE = 1339, 53  # of an observation, and of a move that 'scored' shows
ILLEGAL = -1e8  # the logit of an action that is not legal
Seen = dict[str, Tensor]  # what a learner sees of N games: 'state', 'mask', and with 'scored' 'moves'


@dataclass(frozen=True)
class Args:
    """Settings of a run."""

    actions: Literal['slots', 'scored', 'reduced'] = 'reduced'
    """Action numbering, see docs/gymnasium.md."""
    most_moves: int = 128
    """Moves that an observation of 'scored' shows."""
    opponents: str = 'rule'
    """The agent in the other three seats."""
    rules: str = 'charlesworth'
    """A preset's name."""
    total_timesteps: int = 200_000
    """Decisions to learn from."""
    cpu_minutes: float = math.inf
    """Of this process; ends the training if it comes first."""
    num_envs: int = 128
    """Games that are played side by side."""
    num_steps: int = 64
    """Decisions in each game between two updates."""
    learning_rate: float = 5e-4
    """At the start; it falls to 0 at the end."""
    gae_lambda: float = 0.95
    """Of generalised advantage estimation; nothing is discounted."""
    update_epochs: int = 3
    """Times that each decision is learned from."""
    minibatch_size: int = 1024
    """Decisions in a gradient step."""
    clip_coef: float = 0.2
    """Clip range of the probability ratio."""
    ent_coef: float = 0.01
    """Weight of the entropy."""
    vf_coef: float = 0.5
    """Weight of the value's loss."""
    max_grad_norm: float = 0.5
    """Longest gradient."""
    hidden_size: int = 256
    """Width of the layers."""
    seed: int = 1
    """Of deals, opponents, weights and choices."""
    deals: int = 500
    """Of the match at the end, each played in all four seats."""


# ---- 1. What is seen, and what is made of it.


def as_seen(observations: Any, masks: Any) -> Seen:
    """Return observations of N games and their masks, bool or int8 [N, actions], as tensors."""
    parts = {'state': observations} if isinstance(observations, np.ndarray) else dict(observations)
    seen = {name.replace('observation', 'state'): torch.from_numpy(part) for name, part in parts.items()}
    return seen | {'mask': torch.from_numpy(masks).bool()}


def layer(inputs: int, outputs: int, gain: float = math.sqrt(2)) -> nn.Linear:
    """Make a linear layer with orthogonal weights and no bias at first."""
    linear = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(linear.weight, gain)
    nn.init.zeros_(linear.bias)
    return linear


class Network(nn.Module):
    """Log-probabilities of the actions, float32 [N, actions], and the value in hands of cards, float32 [N].

    With 'scored' each legal move is rated by its cards; else there is an output for each action.
    """

    def __init__(self, args: Args, num_actions: int) -> None:
        super().__init__()
        width = args.hidden_size
        self.trunk = nn.Sequential(layer(STATE_SIZE, width), nn.ReLU(), layer(width, width), nn.ReLU())
        self.value = layer(width, 1, 1)
        self.scored = args.actions == 'scored'
        if self.scored:
            self.state, self.move = layer(width, width), layer(MOVE_SIZE, width)
        self.policy = layer(width, 1 if self.scored else num_actions, 0.01)

    def forward(self, seen: Seen) -> tuple[Tensor, Tensor]:
        """Look at N positions."""
        hidden = self.trunk(seen['state'].float())
        logits = self.rate(hidden, seen) if self.scored else self.policy(hidden)
        return torch.log_softmax(logits.masked_fill(~seen['mask'], ILLEGAL), dim=1), self.value(hidden)[:, 0]

    def rate(self, hidden: Tensor, seen: Seen) -> Tensor:
        """Rate the legal moves alone: there are some ten of most_moves."""
        owner, _ = legal = seen['mask'].nonzero(as_tuple=True)
        rated = self.policy(torch.relu(self.state(hidden)[owner] + self.move(seen['moves'][legal].float())))
        return torch.zeros(seen['mask'].shape).index_put(legal, rated[:, 0])


# ---- 2. Playing and learning.


@dataclass
class Rollout:
    """Decisions, [T, N] or [T * N], in the order in which they were made."""

    seen: Seen
    actions: Tensor  # int64
    log_probabilities: Tensor  # float32
    advantages: Tensor  # float32
    returns: Tensor  # float32

    def select(self, rows: Tensor) -> 'Rollout':
        """Return some decisions."""
        seen = {name: part[rows] for name, part in self.seen.items()}
        columns = (self.actions, self.log_probabilities, self.advantages, self.returns)
        return Rollout(seen, *(column[rows] for column in columns))


class Run:
    """One training run."""

    def __init__(self, args: Args) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(args.seed)
        self.args = args
        self.envs = make_envs(args)
        self.network = Network(args, self.envs.single_action_space.n)
        self.optimizer = torch.optim.Adam(self.network.parameters(), args.learning_rate, eps=1e-5)
        observations, infos = self.envs.reset(seed=args.seed)
        self.next_seen = as_seen(observations, infos['action_mask'])
        self.decisions = 0
        self.started = time.process_time()

    def progress(self) -> float:
        """Return the share of the run that is over."""
        minutes = (time.process_time() - self.started) / 60
        return max(self.decisions / self.args.total_timesteps, minutes / self.args.cpu_minutes)

    def train(self) -> Network:
        """Learn until the decisions or the minutes are used up."""
        while (done := self.progress()) < 1:
            self.optimizer.param_groups[0]['lr'] = self.args.learning_rate * (1 - done)
            rollout, payoff = self.play()
            entropy, divergence = self.learn(rollout)
            self.decisions += self.args.num_envs * self.args.num_steps
            print(f'{self.decisions:,} decisions: {payoff:+.2f} cards a game, ', end='')
            print(f'entropy {entropy:.3f}, divergence {divergence:.4f}', flush=True)
        return self.network

    @torch.no_grad()
    def play(self) -> tuple[Rollout, float]:
        """Make num_steps decisions in each game; return them, and the mean payoff of the games that ended."""
        steps, payoffs = [], []
        for _ in range(self.args.num_steps):
            policy, values = self.network(self.next_seen)
            actions = (policy - torch.empty_like(policy).exponential_().log()).argmax(dim=1)  # samples by Gumbel noise
            observations, rewards, over, _, infos = self.envs.step(actions.numpy())
            payoffs += rewards[over].tolist()
            ended, rewards = torch.from_numpy(over).float(), torch.from_numpy(rewards).float() / 13
            steps.append((self.next_seen, actions, of_actions(policy, actions), values, rewards, ended))
            self.next_seen = as_seen(observations, infos['action_mask'])
        seen, *parts = zip(*steps, strict=True)
        actions, log_probabilities, values, rewards, ended = map(torch.stack, parts)
        advantages = self.advantages(values, rewards, ended)
        parts = (part.flatten() for part in (actions, log_probabilities, advantages, advantages + values))
        return Rollout({name: torch.cat([step[name] for step in seen]) for name in seen[0]}, *parts), np.mean(payoffs)

    def advantages(self, values: Tensor, rewards: Tensor, ended: Tensor) -> Tensor:
        """Estimate how much better each decision was than the value of its position, float32 [T, N]."""
        next_values = torch.cat([values[1:], self.network(self.next_seen)[1][None]])
        deltas = rewards + next_values * (1 - ended) - values
        advantages, last = torch.zeros_like(deltas), torch.zeros(deltas.shape[1])
        for t in reversed(range(len(deltas))):
            last = deltas[t] + self.args.gae_lambda * (1 - ended[t]) * last
            advantages[t] = last
        return advantages

    def learn(self, rollout: Rollout) -> tuple[float, float]:
        """Improve the network; return the entropy, and how far the policy has moved, of the last minibatch."""
        for _ in range(self.args.update_epochs):
            for rows in torch.randperm(len(rollout.actions)).split(self.args.minibatch_size):
                loss, entropy, divergence = self.loss(rollout.select(rows))
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.network.parameters(), self.args.max_grad_norm)
                self.optimizer.step()
        return float(entropy), float(divergence)

    def loss(self, batch: Rollout) -> tuple[Tensor, Tensor, Tensor]:
        """Return the clipped loss, the entropy and an estimate of the divergence from the policy that played."""
        policy, values = self.network(batch.seen)
        change = of_actions(policy, batch.actions) - batch.log_probabilities
        ratio, clip = change.exp(), self.args.clip_coef
        advantages = (batch.advantages - batch.advantages.mean()) / (batch.advantages.std() + 1e-8)
        gain = torch.minimum(advantages * ratio, advantages * ratio.clamp(1 - clip, 1 + clip)).mean()
        error = 0.5 * (values - batch.returns).square().mean()
        entropy = -(torch.softmax(policy, dim=1) * policy).sum(dim=1).mean()
        loss = -gain - self.args.ent_coef * entropy + self.args.vf_coef * error
        return loss, entropy.detach(), (ratio - 1 - change).mean().detach()


def of_actions(policy: Tensor, actions: Tensor) -> Tensor:
    """Return what a policy, [N, actions], has for the chosen actions, int64 [N]."""
    return policy.gather(1, actions[:, None])[:, 0]


def view(args: Args) -> dict[str, Any]:
    """Return the settings that the environment and an agent have to agree on."""
    return {'actions': args.actions, 'most_moves': args.most_moves if args.actions == 'scored' else None}


def make_envs(args: Args) -> Any:
    """Make the games, in lockstep."""
    settings = {'opponents': args.opponents, 'rules': args.rules, **view(args)}
    return gymnasium.make_vec('Big2-v0', args.num_envs, vectorization_mode='vector_entry_point', **settings)


# ---- 3. Measuring.


def make_agent(network: Network, args: Args) -> PolicyAgent:
    """Make an agent that plays the likeliest actions."""

    @torch.no_grad()
    def policy(observations: Any, masks: Any) -> Any:
        return network(as_seen(observations, masks))[0].argmax(dim=1).numpy()

    return PolicyAgent(policy, **view(args))


def main(args: Args) -> None:
    """Train, and play a match."""
    agent = make_agent(Run(args).train(), args)
    print(f'against three of {args.opponents}:', play_match(agent, args.opponents, deals=args.deals, rules=args.rules))


if __name__ == '__main__':
    main(tyro.cli(Args, description=__doc__))
