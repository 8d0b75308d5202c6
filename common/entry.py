"""Entry point of a command; it imports next to nothing, so that Ctrl-C works while the rest is imported."""

import os
import signal
from importlib import import_module
from types import FrameType

from rlcard_kit.errors import INTERRUPTED


def run(program: str, module: str, *arguments: object) -> None:
    """Import a module and call its `main`; meanwhile, Ctrl-C ends the process with one line.

    Args:
        program: its name, the beginning of the line.
        module: with the commands, which handles Ctrl-C itself.
        arguments: of its `main`.
    """

    def leave(number: int, frame: FrameType | None) -> None:
        os.write(2, f'{program}: interrupted\n'.encode())
        os._exit(INTERRUPTED)  # a module that is being imported may swallow an exception

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # it is not if Ctrl-C is ignored
        signal.signal(signal.SIGINT, leave)
    main = import_module(module).main
    if signal.getsignal(signal.SIGINT) is leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    main(*arguments)
