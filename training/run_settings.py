"""Read and write `training.json`: the settings of a run and their history; begin or resume a run.

The file holds the current settings by name and their history: an entry for the start, and one for each resumption that
changed some of them.
"""

import json
import time
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

from rlcard_kit.errors import ConfigError, FileError, KitError, RulesError
from rlcard_kit.files import locked, parse_json, read_file, replace_text
from rlcard_kit.nets.checkpoint import SETTINGS, CheckpointError, check_same
from rlcard_kit.version import __version__
from training.checkpoint import Counters, Learns, load_state, state_settings
from training.config import FOLDER, RunConfig

TRAINING = 'training.json'
HISTORY, AGENT = 'history', 'agent'  # in it, besides the settings
LARGEST = 1 << 26  # bytes of it

C = TypeVar('C', bound=RunConfig)


def begin(config: RunConfig, learner: Learns, held: ExitStack) -> tuple[Counters, list[str]]:
    """Start or resume a run in its folder; return its counters, and a line on each changed setting.

    `held` keeps other runs out of the folder until it is closed.

    Raises:
        CheckpointError: if the run cannot be resumed or its folder is not writable.
        FolderInUseError: if another run is writing to it.
    """
    try:
        held.enter_context(locked(config.run.savedir))
        if not config.run.resume:
            ensure_unused(config.run.savedir)
            _write(config, [_entry(0, {})])
            return Counters(), []
        stored = _stored(type(config), config.run.savedir)
        _check_kept(config, _parse(type(config), stored))
        settings = config.describe()
        kept = {name: settings[name] for name in config.kept_on_resume()}
        counters = load_state(config.run.savedir, config.agent, kept, learner)
        return counters, _record_changes(config, stored, counters.frames)
    except OSError as error:
        raise CheckpointError(f'savedir={config.run.savedir} cannot be written to: {error}') from error


def ensure_unused(folder: Path) -> None:
    """Raise CheckpointError if a folder holds a run, which another one would overwrite."""
    if (folder / SETTINGS).exists():
        raise CheckpointError(
            f'{folder} already holds a run: resume it with --resume, choose another folder, or remove it'
        )


def recorded(kind: type[C], folder: Path) -> dict[str, Any]:
    """Return the settings that a run's folder records, by name.

    If training.json is damaged or missing, they are those of the newest state.

    Raises:
        CheckpointError: if the folder holds no settings that can be read.
    """
    return _parse(kind, _stored(kind, folder))


def _stored(kind: type[RunConfig], folder: Path) -> dict[str, Any]:
    """Return the settings as the folder has them; see `recorded`."""
    try:
        return _read(kind, folder)
    except KitError as error:
        settings = state_settings(folder, kind.agent)
        if (folder / TRAINING).exists():
            warnings.warn(f'{error}: its settings are taken from its newest state', stacklevel=2)
        return settings


def _read(kind: type[RunConfig], folder: Path) -> dict[str, Any]:
    """Return the contents of training.json; FileError or CheckpointError if it is not the record of such a run."""
    path = folder / TRAINING
    stored = parse_json(path, read_file(path, LARGEST))
    if not isinstance(stored, dict):
        raise FileError(f'{path} does not hold the settings of a run')
    check_same(str(path), stored, {AGENT: kind.agent})
    try:
        _parse(kind, stored)
    except (ConfigError, RulesError) as error:
        raise FileError(f'{path}: {error}') from error
    return stored


def _parse(kind: type[RunConfig], stored: dict[str, Any]) -> dict[str, Any]:
    """Return the recorded settings by name, without FOLDER; ConfigError if they are incomplete or impossible."""
    missing = kind.groups().keys() - stored.keys()
    if missing:
        raise ConfigError(f'{", ".join(sorted(missing))}: not recorded')
    named = [(name, value) for name, value in stored.items() if name not in (AGENT, HISTORY, *FOLDER)]
    settings = {name: tuple(value) if isinstance(value, list) else value for name, value in named}
    kind.of(**settings)
    return settings


def _check_kept(config: RunConfig, before: dict[str, Any]) -> None:
    """Raise CheckpointError if a setting is changed that cannot change on resume."""
    now = config.settings()
    for name in config.kept_on_resume():
        if before[name] != now[name]:
            raise CheckpointError(
                f'{name}={now[name]!r}: the run in {config.run.savedir} has {before[name]!r}, which cannot change'
            )


def _record_changes(config: RunConfig, stored: dict[str, Any], frames: int) -> list[str]:
    """Record the settings that a resumed run has changed from those before, if any; return a line on each."""
    before, now = _parse(type(config), stored), _parse(type(config), config.describe())
    changed = {name: [before[name], now[name]] for name in now if before[name] != now[name]}
    history = stored[HISTORY] if isinstance(stored.get(HISTORY), list) else []  # the settings of a state have none
    if changed or not history:
        _write(config, [*history, _entry(frames, changed)])
    return [f'{name}: {old} -> {new}' for name, (old, new) in changed.items()]


def _entry(frames: int, changed: dict[str, list[Any]]) -> dict[str, Any]:
    """Return an entry of the history: after how many frames which settings changed, from what to what."""
    now = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())
    return {'frames': frames, 'time': now, 'version': __version__, 'changed': changed}


def _write(config: RunConfig, history: list[Any]) -> None:
    text = json.dumps({AGENT: config.agent, **config.describe(), HISTORY: history}, indent=1)
    replace_text(config.run.savedir / TRAINING, text)
