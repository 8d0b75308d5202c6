"""Tables of a ladder: the matrices of all pairs, the ranking, and cycles."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from eval.game import EvaluatedGame
from eval.ladder.ratings import Games, cycles, maximal_lottery, resampled, with_interval
from eval.tables import Row, Section
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.duplicate.block import Outcome
from rlcard_kit.statistics import Estimate, estimate


@dataclass(frozen=True)
class Standings:
    """The games of all pairs of N agents over the same D deals, under one set of rules or several.

    Attributes:
        names: of the agents.
        scores: float64 [D, K], mean gain of the first agent of each pair in a game between them.
        games: those of all pairs.
    """

    names: tuple[str, ...]
    scores: Float64Array
    games: Games

    @classmethod
    def of(
        cls, names: tuple[str, ...], game: EvaluatedGame, seatings: Int64Array, outcomes: Sequence[Outcome]
    ) -> 'Standings':
        """Return the standings under one set of rules, from the outcome of each pair in seatings, [G, seats]."""
        of_first = seatings == 0
        gains = [game.gains(outcome.payoffs)[:, of_first].mean(axis=1) for outcome in outcomes]
        games = [
            Games.of(len(names), np.array(pair)[seatings], game.card.wins(outcome.payoffs))
            for pair, outcome in zip(combinations(range(len(names)), 2), outcomes, strict=True)
        ]
        return cls(names, np.stack(gains, axis=1), Games.join(games))

    @classmethod
    def join(cls, standings: 'Sequence[Standings]') -> 'Standings':
        """Return the standings under all of several sets of rules, each with the same weight."""
        scores = np.mean([part.scores for part in standings], axis=0)
        return cls(standings[0].names, scores, Games.join([part.games for part in standings], len(standings)))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The indices of the agents of each pair."""
        return list(combinations(range(len(self.names)), 2))

    def matrix(self, title: str) -> Section:
        """Return the score of each agent (row) against each other (column)."""
        cells: dict[tuple[int, int], Estimate] = {}
        for (one, other), column in zip(self.pairs, self.scores.T, strict=True):
            cells[one, other], cells[other, one] = estimate(column), estimate(-column)
        agents = range(len(self.names))
        rows = [Row(name, tuple(cells.get((one, other)) for other in agents)) for one, name in enumerate(self.names)]
        return Section(title, self.names, tuple(rows))

    def ranking(self, title: str, score: str) -> Section:
        """Return the rating, the mean score and the share in maximal lotteries of each agent, the best first."""
        rating, means = self.games.ratings(), self._margins(self.scores).sum(axis=2) / (len(self.names) - 1)
        margins = self._margins(resampled(self.scores))
        lotteries = np.stack([maximal_lottery(sample) for sample in margins])
        rows = [
            Row(
                name,
                (
                    rating[agent],
                    estimate(means[:, agent]),
                    with_interval(lotteries[:, agent].mean(), lotteries[:, agent]),
                ),
            )
            for agent, name in enumerate(self.names)
        ]
        order = sorted(range(len(rows)), key=lambda agent: -rating[agent].mean)
        return Section(title, ('rating', score, 'lottery'), tuple(rows[agent] for agent in order))

    def cycle_notes(self, unit: str) -> list[str]:
        """Return a sentence on each cycle of three agents, in which the intervals of all three scores leave out 0."""
        cells = [row.cells for row in self.matrix('').rows]
        beats = np.array(
            [[cell is not None and cell.mean > 0 and cell.is_significant for cell in row] for row in cells]
        )
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


def arranged(section: Section, names: Sequence[str]) -> Section:
    """Return a table of agents against each other with its rows and columns in an order of their names."""
    rows = {row.name: dict(zip(section.columns, row.cells, strict=True)) for row in section.rows}
    return Section(
        section.title, tuple(names), tuple(Row(name, tuple(rows[name][other] for other in names)) for name in names)
    )
