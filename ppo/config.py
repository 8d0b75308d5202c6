"""The settings of a PPO run."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from eval.common.cli import option
from rlcard_kit.bounds import AtLeast, AtMost, NaturalFloat, PositiveFloat, PositiveInt, Share
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.agents import PPO
from training.config import (
    GameSettings,
    KeptOnResume,
    LearningSettings,
    NetworkSettings,
    Rows,
    RunConfig,
    RunSettings,
    Width,
)


@dataclass(frozen=True)
class PPORunSettings(RunSettings):
    """Folder, limits and resources."""

    savedir: Path = Path('runs/ppo')
    """Folder of the run: settings, checkpoints and metrics."""
    max_staleness: Annotated[int, AtLeast(0), AtMost(10)] = 1
    """On a cluster: the most updates between the weights that play a rollout and the update that learns from it. With
    0, actors and learner wait for each other."""


@dataclass(frozen=True)
class PPOGameSettings(GameSettings):
    """The game, and the players of the training games."""

    num_games: Annotated[Rows, KeptOnResume()] = 512
    """Games that are played in lockstep; on a cluster, by all actors together."""
    num_steps: Annotated[Rows, KeptOnResume()] = 32
    """Moves in each game between two updates."""
    pool_share: Share = 0.0
    """Share of the games in which one team plays against earlier selves, or `pool_agents`; 0 for pure self-play."""
    pool_agents: Annotated[tuple[str, ...], option('AGENT ...')] = ()
    """Names of agents as in `python -m eval` that play in the pool's games too, each as often as all earlier selves
    together."""


@dataclass(frozen=True)
class PolicySettings(NetworkSettings):
    """The policy."""

    network: Annotated[str, KeptOnResume()] = 'actions'
    """Of Big 2: 'actions' scores each legal action by its cards, under all rules; 'charlesworth' is the published one.
    Of Catch Five: 'suits' sees its suits sorted, trumps first; 'vonyork' is the published actor and critic, with tanh,
    and 'vonyork-leaky' its variant with the leaky rectifier."""
    inputs: Annotated[str, KeptOnResume()] = 'afterstates'
    """Of the network 'actions': 'cards' alone, or 'afterstates', which adds derived features of the hand that a move
    leaves and of the opponents' possible hands; 'rules' derives them by the rules that are learned."""
    hidden_size: Annotated[Width, KeptOnResume()] = 512
    """Width of the layers of 'actions' and 'suits'; where 'actions' joins state and action, half of it."""


@dataclass(frozen=True)
class PPOLearningSettings(LearningSettings):
    """Targets and optimisation."""

    learn_forced: bool = False
    """Learn from states with a single legal action too, as the paper does."""
    minibatch_size: PositiveInt = 1024
    """Decisions in one step of the optimiser."""
    epochs: PositiveInt = 1
    """Passes over the decisions of an update."""
    gamma: Share = 1.0
    """Discount from one of a player's decisions to its next."""
    value_coefficient: NaturalFloat = 0.5
    """Weight of the value loss."""
    entropy_coefficient: NaturalFloat = 0.0
    """Weight of the entropy bonus."""
    uniform_coefficient: NaturalFloat = 0.03
    """Weight of the divergence of the uniform distribution from the policy, which keeps every legal move alive."""
    z_coefficient: NaturalFloat = 1e-3
    """Weight of the z-loss (Chowdhery et al. 2022), the squared log-sum of a decision's logits. Without it they may
    drift together until bfloat16 cannot separate them."""
    learning_rate: PositiveFloat = 3e-4
    """Step size of Adam."""
    baselines_details: bool = False
    """Details of OpenAI Baselines: clip values, lower learning rate and clip range linearly to 0 instead of by `decay`,
    clip gradients at a norm of 0.5 instead of 10, and Adam's epsilon is 1e-5 instead of 1e-8."""
    payoff_unit: PositiveFloat = 5.0
    """Cards or points in one unit of the value targets."""
    target: Literal['difference', 'score'] = 'difference'
    """Target in Catch Five: the difference of the teams' scores, or the team's own score, as in the paper. In Big 2
    both are the payoff."""


@dataclass(frozen=True)
class Config(RunConfig):
    """Settings of a run."""

    agent: ClassVar[str] = PPO

    run: PPORunSettings = PPORunSettings()
    game: PPOGameSettings = PPOGameSettings()
    network: PolicySettings = PolicySettings()
    learning: PPOLearningSettings = PPOLearningSettings()

    @property
    def most_actors(self) -> int:
        """The number of actors that the games are enough for: one game for each and, with a pool, one against it."""
        least = math.ceil(1 / self.game.pool_share) if self.game.pool_share else 1
        return max(1, self.game.num_games // least)

    def __post_init__(self) -> None:
        super().__post_init__()
        actors, games = self.run.num_actors, self.game
        if actors is not None and not self.run.ray:
            raise ConfigError(f'num_actors={actors}: PPO plays in one process, or on a cluster by --ray')
        if actors is not None and actors > self.most_actors:
            raise ConfigError(
                f'num_actors={actors}: {games.num_games} games are enough for {self.most_actors}: '
                f'raise num_games, or ask for fewer'
            )
        if games.pool_agents and not games.pool_share:
            raise ConfigError(f'pool_agents={" ".join(games.pool_agents)}: they need a pool_share above 0')
