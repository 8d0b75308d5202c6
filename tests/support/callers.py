"""Functions of modules that are not installed."""

from collections.abc import Callable
from typing import Any


def caller_in(module: str) -> Callable[..., Any]:
    """Return a function of a module of that name; it calls its first argument with the others."""
    names: dict[str, Any] = {'__name__': module}
    exec('def call(function, *arguments, **named):\n    return function(*arguments, **named)', names)
    return names['call']
