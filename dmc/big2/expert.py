"""Expert iteration: search makes some of the trained agent's choices, and labels them with its estimates."""

import numpy as np
from typing_extensions import override

from dmc.config import Config
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.rules import find_rules
from rlcard_big2.search.agent import SearchAgent
from rlcard_big2.search.zoo import shipped_beliefs
from rlcard_kit.agents.base import Agent, ValueFunction
from rlcard_kit.arrays import BoolArray
from rlcard_kit.jit import kernel
from rlcard_kit.positions import Decision, Positions
from rlcard_kit.rng import Streams, uniform

WORLDS = 16  # deals of the hidden cards for each labelled choice


class ExpertAgent(Agent):
    """Explores as another agent does, but for a share of the choices, which search makes.

    The value of a searched choice increases by the gain of search, and so do the targets of earlier decisions.

    Args:
        learner: explores by the network, and has values.
        network: the network.
        config: settings of the run.
    """

    def __init__(self, learner: Agent, network: ValueFunction, config: Config) -> None:
        self._learner = learner
        self._search = SearchAgent(
            DMCAgent(network), WORLDS, beliefs=shipped_beliefs, win_bonus=config.learning.win_bonus
        )
        self._search.prepare(find_rules(config.game.rules))
        self._share = config.exploration.teacher_share

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        explored = self._learner.choose(positions, random)
        asked = np.zeros(len(random), np.bool_)
        _ask(self._share, random, asked)
        games = np.flatnonzero(asked)
        if not games.size:
            return explored
        streams, chosen = random[games], positions.select(games)
        _, found, cases = self._search.search(chosen, streams)
        random[games] = streams
        assert explored.values is not None
        indices, values = explored.indices.copy(), explored.values.copy()
        indices[games] = found.indices - chosen.offsets[:-1] + positions.offsets[games]
        for case in cases:
            values[games[case.game]] += case.means[case.open].max() - case.expected[0]
        return explored._replace(indices=indices, values=values)


@kernel
def _ask(share: float, random: Streams, asked: BoolArray) -> None:
    """Sample the games, bool [N], in which search chooses."""
    for i in range(random.size):
        asked[i] = uniform(random[i : i + 1]) < share
