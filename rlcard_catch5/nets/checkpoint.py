"""Saved networks of Catch Five."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from rlcard_catch5.engine.observation import OBSERVATION_SIZE
from rlcard_catch5.nets.spec import SPECS
from rlcard_catch5.rules import Rules
from rlcard_kit.nets import checkpoint
from rlcard_kit.nets.spec import NetworkSpec
from rlcard_kit.rules import Rulebook


@dataclass(frozen=True)
class Settings(checkpoint.Settings):
    """What it takes to play by a saved network of Catch Five, and where it comes from."""

    game: ClassVar[str] = 'catch5'
    observation: ClassVar[int] = OBSERVATION_SIZE
    rules_kind: ClassVar[type[Rulebook]] = Rules
    specs: ClassVar[Mapping[str, type[NetworkSpec]]] = SPECS
