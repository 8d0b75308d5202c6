"""Beliefs: distributions of determinizations, uniform or learned from the opponents' play."""

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from typing_extensions import override

from rlcard_big2.engine.observation import Observations
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.nets.beliefs import BeliefNetwork
from rlcard_big2.rules import Rules
from rlcard_big2.search.determinization import sample_determinizations
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.errors import ConfigError
from rlcard_kit.rng import Streams, draw_indices

PROPOSALS = 16  # uniform determinizations for each one that is resampled


class Beliefs(ABC):
    """A distribution of determinizations."""

    guesses = True
    """Whether it depends on the opponents' play."""

    @abstractmethod
    def draw(self, observations: Observations, random: Streams, count: int) -> Int64Array:
        """Return determinizations, int64 [N, count, 4], as `sample_determinizations` writes them.

        Args:
            observations: packed, of seats to move, [N].
            random: uint64 [N], each game's own stream; a draw advances it.
            count: of determinizations for each.
        """

    def rounds(self, observations: Observations, count: int | None = None) -> 'Rounds':
        """Return a sampler for packed observations, [N], that can continue.

        Args:
            observations: of seats to move.
            count: of determinizations that will be drawn for each at most, if known.
        """
        return Rounds(self, observations)


class Rounds:
    """Samples determinizations of the same observations round by round.

    Args:
        beliefs: sampled independently in each round.
        observations: packed, of seats to move, [N].
    """

    def __init__(self, beliefs: Beliefs, observations: Observations) -> None:
        self._beliefs = beliefs
        self._observations = observations

    def draw(self, which: Int64Array, random: Streams, count: int) -> Int64Array:
        """Return determinizations of some observations, int64 [K, count, 4].

        Args:
            which: indices of observations that were in all earlier rounds, int64 [K].
            random: uint64 [K], see `Beliefs.draw`.
            count: of worlds for each.
        """
        return self._beliefs.draw(self._observations[which], random, count)

    def kinds(self, which: Int64Array, worlds: Int64Array, random: Streams) -> Int64Array:
        """Return the model that each opponent follows, int64 [K, W, 4]; there is one alone, but in `Kinds`.

        Args:
            which: indices of observations, int64 [K].
            worlds: determinizations of each that were drawn, int64 [K, W, 4].
            random: uint64 [K], see `Beliefs.draw`.
        """
        return np.zeros_like(worlds)


MakeBeliefs = Callable[[Rules], Beliefs]
"""Makes beliefs under some rules."""


class Uniform(Beliefs):
    """Uniform distribution of the deals that agree with the observation under some rules."""

    guesses = False

    def __init__(self, rules: Rules) -> None:
        self._rules_arrays = tabulate(rules)

    @override
    def draw(self, observations: Observations, random: Streams, count: int) -> Int64Array:
        hands = np.empty((len(observations), count, NUM_PLAYERS), np.int64)
        sample_determinizations(self._rules_arrays, observations, random, hands)
        return hands


class Learned(Beliefs):
    """Importance resampling of uniform determinizations by a network's scores.

    Args:
        network: scores determinizations.
        proposals: for each determinization that is drawn.
    """

    def __init__(self, network: BeliefNetwork, proposals: int = PROPOSALS) -> None:
        self._network = network
        self._proposals = proposals

    @override
    def draw(self, observations: Observations, random: Streams, count: int) -> Int64Array:
        proposed = Uniform(self._network.rules).draw(observations, random, count * self._proposals)
        return resample(proposed, self._network.scores(observations, proposed), random, count)


def uniform_beliefs(rules: Rules) -> Beliefs:
    """Return uniform beliefs; see `MakeBeliefs`."""
    return Uniform(rules)


def learned_beliefs(beliefs: BeliefNetwork, proposals: int = PROPOSALS) -> MakeBeliefs:
    """Return a maker of a network's beliefs, which raises ConfigError under rules that it was not trained on."""

    def make(rules: Rules) -> Beliefs:
        if rules != beliefs.rules:
            raise ConfigError(
                f'these beliefs were learned under the rules {beliefs.rules.title!r}, not {rules.title!r}: '
                f'learn others by `python -m dmc beliefs --rules ...`, or search without'
            )
        return Learned(beliefs, proposals)

    return make


def resample(worlds: Int64Array, scores: Float64Array, random: Streams, count: int) -> Int64Array:
    """Resample determinizations in proportion to the exponential of their scores, with repetitions.

    Args:
        worlds: int64 [N, W, 4].
        scores: float64 [N, W].
        random: uint64 [N], each game's own stream; a draw advances it.
        count: of samples for each game.

    Returns:
        int64 [N, count, 4].
    """
    chosen = np.empty((len(worlds), count), np.int64)
    draw_indices(cumulate(scores), random, chosen)
    return np.take_along_axis(worlds, chosen[:, :, None], axis=1)


def cumulate(scores: Float64Array) -> Float64Array:
    """Return cumulative weights, for `draw_indices`, in proportion to the exponentials along the last axis."""
    weights: Float64Array = np.exp(scores - scores.max(axis=-1, keepdims=True)).cumsum(axis=-1)
    return weights
