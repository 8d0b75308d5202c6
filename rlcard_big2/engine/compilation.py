"""How kernels are compiled: by numba, on their first call, once per machine."""

import sys
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import event

Function = TypeVar('Function', bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a function to machine code on its first call and keep the code on disk."""
    return cast(Function, numba.njit(cache=True)(function))


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
