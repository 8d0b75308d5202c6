"""Child processes that ignore Ctrl-C and a hangup, and end with their parent."""

import ast
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import DupFd, ForkingPickler
from pathlib import Path
from tempfile import TemporaryFile
from threading import Thread
from typing import IO, Any, NamedTuple

from rlcard_kit.errors import ConfigError
from rlcard_kit.files import pinned, pinning


def start(target: Callable[..., object], *arguments: Any, method: str = 'spawn', **options: Any) -> BaseProcess:
    """Start a process that ends with its parent, even if that is killed, and with SIGINT and SIGHUP blocked.

    On these, its parent ends it.

    Args:
        target: called in the process, with the arguments.
        method: of starting the process.
        options: of `multiprocessing.Process`.
    """
    context: Any = get_context(method)
    start_resource_tracker()  # or it would start with the first process, and unblock SIGINT
    with TemporaryFile() as file, _blocked(signal.SIGINT, signal.SIGHUP):
        process: BaseProcess = context.Process(target=_Call(target, arguments, file), **options)
        process.start()
    return process


class _Call(NamedTuple):
    """A call that watches the parent.

    It is pickled into a file, since a pipe would hold a part of it only if the parent was killed. It imports the
    modules of its target after the watch has begun.
    """

    target: Callable[..., object]
    arguments: tuple[Any, ...]
    file: IO[bytes]

    def __call__(self) -> None:
        Thread(target=_leave_with_parent, daemon=True).start()
        self.target(*self.arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        self.file.write(ForkingPickler.dumps((self.target, self.arguments, pinned())))
        self.file.seek(0)
        return _Call, (_call_pickled, (DupFd(self.file.fileno()),), None)


def _call_pickled(copy: Any) -> None:
    with open(copy.detach(), 'rb') as file:
        target, arguments, digests = ForkingPickler.loads(file.read())
    with pinning(digests):
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


def start_resource_tracker() -> None:
    """Start multiprocessing's tracker of shared memory, which ignores Ctrl-C, and here a hangup too."""
    with _blocked(signal.SIGHUP):
        resource_tracker.ensure_running()


@contextmanager
def _blocked(*numbers: int) -> Iterator[None]:
    """Block signals; a process that starts meanwhile inherits the mask."""
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)
