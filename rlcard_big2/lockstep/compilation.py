"""How kernels are compiled: by numba, on their first call, once per machine and version of the sources.

numba keys compiled code on the file of the kernel alone, though the kernels that it calls are compiled into
it. So the code is kept in a folder named after all sources of the package: a change of any of them counts.
"""

import os
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event

CONFIG: Any = numba.config  # its settings are made at run time, out of sight of type checkers
Function = TypeVar('Function', bound=Callable[..., Any])


def _cache_folder() -> str:
    """Return the folder for compiled code: in the package where that can be written, else in the user's cache."""
    package = Path(__file__).parents[1]
    digest = sha256()
    for source in sorted(package.rglob('*.py')):
        digest.update(source.read_bytes())
    own = package / '__pycache__' if os.access(package, os.W_OK) else Path.home() / '.cache' / 'rlcard_big2'
    return str(Path(CONFIG.CACHE_DIR or own) / f'kernels-{digest.hexdigest()[:16]}')


_CACHE_FOLDER = _cache_folder()


def kernel(function: Function) -> Function:
    """Compile a function to machine code on its first call and keep the code on disk."""
    earlier = CONFIG.CACHE_DIR
    CONFIG.CACHE_DIR = _CACHE_FOLDER
    try:
        return cast(Function, numba.njit(cache=True)(function))
    finally:
        CONFIG.CACHE_DIR = earlier


class _Announcement(event.Listener):
    """Says once that the engine is being compiled, since the first game then takes seconds to begin."""

    made = False

    def on_start(self, event: event.Event) -> None:
        module = event.data['dispatcher'].py_func.__module__
        if not self.made and module.startswith('rlcard_big2.'):
            self.made = True
            sys.stderr.write('rlcard_big2: compiling the engine, once on this machine; it takes some seconds\n')

    def on_end(self, event: event.Event) -> None:
        """Stay silent at the end."""


event.register('numba:compile', _Announcement())  # type: ignore[no-untyped-call]
