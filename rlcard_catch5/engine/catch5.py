"""Catch Five as a `CardGame`: what tables, matches and trainers ask of it."""

from typing import Any

import numpy as np

from rlcard_catch5.actions import TEXTS
from rlcard_catch5.cards import NUM_SUITS, SUIT_NAMES
from rlcard_catch5.engine.batch import (
    deal_games,
    find_illegal,
    list_legal,
    observe_games,
    play_moves,
    settle_games,
    shuffle_deals,
    start_games,
)
from rlcard_catch5.engine.observation import OBSERVATION, OPPONENTS, Observations
from rlcard_catch5.engine.play import MAX_LEGAL
from rlcard_catch5.engine.ruleset import RuleTables, tabulate
from rlcard_catch5.engine.state import DEAL, GAME, NUM_PLAYERS, NUM_PLIES, NUM_TEAMS, Deals, Games
from rlcard_catch5.rules import Rules, find_rules
from rlcard_kit.arrays import BoolArray, Int64Array
from rlcard_kit.rng import Streams


class Catch5:
    """Catch Five for two partnerships; see `CardGame`. A move is an action id, a deal a record of DEAL."""

    name = 'catch5'
    num_seats = NUM_PLAYERS
    teams: tuple[tuple[int, ...], ...] = ((0, 2), (1, 3))
    opponents: tuple[str, ...] = OPPONENTS
    record: np.dtype[Any] = GAME
    observation: np.dtype[Any] = OBSERVATION
    deal: np.dtype[Any] = DEAL
    max_legal = MAX_LEGAL
    max_plies = NUM_PLIES
    figures: tuple[str, ...] = ('bid won', 'winning bid', 'points', *SUIT_NAMES)

    def rules(self, rules: str | Rules) -> Rules:
        """Return a `Rules`, or the rules that a text names; ConfigError or RulesError say what is wrong."""
        return find_rules(rules)

    def tabulate(self, rules: Rules) -> RuleTables:
        """Return rules as kernels read them."""
        return tabulate(rules)

    def shuffle(self, random: Streams, out: Deals) -> None:
        """Write a random deal from each stream into `out`, [D] of DEAL."""
        shuffle_deals(random, out)

    def start(self, table: RuleTables, games: Games, deals: Deals) -> None:
        """Start game i with deal i."""
        start_games(games, deals)

    def deal_anew(self, table: RuleTables, games: Games, where: Int64Array, random: Streams) -> None:
        """Deal and start the games at indices `where` from their own streams."""
        deal_games(games, where, random)

    def seats_to_move(self, games: Games) -> Int64Array:
        """Return the seat to move in each game, int64 [N]."""
        return games['player'].astype(np.int64)

    def are_over(self, games: Games) -> BoolArray:
        """Tell which games are over, bool [N]."""
        return np.greater_equal(games['ply'], NUM_PLIES)

    def observe(self, table: RuleTables, games: Games, seats: Int64Array, out: Observations) -> None:
        """Write what seat `seats[i]` sees of game i into `out`."""
        observe_games(games, seats, out)

    def list_legal(self, table: RuleTables, games: Games, moves: Int64Array, offsets: Int64Array) -> int:
        """Write the legal actions of all games; return their number."""
        return list_legal(table, games, moves, offsets)

    def find_illegal(self, table: RuleTables, games: Games, moves: Int64Array) -> int:
        """Return the first game whose move is not legal; -1 if all are."""
        return find_illegal(table, games, moves)

    def play(self, table: RuleTables, games: Games, moves: Int64Array) -> None:
        """Make one legal move in each game that is not over."""
        play_moves(table, games, moves)

    def settle(self, table: RuleTables, games: Games, payoffs: Int64Array) -> None:
        """Write every seat's score, the same for partners; zeros until a game ends."""
        settle_games(table, games, payoffs)

    def text(self, move: int, rules: Rules) -> str:
        """Return a move as text: 'bid 4', 'pass', 'trump H' or '5h'."""
        return TEXTS[move]

    def seatings(self, agent: int, field: int) -> Int64Array:
        """Return A, B, A, B and B, A, B, A, int64 [2, 4]: the agent's team in either pair of seats."""
        return np.array([[agent, field] * NUM_TEAMS, [field, agent] * NUM_TEAMS])

    def wins(self, payoffs: Int64Array) -> BoolArray:
        """Tell which seats have the higher score; there are no ties."""
        return payoffs > np.roll(payoffs, 1, axis=-1)

    def won_from(self, own: Int64Array, others: Int64Array) -> None:
        """Return None: scores do not say what was won from whom."""
        return

    def measure(self, games: Games) -> Int64Array:
        """Return the bids won, the winning bid if it is the seat's own, its team's points, and what it named as trumps.

        Returns:
            int64 [N, 4, 7], in the order of `figures`; of the suits, a 1 is the one that it named.
        """
        won = games['bidder'][:, None] == np.arange(NUM_PLAYERS)
        points = np.tile(games['points'], NUM_TEAMS)
        named = [won & (games['trump'][:, None] == suit) for suit in range(NUM_SUITS)]
        return np.stack([won, won * games['bids'], points, *named], axis=2).astype(np.int64)


CATCH5 = Catch5()
