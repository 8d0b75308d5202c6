"""Comparison of two agents, as a function for programs and notebooks."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from eval.big2.groups import by_cards_left, by_choice, by_hand, by_turn
from eval.big2.pairs import Divergences, Pairs, find_divergences
from eval.big2.swings import Swing, find_swings, list_swings
from eval.big2.values import Errors, Expectations, calibration_table, errors_of, errors_table, find_expectations
from eval.tables import Listing, Section
from rlcard_big2 import records
from rlcard_big2.cards import format_cards
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.registry import make_agent
from rlcard_big2.rules import Rules, find_rules
from rlcard_kit.arrays import Int64Array
from rlcard_kit.duplicate.deals import play_deals, seat_players
from rlcard_kit.duplicate.match import Match, matches_of
from rlcard_kit.duplicate.players import MatchPlayer
from rlcard_kit.errors import ConfigError, check_whole
from rlcard_kit.threads import limit_threads

MOST_DEALS = 100_000  # whose moves are kept in memory, 4 GB
MOST_SWINGS = 1000
DECISIONS = ('deal', 'seat', 'move', 'mover', 'cards left', 'leads', 'A plays', 'B plays', 'A wins', 'B wins', 'gain')


@dataclass(frozen=True)
class Explanation:
    """The differences between two agents.

    Attributes:
        pairs: their games.
        matches: of A and of B against the field.
        swings: the biggest, those in which A did better first.
        predictions: of A and B at their decisions, by name, if they have values.
    """

    pairs: Pairs
    matches: list[Match]
    swings: list[Swing]
    predictions: dict[str, Expectations]

    @cached_property
    def divergences(self) -> Divergences:
        """The first decisions that differ."""
        return find_divergences(self.pairs)

    @property
    def errors(self) -> dict[str, dict[str, Errors]]:
        """The errors of the values of each agent."""
        return {name: errors_of(found) for name, found in self.predictions.items()}

    @property
    def groups(self) -> dict[str, Section]:
        """A's advantage over B in groups of games: 'hand', 'turn', 'left' and 'choice'."""
        pairs, divergences = self.pairs, self.divergences
        return {
            'hand': by_hand(pairs),
            'turn': by_turn(pairs),
            'left': by_cards_left(pairs, divergences),
            'choice': by_choice(pairs, divergences),
        }

    @property
    def calibration(self) -> list[Section]:
        """Predictions and outcomes, a table per agent and one of the errors; none if no agent has values."""
        tables = [calibration_table(name, found) for name, found in self.predictions.items()]
        return [*tables, errors_table(self.errors)] if tables else []

    @property
    def listing(self) -> Listing:
        """The biggest swings as a table."""
        return list_swings(self.pairs.names, self.swings)

    def write_swings(self, path: Path) -> None:
        """Append the games of the biggest swings to a file of records, of each A's game and then B's."""
        records.write(path, [game for swing in self.swings for game in swing.games])

    def write_decisions(self, path: Path) -> None:
        """Write every decision at which games diverge as CSV."""
        own = self.pairs.own
        with path.open('w', encoding='utf-8', newline='') as file:
            writer = csv.writer(file, lineterminator='\n')
            writer.writerow(DECISIONS)
            for deal, seat, ply, mover, left, leads, moves, gain in zip(*self.divergences, strict=True):
                texts = (format_cards(int(move), self.pairs.rules.suits) or 'pass' for move in moves)
                writer.writerow((deal, seat, ply + 1, mover, left, int(leads), *texts, *own[deal, :, seat], gain))


def ask_agents(
    pairs: Pairs, swings: int, players: Sequence[MatchPlayer]
) -> tuple[list[Swing], dict[str, Expectations]]:
    """Return the biggest swings and the predictions of A and B, the players, by name; AgentFailure if one fails."""
    found = {pairs.names[which]: find_expectations(pairs, which, player) for which, player in enumerate(players)}
    predictions = {name: expected for name, expected in found.items() if expected is not None}
    return find_swings(pairs, find_divergences(pairs), players, swings), predictions


def seatings_of(field: int) -> Int64Array:
    """Return the seatings of A, agent 0, and then of B, agent 1, among three of the field, int64 [8, 4]."""
    return np.concatenate([BIG2.seatings(agent, field) for agent in (0, 1)])


def explain(
    one: Any,
    other: Any,
    field: Any = None,
    deals: int = 200,
    rules: str | Rules = 'charlesworth',
    seed: int = 0,
    swings: int = 10,
) -> Explanation:
    """Play two agents in the same seats of the same deals, and compare them.

    Numpy and torch use one thread from then on.

    Args:
        one: A, a name as `rlcard_big2.make_agent` takes it, or an agent.
        other: B, likewise.
        field: plays the other three seats, likewise; by default B.
        deals: number of deals, at least two, each played eight times.
        rules: to play by.
        seed: of the deals and of the agents' draws.
        swings: number of swings to keep, half of each sign.

    Raises:
        ConfigError: if a number is out of bounds, or both names are the same.
        AgentFailure: if an agent fails, naming the deal and the seat.
    """
    if isinstance(one, str) and one == other:
        raise ConfigError(f'two agents {one!r}: name two that differ')
    check_whole('deals', deals, 2, MOST_DEALS)
    check_whole('swings', swings, 0, MOST_SWINGS)
    check_whole('seed', seed, 0)
    limit_threads()
    rules = find_rules(rules)
    agents = (one, other) if field is None else (one, other, field)
    made = [make_agent(agent, rules) if isinstance(agent, str) else agent for agent in agents]
    players = seat_players(agents, made, ('first', 'second', 'field')[: len(agents)])
    cards, seatings = deals_from_seed(seed, deals), seatings_of(len(agents) - 1)
    outcome = play_deals(BIG2, players, cards, seatings, rules, seed, keep_moves=True)
    names = (players[0].name, players[1].name, players[-1].name)
    pairs = Pairs.from_outcome(names, rules, cards, outcome)
    return Explanation(pairs, matches_of(BIG2, outcome), *ask_agents(pairs, swings, players[:2]))
