"""The settings that all training runs share: one dataclass, which is the command line and is saved with the weights."""

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_type_hints

from tyro.conf import arg

from rlcard_kit.bounds import Above, AtLeast, AtMost, NaturalInt, PositiveFloat, PositiveInt, Share, check_settings
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.spec import MAX_SIZE, NetworkSpec
from training.games import LearnedGame, game_of
from training.games.base import Presets

C = TypeVar('C', bound='RunConfig')

# The groups in which the command line shows the settings, with the names of those that all runs share.
GROUPS: Mapping[str, str] = {
    'run': 'savedir resume start_from minutes total_frames save_interval seed deterministic training_device '
    'learner_threads precision num_actors ray max_deaths max_silence',
    'game': 'game rules',
    'network': '',
    'learning': 'decay averaging',
    'evaluation': 'eval_interval eval_opponents eval_deals',
}

# Sizes of what is allocated at once; whether a run's sizes together fit the machine is told by `Machine.check_memory`.
Width = Annotated[int, Above(0), AtMost(MAX_SIZE)]  # of a layer
Rows = Annotated[int, Above(0), AtMost(1_000_000)]  # of games or decisions

LATER = ('game', 'activation', 'start_from')  # settings that are fixed, and that runs of earlier versions do not record


@dataclass(frozen=True)
class Fixed:
    """Marks a setting that a run keeps when it is resumed: its weights, or its games in progress, depend on it."""


@dataclass(frozen=True)
class RunConfig:
    """Settings of a run; a trainer adds its own.

    Every number declares its bounds, see `rlcard_kit.bounds`.

    Raises:
        ConfigError: if a setting is out of bounds, or contradicts another.
        RulesError: if the rules have no such name.
    """

    agent: ClassVar[str]  # what is trained: the word before the colon in its name
    own_groups: ClassVar[Mapping[str, str]] = {}  # the names of a trainer's own settings, as GROUPS has the others'

    savedir: Path = Path('runs')
    """Folder of the run: settings, checkpoints and metrics."""
    network: Annotated[str, Fixed()] = ''
    """Name of the network."""
    resume: bool = False
    """Resume the run in that folder."""
    game: Annotated[str, Fixed()] = 'big2'
    """The game to learn: big2, catch5 or python:MODULE:NAME."""
    rules: Annotated[str, Fixed()] = 'charlesworth'
    """The rules to learn: a preset, a file of JSON, or python:MODULE:NAME."""
    minutes: Annotated[float, AtLeast(0), AtMost(10_000_000)] | None = None
    """Train for this many minutes, those before a resumption included; without a limit, until Ctrl-C."""
    start_from: Annotated[str | None, Fixed()] = None
    """Start from the network in this folder, of a run or of a shipped model, instead of drawing the weights: to go on
    with other rules or settings. It must be of the same kind, sizes and inputs."""
    total_frames: Annotated[NaturalInt | None, arg(aliases=('--frames',))] = None
    """Train for this many frames: decisions learned from."""
    seed: NaturalInt = 0
    """Seed of all random draws."""
    deterministic: bool = False
    """Play and learn in turn in one process and one thread, so that a seed always gives the same weights."""
    training_device: str = 'auto'
    """Where the learner runs: cpu, cuda, cuda:1, mps; 'auto' takes a GPU if there is one."""
    learner_threads: Annotated[int, Above(0), AtMost(1024)] | None = None
    """Threads of a learner on the CPU; by default, as many as suit the machine's cores."""
    precision: Literal['auto', 'bfloat16', 'float32'] = 'auto'
    """Arithmetic of the networks; 'auto' measures which is faster on each device."""
    num_actors: Annotated[int, Above(0), AtMost(10_000)] | None = None
    """Processes that play; by default, as many as suit the cores of the machine, or of the cluster. PPO has them on a
    cluster alone."""
    ray: Annotated[str | None, arg(metavar='ADDRESS')] = None
    """Have them on a cluster by Ray: 'auto' for the one that this machine belongs to, HOST:PORT, or 'local' for one
    that is started here and ends with the run. See docs/scaling.md."""
    max_deaths: NaturalInt = 5
    """Actors that may die and be replaced; one more ends the run. A death is forgotten when the replacement has played
    for a minute."""
    max_silence: PositiveFloat = 120.0
    """Seconds without a move after which an actor is killed and replaced. It has 600 for its first one, if that is
    more, since it may have to compile the engine."""
    decay: Share = 0.3
    """Final share of a run with a limit over which the learning rate falls linearly to a tenth."""
    averaging: PositiveInt = 4000
    """Optimiser steps over which the network that is saved and evaluated is averaged; 1 saves the newest."""
    save_interval: PositiveFloat = 10.0
    """Minutes between two permanent checkpoints, in the run's folder checkpoints/."""
    eval_interval: PositiveFloat = 5.0
    """Minutes between two matches against fixed opponents during training; one more closes the run."""
    eval_opponents: tuple[str, ...] = ('random', 'rule')
    """Those opponents, three of each at a table, by their names as in `python -m eval`."""
    eval_deals: Annotated[int, AtLeast(0), AtMost(1_000_000)] = 1000
    """Deals of such a match, each played in all four seats; 0 for no matches."""

    @classmethod
    def preset(cls: type[C], name: str, **changes: Any) -> C:
        """Return named settings with some changed.

        Raises:
            ConfigError: if the name is unknown, or the settings are impossible.
        """
        return cls(**{**cls.changes_of(name, changes.get('game', cls.game)), **changes})

    @classmethod
    def presets(cls, game: str) -> Presets:
        """Return a game's presets."""
        return game_of(game).training_presets[cls.agent]

    @classmethod
    def changes_of(cls, name: str, game: str) -> Mapping[str, Any]:
        """Return what the named settings of a game change; ConfigError if there are none."""
        named = cls.presets(game)
        if name not in named:
            raise ConfigError(f'preset={name!r}: choose one of {", ".join(named)}')
        return {**named['default'], **named[name]}

    @classmethod
    def fixed(cls) -> list[str]:
        """Return the names of the settings that a run keeps when it is resumed."""
        hints = get_type_hints(cls, include_extras=True).items()
        return [name for name, kind in hints if Fixed() in getattr(kind, '__metadata__', ())]

    @classmethod
    def completed(cls, stored: Mapping[str, Any]) -> dict[str, Any]:
        """Return settings that a run has recorded, with the default of what its version did not know."""
        return {**{field.name: field.default for field in fields(cls) if field.name in LATER}, **stored}

    @classmethod
    def groups(cls) -> dict[str, list[str]]:
        """Return the names of all settings, in the groups that the command line shows them in."""
        return {group: [*names.split(), *cls.own_groups.get(group, '').split()] for group, names in GROUPS.items()}

    @classmethod
    def kept(cls) -> list[str]:
        """Return the names of the settings that a folder records: all but those that say which folder it is."""
        return [field.name for field in fields(cls) if field.name not in ('savedir', 'resume')]

    def flags(self) -> str:
        """Return the flags that reproduce these settings, apart from --resume."""
        words = []
        usual = {field.name: field.default for field in fields(self)}
        usual.update({name: value for name, value in self.changes_of('default', self.game).items() if name != 'game'})
        for field in fields(self):
            value, flag = getattr(self, field.name), field.name.replace('_', '-')
            if value == usual[field.name] or field.name == 'resume':
                continue
            if isinstance(value, bool):
                words.append(f'--{flag}' if value else f'--no-{flag}')
            else:
                words += [f'--{flag}', *map(str, value if isinstance(value, tuple) else (value,))]
        return shlex.join(words)

    @property
    def learned(self) -> LearnedGame:
        """The game, as training asks of it."""
        return game_of(self.game)

    @property
    def spec(self) -> NetworkSpec:
        """The spec of the network."""
        return self.learned.spec(self.agent, {field.name: getattr(self, field.name) for field in fields(self)})

    def find_rules(self) -> Any:
        """Return the rules to learn."""
        return self.learned.card.find_rules(self.rules)

    def describe(self) -> dict[str, Any]:
        """Return the settings as JSON can hold them."""
        return {key: str(value) if isinstance(value, Path) else value for key, value in asdict(self).items()}

    def __post_init__(self) -> None:
        networks = self.learned.networks[self.agent]
        if self.network not in networks:
            raise ConfigError(f'network={self.network!r}: {self.game} has {", ".join(networks)}')
        object.__setattr__(self, 'rules', self.find_rules().text)  # by value: what it names may change
        check_settings(self)
        _ = self.spec  # raises ConfigError if it is impossible
        if self.deterministic and self.training_device not in ('auto', 'cpu'):
            raise ConfigError(f'training_device={self.training_device!r}: --deterministic runs learn on the cpu')
        if self.deterministic and self.minutes is not None:
            raise ConfigError(f'minutes={self.minutes!r}: no two minutes are alike; --deterministic takes --frames')
        if self.deterministic and (self.num_actors or 1) > 1:
            raise ConfigError(f'num_actors={self.num_actors!r}: --deterministic runs have one')
        if self.deterministic and self.ray:
            raise ConfigError(f'ray={self.ray!r}: --deterministic runs play in one process')
