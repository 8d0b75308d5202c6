"""Child processes that ignore Ctrl-C and end with their parent."""

import ast
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

from rlcard_kit.errors import ConfigError


def start(target: Callable[..., object], *arguments: Any, method: str = 'spawn', **options: Any) -> BaseProcess:
    """Start a process that ends with its parent, even if that is killed, and with SIGINT blocked.

    On Ctrl-C, its parent ends it.

    Args:
        target: called in the process, with the arguments.
        method: of starting the process.
        options: of `multiprocessing.Process`.
    """
    context: Any = get_context(method)
    process: BaseProcess = context.Process(target=_Call(target, arguments), **options)
    with _sigint_blocked():
        process.start()
    return process


class _Call(NamedTuple):
    """A call that watches the parent. Once pickled, it imports the modules of its target after the watch has begun."""

    target: Callable[..., object]
    arguments: tuple[Any, ...]

    def __call__(self) -> None:
        Thread(target=_leave_with_parent, daemon=True).start()
        self.target(*self.arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Call, (_call_pickled, (bytes(ForkingPickler.dumps(tuple(self))),))


def _call_pickled(pickled: bytes) -> None:
    target, arguments = ForkingPickler.loads(pickled)
    target(*arguments)


def _leave_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def check_main_module() -> None:
    """Raise ConfigError if the main module would start its work again in each child process, which imports it."""
    main = vars(sys.modules['__main__'])
    frame, file = sys._getframe(), main.get('__file__')
    while frame.f_back is not None and (frame.f_globals is not main or frame.f_code.co_name != '<module>'):
        frame = frame.f_back
    if file is None or frame.f_globals is not main:
        return  # an interactive session, which child processes do not import
    if not Path(file).is_file():
        raise ConfigError('a program on standard input cannot start other processes: put it into a file')
    for statement in ast.parse(Path(file).read_bytes()).body:
        if statement.lineno <= frame.f_lineno <= (statement.end_lineno or statement.lineno):
            tested = ast.walk(statement.test) if isinstance(statement, ast.If) else ()
            if not any(isinstance(part, ast.Name) and part.id == '__name__' for part in tested):
                raise ConfigError(
                    f"{file}, line {frame.f_lineno}: put this call under `if __name__ == '__main__':`, "
                    'since child processes import the file'
                )


@contextmanager
def _sigint_blocked() -> Iterator[None]:
    """Block SIGINT; a process that starts meanwhile inherits the mask."""
    resource_tracker.ensure_running()  # or it would start with the first process, and unblock SIGINT
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)
