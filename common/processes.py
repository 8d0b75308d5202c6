"""Child processes that ignore Ctrl-C and end with their parent."""

import ast
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process, resource_tracker
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread

from rlcard_kit.errors import ConfigError


def start(process: BaseProcess) -> None:
    """Start a process with SIGINT blocked: on Ctrl-C, its parent ends it."""
    with _sigint_blocked():
        process.start()


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


def leave_with_parent() -> None:
    """End this process when its parent ends, even if that is killed. Returns at once."""
    Thread(target=_wait_for_end_of_parent, daemon=True).start()


def _wait_for_end_of_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
