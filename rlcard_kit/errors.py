"""The errors that bad input raises. Each is a ValueError and leaves everything as it was."""

from math import isfinite
from numbers import Integral
from typing import Any, TypeGuard


class KitError(ValueError):
    """Raised for anything that a caller of this package got wrong."""

    hint = ''  # advice to the user of a command, on a line of its own


class CardError(KitError):
    """Raised for text or a number that does not name a card, or for a card named twice."""


class RulesError(KitError):
    """Raised for a rule setting that does not exist or contradicts another one."""


class ConfigError(KitError):
    """Raised for a setting or value that is unknown or out of bounds."""


class HandsError(KitError):
    """Raised for cards that are not a deal of the game: in Big 2 four times thirteen distinct cards."""


class FileError(KitError):
    """Raised for a file that cannot be read, or does not hold what it should."""


class ArrayError(KitError):
    """Raised for an array of another type or shape than is needed, or that kernels cannot read or write."""


class RecordError(KitError):
    """A record or position that is not well formed, or that the rules contradict."""


class IllegalActionError(KitError):
    """Raised for an action that does not exist, or that the rules forbid in this state."""


class GameOverError(KitError):
    """Raised for a move after the end of the game, or before its start."""


class OpponentError(KitError):
    """Raised for an opponent that failed in a game; the message names it, the game and the seat."""


class FolderInUseError(KitError):
    """Raised for a folder that another process is writing to."""


class TimeLimitError(BaseException):
    """A call took longer than it may; no Exception, so that an agent that catches those ends too."""


def describe(error: BaseException) -> str:
    """Name an error in one line."""
    text = text_of(error)
    return text if isinstance(error, TimeLimitError | KitError) else f'{type(error).__name__}: {text}'


def text_of(error: BaseException) -> str:
    """Return the text of an error, in words if it is of a file, or a note that it has none."""
    try:
        if isinstance(error, OSError) and error.filename is not None and error.strerror:
            return f'{error.filename} cannot be used: {error.strerror}'
        return str(error)
    except Exception as unprintable:  # an agent's own error may be anything
        return f'its text cannot be made: {type(unprintable).__name__}'


def check_whole(name: str, value: Any, least: int, most: int | None = None) -> None:
    """Raise ConfigError, with the name of a value, unless it is a whole number from `least` to `most`."""
    is_whole = type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))  # the first is fast
    if not is_whole or int(value) < least or (most is not None and int(value) > most):
        bounds = f'{least} or more' if most is None else f'from {least} to {most}'
        raise ConfigError(f'{name}={value!r:.80}: expected a whole number, {bounds}')


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether a value is a number, whole or not, and neither NaN nor infinite."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
