"""The errors that bad input raises. Each is a ValueError and leaves the game as it was."""


class Big2Error(ValueError):
    """Anything that a caller of this package got wrong."""


class CardError(Big2Error):
    """Text or a number that is no card, or a card that occurs twice."""


class RulesError(Big2Error):
    """A rule setting that does not exist or contradicts another one."""


class ConfigError(Big2Error):
    """A configuration key or value that the environment does not know."""


class HandsError(Big2Error):
    """Hands that are not four times thirteen distinct cards."""


class IllegalActionError(Big2Error):
    """An action that does not exist, or that the rules forbid in this state."""


class GameOverError(Big2Error):
    """A move after the end of the game, or before its start."""


class TimeLimitError(BaseException):
    """A call took longer than it may; no Exception, so that an agent that catches those ends too."""


def describe(error: BaseException) -> str:
    """Name an error in one line."""
    return str(error) if isinstance(error, TimeLimitError | Big2Error) else f'{type(error).__name__}: {error}'
