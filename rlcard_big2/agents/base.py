"""What agents share: one decision function for a batch of games, and RLCard's protocol on top of it."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlcard_big2.engine.actions import ACTION_MASKS
from rlcard_big2.errors import IllegalActionError
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.lockstep.compilation import kernel
from rlcard_big2.lockstep.random import Streams, new_streams, uniform


class BatchAgent(ABC):
    """Decides for many games at once, and so for one state of RLCard.

    An agent keeps nothing between decisions but the stream from which `step` and `eval_step` draw.

    Args:
        seed: of that stream; None takes one from the operating system.
    """

    use_raw = False

    def __init__(self, seed: int | None = None) -> None:
        self._stream = new_streams(seed, 1)

    @abstractmethod
    def choose(self, observations: Int64Array, masks: Int64Array, offsets: Int64Array, random: Streams) -> Int64Array:
        """Choose one legal move in each of N games.

        Args:
            observations: packed, int64 [N, 27], each for the seat to move.
            masks: the legal moves of all games, int64 [M], a pass as 0, ascending by action id in each game.
            offsets: int64 [N + 1]; game i's moves are masks[offsets[i]:offsets[i + 1]].
            random: uint64 [N], each game's own stream; a draw advances it.

        Returns the chosen places in `masks`, int64 [N].
        """

    def step(self, state: dict[str, Any]) -> int:
        """Return the action id for a state of `rlcard.make('big2')`, to collect training data."""
        return self.eval_step(state)[0]

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the action id for a state, and information on the decision."""
        observations, masks, offsets = batch_of(state)
        place = self.choose(observations, masks, offsets, self._stream)
        return list(state['legal_actions'])[place[0]], {}


def select_games(
    masks: Int64Array, offsets: Int64Array, where: Int64Array
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Select the legal moves of the games at places `where`, int64 [K].

    Returns their masks, their offsets, int64 [K + 1], and, int64 [K], what is to be added to a game's place in
    those masks for its place in `masks`.
    """
    counts = np.diff(offsets)[where]
    own_offsets = np.concatenate(([0], np.cumsum(counts)))
    shifts = offsets[where] - own_offsets[:-1]
    return masks[np.repeat(shifts, counts) + np.arange(own_offsets[-1])], own_offsets, shifts


@kernel
def choose_best(values: NDArray[np.floating[Any]], offsets: Int64Array, out: Int64Array) -> None:
    """Write the place of each game's highest value, the first of equals, into `out`, int64 [N]."""
    for i in range(out.size):
        best = offsets[i]
        for place in range(offsets[i], offsets[i + 1]):
            if values[place] > values[best]:
                best = place
        out[i] = best


@kernel
def draw(probabilities: NDArray[np.float64], offsets: Int64Array, random: Streams, out: Int64Array) -> None:
    """Draw one place of each game by the probabilities, float64 [M], into `out`, int64 [N]."""
    for i in range(out.size):
        rest = uniform(random[i : i + 1])
        out[i] = offsets[i]
        for place in range(offsets[i], offsets[i + 1]):
            if probabilities[place] > 0.0:
                out[i] = place
                rest -= probabilities[place]
                if rest < 0.0:
                    break


def pick(probabilities: NDArray[np.float64], offsets: Int64Array, random: Streams, greedy: bool) -> Int64Array:
    """Return one place of each game, int64 [N]: the likeliest of its moves, or one drawn by probabilities [M]."""
    out = np.empty(len(offsets) - 1, np.int64)
    if greedy:
        choose_best(probabilities, offsets, out)
    else:
        draw(probabilities, offsets, random, out)
    return out


def batch_of(state: dict[str, Any]) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Return a state of `rlcard.make('big2')` as a batch of one: observations, masks and offsets for `choose`.

    IllegalActionError where the state leaves nothing to choose.
    """
    if not state['legal_actions']:
        raise IllegalActionError('no action is legal in this state: the game is over, or another seat is to move')
    masks = ACTION_MASKS[list(state['legal_actions'])]
    return state['raw_obs']['packed'][None], masks, np.array([0, len(masks)])
