"""Saved networks of Catch Five."""

from rlcard_catch5.engine.observation import OBSERVATION_SIZE
from rlcard_catch5.nets.spec import SPECS
from rlcard_catch5.rules import Rules
from rlcard_kit.nets import checkpoint


class Settings(checkpoint.Settings):
    """Settings of a saved network of Catch Five."""

    game = 'catch5'
    observation = OBSERVATION_SIZE
    rules_kind = Rules
    specs = SPECS
