"""Matches of one agent against a field over duplicate deals, and their statistics.

A deal with all its games is one observation, since its games share the cards.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.arrays import BoolArray, Float64Array, Int64Array
from rlcard_kit.duplicate.block import Outcome
from rlcard_kit.game import CardGame
from rlcard_kit.statistics import Estimate, estimate, estimate_share, variance_removed


class Result(NamedTuple):
    """Statistics of an agent in a set of games."""

    wp: Estimate  # winning percentage, as a share of 1
    ev: Estimate  # expected value: payoff per game
    ev_by_position: dict[str, Estimate]  # the part won from each opponent; empty if payoffs do not determine it
    figures: dict[str, Estimate]  # see `CardGame.figures`
    plies: Estimate  # moves in a game


@dataclass(frozen=True)
class Match:
    """The games of one agent over D duplicate deals in G seatings, seen from its seat."""

    game: CardGame
    wins: BoolArray  # [D, G]
    payoffs: Int64Array  # [D, G], its own
    field: Int64Array  # [D, G, seats - 1], of the others in the order of play
    figures: Int64Array  # [D, G, figures], its own
    plies: Int64Array  # [D, G]
    notes: tuple[str, ...] = ()  # warnings about the agents

    @classmethod
    def from_outcome(cls, game: CardGame, outcome: Outcome) -> 'Match':
        """Return the match that was played in `game.seatings`."""
        seats = (game.seatings(0, 1) == 0).argmax(axis=1)  # of the agent in each seating, [G]
        order = (seats[:, None] + np.arange(game.num_seats)) % game.num_seats
        payoffs = np.take_along_axis(outcome.payoffs, order[None], axis=2)
        seatings = np.arange(len(seats))
        wins = game.wins(outcome.payoffs)[:, seatings, seats]
        figures = outcome.figures[:, seatings, seats]
        return cls(game, wins, payoffs[:, :, 0], payoffs[:, :, 1:], figures, outcome.plies)

    @property
    def num_deals(self) -> int:
        """The number of deals, each played in every seating."""
        return len(self.payoffs)

    @property
    def result(self) -> Result:
        """The result over all seatings."""
        columns = self.by_deal()
        return _estimate(columns)._replace(wp=estimate_share(columns['wp', '']))

    @property
    def wp(self) -> Estimate:
        """Winning percentage, as a share of 1."""
        return self.result.wp

    @property
    def ev(self) -> Estimate:
        """Expected value: payoff per game."""
        return self.result.ev

    @property
    def ev_by_position(self) -> dict[str, Estimate]:
        """The part of EV won from the opponent at each position: 'next', 'across' and 'previous'."""
        return self.result.ev_by_position

    def __str__(self) -> str:
        positions = ', '.join(f'{name} {ev}' for name, ev in self.ev_by_position.items())
        result = f'{self.num_deals} deals: WP {self.wp}, EV {self.ev}' + (f' ({positions})' if positions else '')
        return '\n'.join((result, *self.notes))

    def seating(self, index: int) -> 'Match':
        """Return the games of one seating alone."""
        parts = ('wins', 'payoffs', 'field', 'figures', 'plies')
        return replace(self, **{name: getattr(self, name)[:, index : index + 1] for name in parts})

    def by_deal(self) -> dict[tuple[str, str], Float64Array]:
        """Return each figure's mean over the games of a deal, float64 [D], by its field of `Result` and its name."""
        columns: dict[tuple[str, str], NDArray[Any]] = {('wp', ''): self.wins, ('ev', ''): self.payoffs}
        if self.game.won_from is not None:
            won = self.game.won_from(self.payoffs, self.field)
            columns |= {('ev_by_position', name): won[..., i] for i, name in enumerate(self.game.opponents)}
        columns |= {('figures', name): self.figures[..., i] for i, name in enumerate(self.game.figures)}
        columns['plies', ''] = self.plies
        return {name: column.mean(axis=1) for name, column in columns.items()}

    def variance_removed(self) -> float:
        """Return the share of the variance of EV that playing a deal in all seatings removed."""
        return variance_removed(self.payoffs)


def matches_of(game: CardGame, outcome: Outcome) -> list[Match]:
    """Return the matches that were played one after the other, each in as many seatings as `game.seatings` has."""
    return [Match.from_outcome(game, part) for part in outcome.parts(len(game.seatings(0, 1)))]


def difference(one: Match, other: Match) -> Result:
    """Return the differences between two agents on the same deals against the same field."""
    other_columns = other.by_deal()
    return _estimate({name: column - other_columns[name] for name, column in one.by_deal().items()})


def _estimate(columns: dict[tuple[str, str], Float64Array]) -> Result:
    def named(field: str) -> dict[str, Estimate]:
        return {name: estimate(column) for (part, name), column in columns.items() if part == field}

    return Result(named('wp')[''], named('ev')[''], named('ev_by_position'), named('figures'), named('plies')[''])
