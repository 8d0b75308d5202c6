"""Beliefs: distributions of determinizations, uniform or learned from the opponents' play."""

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from typing_extensions import override

from rlcard_big2.engine.bitboard import popcount
from rlcard_big2.engine.observation import NUM_OPPONENTS, Observation, Observations
from rlcard_big2.engine.ruleset import RuleTable, RuleTables, tabulate
from rlcard_big2.engine.state import HISTORY, NUM_PLAYERS, OPENING_CARD
from rlcard_big2.nets.beliefs import BeliefNetwork
from rlcard_big2.rules import Rules
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.errors import ConfigError
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Stream, Streams, below, draw_indices

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
    """Uniform distribution of the deals that agree with the observation under some rules; see `MakeBeliefs`."""

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


@kernel
def sample_determinizations(rules: RuleTables, observations: Observations, random: Streams, out: Int64Array) -> None:
    """Sample W determinizations of each of N games, uniform among those that agree with its observation.

    Args:
        rules: [1] from `tabulate`.
        observations: packed, [N].
        random: uint64 [N], each game's own stream; the first samples do not depend on the number that follows.
        out: int64 [N, W, 4], receives masks of the cards now held: the viewer's, then its opponents' in order of play.
    """
    for i in range(len(observations)):
        for world in range(out.shape[1]):
            _deal(rules[0], observations[i], random[i : i + 1], out[i, world])


@kernel
def _deal(rules: RuleTable, observation: Observation, random: Stream, hands: Int64Array) -> None:
    hands[:] = 0
    hands[0] = observation.hand
    hidden = observation.others
    opener = known_opener(rules, observation)
    if opener > 0:
        hands[opener] = OPENING_CARD
        hidden ^= OPENING_CARD
    for i in range(NUM_OPPONENTS):
        for _ in range(observation.left[i] - popcount(hands[i + 1])):
            card = draw_card(hidden, random)
            hands[i + 1] |= card
            hidden ^= card


@kernel
def draw_card(cards: int, random: Stream) -> int:
    """Return one card of a mask that is not empty, as a mask."""
    for _ in range(below(random, popcount(cards))):
        cards &= cards - 1
    return cards & -cards


@kernel
def known_opener(rules: RuleTable, observation: Observation) -> int:
    """Return the opponent known to hold the card whose holder opens, from 1 on; 0 if unknown, or out of play.

    Some rules let it stay in hand.
    """
    is_held = observation.others & OPENING_CARD != 0 and observation.left.sum() == popcount(observation.others)
    if rules.leader >= 0 or not is_held or not shows_all_moves(rules, observation):
        return 0
    return (observation.mover - observation.ply) % rules.players


@kernel
def shows_all_moves(rules: RuleTable, observation: Observation) -> bool:
    """Return whether the last 16 moves are all that were made; in a typed position earlier ones may be unknown."""
    shown = 0
    for move in observation.history:
        shown += popcount(move)
    gone = popcount(rules.pack) - popcount(observation.hand) - popcount(observation.others)
    return observation.ply <= HISTORY and shown == gone
