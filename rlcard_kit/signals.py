"""Handlers of the signals that end a command.

They are set by the main thread alone, and never for a signal that is ignored, as under `nohup` and after `&`.
"""

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeAlias

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Handler: TypeAlias = Callable[[int, FrameType | None], Any]


def is_main_thread() -> bool:
    """Return whether this is the thread that receives signals."""
    return threading.current_thread() is threading.main_thread()


def is_ctrl_c(error: BaseException) -> bool:
    """Return whether an error comes from a signal, and was not raised by the code that ran, such as an agent's."""
    is_blocked = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    return isinstance(error, KeyboardInterrupt) and is_main_thread() and not is_blocked


def handle(handler: Handler, numbers: Iterable[int] = ENDING) -> None:
    """Set the handler of signals."""
    for number in numbers if is_main_thread() else ():
        if signal.getsignal(number) not in (signal.SIG_IGN, None):
            signal.signal(number, handler)


@contextmanager
def handlers_kept() -> Iterator[None]:
    """Set the handlers of this moment again at the end."""
    earlier = {number: signal.getsignal(number) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in earlier.items() if is_main_thread() else ():
            if handler is not None:  # it was not set by Python
                signal.signal(number, handler)


@contextmanager
def handled(handler: Handler, numbers: Iterable[int] = ENDING) -> Iterator[None]:
    """Set the handler of signals until the end."""
    with handlers_kept():
        handle(handler, numbers)
        yield


@contextmanager
def held_back() -> Iterator[None]:
    """Deliver signals at the end whose handlers might raise an exception meanwhile."""
    arrived: list[int] = []
    raising = [number for number in ENDING if callable(signal.getsignal(number))]
    try:
        with handled(lambda number, frame: arrived.append(number), raising):
            yield
    finally:
        for number in dict.fromkeys(arrived):
            signal.raise_signal(number)
