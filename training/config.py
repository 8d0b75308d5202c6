"""The settings that all training runs share: one dataclass, which is the command line and is saved with the weights."""

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_args, get_origin, get_type_hints

from tyro.conf import arg

from rlcard_big2.errors import ConfigError
from rlcard_big2.nets.spec import NetworkSpec
from rlcard_big2.rules import PRESETS

C = TypeVar('C', bound='RunConfig')


@dataclass(frozen=True)
class RunConfig:
    """Settings of a run; a trainer adds its own, and says which of them are what."""

    agent: ClassVar[str]  # what is trained: the word before the colon in its name
    presets: ClassVar[Mapping[str, Mapping[str, Any]]]  # named settings, each by what it changes
    fixed: ClassVar[tuple[str, ...]] = ('rules',)  # settings that a run may not change on its way
    not_zero: ClassVar[tuple[str, ...]] = ('learner_threads', 'averaging', 'save_interval', 'eval_interval')
    at_most_one: ClassVar[tuple[str, ...]] = ('decay',)

    savedir: Path = Path('runs')
    """Folder of the run: settings, checkpoint and metrics."""
    resume: bool = False
    """Go on from where the run in that folder was left."""
    rules: str = 'charlesworth'
    """Preset of the rules to learn."""
    minutes: float | None = None
    """Train for so many minutes, those before a resumption included; without a limit, until Ctrl-C."""
    total_frames: Annotated[int | None, arg(aliases=('--frames',))] = None
    """Train for so many frames, which are decisions learned from."""
    seed: int = 0
    """Seed of all random draws."""
    deterministic: bool = False
    """Play and learn by turns in one process and one thread, so that a seed always gives the same weights."""
    training_device: str = 'auto'
    """Where the learner runs: cpu, cuda, cuda:1, mps; 'auto' takes a GPU where there is one."""
    learner_threads: int | None = None
    """Threads of a learner on the CPU; as many as fit the machine's cores, where it is not given."""
    precision: Literal['auto', 'bfloat16', 'float32'] = 'auto'
    """Arithmetic of the networks; 'auto' measures which is faster on each device."""
    decay: float = 0.3
    """Part of a run with a limit, at its end, in which the learning rate falls steadily to a tenth."""
    averaging: int = 4000
    """Steps of the optimiser over which the network that is saved and evaluated is averaged; 1 saves the newest."""
    save_interval: float = 10.0
    """Minutes between two checkpoints that are kept, in the run's folder checkpoints/."""
    eval_interval: float = 5.0
    """Minutes between two matches against fixed opponents while training; one more closes the run."""
    eval_opponents: tuple[str, ...] = ('random', 'rule')
    """Those opponents, three of each at a table, by their names as in `big2-eval`."""
    eval_deals: int = 1000
    """Deals of such a match, each played in all four seats; 0 for no matches."""

    @classmethod
    def preset(cls: type[C], name: str, **changes: Any) -> C:
        """Return named settings with some changed; ConfigError for a name that there is not."""
        if name not in cls.presets:
            raise ConfigError(f'preset={name!r}: choose one of {", ".join(cls.presets)}')
        return cls(**{**cls.presets[name], **changes})

    def flags(self) -> str:
        """Return the flags that make these settings again, resumption apart."""
        words = []
        for field in fields(self):
            value, flag = getattr(self, field.name), field.name.replace('_', '-')
            if value == field.default or field.name == 'resume':
                continue
            if isinstance(value, bool):
                words.append(f'--{flag}' if value else f'--no-{flag}')
            else:
                words += [f'--{flag}', *map(str, value if isinstance(value, tuple) else (value,))]
        return shlex.join(words)

    @property
    def spec(self) -> NetworkSpec:
        """What the network is made from."""
        raise NotImplementedError

    def describe(self) -> dict[str, Any]:
        """Return the settings as JSON can hold them."""
        return {key: str(value) if isinstance(value, Path) else value for key, value in asdict(self).items()}

    def __post_init__(self) -> None:
        if self.rules not in PRESETS:
            raise ConfigError(f'rules={self.rules!r}: choose one of {", ".join(PRESETS)}')
        for name, kind in get_type_hints(type(self)).items():
            if get_origin(kind) is Literal and getattr(self, name) not in get_args(kind):
                raise ConfigError(f'{name}={getattr(self, name)!r}: choose one of {", ".join(get_args(kind))}')
        for field in fields(self):
            self._check_number(field.name)
        if self.deterministic and self.training_device not in ('auto', 'cpu'):
            raise ConfigError(f'training_device={self.training_device!r}: --deterministic runs learn on the cpu')
        if self.deterministic and self.minutes is not None:
            raise ConfigError(f'minutes={self.minutes!r}: no two minutes are the same; --deterministic takes --frames')

    def _check_number(self, name: str) -> None:
        value = getattr(self, name)
        if not isinstance(value, int | float):
            return
        if not value >= 0:
            raise ConfigError(f'{name}={value!r}: it must be a number, and not negative')
        if name in self.not_zero and not value > 0:
            raise ConfigError(f'{name}={value!r}: it must be above 0')
        if name in self.at_most_one and value > 1:
            raise ConfigError(f'{name}={value!r}: it must be at most 1')
