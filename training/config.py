"""Settings of a training run, in groups: they are the command line, and are saved with the run."""

import shlex
from collections.abc import Mapping
from dataclasses import Field, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_type_hints

from eval.common.cli import option
from rlcard_kit.bounds import Above, AtLeast, AtMost, NaturalInt, PositiveFloat, PositiveInt, Share, check_settings
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.spec import MAX_SIZE, NetworkSpec
from training.games import LearnedGame, game_of
from training.games.base import Presets

C = TypeVar('C', bound='RunConfig')

# Sizes of what is allocated at once; `Machine.check_memory` checks whether a run's sizes together fit the machine.
Width = Annotated[int, Above(0), AtMost(MAX_SIZE)]  # of a layer
Rows = Annotated[int, Above(0), AtMost(1_000_000)]  # of games or decisions

FOLDER = ('savedir', 'resume')  # settings that a run's folder does not record


@dataclass(frozen=True)
class KeptOnResume:
    """Marks a setting that cannot change when a run is resumed, because its weights or its games depend on it."""


@dataclass(frozen=True)
class RunSettings:
    """Folder, limits and resources."""

    savedir: Path = Path('runs')
    """Folder of the run: settings, checkpoints and metrics."""
    resume: bool = False
    """Resume the run in that folder."""
    start_from: Annotated[str | None, KeptOnResume(), option('FOLDER')] = None
    """Start from the network in this folder, of a run or of a shipped model, instead of random weights. It must be of
    the same kind and sizes; weights of inputs that it lacks start at 0."""
    minutes: Annotated[float | None, AtLeast(0), AtMost(10_000_000), option('FLOAT')] = None
    """Train for this many minutes, those before a resumption included, and at least until a first batch was learned;
    without a limit, until Ctrl-C."""
    total_frames: Annotated[NaturalInt | None, option('INT', aliases=('--frames',))] = None
    """Train for this many frames: decisions learned from."""
    save_interval: PositiveFloat = 10.0
    """Minutes between two permanent checkpoints, in the run's folder checkpoints/; at most a third of --minutes."""
    seed: NaturalInt = 0
    """Seed of all random draws."""
    deterministic: bool = False
    """Play and learn in turn in one process and one thread, so that a seed always gives the same weights."""
    training_device: str = 'auto'
    """Device of the learner: cpu, cuda, cuda:1, mps; 'auto' takes a GPU if there is one."""
    learner_threads: Annotated[int | None, Above(0), AtMost(1024), option('INT')] = None
    """Threads of a learner on the CPU; by default, as many as suit the machine's cores."""
    precision: Literal['auto', 'bfloat16', 'float32'] = 'auto'
    """Precision of the networks; 'auto' measures which is faster on each device."""
    num_actors: Annotated[int | None, Above(0), AtMost(10_000), option('INT')] = None
    """Processes that play; by default, as many as suit the cores of the machine, or of the cluster. PPO uses them only
    on a cluster."""
    ray: Annotated[str | None, option('ADDRESS')] = None
    """Run the actors on a Ray cluster: 'auto' for the one that this machine belongs to, HOST:PORT, or 'local' for one
    that is started here and ends with the run. See docs/scaling.md."""


@dataclass(frozen=True)
class GameSettings:
    """The game, and the players of the training games."""

    game: Annotated[str, KeptOnResume()] = 'big2'
    """The game to learn: big2, catch5 or python:MODULE:NAME."""
    rules: Annotated[str, KeptOnResume()] = 'charlesworth'
    """The rules to learn: a preset, a file of JSON, or python:MODULE:NAME."""


@dataclass(frozen=True)
class NetworkSettings:
    """The network."""

    network: Annotated[str, KeptOnResume()] = ''
    """Name of the network."""


@dataclass(frozen=True)
class LearningSettings:
    """Optimisation."""

    decay: Share = 0.3
    """Final share of a run with a limit over which the learning rate falls linearly to a tenth."""
    averaging: PositiveInt = 4000
    """Optimiser steps over which the network that is saved and evaluated is averaged; 1 saves the newest."""


@dataclass(frozen=True)
class EvaluationSettings:
    """Matches against fixed opponents."""

    eval_interval: PositiveFloat = 5.0
    """Minutes between two matches against fixed opponents during training, at most a third of --minutes; one more
    closes the run."""
    eval_opponents: tuple[str, ...] = ('random', 'rule')
    """Names of those opponents as in `python -m eval`; three of each at a table."""
    eval_deals: Annotated[int, AtLeast(0), AtMost(1_000_000)] = 1000
    """Deals of such a match, each played in all seats; 0 for no matches."""


@dataclass(frozen=True)
class RunConfig:
    """Settings of a run, in groups; a trainer extends the groups.

    Names are unique, whatever the group: files and presets are flat. Every number declares its bounds, see
    `rlcard_kit.bounds`.

    Raises:
        ConfigError: if a setting is out of bounds, or contradicts another.
        RulesError: if the rules have no such name.
    """

    agent: ClassVar[str]  # what is trained: the word before the colon in its name

    run: RunSettings = RunSettings()
    game: GameSettings = GameSettings()
    network: NetworkSettings = NetworkSettings()
    learning: LearningSettings = LearningSettings()
    evaluation: EvaluationSettings = EvaluationSettings()

    @classmethod
    def of(cls: type[C], **settings: Any) -> C:
        """Return the default settings with some changed, by name; ConfigError if they are impossible."""
        return cls().changed(**settings)

    def changed(self: C, **settings: Any) -> C:
        """Return these settings with some changed, by name; ConfigError if they are impossible."""
        groups = self.groups()
        unknown = settings.keys() - groups.keys()
        if unknown:
            raise ConfigError(f'{", ".join(sorted(unknown))}: {self.agent} has no such setting')
        changes: dict[str, dict[str, Any]] = {}
        for name, value in settings.items():
            changes.setdefault(groups[name], {})[name] = value
        parts: dict[str, Any] = {group: replace(getattr(self, group), **part) for group, part in changes.items()}
        return replace(self, **parts)

    @classmethod
    def preset(cls: type[C], name: str, **changes: Any) -> C:
        """Return named settings with some changed.

        Raises:
            ConfigError: if the name is unknown, or the settings are impossible.
        """
        return cls.of(**{**cls.preset_changes(name, changes.get('game', cls.game.game)), **changes})

    @classmethod
    def presets(cls, game: str) -> Presets:
        """Return a game's presets."""
        return game_of(game).training_presets[cls.agent]

    @classmethod
    def preset_changes(cls, name: str, game: str) -> Mapping[str, Any]:
        """Return the settings that a game's preset changes; ConfigError if there is none of that name."""
        presets = cls.presets(game)
        if name not in presets:
            raise ConfigError(f'preset={name!r}: choose one of {", ".join(presets)}')
        return {**presets['default'], **presets[name]}

    @classmethod
    def groups(cls) -> dict[str, str]:
        """Return the group of each setting, by its name."""
        return {part.name: group.name for group in fields(cls) for part in fields(_kind(group))}

    @classmethod
    def kept_on_resume(cls) -> list[str]:
        """Return the names of the settings that cannot change when a run is resumed."""
        hints = [get_type_hints(_kind(group), include_extras=True) for group in fields(cls)]
        types = [pair for group in hints for pair in group.items()]
        return [name for name, kind in types if KeptOnResume() in getattr(kind, '__metadata__', ())]

    def settings(self) -> dict[str, Any]:
        """Return all settings by name."""
        return {name: getattr(getattr(self, group), name) for name, group in self.groups().items()}

    def describe(self) -> dict[str, Any]:
        """Return all settings by name, as JSON can hold them."""
        return {name: str(value) if isinstance(value, Path) else value for name, value in self.settings().items()}

    def flags(self) -> str:
        """Return the flags that reproduce these settings, apart from --resume."""
        words = []
        default = type(self)()
        usual = default.settings() | dict(self.preset_changes('default', self.game.game)) | {'game': default.game.game}
        for name, value in self.settings().items():
            flag = name.replace('_', '-')
            if value == usual[name] or name == 'resume':
                continue
            if isinstance(value, bool):
                words.append(f'--{flag}' if value else f'--no-{flag}')
            else:
                words += [f'--{flag}', *map(str, value if isinstance(value, tuple) else (value,))]
        return shlex.join(words)

    @cached_property
    def spec(self) -> NetworkSpec:
        """The spec of the network."""
        return self.find_game().spec(self.agent, self.settings())

    def find_game(self) -> LearnedGame:
        """Return the game to learn, with the seats and cards of the rules."""
        game = game_of(self.game.game)
        return game.for_rules(game.find_rules(self.game.rules))

    def __post_init__(self) -> None:
        game = game_of(self.game.game)
        rules = game.find_rules(self.game.rules).text  # by value: what a name refers to may change
        object.__setattr__(self, 'game', replace(self.game, rules=rules))
        for group in fields(self):
            check_settings(getattr(self, group.name))
        networks = game.networks[self.agent]
        if self.network.network not in networks:
            raise ConfigError(f'network={self.network.network!r}: {self.game.game} has {", ".join(networks)}')
        _ = self.spec  # raises ConfigError if it is impossible
        if self.run.ray == '':
            raise ConfigError("ray='': write auto, local or HOST:PORT")
        self._check_deterministic()

    def _check_deterministic(self) -> None:
        run = self.run
        if not run.deterministic:
            return
        if run.training_device not in ('auto', 'cpu'):
            raise ConfigError(f'training_device={run.training_device!r}: --deterministic runs learn on the cpu')
        if run.minutes is not None:
            raise ConfigError(f'minutes={run.minutes!r}: no two minutes are alike; --deterministic takes --frames')
        if (run.num_actors or 1) > 1:
            raise ConfigError(f'num_actors={run.num_actors!r}: --deterministic runs have one')
        if run.ray:
            raise ConfigError(f'ray={run.ray!r}: --deterministic runs play in one process')


def _kind(group: Field[Any]) -> type[Any]:
    """Return the class of a group of settings."""
    return type(group.default)
