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
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.search.beliefs import Beliefs, cumulate
from rlcard_big2.search.opponent_model import OpponentModel
from rlcard_big2.search.posterior import Chains, Posterior
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Streams, draw_indices

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
    def rounds(self, observations: Observations, count: int | None = None) -> 'KindChains':
        return KindChains(self, observations, count)

    @override
    def join(self, likelihoods: Float64Array) -> Float64Array:
        return log_sum(self._tables(likelihoods))

    def draw_kinds(self, likelihoods: Float64Array, random: Streams) -> Int64Array:
        """Draw the kind of each opponent, int64 [K, W, 4], given the log-likelihoods of their moves.

        Args:
            likelihoods: float64 [K, W, 3, models].
            random: uint64 [K], each game's own stream; a draw advances it.
        """
        out = np.zeros((*likelihoods.shape[:2], NUM_PLAYERS), np.int64)
        draw_kinds(cumulate(self._tables(likelihoods)), cumulate(likelihoods + self._shares), random, out)
        return out

    def _tables(self, likelihoods: Float64Array) -> Float64Array:
        """Return the log-likelihood of each kind of table, float64 [K, W, models + 1], given that of the moves by seat.

        The last is of a table at which each seat is of its own kind.
        """
        mixed = log_sum(likelihoods + self._shares).sum(axis=2)
        alike = likelihoods.sum(axis=2) + self._shares
        return np.concatenate((alike + math.log(ALIKE), mixed[..., None] + math.log(1 - ALIKE)), axis=2)


class KindChains(Chains):
    """Chains whose samples include the opponents' kinds."""

    _posterior: Kinds

    @override
    def kinds(self, which: Int64Array, worlds: Int64Array, random: Streams) -> Int64Array:
        return self._posterior.draw_kinds(self.likelihoods(which, worlds), random)


def log_sum(values: Float64Array) -> Float64Array:
    """Return the logarithm of the sum of exponentials along the last axis."""
    highest = values.max(axis=-1)
    sums: Float64Array = highest + np.log(np.exp(values - highest[..., None]).sum(axis=-1))
    return sums


@kernel
def draw_kinds(tables: Float64Array, seats: Float64Array, random: Streams, out: Int64Array) -> None:
    """Draw the kind of each opponent in W worlds of each of N observations into `out`, int64 [N, W, 4].

    Args:
        tables: cumulative weights of the kinds of table, float64 [N, W, models + 1].
        seats: of the kinds of each opponent at a mixed table, float64 [N, W, 3, models].
        random: uint64 [N], each game's own stream; a draw advances it.
        out: receives the kinds.
    """
    alike, single = np.empty((1, 1), np.int64), np.empty((1, 1), np.int64)
    for i in range(len(out)):
        stream = random[i : i + 1]
        for j in range(out.shape[1]):
            draw_indices(tables[i, j : j + 1], stream, alike)
            for k in range(NUM_OPPONENTS):
                draw_indices(seats[i, j, k : k + 1], stream, single)
                out[i, j, 1 + k] = alike[0, 0] if alike[0, 0] < seats.shape[3] else single[0, 0]
