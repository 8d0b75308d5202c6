"""The settings of a DMC run."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from rlcard_kit.bounds import Above, AtLeast, AtMost, Below, NaturalFloat, PositiveFloat, PositiveInt, Share
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.agents import DMC
from training.config import Fixed, Rows, RunConfig, Width

OptimizerName = Literal['adam', 'rmsprop']


GROUPS: Mapping[str, str] = {
    'run': 'actor_devices ring_size',
    'game': 'num_games opponent opponent_share prior_games exp_epsilon exp_temperature teacher teacher_share '
    'teacher_worlds',
    'network': 'network inputs hidden_size lstm_size',
    'learning': 'win_bonus td_lambda learn_forced batch_size learning_rate optimizer alpha momentum epsilon '
    'max_grad_norm',
}


@dataclass(frozen=True)
class Config(RunConfig):
    """Settings of a run; names follow DouZero where it has them."""

    agent: ClassVar[str] = DMC
    own_groups: ClassVar[Mapping[str, str]] = GROUPS

    savedir: Path = Path('runs/dmc')
    """Folder of the run: settings, checkpoints and metrics."""
    actor_devices: tuple[str, ...] = ('cpu',)
    """Devices of the actors' networks, assigned in turn: cpu, cuda, cuda:1, mps."""
    num_games: Rows = 256
    """Games that each actor plays in lock step."""
    ring_size: Annotated[int, Above(0), AtMost(100_000_000)] = 16384
    """Decisions that each actor's buffer in shared memory holds."""
    exp_epsilon: Share = 0.02
    """Probability that an actor plays a random legal action."""
    exp_temperature: NaturalFloat = 0.5
    """Softmax temperature in cards or points: a move worth this much less is e times less likely; 0 always plays the
    best."""
    win_bonus: NaturalFloat = 5.0
    """The winners' bonus in cards or points, which all four seats pay in equal parts; 0 learns payoffs alone, as the
    papers do. What Catch Five learns is by how much a team scores more than the other."""
    learn_forced: bool = False
    """Learn from states with a single legal action too, as the paper does; they decide nothing."""
    td_lambda: Share = 0.5
    """Weight of the outcome in a decision's target; the rest is the value expected at the seat's next decision. 1 takes
    the outcome alone, as the papers do."""
    batch_size: Rows = 768
    """Decisions in one update."""
    learning_rate: PositiveFloat = 8e-4
    """Step size of the optimiser."""
    decay: Share = 0.8
    """Final share of a run with a limit over which the learning rate falls linearly to a tenth."""
    optimizer: Annotated[OptimizerName, Fixed()] = 'adam'
    """The optimiser; the paper uses RMSprop."""
    alpha: Annotated[float, AtLeast(0), Below(1)] = 0.99
    """RMSprop's smoothing of squared gradients."""
    momentum: NaturalFloat = 0.0
    """RMSprop's momentum."""
    epsilon: PositiveFloat = 1e-5
    """RMSprop's term added to the root of squared gradients."""
    max_grad_norm: PositiveFloat = 40.0
    """Norm at which gradients are clipped."""
    inputs: Annotated[str, Fixed()] = 'afterstates'
    """Of Big 2: 'cards' are the published inputs; 'afterstates' adds derived features of the hand that a move leaves
    and of the opponents' possible hands; in 'rules' these are told by the rules that are learned, with what cards left
    cost."""
    network: Annotated[str, Fixed()] = 'layered-residual'
    """Of Big 2: the paper's network, or one of its variants. Of Catch Five: 'suits' sees its suits sorted, trumps
    first, and says what all actions are worth."""
    hidden_size: Annotated[Width, Fixed()] = 256
    """Width of the network's layers. The paper of Big 2 has 512, with which a core learns half as many decisions."""
    lstm_size: Annotated[Width, Fixed()] = 128
    """Of Big 2: width of the summary of the last 16 moves, whatever makes it."""
    opponent: str = 'self'
    """Who plays beside the trained seat, or against the trained team: 'self' (all four are trained), 'prior' (an
    earlier copy of the network) or an agent as in `python -m eval`."""
    opponent_share: Annotated[float, Above(0), AtMost(1)] = 1.0
    """Share of an actor's games that the opponent plays in; in the others all four seats are trained."""
    prior_games: PositiveInt = 1000
    """Games of an actor after which its 'prior' is copied anew."""
    teacher: Literal['none', 'search'] = 'none'
    """Of Big 2: 'search' makes some of the trained agent's choices, playing on by its network from each as
    `search:AGENT` does, and says what they are worth."""
    teacher_share: Share = 0.003
    """Share of the choices that it makes. One costs as much time as some hundred others."""
    teacher_worlds: Annotated[int, Above(0), AtMost(10_000)] = 16
    """Deals of the hidden cards in which it plays on from each."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.teacher != 'none' and not self.learned.has_search:
            raise ConfigError(f'teacher={self.teacher!r}: {self.game} has no search')
        if self.opponent == 'self' and self.opponent_share != 1:
            raise ConfigError(f"opponent_share={self.opponent_share}: opponent='self' plays no games; name another one")
        if not self.actor_devices:
            raise ConfigError('actor_devices=(): expected at least one, such as cpu')
        if self.ring_size < self.batch_size:
            raise ConfigError(f'ring_size={self.ring_size}: it must hold a batch of {self.batch_size}')
        if self.ray and set(self.actor_devices) != {'cpu'}:
            raise ConfigError(f'actor_devices={" ".join(self.actor_devices)}: on a cluster, actors play on cpu')
