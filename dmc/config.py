"""The settings of a training run: one dataclass, which is the command line and is saved with the weights."""

import shlex
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from tyro.conf import arg

from rlcard_big2.errors import ConfigError
from rlcard_big2.rules import PRESETS

NetworkName = Literal['plain', 'residual', 'convolutional', 'convolutional-residual']
OptimizerName = Literal['adam', 'rmsprop']

NOT_ZERO = (
    'num_actors',
    'learner_threads',
    'num_games',
    'batch_size',
    'hidden_size',
    'lstm_size',
    'learning_rate',
    'averaging',
    'epsilon',
    'prior_games',
    'save_interval',
    'eval_interval',
)
CHOICES = {'network': get_args(NetworkName), 'optimizer': get_args(OptimizerName)}

# Named settings, each by what it changes.
SETTINGS: dict[str, dict[str, Any]] = {
    'default': {},
    'paper': {  # Chow and Cheng (2022); what has no counterpart here, such as its number of buffers, is left out
        'rules': 'hkust',
        'network': 'residual',
        'hidden_size': 512,
        'lstm_size': 128,
        'precision': 'float32',
        'num_actors': 5,
        'exp_epsilon': 0.01,
        'learn_forced': True,
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
}


@dataclass(frozen=True)
class Config:
    """Settings of a run; names follow DouZero where it has them."""

    savedir: Path = Path('runs/dmc')
    """Folder of the run: settings, checkpoint and metrics."""
    resume: bool = False
    """Go on from where the run in that folder was left."""
    rules: str = 'charlesworth'
    """Preset of the rules to learn."""
    minutes: float | None = None
    """Train for so many minutes; without a limit, until Ctrl-C."""
    total_frames: Annotated[int | None, arg(aliases=('--frames',))] = None
    """Train for so many frames, which are decisions learned from."""
    seed: int = 0
    """Seed of all random draws."""
    num_actors: int | None = None
    """Processes that play; as many as fit the machine's cores, where it is not given."""
    actor_devices: tuple[str, ...] = ('cpu',)
    """Where actors' networks run, actors taking turns: cpu, cuda, cuda:1, mps."""
    max_deaths: int = 5
    """Actors that may die within a minute and be replaced; one more ends the run."""
    num_games: int = 256
    """Games that each actor plays in lock step."""
    ring_size: int = 16384
    """Decisions that each actor's buffer in shared memory holds."""
    exp_epsilon: float = 0.02
    """Probability that an actor plays a random legal action instead of the best one."""
    deterministic: bool = False
    """Play and learn by turns in one process and one thread, so that a seed always gives the same weights."""
    learn_forced: bool = False
    """Learn from states with a single legal action too, as the paper does; they decide nothing."""
    training_device: str = 'auto'
    """Where the learner runs: cpu, cuda, cuda:1, mps; 'auto' takes a GPU where there is one."""
    learner_threads: int | None = None
    """Threads of a learner on the CPU; as many as fit the machine's cores, where it is not given."""
    batch_size: int = 768
    """Decisions in one update."""
    learning_rate: float = 3e-4
    """Step size of the optimiser."""
    decay: float = 0.3
    """Part of a run with a limit, at its end, in which the learning rate falls steadily to a tenth."""
    optimizer: OptimizerName = 'adam'
    """The optimiser; the paper takes RMSprop."""
    alpha: float = 0.99
    """RMSprop's smoothing of squared gradients."""
    momentum: float = 0.0
    """RMSprop's momentum."""
    epsilon: float = 1e-5
    """What RMSprop adds to the root of squared gradients."""
    averaging: int = 4000
    """Updates over which the network that is saved and evaluated is averaged; 1 saves the newest itself."""
    max_grad_norm: float = 40.0
    """Norm at which gradients are clipped."""
    network: NetworkName = 'residual'
    """The paper's network, or one of its variants."""
    hidden_size: int = 512
    """Width of the network's layers."""
    lstm_size: int = 128
    """Width of what sums up the last 16 moves: of the LSTM, or of the convolutions."""
    opponent: str = 'self'
    """Who plays beside the trained seat: 'self' (all four are trained), 'prior' (an earlier copy of the network)
    or an agent as in `big2-eval`."""
    prior_games: int = 1000
    """Games of an actor after which its 'prior' is copied anew."""
    precision: Literal['auto', 'bfloat16', 'float32'] = 'auto'
    """Arithmetic of the networks; 'auto' measures which is faster on each device."""
    save_interval: float = 10.0
    """Minutes between two checkpoints that are kept, in the run's folder checkpoints/."""
    eval_interval: float = 5.0
    """Minutes between two matches against fixed opponents while training; one more closes the run."""
    eval_opponents: tuple[str, ...] = ('random', 'rule')
    """Those opponents, three of each at a table, by their names as in `big2-eval`."""
    eval_deals: int = 1000
    """Deals of such a match, each played in all four seats; 0 for no matches."""

    def flags(self) -> str:
        """Return the flags that make these settings again, limits and resumption apart."""
        words = []
        for field in fields(self):
            value, flag = getattr(self, field.name), field.name.replace('_', '-')
            if value == field.default or field.name in ('resume', 'minutes', 'total_frames'):
                continue
            if isinstance(value, bool):
                words.append(f'--{flag}' if value else f'--no-{flag}')
            else:
                words += [f'--{flag}', *map(str, value if isinstance(value, tuple) else (value,))]
        return shlex.join(words)

    def __post_init__(self) -> None:
        if self.rules not in PRESETS:
            raise ConfigError(f'rules={self.rules!r}: choose one of {", ".join(PRESETS)}')
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise ConfigError(f'{name}={getattr(self, name)!r}: choose one of {", ".join(choices)}')
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, int | float) and value < 0:
                raise ConfigError(f'{field.name}={value!r}: it must not be negative')
        for name in NOT_ZERO:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ConfigError(f'{name}={value!r}: it must be above 0')
        for name in ('exp_epsilon', 'decay'):
            if getattr(self, name) > 1:
                raise ConfigError(f'{name}={getattr(self, name)!r}: it must be at most 1')
        if self.deterministic and self.minutes is not None:
            raise ConfigError(f'minutes={self.minutes!r}: no two minutes are the same; --deterministic takes --frames')
        if self.deterministic and (self.num_actors or 1) > 1:
            raise ConfigError(f'num_actors={self.num_actors!r}: --deterministic has one')
        if not self.alpha < 1:
            raise ConfigError(f'alpha={self.alpha!r}: it must be below 1')
        if self.ring_size < self.batch_size:
            raise ConfigError(f'ring_size={self.ring_size} must hold a batch of {self.batch_size}')


def preset(name: str, **changes: Any) -> Config:
    """Return named settings of SETTINGS with some changed; ConfigError for a name that there is not."""
    if name not in SETTINGS:
        raise ConfigError(f'preset={name!r}: choose one of {", ".join(SETTINGS)}')
    return Config(**(SETTINGS[name] | changes))
