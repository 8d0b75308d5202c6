"""The settings of a training run: one dataclass, which is the command line and is saved with the weights."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from rlcard_big2.errors import ConfigError
from rlcard_big2.rules import PRESETS

NOT_ZERO = ('num_actors', 'num_games', 'batch_size', 'hidden_size', 'lstm_size', 'learning_rate', 'save_interval')


@dataclass(frozen=True)
class Config:
    """Settings of a run; names follow DouZero where it has them."""

    savedir: Path = Path('runs/dmc')
    """Folder of the run: settings, checkpoint and metrics."""
    rules: str = 'charlesworth'
    """Preset of the rules to learn."""
    minutes: float | None = None
    """Train for so many minutes; without a limit, until Ctrl-C."""
    total_frames: int | None = None
    """Train for so many frames, which are decisions learned from."""
    seed: int = 0
    """Seed of all random draws."""
    num_actors: int = 2
    """Processes that play."""
    num_games: int = 256
    """Games that each actor plays in lock step."""
    ring_size: int = 16384
    """Decisions that each actor's buffer in shared memory holds."""
    exp_epsilon: float = 0.02
    """Probability that an actor plays a random legal action instead of the best one."""
    learn_forced: bool = False
    """Learn from states with a single legal action too, as the paper does; they decide nothing."""
    batch_size: int = 768
    """Decisions in one update."""
    learning_rate: float = 3e-4
    """Step size of Adam."""
    max_grad_norm: float = 40.0
    """Norm at which gradients are clipped."""
    hidden_size: int = 512
    """Width of the network's layers."""
    lstm_size: int = 128
    """Width of the LSTM over the last 16 moves."""
    precision: Literal['auto', 'bfloat16', 'float32'] = 'auto'
    """Arithmetic of the networks; 'auto' measures which is faster here."""
    save_interval: float = 10.0
    """Minutes between two checkpoints that are kept, in the run's folder checkpoints/."""
    eval_deals: int = 1000
    """Deals of the closing match against three random agents, each played in all four seats; 0 for none."""

    def __post_init__(self) -> None:
        if self.rules not in PRESETS:
            raise ConfigError(f'rules={self.rules!r}: choose one of {", ".join(PRESETS)}')
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, int | float) and value < 0:
                raise ConfigError(f'{field.name}={value!r}: it must not be negative')
        for name in (
            'num_actors',
            'num_games',
            'batch_size',
            'hidden_size',
            'lstm_size',
            'learning_rate',
            'save_interval',
        ):
            if not getattr(self, name) > 0:
                raise ConfigError(f'{name}={getattr(self, name)!r}: it must be above 0')
        if self.exp_epsilon > 1:
            raise ConfigError(f'exp_epsilon={self.exp_epsilon!r}: it is a probability, at most 1')
        if self.ring_size < self.batch_size:
            raise ConfigError(f'ring_size={self.ring_size} must hold a batch of {self.batch_size}')
