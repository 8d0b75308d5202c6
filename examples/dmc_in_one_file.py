"""Deep Monte Carlo on Big 2 in one file and one process.

The algorithm of DouZero (Zha et al., 2021), as Chow and Cheng (2022) apply it to Big 2, without anything that keeps a
long run alive: no actor processes, no checkpoints, no recovery. Read it from top to bottom, then run it:

    python examples/dmc_in_one_file.py

It needs torch beside this package, takes one core, and ends by playing against three random agents. An agent that has
learned nothing wins a quarter of those games; with the settings as they are, the last line says WP 0.707 ± 0.018 and EV
9.544 ± 0.336 (cards won per game).
"""

import argparse
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from rlcard_big2 import VectorEnv
from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.duplicate import play_match
from rlcard_big2.engine.observation import OBSERVATION
from rlcard_kit.agents import Decision, Positions, choose_highest, explore
from rlcard_kit.rng import Streams, new_streams

STATE_SIZE = 6 * 52 + 3  # six sets of cards, and how many cards each opponent has left
ACTION_SIZE = 2 * 52  # the cards of a move, and those that it leaves in the hand


# ---- 1. Positions and moves as inputs of a network.


def cards(masks: NDArray[np.int64]) -> NDArray[np.float32]:
    """Write masks of cards, int64 [N, K], as zeros and ones, float32 [N, K * 52]."""
    return (masks[:, :, None] >> np.arange(52) & 1).reshape(len(masks), -1).astype(np.float32)


def state_features(observations: NDArray[np.void]) -> Tensor:
    """Return what a seat sees, [N] of OBSERVATION, as inputs, float32 [N, STATE_SIZE]."""
    masks = [observations['hand'], observations['others'], observations['table'], *observations['last'].T]
    return torch.from_numpy(np.hstack([cards(np.stack(masks, axis=1)), observations['left'] / np.float32(13)]))


def action_features(hands: NDArray[np.int64], moves: NDArray[np.int64]) -> Tensor:
    """Return moves, masks int64 [M], each with the hand that it is played from, as inputs, float32 [M, ACTION_SIZE]."""
    return torch.from_numpy(cards(np.stack([moves, hands & ~moves], axis=1)))


# ---- 2. Q(state, action): the payoff, in cards, that follows a move.


class Network(nn.Module):
    """Adds a state's part and an action's part, so that all moves of a position share the work on its state."""

    def __init__(self, width: int = 256) -> None:
        super().__init__()
        self.state = nn.Linear(STATE_SIZE, width)
        self.action = nn.Linear(ACTION_SIZE, width, bias=False)
        self.rest = nn.Sequential(nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, states: Tensor, actions: Tensor, owners: Tensor) -> Tensor:
        """Return the value of each action, float32 [M]; action m is one of state `owners[m]`."""
        values: Tensor = self.rest(self.state(states)[owners] + self.action(actions))
        return values.squeeze(1)


# ---- 3. The agent: play the move of the highest value, and sometimes any.


class ValueAgent(BatchAgent):
    """Decides for many games in one forward pass."""

    def __init__(self, network: Network, epsilon: float = 0.0) -> None:
        super().__init__()
        self.network = network
        self.epsilon = epsilon

    @torch.no_grad()
    def choose(self, positions: Positions, random: Streams) -> Decision:
        """Choose epsilon-greedily in each of N games; `positions.moves` holds the legal moves of all of them."""
        owners = positions.owners
        actions = action_features(positions.observations['hand'][owners], positions.moves)
        values = self.network(state_features(positions.observations), actions, torch.from_numpy(owners))
        indices = choose_highest(values.numpy(), positions.offsets)
        explore(self.epsilon, positions.offsets, random, indices)
        return Decision(indices)


# ---- 4. Acting: play N games in lockstep; when one ends, its payoffs are the targets of all of its decisions.


class Batch(NamedTuple):
    """Decisions, and the payoffs that followed them."""

    observations: NDArray[np.void]  # [B] of OBSERVATION
    moves: NDArray[np.int64]  # [B], masks
    targets: NDArray[np.float32]  # [B], payoff of the seat that decided


def play(agent: ValueAgent, num_games: int, batch_size: int, seed: int) -> Iterator[Batch]:
    """Yield batches of decisions for ever; the agent may learn from each before the next."""
    env, random = VectorEnv(num_games, seed=seed), new_streams([seed, 1], num_games)
    observations, (moves, offsets), payoffs = env.new_observations(), env.new_legal(), env.new_payoffs()
    done = np.zeros(num_games, np.bool_)
    episodes: list[list[tuple[np.void, int, int]]] = [[] for _ in range(num_games)]
    finished: list[tuple[np.void, int, int]] = []
    while True:
        env.observe(observations)
        count = env.legal(moves, offsets)
        seats = env.players
        chosen = moves[agent.choose(Positions(observations, moves[:count], offsets), random).indices]
        for game, has_choice in enumerate(np.diff(offsets) > 1):
            if has_choice:  # there is nothing to learn from a forced move
                episodes[game].append((observations[game].copy(), int(chosen[game]), int(seats[game])))
        env.step(chosen, payoffs, done, check=False)  # a game that ends is dealt anew
        for game in np.flatnonzero(done):
            finished += [(seen, move, payoffs[game, seat]) for seen, move, seat in episodes[game]]
            episodes[game] = []
        while len(finished) >= batch_size:
            seen, played, targets = zip(*finished[:batch_size], strict=True)
            yield Batch(np.array(list(seen), OBSERVATION), np.array(played), np.array(targets, np.float32))
            del finished[:batch_size]


# ---- 5. Learning: regress the values on the payoffs.


def learn(network: Network, optimizer: torch.optim.Optimizer, batch: Batch) -> float:
    """Take one step; return the mean squared error before it."""
    actions = action_features(batch.observations['hand'], batch.moves)
    values = network(state_features(batch.observations), actions, torch.arange(len(batch.moves)))
    loss = nn.functional.mse_loss(values, torch.from_numpy(batch.targets))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def main() -> None:
    """Train, then measure."""
    parser = argparse.ArgumentParser(description='Deep Monte Carlo on Big 2, in one process.')
    parser.add_argument('--decisions', type=int, default=500_000, help='how many to learn from')
    parser.add_argument('--num-games', type=int, default=128, help='games in lockstep')
    parser.add_argument('--batch-size', type=int, default=256, help='decisions in a step of the optimiser')
    parser.add_argument('--learning-rate', type=float, default=1e-3, help='of Adam')
    parser.add_argument('--epsilon', type=float, default=0.05, help='share of random moves while learning')
    parser.add_argument(
        '--deals', type=int, default=500, help='deals of the final match, each played in all four seats'
    )
    parser.add_argument('--seed', type=int, default=0, help='of weights, deals and random moves')
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    network = Network()
    optimizer = torch.optim.Adam(network.parameters(), args.learning_rate)
    batches = play(ValueAgent(network, args.epsilon), args.num_games, args.batch_size, args.seed)
    start, steps = time.monotonic(), args.decisions // args.batch_size
    for step in range(1, steps + 1):
        loss = learn(network, optimizer, next(batches))
        if step % max(1, steps // 10) == 0:
            seconds = time.monotonic() - start
            print(
                f'{step * args.batch_size:>9,} decisions, {seconds:4.0f} s, mean squared error {loss:.1f}', flush=True
            )

    print(play_match(ValueAgent(network), 'random', deals=args.deals, seed=args.seed + 1))


if __name__ == '__main__':
    main()
