"""Import objects by entry point, `MODULE:NAME` or a user's `python:MODULE:NAME`; hooks on later imports."""

import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from rlcard_kit.errors import KitError, describe
from rlcard_kit.files import checksum
from rlcard_kit.signals import is_ctrl_c

OWN = 'python:'


class NotFoundError(KitError):
    """An entry point that cannot be imported."""


def find(entry_point: str) -> Any:
    """Import MODULE:NAME; NotFoundError if that fails."""
    module, _, path = entry_point.partition(':')
    try:
        target: Any = importlib.import_module(module)
        for attribute in path.split('.'):
            target = getattr(target, attribute)
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # a user's module may raise anything
        if is_ctrl_c(error):
            raise
        raise NotFoundError(f'{entry_point} cannot be imported: {describe(error)}') from error
    return target


def find_own(name: str) -> Any:
    """Import python:MODULE:NAME, also from the current folder; NotFoundError if that fails."""
    parts = name.split(':')
    if len(parts) != 3 or not all(parts):
        raise NotFoundError('write python:MODULE:NAME')
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # as `python -m` does and a console script does not
    with suppress(Exception, SystemExit):  # of a package around it, which the import raises again
        spec = importlib.util.find_spec(parts[1])
        if spec is not None and spec.origin is not None and Path(spec.origin).is_file():
            checksum(Path(spec.origin))  # for `rlcard_kit.files.noting`
    return find(':'.join(parts[1:]))


def when_imported(name: str, act: Callable[[ModuleType], None]) -> None:
    """Call a function with a module: now if it is imported, otherwise at the end of its import."""
    module = sys.modules.get(name)  # None there forbids the import
    if module is not None:
        act(module)
        return
    waiting = [finder for finder in sys.meta_path if isinstance(finder, _Finder) and finder.name == name]
    if not waiting:  # the first finder hides a second one
        waiting = [_Finder(name)]
        sys.meta_path.insert(0, waiting[0])
    waiting[0].acts.append(act)


class _Finder(MetaPathFinder):
    """Finds one module as Python does, with a loader that calls functions once it has run."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.acts: list[Callable[[ModuleType], None]] = []

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the module's spec; None for all others."""
        spec = PathFinder.find_spec(name, path) if name == self.name else None
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_act(module: ModuleType) -> None:
                load(module)
                for act in self.acts:
                    act(module)

            spec.loader.exec_module = load_and_act  # type: ignore[method-assign]
        return spec
