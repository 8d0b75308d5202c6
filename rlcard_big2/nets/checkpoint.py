"""Saved networks of Big 2."""

from rlcard_big2.engine.observation import OBSERVATION_SIZE
from rlcard_big2.nets.spec import SPECS
from rlcard_big2.rules import Rules
from rlcard_kit.nets import checkpoint


class Settings(checkpoint.Settings):
    """Settings of a saved network of Big 2."""

    game = 'big2'
    observation = OBSERVATION_SIZE
    rules_kind = Rules
    specs = SPECS
