"""Observations and actions of the seat that learns."""

import numpy as np
from typing_extensions import override

from rlcard_catch5.actions import NUM_ACTIONS
from rlcard_catch5.engine.batch import unpack_observations
from rlcard_catch5.engine.observation import OBSERVATION_SIZE
from rlcard_kit.agents import Positions
from rlcard_kit.arrays import Int8Array
from rlcard_kit.envs.action_set import Numbered
from rlcard_kit.envs.gymnasium_env import View, spaces


class ActionsView(View):
    """Actions are the 64 action ids: a pass, seven bids, four suits, 52 cards."""

    def __init__(self) -> None:
        self.actions = Numbered(NUM_ACTIONS)
        self.observation_space = spaces.Box(0, 1, (OBSERVATION_SIZE,), np.int8)

    @override
    def observe(self, positions: Positions) -> Int8Array:
        """Return the features of `engine.observation.LAYOUT`, int8 [N, 948]."""
        out = np.empty((len(positions.observations), OBSERVATION_SIZE), np.int8)
        unpack_observations(positions.observations, out)
        return out
