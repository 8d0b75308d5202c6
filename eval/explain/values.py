"""Predictions of agents at their own decisions, compared with the outcomes."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from eval.game import EvaluatedGame
from eval.pairs import Pairs
from eval.tables import Row, Section
from rlcard_kit.agents import Decision
from rlcard_kit.arrays import BoolArray, Float64Array, Int64Array
from rlcard_kit.duplicate.block import BLOCK
from rlcard_kit.duplicate.players import MatchPlayer
from rlcard_kit.game import CardGame
from rlcard_kit.nets.calibration import Calibration
from rlcard_kit.rng import new_streams
from rlcard_kit.rules import Rulebook
from rlcard_kit.statistics import Z95, Estimate, estimate, estimate_ratio
from rlcard_kit.table import Player, Table
from rlcard_kit.vector_env import VectorEnv

BINS = 10
WINS = 'games won'
PREDICTED, ACTUAL, ERROR = 'predicted', 'actual', 'error'
BY_CHANCE = (2 / np.pi) ** 0.5  # the mean size of a normal draw, in standard deviations


class Expectations(NamedTuple):
    """Decisions of one agent among two legal moves or more, K of them, and how their games ended for it."""

    unit: str  # of payoffs
    deals: Int64Array  # [K]
    values: Float64Array  # [K], of the agent
    predicted: Float64Array  # [K], the payoff that they predict
    wins: Float64Array | None  # [K], the chance of winning that they predict, if known
    payoffs: Int64Array  # [K]
    won: BoolArray  # [K]

    @property
    def compared(self) -> dict[str, tuple[Float64Array, Int64Array]]:
        """The predictions and the outcomes in payoff, and in games won if they are predicted."""
        compared = {self.unit: (self.predicted, self.payoffs)}
        if self.wins is not None:
            compared[WINS] = self.wins, self.won.astype(np.int64)
        return compared


class Errors(NamedTuple):
    """Errors of predictions."""

    bias: Estimate  # predicted less actual, over all decisions
    size: Estimate  # expected calibration error: the mean size of that over ten parts
    by_chance: float  # expected size with perfect predictions on this number of deals


class _Replay(Player):
    """Replays recorded games, int64 [N, T], and records the values of an agent in its own seats, bool [N, seats]."""

    def __init__(self, moves: Int64Array, is_own: BoolArray, agent: MatchPlayer) -> None:
        self._moves, self._is_own, self._agent = moves, is_own, agent

    def choose(self, table: Table, rows: Int64Array) -> Decision:
        """Return the recorded moves, with the values of the agent."""
        positions, games = table.positions.select(rows), table.games[rows]
        recorded = self._moves[games, table.plies[games]]
        chosen = np.flatnonzero(positions.moves == np.repeat(recorded, positions.counts))
        values = np.full(len(rows), np.nan, np.float32)
        own_rows = np.flatnonzero(self._is_own[games, table.seats[rows]])
        if own_rows.size:
            predicted = self._agent.choose(table, rows[own_rows]).values
            values[own_rows] = np.nan if predicted is None else predicted
        return Decision(chosen - positions.offsets[:-1], values)


def find_expectations(game: EvaluatedGame, pairs: Pairs, which: int, player: MatchPlayer) -> Expectations | None:
    """Return the predictions of A, 0, or B, 1, at its decisions, None if it has no values; AgentFailure if it fails."""
    parts = []
    for first in range(0, len(pairs.deals), BLOCK):
        part = _replay(game.card, pairs, which, player, first)
        if not len(part[0]):
            return None
        parts.append(part)
    deals, seatings, values = map(np.concatenate, zip(*parts, strict=True))
    tables = calibration_of(player.agent, pairs.rules)
    predicted = values if tables is None else tables.expected_cards(values)
    wins = None if tables is None else tables.win_chance(values)
    payoffs, won = (part[deals, which, seatings] for part in (pairs.own, pairs.won))
    return Expectations(game.wording.counted, deals, values, predicted, wins, payoffs, won)


def _replay(
    card: CardGame, pairs: Pairs, which: int, player: MatchPlayer, first: int
) -> tuple[Int64Array, Int64Array, Float64Array]:
    """Replay a block of deals; return deal, seating and predicted value of each decision."""
    deals = pairs.deals[first : first + BLOCK]
    count, seats = pairs.is_own.shape
    is_own = np.tile(pairs.is_own, (len(deals), 1))
    moves = pairs.moves[first : first + BLOCK, which].reshape(len(is_own), -1)
    player.place(first, count)
    player.prepare(pairs.rules)
    env = VectorEnv(card, pairs.rules, np.repeat(deals, count, axis=0))
    streams = new_streams(first, len(is_own) * seats).reshape(-1, seats)
    replayed = _Replay(moves, is_own, player)
    table = Table(env, [replayed], np.zeros((len(is_own), seats), np.int64), streams, ask_forced=False)
    predicted = []
    while not env.is_over:
        predicted.append(table.turn().values)
    turns, games = np.nonzero(~np.isnan(predicted))
    return first + games // count, games % count, np.array(predicted, np.float64)[turns, games]


def calibration_of(agent: object, rules: Rulebook) -> Calibration | None:
    """Return the calibration of an agent's values under the rules, if it has one."""
    measured: Callable[[Rulebook], Calibration | None] | None = getattr(agent, 'calibration', None)
    return measured(rules) if measured else None


def calibration_table(name: str, expectations: Expectations) -> Section:
    """Return predictions and outcomes in tenths of the decisions by value."""
    rows = [
        Row(
            f'{expectations.values[part[0]]:+.1f} to {expectations.values[part[-1]]:+.1f}',
            tuple(
                mean
                for compared in expectations.compared.values()
                for mean in _compare(expectations.deals[part], part, *compared)
            ),
        )
        for part in _tenths(expectations)
    ]
    columns = tuple(f'{what} {word}' for what in expectations.compared for word in (PREDICTED, ACTUAL, ERROR))
    return Section(f'predictions of {name} by value, and outcomes', columns, tuple(rows))


def errors_table(errors: Mapping[str, Mapping[str, Errors]]) -> Section:
    """Return the errors of agents by their names as a table."""
    rows = [
        Row(f'{name}, {what}', (error.bias, error.size))
        for name, of_agent in errors.items()
        for what, error in of_agent.items()
    ]
    return Section('errors of predictions: predicted less actual', ('mean', 'ECE'), tuple(rows))


def _tenths(expectations: Expectations) -> list[Int64Array]:
    """Return the indices of the decisions in parts of the same size, by value."""
    return [part for part in np.array_split(np.argsort(expectations.values, kind='stable'), BINS) if part.size]


def _compare(deals: Int64Array, part: Int64Array, predicted: Float64Array, actual: Int64Array) -> list[Estimate]:
    """Return the means of predictions, outcomes and errors in a part of the decisions."""
    counts = np.bincount(deals)
    columns = (predicted[part], actual[part], predicted[part] - actual[part])
    return [estimate_ratio(np.bincount(deals, column), counts) for column in columns]


def calibration_errors(expectations: Expectations, predicted: Float64Array, actual: Int64Array) -> Errors:
    """Return the errors of predictions, float64 [K], given the outcomes, int64 [K].

    The interval of the error's size is that of the jackknife, which leaves out one deal at a time. The size is above 0
    even if all predictions are right, so its expectation is computed too.
    """
    errors, counts = _by_part(expectations, predicted - actual), _by_part(expectations, np.ones(len(predicted)))
    bias = estimate_ratio(errors.sum(axis=1), counts.sum(axis=1))
    margins = [estimate_ratio(*column).margin for column in zip(errors.T, counts.T, strict=True)]
    by_chance = float(np.dot(margins, counts.sum(axis=0)) / counts.sum() / Z95 * BY_CHANCE)
    return Errors(bias, _jackknife(errors, counts), by_chance)


def _by_part(expectations: Expectations, numbers: Float64Array) -> Float64Array:
    """Return the sums of numbers, float64 [K], by deal and tenth of the decisions, float64 [D, parts]."""
    names, deals = np.unique(expectations.deals, return_inverse=True)
    parts = _tenths(expectations)
    sums = np.zeros((len(names), len(parts)))
    for number, part in enumerate(parts):
        np.add.at(sums[:, number], deals[part], numbers[part])
    return sums


def _jackknife(errors: Float64Array, counts: Float64Array) -> Estimate:
    """Estimate the mean size of the errors of parts from their sums by deal, both [D, parts]."""
    whole = _mean_size(errors.sum(axis=0), counts.sum(axis=0))
    without = _mean_size(errors.sum(axis=0) - errors, counts.sum(axis=0) - counts)
    count = len(errors)
    return Estimate(float(whole), estimate(without).margin * (count - 1) if count > 1 else float('inf'))


def _mean_size(sums: Float64Array, counts: Float64Array) -> Any:
    return np.abs(sums).sum(axis=-1) / counts.sum(axis=-1)
