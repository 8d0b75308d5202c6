"""Clone of a player: a policy fitted to the moves that it made in recorded games.

The log-odds of moves are linear: a network's value of a move and traits such as passing or spending 2s, each with a
weight. The weights are those of the highest likelihood, with a normal prior around a player that knows the network's
values and has no habits. A few games are enough, since the weights are few.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from typing_extensions import override

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.engine.bitboard import popcount
from rlcard_big2.engine.observation import Observations
from rlcard_big2.nets.agents import DMCAgent
from rlcard_big2.rules import Rules
from rlcard_kit.agents import Positions, ValueFunction
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.errors import FileError, is_number
from rlcard_kit.files import parse_json, read_file, replace
from rlcard_kit.jit import kernel
from rlcard_kit.nets.agents import PolicyAgent

TRAITS = (
    'value by the network, per card', 'passing', 'passing, per 20 legal moves', 'passing when another holds at most 3',
    'passing with at most 5 cards', 'playing a pair', 'playing a triple', 'playing 4 cards', 'playing 5 cards',
    'rank of a single, from 0 (a 3) to 1 (a 2)', 'rank of a pair', 'rank of 3 cards or more', 'each ace', 'each 2',
    'each broken rank', 'each broken rank, below 5 cards', 'including the lowest card',
    'rank of a single when the next holds 1', 'playing the last card',
)  # fmt: skip
FORMAT = 1
PRIOR_SD = 1.3  # of each weight
PRIOR = np.array([2.5, *[0.0] * (len(TRAITS) - 1)])  # the mean: a temperature of 0.4 cards, and no habits
MAX_STEPS = 50  # of Newton's method
CONVERGED = 1e-9  # of the log-likelihood


class Choices(NamedTuple):
    """Decisions of a player among several legal moves."""

    traits: Float64Array  # [M, traits], of all legal moves
    offsets: Int64Array  # [N + 1], as in `Positions`
    made: Int64Array  # [N], indices of the moves made


@dataclass(frozen=True)
class Fit:
    """Weights fitted to the choices of a player.

    Attributes:
        weights: of TRAITS.
        errors: their standard errors.
        likelihood: the geometric mean of the probabilities of the moves made.
        before: the same with the weights of PRIOR.
    """

    weights: Float64Array
    errors: Float64Array
    likelihood: float
    before: float


class ClonePolicy:
    """The policy of a clone; see `PolicyAgent`.

    Args:
        weights: of TRAITS.
    """

    def __init__(self, weights: Float64Array) -> None:
        self._weights = weights
        self.network: ValueFunction

    def traits(self, positions: Positions) -> Float64Array:
        """Return the traits of all legal moves, float64 [M, traits]."""
        values = self.network.values(positions)
        out = np.zeros((len(values), len(TRAITS)))
        out[:, 0] = values
        write_traits(positions.observations, positions.moves, positions.offsets, out)
        return out

    def probabilities(self, positions: Positions) -> tuple[Float64Array, Float64Array]:
        """Return the probability of each legal move, [M], and the network's best value in each game, [N]."""
        traits = self.traits(positions)
        best = np.maximum.reduceat(traits[:, 0], positions.offsets[:-1])
        return np.exp(log_softmax(traits @ self._weights, positions.offsets)), best


class CloneAgent(PolicyAgent, BatchAgent):
    """Samples its moves as a player makes them.

    Args:
        weights: of TRAITS; see `fit`.
        base: its network gives the values under rules without a small one.
        small: networks by rules.
    """

    def __init__(self, weights: Float64Array, base: DMCAgent, small: Mapping[Rules, ValueFunction]) -> None:
        self.policy = ClonePolicy(weights)
        self._base = base
        self._small = small
        super().__init__(self.policy)

    @override
    def prepare(self, rules: Rules) -> None:
        super().prepare(rules)
        self._base.prepare(rules)
        self.policy.network = self._small.get(rules, self._base.network)


def fit(choices: Choices) -> Fit:
    """Return the weights of the highest posterior probability, by Newton's method."""
    weights, best = PRIOR, _log_posterior(PRIOR, choices)
    for _ in range(MAX_STEPS):
        gradient, precision = _derivatives(weights, choices)
        step = np.linalg.solve(precision, gradient)
        while (reached := _log_posterior(weights + step, choices)) < best:  # it is concave: a short enough step ascends
            step /= 2
        weights, gained, best = weights + step, reached - best, reached
        if gained < CONVERGED * len(choices.made):
            break
    errors = np.sqrt(np.diag(np.linalg.inv(_derivatives(weights, choices)[1])))
    return Fit(weights, errors, *(float(np.exp(_log_chances(each, choices).mean())) for each in (weights, PRIOR)))


def _log_chances(weights: Float64Array, choices: Choices) -> Float64Array:
    """Return the log-probability of each move made, float64 [N]."""
    return log_softmax(choices.traits @ weights, choices.offsets)[choices.made]


def _log_posterior(weights: Float64Array, choices: Choices) -> float:
    return float(_log_chances(weights, choices).sum() - ((weights - PRIOR) ** 2).sum() / (2 * PRIOR_SD**2))


def _derivatives(weights: Float64Array, choices: Choices) -> tuple[Float64Array, Float64Array]:
    """Return the gradient of the log-posterior, [traits], and its negative second derivatives, [traits, traits]."""
    traits, offsets, made = choices
    weighted = traits * np.exp(log_softmax(traits @ weights, offsets))[:, None]
    means = np.add.reduceat(weighted, offsets[:-1])
    gradient = (traits[made] - means).sum(axis=0) - (weights - PRIOR) / PRIOR_SD**2
    return gradient, traits.T @ weighted - means.T @ means + np.eye(len(weights)) / PRIOR_SD**2


def log_softmax(values: Float64Array, offsets: Int64Array) -> Float64Array:
    """Return the logarithm of the softmax over the moves of each game, float64 [M]; see `Positions`."""
    starts, counts = offsets[:-1], np.diff(offsets)
    shifted = values - np.repeat(np.maximum.reduceat(values, starts), counts)
    return shifted - np.repeat(np.log(np.add.reduceat(np.exp(shifted), starts)), counts)


def write_clone(path: Path, players: Sequence[str], choices: int, weights: Float64Array) -> None:
    """Write a clone of players as JSON, for `clone:FILE`; FileError if there is something already."""
    if path.exists():
        raise FileError(f'{path} exists already: name another file')
    named = dict(zip(TRAITS, weights.tolist(), strict=True))
    data = {'clone': FORMAT, 'players': players, 'choices': choices, 'weights': named}
    text = json.dumps(data, indent=1, ensure_ascii=False) + '\n'
    replace(path, lambda temporary: temporary.write_text(text, encoding='utf-8'))


def read_clone(path: Path) -> Float64Array:
    """Read the weights of a clone; FileError if the file has none of this version."""
    data = parse_json(str(path), read_file(path))
    weights = data.get('weights') if isinstance(data, dict) and data.get('clone') == FORMAT else None
    if not isinstance(weights, dict) or list(weights) != list(TRAITS) or not all(map(is_number, weights.values())):
        raise FileError(f'{path} holds no clone of format {FORMAT}: write one by `big2 clone`')
    return np.array([*weights.values()], np.float64)


@kernel
def write_traits(observations: Observations, moves: Int64Array, offsets: Int64Array, out: Float64Array) -> None:
    """Write the traits after the first of all legal moves, [M, traits], which begin as zeros; see TRAITS."""
    for i in range(len(offsets) - 1):
        observation, fewest = observations[i], 13
        for left in observation.left:
            if 0 < left < fewest:
                fewest = left
        for j in range(offsets[i], offsets[i + 1]):
            if moves[j] == 0:
                out[j, 1] = 1
                out[j, 2] = (offsets[i + 1] - offsets[i]) / 20
                out[j, 3] = fewest <= 3
                out[j, 4] = popcount(observation.hand) <= 5
            else:
                _write_cards(observation.hand, moves[j], observation.left[0] == 1, out[j])


@kernel
def _write_cards(hand: int, move: int, is_last: bool, out: Float64Array) -> None:
    """Write the traits of playing cards, given whether the next player holds one."""
    count, broken, top = popcount(move), 0, 0.0
    for rank in range(13):
        played, held = popcount(move >> 4 * rank & 15), popcount(hand >> 4 * rank & 15)
        if played > 0:
            top = rank / 12
            broken += held > played
    if count > 1:
        out[3 + min(count, 5)] = 1
    out[8 + min(count, 3)] = top
    out[12], out[13] = popcount(move >> 44 & 15), popcount(move >> 48 & 15)
    out[14] = broken
    out[15] = broken if count < 5 else 0
    out[16] = move & hand & -hand != 0
    out[17] = top if count == 1 and is_last else 0
    out[18] = move == hand
