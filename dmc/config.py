"""The settings of a DMC run."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from rlcard_big2.errors import ConfigError
from rlcard_big2.nets.dmc import AGENT
from rlcard_big2.nets.spec import Inputs, ValueSpec, Variant
from training.config import RunConfig

OptimizerName = Literal['adam', 'rmsprop']

# Named settings, each by what it changes.
PRESETS: Mapping[str, Mapping[str, Any]] = {
    'default': {},
    'paper': {  # Chow and Cheng (2022); what has no counterpart here, such as its number of buffers, is left out
        'rules': 'hkust',
        'inputs': 'cards',
        'network': 'residual',
        'hidden_size': 512,
        'lstm_size': 128,
        'precision': 'float32',
        'num_actors': 5,
        'exp_epsilon': 0.01,
        'exp_temperature': 0.0,
        'win_bonus': 0.0,
        'learn_forced': True,
        'td_lambda': 1.0,
        'opponent': 'prior',
        'prior_games': 1000,
        'batch_size': 32 * 100,  # DouZero's batch_size times its unroll_length
        'optimizer': 'rmsprop',
        'learning_rate': 1e-4,
        'alpha': 0.99,
        'epsilon': 1e-5,
        'momentum': 0.0,
        'max_grad_norm': 40.0,
        'decay': 0.0,
        'averaging': 1,
    },
    'strong': {  # the run of the weights in rlcard_big2/models/dmc
        'rules': 'charlesworth',
        'inputs': 'afterstates',
        'network': 'residual',
        'hidden_size': 256,
        'lstm_size': 128,
        'total_frames': 96_999_168,
        'num_games': 256,
        'exp_epsilon': 0.02,
        'exp_temperature': 0.5,
        'win_bonus': 5.0,
        'learn_forced': False,
        'td_lambda': 0.5,
        'opponent': 'self',
        'batch_size': 768,
        'optimizer': 'adam',
        'learning_rate': 8e-4,
        'max_grad_norm': 40.0,
        'decay': 0.8,
        'averaging': 4000,
    },
}


@dataclass(frozen=True)
class Config(RunConfig):
    """Settings of a run; names follow DouZero where it has them."""

    agent: ClassVar[str] = AGENT
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS
    fixed: ClassVar[tuple[str, ...]] = ('rules', 'inputs', 'network', 'hidden_size', 'lstm_size', 'optimizer')
    not_zero: ClassVar[tuple[str, ...]] = (
        *RunConfig.not_zero,
        'num_actors',
        'max_silence',
        'num_games',
        'batch_size',
        'hidden_size',
        'lstm_size',
        'learning_rate',
        'max_grad_norm',
        'epsilon',
        'prior_games',
    )
    at_most_one: ClassVar[tuple[str, ...]] = (*RunConfig.at_most_one, 'exp_epsilon', 'td_lambda')

    savedir: Path = Path('runs/dmc')
    """Folder of the run: settings, checkpoint and metrics."""
    num_actors: int | None = None
    """Processes that play; as many as fit the machine's cores, where it is not given."""
    actor_devices: tuple[str, ...] = ('cpu',)
    """Where actors' networks run, actors taking turns: cpu, cuda, cuda:1, mps."""
    max_deaths: int = 5
    """Actors that may die within a minute and be replaced; one more ends the run."""
    max_silence: float = 120.0
    """Seconds without a move after which an actor is killed and replaced."""
    num_games: int = 256
    """Games that each actor plays in lock step."""
    ring_size: int = 16384
    """Decisions that each actor's buffer in shared memory holds."""
    exp_epsilon: float = 0.02
    """Probability that an actor plays a random legal action."""
    exp_temperature: float = 0.5
    """Cards by which a move must be worse for an actor to play it 1/e times as often; 0 always plays the best."""
    win_bonus: float = 5.0
    """Cards that the winner is given beside the payoff, all four seats paying a quarter; 0 has payoffs alone, as the
    papers do."""
    learn_forced: bool = False
    """Learn from states with a single legal action too, as the paper does; they decide nothing."""
    td_lambda: float = 0.5
    """Weight in a decision's target of what followed, beside what was expected at the seat's next decision; 1 takes the
    payoff alone, as the papers do."""
    batch_size: int = 768
    """Decisions in one update."""
    learning_rate: float = 8e-4
    """Step size of the optimiser."""
    decay: float = 0.8
    """Part of a run with a limit, at its end, in which the learning rate falls steadily to a tenth."""
    optimizer: OptimizerName = 'adam'
    """The optimiser; the paper takes RMSprop."""
    alpha: float = 0.99
    """RMSprop's smoothing of squared gradients."""
    momentum: float = 0.0
    """RMSprop's momentum."""
    epsilon: float = 1e-5
    """What RMSprop adds to the root of squared gradients."""
    max_grad_norm: float = 40.0
    """Norm at which gradients are clipped."""
    inputs: Inputs = ValueSpec.inputs
    """'cards' are the published inputs; 'afterstates' adds what the cards amount to that a move leaves and that others
    may hold."""
    network: Variant = ValueSpec.variant
    """The paper's network, or one of its variants."""
    hidden_size: int = ValueSpec.hidden_size
    """Width of the network's layers; the paper has 512, of which a core learns half as many decisions."""
    lstm_size: int = ValueSpec.lstm_size
    """Width of what sums up the last 16 moves: of the LSTM, or of the convolutions."""
    opponent: str = 'self'
    """Who plays beside the trained seat: 'self' (all four are trained), 'prior' (an earlier copy of the network)
    or an agent as in `big2-eval`."""
    prior_games: int = 1000
    """Games of an actor after which its 'prior' is copied anew."""

    @property
    def spec(self) -> ValueSpec:
        """What the network is made from."""
        return ValueSpec(self.network, self.hidden_size, self.lstm_size, self.inputs)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.actor_devices:
            raise ConfigError('actor_devices: name at least one, as cpu')
        if not self.alpha < 1:
            raise ConfigError(f'alpha={self.alpha!r}: it must be below 1')
        if self.ring_size < self.batch_size:
            raise ConfigError(f'ring_size={self.ring_size} must hold a batch of {self.batch_size}')
        if self.deterministic and (self.num_actors or 1) > 1:
            raise ConfigError(f'num_actors={self.num_actors!r}: --deterministic has one')
