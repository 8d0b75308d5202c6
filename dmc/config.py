"""The settings of a DMC run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from eval.common.cli import option
from rlcard_kit.bounds import Above, AtMost, NaturalFloat, PositiveFloat, Share
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.agents import DMC
from training.config import (
    GameSettings,
    KeptOnResume,
    LearningSettings,
    NetworkSettings,
    Rows,
    RunConfig,
    RunSettings,
)
from training.config import Width as LayerWidth
from training.games import game_of

ANY = 'any'  # rules drawn at random
OptimizerName = Literal['muon', 'adam', 'rmsprop']
Width = Annotated[LayerWidth, KeptOnResume()]


@dataclass(frozen=True)
class DMCRunSettings(RunSettings):
    """Folder, limits and resources."""

    savedir: Path = Path('runs/dmc')
    """Folder of the run: settings, checkpoints and metrics."""
    actor_devices: tuple[str, ...] = ('cpu',)
    """Devices of the actors' networks, assigned in turn: cpu, cuda, cuda:1, mps."""
    ring_size: Annotated[int, Above(0), AtMost(100_000_000)] = 16384
    """Decisions that each actor's buffer in shared memory holds."""


@dataclass(frozen=True)
class DMCGameSettings(GameSettings):
    """The game, and the players of the training games."""

    num_games: Rows = 256
    """Games that each actor plays in lockstep."""
    more_rules: Annotated[tuple[str, ...], option('RULES ...')] = ()
    """Of Big 2: further rules that an actor's games are played by, in equal shares with --rules; 'any' draws them at
    random, and again after some games. The network must see the rules: --inputs tables."""
    opponent: str = 'self'
    """Opponents of the trained seat or team: 'self' (all seats are trained), 'prior' (an earlier copy of the network)
    or an agent as in `python -m eval`."""
    more_opponents: Annotated[tuple[str, ...], option('AGENT ...')] = ()
    """Further opponents, in equal shares with --opponent; three of one kind, or a team, at a table."""
    opponent_share: Annotated[float, Above(0), AtMost(1)] = 1.0
    """Share of an actor's games in which the opponent plays; in the others all seats are trained."""


@dataclass(frozen=True)
class ValueNetworkSettings(NetworkSettings):
    """The value network."""

    network: Annotated[str, KeptOnResume()] = 'residual'
    """Of Big 2: 'plain' is the paper's, with an LSTM over the last 16 moves; 'residual' has the LSTM too,
    'layered-residual' a plain layer in its place, 'memoryless-residual' neither. Of Catch Five: 'suits' sees its suits
    sorted, trumps first, and values all actions at once."""
    inputs: Annotated[str, KeptOnResume()] = 'afterstates'
    """Of Big 2: 'cards' are the published inputs; 'afterstates' adds derived features of the hand that a move leaves
    and of the opponents' possible hands; 'rules' derives them by the rules that are learned, and adds the cost of the
    cards left; 'tables' adds the rules themselves."""
    hidden_size: Width = 256
    """Width of the network's layers. The paper of Big 2 has 512, which halves the decisions that a core learns."""
    lstm_size: Width = 64
    """Of Big 2: width of the summary of the last 16 moves, of whatever kind. The paper of Big 2 has 128, which costs a
    processor without bfloat16 a fifth of the decisions that it learns from."""


@dataclass(frozen=True)
class ExplorationSettings:
    """Choices of the actors."""

    exp_epsilon: Share = 0.02
    """Probability that an actor plays a random legal action."""
    exp_temperature: NaturalFloat = 0.5
    """Softmax temperature in cards or points: a move worth this much less is e times less likely; 0 always plays the
    best."""


@dataclass(frozen=True)
class DMCLearningSettings(LearningSettings):
    """Targets and optimisation."""

    win_bonus: NaturalFloat = 5.0
    """The winners' bonus in cards or points, paid by all seats in equal parts; 0 learns from payoffs alone, as the
    papers do. In Catch Five the payoff is the difference of the teams' scores."""
    td_lambda: Share = 0.5
    """Weight of the outcome in a decision's target; the rest is the value expected at the seat's next decision. 1 takes
    the outcome alone, as the papers do."""
    learn_forced: bool = False
    """Learn from states with a single legal action too, as the paper does."""
    batch_size: Rows = 768
    """Decisions in one update."""
    learning_rate: PositiveFloat = 8e-4
    """Step size of the optimiser."""
    decay: Share = 0.8
    """Final share of a run with a limit over which the learning rate falls linearly to a tenth."""
    optimizer: Annotated[OptimizerName, KeptOnResume()] = 'muon'
    """'muon' (orthogonal steps of hidden layers, Adam elsewhere), 'adam' (a tenth faster) or the paper's 'rmsprop'."""


@dataclass(frozen=True)
class Config(RunConfig):
    """Settings of a run; names follow DouZero where it has them."""

    agent: ClassVar[str] = DMC

    run: DMCRunSettings = DMCRunSettings()
    game: DMCGameSettings = DMCGameSettings()
    network: ValueNetworkSettings = ValueNetworkSettings()
    exploration: ExplorationSettings = ExplorationSettings()
    learning: DMCLearningSettings = DMCLearningSettings()

    def __post_init__(self) -> None:
        super().__post_init__()
        run, game = self.run, self.game
        if game.more_opponents and 'self' in (game.opponent, *game.more_opponents):
            given = f'opponent={game.opponent!r} with more_opponents={" ".join(game.more_opponents)}'
            raise ConfigError(f"{given}: 'self' plays no games; name other ones")
        if game.opponent == 'self' and game.opponent_share != 1:
            raise ConfigError(f"opponent_share={game.opponent_share}: opponent='self' plays no games; name another one")
        if game.more_rules and not self.spec.is_told_rules:
            given = f'more_rules={" ".join(game.more_rules)}'
            raise ConfigError(f"{given}: only a network of big2 with inputs='tables' sees the rules")
        for name in game.more_rules:
            if name != ANY:
                game_of(game.game).find_rules(name)
        if not run.actor_devices:
            raise ConfigError('actor_devices=(): expected at least one, such as cpu')
        if run.ring_size < self.learning.batch_size:
            raise ConfigError(f'ring_size={run.ring_size}: it must hold a batch of {self.learning.batch_size}')
        if run.ray and set(run.actor_devices) != {'cpu'}:
            raise ConfigError(f'actor_devices={" ".join(run.actor_devices)}: on a cluster, actors play on cpu')
