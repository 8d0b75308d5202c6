"""Kinds of players: which of several agents each opponent plays like, given its last moves.

Every kind has a share of all players. At most tables all opponents are of one kind, at the others each is of its own:
three seats together give enough evidence within a deal. A determinization is as likely as the moves are, summed over
the kinds, so that it is sampled together with them.
"""

import math
from collections.abc import Sequence

import numpy as np
from typing_extensions import override

from rlcard_big2.engine.observation import NUM_OPPONENTS, Observations
from rlcard_big2.engine.ruleset import RuleTables
from rlcard_big2.search.beliefs import Beliefs
from rlcard_big2.search.opponent_model import OpponentModel
from rlcard_big2.search.posterior import Cache, Posterior
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Streams, uniform

ALIKE = 0.7  # share of the tables at which all opponents are of one kind
OTHERS = 0.45  # share of the kinds other than the base's, equal among them


class Kinds(Posterior):
    """Samples determinizations, and the opponents' kinds in each, given their last moves.

    Args:
        beliefs: the distribution of initial states.
        models: likelihoods of moves; the first is the base's.
        rules: [1] from `tabulate`.
    """

    def __init__(self, beliefs: Beliefs, models: Sequence[OpponentModel], rules: RuleTables) -> None:
        super().__init__(beliefs, models[0].network, rules, models[0].temperature)
        self.models = models
        others = len(models) - 1
        self._shares = np.log([1 - OTHERS, *[OTHERS / others] * others])

    @override
    def scores(
        self,
        observations: Observations,
        worlds: Int64Array,
        which: Int64Array | None = None,
        cache: Cache | None = None,
    ) -> Float64Array:
        return log_sum(self._tables(self.likelihoods(observations, worlds, which, cache)))

    @override
    def kinds(
        self, observations: Observations, worlds: Int64Array, random: Streams, which: Int64Array, cache: Cache
    ) -> Int64Array:
        likelihoods, out = self.likelihoods(observations, worlds, which, cache), np.zeros_like(worlds)
        draw_kinds(cumulative(self._tables(likelihoods)), cumulative(likelihoods + self._shares), random, out)
        return out

    def _tables(self, likelihoods: Float64Array) -> Float64Array:
        """Return the log-likelihood of each kind of table, float64 [K, W, models + 1], given that of the moves by seat.

        The last is of a table at which each seat is of its own kind.
        """
        mixed = log_sum(likelihoods + self._shares).sum(axis=2)
        alike = likelihoods.sum(axis=2) + self._shares
        return np.concatenate((alike + math.log(ALIKE), mixed[..., None] + math.log(1 - ALIKE)), axis=2)


def log_sum(values: Float64Array) -> Float64Array:
    """Return the logarithm of the sum of exponentials along the last axis."""
    highest = values.max(axis=-1)
    found: Float64Array = highest + np.log(np.exp(values - highest[..., None]).sum(axis=-1))
    return found


def cumulative(values: Float64Array) -> Float64Array:
    """Return the cumulative probabilities in proportion to the exponentials along the last axis."""
    found: Float64Array = np.exp(values - log_sum(values)[..., None]).cumsum(axis=-1)
    return found


@kernel
def draw_kinds(tables: Float64Array, seats: Float64Array, random: Streams, out: Int64Array) -> None:
    """Draw the kind of each opponent in W worlds of each of N observations into `out`, int64 [N, W, 4].

    Args:
        tables: cumulative probabilities of the kinds of table, float64 [N, W, models + 1].
        seats: of the kinds of each opponent at a mixed table, float64 [N, W, 3, models].
        random: uint64 [N], each game's own stream; a draw advances it.
        out: receives the kinds.
    """
    models = seats.shape[3]
    for i in range(len(out)):
        for j in range(out.shape[1]):
            alike = _draw(tables[i, j], random[i : i + 1])
            for k in range(NUM_OPPONENTS):
                own = _draw(seats[i, j, k], random[i : i + 1])
                out[i, j, 1 + k] = alike if alike < models else own


@kernel
def _draw(bounds: Float64Array, random: Streams) -> int:
    point, index = uniform(random), 0
    while index < len(bounds) - 1 and bounds[index] <= point:
        index += 1
    return index
