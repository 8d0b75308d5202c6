"""Tables of a ladder: the matrices of all pairs, the ranking, and cycles."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from eval.games import EvaluatedGame
from eval.ladder.ratings import Wins, cycles, maximal_lottery, ratings, resampled, with_interval
from eval.tables import Row, Section
from rlcard_kit.arrays import BoolArray, Float64Array, Int64Array
from rlcard_kit.duplicate.block import Outcome
from rlcard_kit.statistics import Estimate, estimate


@dataclass(frozen=True)
class Standings:
    """The games of all pairs of N agents over the same D deals, under one set of rules or several.

    Attributes:
        names: of the agents.
        scores: float64 [D, K], mean gain of the first agent of each pair in a game between them.
        tables: int64 [T, 3], kinds of tables: seats of the first agent, seats of the second, seatings of each deal.
        won: float64 [D, R * K, T], games won by the first agent, by R sets of rules and pairs.
    """

    names: tuple[str, ...]
    scores: Float64Array
    tables: Int64Array
    won: Float64Array

    @classmethod
    def of(
        cls, names: tuple[str, ...], game: EvaluatedGame, seatings: Int64Array, outcomes: Sequence[Outcome]
    ) -> 'Standings':
        """Return the standings under one set of rules, from the outcome of each pair in seatings, [G, seats]."""
        of_first = seatings == 0
        seats = of_first.sum(axis=1)
        kinds, counts = np.unique(seats, return_counts=True)
        gains = [game.gains(outcome.payoffs)[:, of_first].mean(axis=1) for outcome in outcomes]
        won = [_won(game, of_first, outcome) @ (seats[:, None] == kinds) for outcome in outcomes]
        tables = np.stack([kinds, seatings.shape[1] - kinds, counts], axis=1)
        return cls(names, np.stack(gains, axis=1), tables, np.stack(won, axis=1))

    @classmethod
    def join(cls, standings: 'Sequence[Standings]') -> 'Standings':
        """Return the standings under all of several sets of rules, each with the same weight."""
        first = standings[0]
        scores = np.mean([one.scores for one in standings], axis=0)
        return cls(first.names, scores, first.tables, np.concatenate([one.won for one in standings], axis=1))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The indices of the agents of each pair."""
        return list(combinations(range(len(self.names)), 2))

    def matrix(self, title: str) -> Section:
        """Return the score of each agent (row) against each other (column)."""
        cells: dict[tuple[int, int], Estimate] = {}
        for (one, other), column in zip(self.pairs, self.scores.T, strict=True):
            cells[one, other], cells[other, one] = estimate(column), estimate(-column)
        places = range(len(self.names))
        rows = [Row(name, tuple(cells.get((one, other)) for other in places)) for one, name in enumerate(self.names)]
        return Section(title, self.names, tuple(rows))

    def ranking(self, title: str, score: str) -> Section:
        """Return the rating, the mean score and the share in maximal lotteries of each agent, the best first."""
        margins = self._margins(self.scores)
        rating = self._rate(self.won.mean(axis=0))
        samples = resampled(np.hstack([self.scores, self.won.reshape(len(self.won), -1)]))
        scores, won = np.split(samples, [self.scores.shape[1]], axis=1)
        sampled = self._rate(won.reshape(-1, *self.won.shape[1:]))
        lotteries = np.stack([maximal_lottery(one) for one in self._margins(scores)])
        means = margins.sum(axis=2) / (len(self.names) - 1)
        rows = [
            Row(
                name,
                (
                    with_interval(rating[agent], sampled[:, agent]),
                    estimate(means[:, agent]),
                    with_interval(lotteries[:, agent].mean(), lotteries[:, agent]),
                ),
            )
            for agent, name in enumerate(self.names)
        ]
        order = np.argsort(-rating)
        return Section(title, ('rating', score, 'lottery'), tuple(rows[agent] for agent in order))

    def cycle_notes(self, unit: str) -> list[str]:
        """Return a sentence on each cycle of three agents, in which the intervals of all three scores leave out 0."""
        cells = [row.cells for row in self.matrix('').rows]
        beats = np.array([[cell is not None and cell.mean > cell.margin for cell in row] for row in cells])
        sentences = []
        for agents in cycles(beats):
            others = (*agents[1:], agents[0])
            steps = [
                f'{self.names[a]} beats {self.names[b]} by {cells[a][b]}' for a, b in zip(agents, others, strict=True)
            ]
            sentences.append(f'{", ".join(steps)} {unit}.')
        return sentences

    def _margins(self, scores: Float64Array) -> Float64Array:
        """Return the margin of each agent over each other, [..., N, N], from the scores of the pairs, [..., K]."""
        margins = np.zeros((*scores.shape[:-1], len(self.names), len(self.names)))
        one, other = np.transpose(self.pairs)
        margins[..., one, other], margins[..., other, one] = scores, -scores
        return margins

    def _rate(self, won: Float64Array) -> Float64Array:
        """Return ratings, [..., N], from the mean games won of a deal, [..., R * K, T]."""
        deals = len(self.scores)
        pairs = np.tile(self.pairs, (self.won.shape[1] // len(self.pairs), 1))
        return ratings(Wins(pairs, self.tables * np.array([1, 1, deals]), won * deals), len(self.names))


def _won(game: EvaluatedGame, of_first: BoolArray, outcome: Outcome) -> Float64Array:
    """Return the share of each game that the first agent won, float64 [D, G]; a half if no seat has won."""
    wins = game.card.wins(outcome.payoffs)
    winners = wins.sum(axis=-1)
    return np.divide((wins & of_first).sum(axis=-1), winners, out=np.full(winners.shape, 0.5), where=winners > 0)


def arranged(section: Section, names: Sequence[str]) -> Section:
    """Return a table of agents against each other with its rows and columns in an order of their names."""
    rows = {row.name: dict(zip(section.columns, row.cells, strict=True)) for row in section.rows}
    return Section(
        section.title, tuple(names), tuple(Row(name, tuple(rows[name][other] for other in names)) for name in names)
    )
