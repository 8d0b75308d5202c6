"""Comparison of two agents, as a function for programs and notebooks."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from eval.explain.swings import Swing, find_swings, list_swings
from eval.explain.values import (
    Errors,
    Expectations,
    calibration_errors,
    calibration_table,
    errors_table,
    find_expectations,
)
from eval.game import DuplicateMatch, EvaluatedGame
from eval.games import DEFAULT, game_of
from eval.pairs import Divergences, Grouping, Pairs, find_divergences
from eval.tables import DIFFERENCE, Listing, Row, Section
from rlcard_kit.agents import agent_of
from rlcard_kit.arrays import BoolArray, Int64Array
from rlcard_kit.duplicate.block import Outcome
from rlcard_kit.duplicate.deals import play_deals, seat_players
from rlcard_kit.duplicate.players import MatchPlayer
from rlcard_kit.errors import ConfigError, check_whole
from rlcard_kit.process import limit_threads
from rlcard_kit.statistics import Estimate, estimate, estimate_ratio, estimate_share

MOST_DEALS = 100_000  # whose moves are kept in memory, 4 GB
MOST_SWINGS = 1000
DIVERGED = ('share', DIFFERENCE, 'part of the whole')
FIELD = 2  # its number in `EvaluatedGame.matches`, beside A's and B's

Answers = tuple[list[Swing], dict[str, Expectations]]


@dataclass(frozen=True)
class Explanation:
    """The differences between two agents.

    Attributes:
        game: that they play.
        pairs: their games.
        matches: of A and of B against the field.
        swings: the biggest, those in which A did better first.
        predictions: of A and B at their decisions, by name, if they have values.
    """

    game: EvaluatedGame
    pairs: Pairs
    matches: list[DuplicateMatch]
    swings: list[Swing]
    predictions: dict[str, Expectations]

    @classmethod
    def of(cls, game: EvaluatedGame, pairs: Pairs, outcome: Outcome, answers: Answers) -> 'Explanation':
        """Return the differences, given the games and the answers of `ask_agents`."""
        matches = [
            game.matches([(which, FIELD)], part, pairs.rules)[which, FIELD]
            for which, part in enumerate(outcome.parts(len(pairs.is_own)))
        ]
        return cls(game, pairs, matches, *answers)

    @cached_property
    def divergences(self) -> Divergences:
        """The first decisions that differ."""
        return find_divergences(self.game.card, self.pairs)

    @cached_property
    def groupings(self) -> dict[str, Grouping]:
        """The groups of divergences by key, such as 'choice'."""
        return {key: group(self.pairs, self.divergences) for key, group in self.game.divergence_groups.items()}

    @property
    def errors(self) -> dict[str, dict[str, Errors]]:
        """The errors of the values of each agent in payoff, and in games won if it predicts them."""
        return {
            name: {what: calibration_errors(of_agent, *compared) for what, compared in of_agent.compared.items()}
            for name, of_agent in self.predictions.items()
        }

    @property
    def groups(self) -> dict[str, Section]:
        """A's advantage over B in groups of games by key, such as 'hand', and in those of `groupings`."""
        headline, games = self.game.wording.headline, self.game.game_groups.items()
        return {
            **{key: games_table(headline, self.pairs, group(self.pairs)) for key, group in games},
            **{
                key: divergences_table(self.pairs, self.divergences, grouping)
                for key, grouping in self.groupings.items()
            },
        }

    @property
    def calibration(self) -> list[Section]:
        """Predictions and outcomes, a table per agent and one of the errors; none if no agent has values."""
        tables = [calibration_table(name, expectations) for name, expectations in self.predictions.items()]
        return [*tables, errors_table(self.errors)] if tables else []

    @property
    def listing(self) -> Listing:
        """The biggest swings as a table."""
        phase = next((grouping.title for grouping in self.groupings.values()), 'phase')
        return list_swings(self.pairs.names, phase, self.swings, self.file)

    @property
    def file(self) -> str:
        """The name of the file of the biggest swings."""
        return f'swings.{self.game.card.name}.jsonl'

    def write_swings(self, path: Path) -> None:
        """Append the games of the biggest swings to a file of records, of each A's game and then B's."""
        self.game.records.write(path, [game for swing in self.swings for game in swing.games])

    def write_decisions(self, path: Path) -> None:
        """Write every decision at which games diverge as CSV."""
        pairs, divergences, groupings = self.pairs, self.divergences, self.groupings.values()
        with path.open('w', encoding='utf-8', newline='') as file:
            writer = csv.writer(file, lineterminator='\n')
            titles = (grouping.title for grouping in groupings)
            writer.writerow(
                ('deal', 'seat', 'move', 'mover', *titles, 'A plays', 'B plays', 'A wins', 'B wins', 'gain')
            )
            for i, (deal, seating) in enumerate(zip(divergences.deals, divergences.seatings, strict=True)):
                where = deal, pairs.seats[seating], divergences.plies[i] + 1, divergences.movers[i]
                groups = (grouping.names[grouping.of[i]] for grouping in groupings)
                moves = (self.game.card.text(move, pairs.rules) for move in divergences.moves[i].tolist())
                writer.writerow((*where, *groups, *moves, *pairs.own[deal, :, seating], divergences.gains[i]))


def ask_agents(game: EvaluatedGame, pairs: Pairs, swings: int, players: Sequence[MatchPlayer]) -> Answers:
    """Return the biggest swings and the predictions of A and B, the players, by name; AgentFailure if one fails."""
    asked = {pairs.names[which]: find_expectations(game, pairs, which, player) for which, player in enumerate(players)}
    predictions = {name: expectations for name, expectations in asked.items() if expectations is not None}
    return find_swings(game, pairs, find_divergences(game.card, pairs), players, swings), predictions


def seatings_of(game: EvaluatedGame, field: int) -> Int64Array:
    """Return the seatings of A, agent 0, and then of B, agent 1, against the field, int64 [2 * G, seats]."""
    return game.seatings([(0, field), (1, field)])


def explain(
    one: Any,
    other: Any,
    field: Any = None,
    deals: int = 200,
    rules: Any = None,
    seed: int = 0,
    swings: int = 10,
    game: str = DEFAULT,
) -> Explanation:
    """Play two agents in the same seats of the same deals, and compare them.

    Numpy and torch use one thread from then on.

    Args:
        one: A, a name as the game's `make_agent` takes it, or an agent.
        other: B, likewise.
        field: plays the other seats, likewise; by default B.
        deals: number of deals, at least two, each played in all seatings by A and by B.
        rules: to play by, or their name; by default the first of the game.
        seed: of the deals and of the agents' draws.
        swings: number of swings to keep, half of each sign.
        game: 'big2', 'catch5' or python:MODULE:NAME.

    Raises:
        ConfigError: if a number is out of bounds, both names are the same, or an agent is none of this game.
        AgentFailure: if an agent fails, naming the deal and the seat.
    """
    if isinstance(one, str) and one == other:
        raise ConfigError(f'two agents {one!r}: name two that differ')
    check_whole('deals', deals, 2, MOST_DEALS)
    check_whole('swings', swings, 0, MOST_SWINGS)
    check_whole('seed', seed, 0)
    limit_threads()
    rules = game_of(game).find_rules(rules)
    played = game_of(game).for_rules(rules)
    agents = (one, other) if field is None else (one, other, field)
    made = [agent_of(agent, played.make_agent, rules) for agent in agents]
    players = seat_players(agents, made, ('first', 'second', 'field')[: len(agents)])
    cards, seatings = played.deal(seed, deals), seatings_of(played, len(agents) - 1)
    outcome = play_deals(played.card, players, cards, seatings, rules, seed, keep_moves=True)
    names = (players[0].name, players[1].name, players[-1].name)
    pairs = Pairs.from_outcome(names, played.card, played.gains, rules, cards, outcome)
    return Explanation.of(played, pairs, outcome, ask_agents(played, pairs, swings, players[:2]))


def games_table(headline: str, pairs: Pairs, grouping: Grouping) -> Section:
    """Return the headline of A and of B and their difference in groups of games."""
    columns = (*pairs.own.transpose(1, 0, 2), pairs.gains)
    rows = [
        Row(name, tuple(_mean(column, grouping.of == group) for column in columns))
        for group, name in enumerate(grouping.names)
    ]
    return Section(f'{headline} by {grouping.title}', (*pairs.names[:2], DIFFERENCE), tuple(rows))


def _mean(values: Int64Array, chosen: BoolArray) -> Estimate | None:
    """Estimate the mean of some games, both [D, G], by deal."""
    return _of_group(values[chosen], np.where(chosen, values, 0).sum(axis=1), chosen.sum(axis=1))


def _of_group(values: Int64Array, sums: Int64Array, counts: Int64Array) -> Estimate | None:
    """Estimate the mean of values, [K], from their sums and counts by deal; its margin is unknown if all are equal."""
    if not len(values):
        return None
    found = estimate_ratio(sums, counts)
    return found if np.ptp(values) else found._replace(margin=inf)


def divergences_table(pairs: Pairs, divergences: Divergences, grouping: Grouping) -> Section:
    """Return the share of all games in groups of divergences, what A gained in them, and the product."""
    groups = [(name, grouping.of == group) for group, name in enumerate(grouping.names)]
    everything = 'all', np.ones(len(divergences.deals), np.bool_)
    rows = [
        Row(name, _diverged(pairs, divergences, chosen))
        for name, chosen in (*(group for group in groups if group[1].any()), everything)
    ]
    return Section(f'divergences by {grouping.title}', DIVERGED, tuple(rows))


def _diverged(pairs: Pairs, divergences: Divergences, chosen: BoolArray) -> tuple[Estimate | None, ...]:
    count, seatings = pairs.gains.shape
    deals, values = divergences.deals[chosen], divergences.gains[chosen]
    games, gains = np.bincount(deals, minlength=count), np.bincount(deals, values, count)
    return estimate_share(games / seatings), _of_group(values, gains, games), estimate(gains / seatings)
