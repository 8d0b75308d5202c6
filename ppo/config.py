"""The settings of a PPO run."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from rlcard_kit.bounds import Above, AtLeast, AtMost, NaturalFloat, PositiveFloat, PositiveInt, Share
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.agents import PPO
from training.config import Fixed, Rows, RunConfig, Width

GROUPS: Mapping[str, str] = {
    'run': 'max_staleness',
    'game': 'num_games num_steps opponent pool_size pool_interval pool_share pool_agents',
    'network': 'network inputs hidden_size action_size activation',
    'learning': 'learn_forced minibatch_size epochs gamma gae_lambda clip clip_values value_coefficient '
    'entropy_coefficient uniform_coefficient z_coefficient learning_rate adam_epsilon anneal max_grad_norm '
    'target payoff_unit augmentation',
}


@dataclass(frozen=True)
class Config(RunConfig):
    """Settings of a run."""

    agent: ClassVar[str] = PPO
    own_groups: ClassVar[Mapping[str, str]] = GROUPS

    savedir: Path = Path('runs/ppo')
    """Folder of the run: settings, checkpoints and metrics."""
    num_games: Annotated[Rows, Fixed()] = 512
    """Games that are played in lock step; on a cluster, by all actors together."""
    max_staleness: Annotated[int, AtLeast(0), AtMost(10)] = 1
    """On a cluster: updates by which weights may be older when what was played by them is learned from. With 0, actors
    wait while the learner learns, and it waits while they play."""
    num_steps: Annotated[Rows, Fixed()] = 32
    """Moves in each game between two updates."""
    learn_forced: bool = False
    """Learn from states with a single legal action too, as the paper does; they decide nothing."""
    minibatch_size: PositiveInt = 1024
    """Decisions in one step of the optimiser."""
    epochs: PositiveInt = 1
    """Times that each decision is learned from."""
    gamma: Share = 1.0
    """Discount from one of a player's decisions to its next."""
    gae_lambda: Share = 0.95
    """How far advantages look ahead (Schulman et al. 2016): 0 to the next value, 1 to the payoff."""
    clip: Annotated[float, Above(0), AtMost(1)] = 0.2
    """PPO clip range of the probability ratio."""
    clip_values: bool = False
    """Clip the values too, as OpenAI Baselines does."""
    value_coefficient: NaturalFloat = 0.5
    """Weight of the value loss."""
    entropy_coefficient: NaturalFloat = 0.0
    """Weight of the entropy bonus."""
    uniform_coefficient: NaturalFloat = 0.03
    """Weight of the divergence of the uniform distribution from the policy, which keeps every legal move alive."""
    z_coefficient: NaturalFloat = 1e-3
    """Weight of the z-loss (Chowdhery et al. 2022), the squared log-sum of a decision's logits. Without it they may
    drift together until bfloat16 cannot tell them apart."""
    learning_rate: PositiveFloat = 3e-4
    """Step size of Adam."""
    adam_epsilon: NaturalFloat = 1e-8
    """Adam's term added to the root of squared gradients."""
    anneal: bool = False
    """Lower learning rate and clip range linearly to 0 over the run, instead of `decay`."""
    max_grad_norm: PositiveFloat = 10.0
    """Norm at which gradients are clipped."""
    payoff_unit: PositiveFloat = 5.0
    """Cards, or points, that what is learned is divided by."""
    target: Literal['difference', 'score'] = 'difference'
    """What Catch Five learns: by how much its team scores more than the other, or its own score alone, as the paper
    does. Payoffs of Big 2 sum to zero, and are learned as they are."""
    augmentation: Annotated[int, AtLeast(0), AtMost(23)] = 0
    """Copies of each decision with its suits exchanged at random that are learned from too; for 'vonyork' alone, since
    to 'suits' they are the same, and suits of Big 2 have an order."""
    inputs: Annotated[str, Fixed()] = 'afterstates'
    """Of the network 'actions': 'cards' alone, or 'afterstates', which adds derived features of the hand that a move
    leaves and of the opponents' possible hands; in 'rules' these are told by the rules that are learned."""
    network: Annotated[str, Fixed()] = 'actions'
    """Of Big 2: 'actions' scores each legal action by its cards, under all rules; 'charlesworth' is the published one.
    Of Catch Five: 'suits' sees its suits sorted, trumps first; 'vonyork' is the published actor and critic."""
    hidden_size: Annotated[Width, Fixed()] = 512
    """Width of the layers of 'actions' and 'suits'."""
    action_size: Annotated[Width, Fixed()] = 256
    """Width of its layers in which state and action meet."""
    activation: Annotated[str, Fixed()] = 'tanh'
    """Between the layers of 'vonyork': tanh, or the leaky rectifier of its variant."""
    opponent: Literal['self', 'pool'] = 'self'
    """'self': all four seats are trained; 'pool': in some games one team plays against earlier selves."""
    pool_size: Annotated[int, Above(0), AtMost(1000)] = 16
    """Earlier selves that are kept."""
    pool_interval: PositiveInt = 50
    """Updates between two that are kept."""
    pool_share: Share = 0.25
    """Share of the games in which earlier selves, or `pool_agents`, play."""
    pool_agents: tuple[str, ...] = ()
    """Agents by name as in `python -m eval` that play in the pool's games too, each as often as all earlier selves
    together."""

    @property
    def most_actors(self) -> int:
        """How many actors the games are enough for: one for each and, if there is a pool, one against that."""
        least = math.ceil(1 / self.pool_share) if self.opponent == 'pool' and self.pool_share else 1
        return max(1, self.num_games // least)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.num_actors is not None and not self.ray:
            raise ConfigError(f'num_actors={self.num_actors}: PPO plays in one process, or on a cluster by --ray')
        if self.num_actors is not None and self.num_actors > self.most_actors:
            raise ConfigError(
                f'num_actors={self.num_actors}: {self.num_games} games are enough for {self.most_actors}: '
                f'raise num_games, or ask for fewer'
            )
        if self.pool_agents and self.opponent != 'pool':
            raise ConfigError(f"pool_agents={' '.join(self.pool_agents)}: they need opponent='pool'")
        if self.augmentation and self.network != 'vonyork':
            raise ConfigError(f"augmentation={self.augmentation}: network='vonyork' alone learns from exchanged suits")
