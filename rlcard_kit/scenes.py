"""Positions to show: as text if they are printed, and as pictures in notebooks."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from rlcard_kit.plugins import find


class Shown(ABC):
    """Something with a position to show."""

    position_text: ClassVar[Callable[..., str]]
    """Returns a scene as text."""
    picture: ClassVar[str]
    """MODULE:NAME of the function that draws a scene, imported on use: playing needs no drawing."""

    @abstractmethod
    def scene(self) -> Any:
        """Return the position to show."""

    def __str__(self) -> str:
        return self.position_text(self.scene())

    def _repr_svg_(self) -> str:
        return str(find(self.picture)(self.scene()))
