"""The calls that led to an illegal action: wrappers that spoil masks, and checks of environments."""

import sys
import warnings
from functools import cache
from types import FrameType

CHECKS = {'gymnasium.utils.env_checker', 'stable_baselines3.common.env_checker'}  # they know no masks
WRAPPERS = {  # by module: those that delay a mask, or repeat an action after it was legal
    'gymnasium.wrappers.stateful_action': "Gymnasium's StickyAction or RepeatAction",
    'supersuit.generic_wrappers.delay_observations': "SuperSuit's delay_observations_v0",
    'supersuit.generic_wrappers.frame_skip': "SuperSuit's frame_skip_v0",
    'supersuit.generic_wrappers.sticky_actions': "SuperSuit's sticky_actions_v0",
}


def calling_modules() -> set[str | None]:
    """Return the modules of the functions that are running, of their objects and of SuperSuit's modifiers in these."""
    found: set[str | None] = set()
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        owner = frame.f_locals.get('self')
        kinds = type(owner), getattr(owner, '__dict__', {}).get('modifier_class')
        found.update((frame.f_globals.get('__name__'), *(getattr(kind, '__module__', None) for kind in kinds)))
        frame = frame.f_back
    return found


def spoiling_wrapper() -> str:
    """Return a sentence on a wrapper that is running and makes legal actions illegal; an empty one if none is."""
    names = ', '.join(WRAPPERS[module] for module in sorted(WRAPPERS.keys() & calling_modules()))
    return names and (
        f'{names} around this environment plays actions that were legal in an earlier position: take it away. '
        'Wrappers of rewards are safe, and the observation has the last moves'
    )


@cache
def warn_once(text: str) -> None:
    """Warn, once in a process; an empty text is no warning."""
    if text:
        warnings.warn(text, stacklevel=2)
