"""Agents that decide for many games at once, and the ways to choose among legal moves."""

from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.arrays import Float32Array, Float64Array, Int64Array
from rlcard_kit.jit import kernel
from rlcard_kit.positions import Choice, Positions
from rlcard_kit.rng import Streams, below, uniform


class Chooser(Protocol):
    """Anything that decides for many games at once."""

    def choose(self, positions: Positions, random: Streams) -> Choice:
        """Choose a legal move in each of N games.

        Args:
            positions: of N games, each with at least one legal move.
            random: uint64 [N], each game's own stream; a draw advances it.
        """
        ...


class ValueFunction(Protocol):
    """Anything that says what legal moves are worth."""

    def values(self, positions: Positions) -> Float32Array:
        """Return the value of every legal move of N games, float32 [M]."""
        ...


class Agent(ABC):
    """A `Chooser` that knows which rules it plays by. It keeps nothing else between decisions."""

    rules: Any = None
    """The rules that it was made for; None until `prepare` is called."""
    trained_on: Any = None
    """The rules that it was trained on; None if it was not trained."""

    def prepare(self, rules: Any) -> None:
        """Take the rules to play by from now on."""
        self.rules = rules

    @abstractmethod
    def choose(self, positions: Positions, random: Streams) -> Choice:
        """Choose a legal move in each of N games; see `Chooser.choose`."""


def choose_highest(values: NDArray[np.floating[Any]], offsets: Int64Array) -> Int64Array:
    """Return the index of each game's highest value, the first of equals, int64 [N].

    Args:
        values: of all legal moves, [M].
        offsets: int64 [N + 1], see `Positions`.
    """
    out = np.empty(len(offsets) - 1, np.int64)
    _write_highest(values, offsets, out)
    return out


def choose_by_probability(probabilities: Float64Array, offsets: Int64Array, random: Streams) -> Int64Array:
    """Draw a move of each game by the probabilities of its legal moves, float64 [M]; return indices, int64 [N]."""
    out = np.empty(len(offsets) - 1, np.int64)
    _draw(probabilities, offsets, random, out)
    return out


def pick(probabilities: Float64Array, offsets: Int64Array, random: Streams, greedy: bool) -> Int64Array:
    """Return the index of each game's likeliest move if greedy, else of one drawn by the probabilities, int64 [N]."""
    return choose_highest(probabilities, offsets) if greedy else choose_by_probability(probabilities, offsets, random)


@kernel
def _write_highest(values: NDArray[np.floating[Any]], offsets: Int64Array, out: Int64Array) -> None:
    for i in range(out.size):
        best = offsets[i]
        for index in range(offsets[i], offsets[i + 1]):
            if values[index] > values[best]:
                best = index
        out[i] = best


@kernel
def _draw(probabilities: Float64Array, offsets: Int64Array, random: Streams, out: Int64Array) -> None:
    for i in range(out.size):
        rest = uniform(random[i : i + 1])
        out[i] = offsets[i]
        for index in range(offsets[i], offsets[i + 1]):
            if probabilities[index] > 0.0:
                out[i] = index
                rest -= probabilities[index]
                if rest < 0.0:
                    break


@kernel
def explore(epsilon: float, offsets: Int64Array, random: Streams, indices: Int64Array) -> None:
    """Replace each chosen index, with probability epsilon, by a random one of the same game."""
    for i in range(indices.size):
        if uniform(random[i : i + 1]) < epsilon:
            indices[i] = offsets[i] + below(random[i : i + 1], offsets[i + 1] - offsets[i])


@kernel
def choose_uniformly(offsets: Int64Array, random: Streams, out: Int64Array) -> None:
    """Draw one index in offsets[i]..offsets[i + 1] for each game into `out`, int64 [N]."""
    for i in range(random.size):
        out[i] = offsets[i] + below(random[i : i + 1], offsets[i + 1] - offsets[i])
