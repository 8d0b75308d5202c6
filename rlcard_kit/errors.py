"""Errors for invalid input. Each is a ValueError, and nothing has changed when it is raised."""

from math import isfinite
from numbers import Integral
from typing import Any, TypeGuard

INTERRUPTED = 130  # exit status of a command that Ctrl-C ended


class KitError(ValueError):
    """Base of the errors for invalid input."""

    hint = ''  # advice to the user of a command, on a line of its own


class CardError(KitError):
    """Text or a number that does not name a card, or a repeated card."""


class RulesError(KitError):
    """A rule setting that does not exist or contradicts another one."""


class ConfigError(KitError):
    """A setting or value that is unknown or out of bounds."""


class HandsError(KitError):
    """Cards that are not a deal of the game."""


class FileError(KitError):
    """A file that cannot be read, or has invalid contents."""


class ArrayError(KitError):
    """An array of the wrong type or shape, or one that kernels cannot read or write."""


class RecordError(KitError):
    """A record or position that is malformed or breaks the rules."""


class IllegalActionError(KitError):
    """An action that does not exist or is not legal in this state."""


class GameOverError(KitError):
    """A move after the end of the game, or before its start."""


class OpponentError(KitError):
    """An opponent that failed in a game; the message names it, the game and the seat."""


class FolderInUseError(KitError):
    """A folder that another process is writing to."""


class TimeLimitError(BaseException):
    """A call that exceeded its time limit; not an Exception, so that an agent that catches those ends too."""


def describe(error: BaseException) -> str:
    """Return the type and text of an error in one line; of a `KitError`, the text alone."""
    text = text_of(error)
    return text if isinstance(error, TimeLimitError | KitError) else f'{type(error).__name__}: {text}'


def text_of(error: BaseException) -> str:
    """Return the text of an error; of an OSError, the file and the reason."""
    try:
        if isinstance(error, OSError) and error.filename is not None and error.strerror:
            return f'{error.filename} cannot be used: {error.strerror}'
        return str(error)
    except Exception as unprintable:  # an agent's error may be of any class
        return f'its text cannot be made: {type(unprintable).__name__}'


def check_whole(name: str, value: Any, least: int, most: int | None = None) -> None:
    """Raise ConfigError, naming the value, unless it is a whole number from `least` to `most`."""
    is_whole = type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))  # the first is fast
    if not is_whole or int(value) < least or (most is not None and int(value) > most):
        bounds = f'{least} or more' if most is None else f'from {least} to {most}'
        raise ConfigError(f'{name}={value!r:.80}: expected a whole number, {bounds}')


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether a value is a number, whole or not, and neither NaN nor infinite."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def title_of(kind: type) -> str:
    """Return the public name of a class, such as rlcard_big2.Rules."""
    return f'{kind.__module__.partition(".")[0]}.{kind.__name__}'


def installing(extra: str) -> str:
    """Return the command that installs an extra, as a user of the distribution and one of a checkout type it."""
    return f"pip install 'rlcard-big2[{extra}]', or '.[{extra}]' in a checkout"
