"""Whether torch is installed, and the error of what cannot do without it."""

import sys
from importlib.util import find_spec

from rlcard_kit.errors import Big2Error


class MissingTorchError(Big2Error):
    """Raised for a network that plays only with torch.

    Args:
        what: needs torch.
    """

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} needs torch: pip install 'rlcard-big2[torch]'")


def has_torch() -> bool:
    """Tell whether torch is installed, without importing it."""
    try:
        return sys.modules['torch'] is not None if 'torch' in sys.modules else find_spec('torch') is not None
    except ImportError:
        return False


def require_torch(what: str) -> None:
    """Raise MissingTorchError, naming what needs torch, if torch is not installed."""
    if not has_torch():
        raise MissingTorchError(what)
