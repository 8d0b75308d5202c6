"""The teacher: search makes some of the trained agent's choices, and says what they are worth."""

import numpy as np

from dmc.config import Config
from rlcard_big2.models import shipped_beliefs
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.rules import find_rules
from rlcard_big2.search.agent import SearchAgent
from rlcard_kit.agents.base import Agent, ValueFunction
from rlcard_kit.arrays import BoolArray, Float64Array
from rlcard_kit.jit import kernel
from rlcard_kit.positions import Decision, Positions
from rlcard_kit.rng import Streams, uniform


class BonusSearch(SearchAgent):
    """Searches by a network in training, whose values have the bonus for winning in them.

    Args:
        network: the network.
        worlds: for each decision.
        bonus: see `Config.win_bonus`.
    """

    def __init__(self, network: ValueFunction, worlds: int, bonus: float) -> None:
        super().__init__(DMCAgent(network), worlds, beliefs=shipped_beliefs)
        self._bonus = bonus

    def worth(self, payoffs: Float64Array) -> Float64Array:
        """Return what is learned of payoffs; see `SearchAgent.worth`."""
        return payoffs + self._bonus * np.where(payoffs > 0, 0.75, -0.25)


class Taught(Agent):
    """Chooses as a pupil does, but for a share of the choices, which search makes.

    What it says that a searched choice is worth goes up by what search gains, so that targets of earlier decisions do.

    Args:
        pupil: explores by the network, and says values.
        network: the network.
        config: settings of the run.
    """

    def __init__(self, pupil: Agent, network: ValueFunction, config: Config) -> None:
        self._pupil = pupil
        self._search = BonusSearch(network, config.teacher_worlds, config.win_bonus)
        self._search.prepare(find_rules(config.rules))
        self._share = config.teacher_share

    def choose(self, positions: Positions, random: Streams) -> Decision:
        """Choose; see `Agent.choose`."""
        explored = self._pupil.choose(positions, random)
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
    """Draw for each game, bool [N], whether search is asked."""
    for i in range(random.size):
        asked[i] = uniform(random[i : i + 1]) < share
