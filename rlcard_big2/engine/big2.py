"""Big 2 as a `CardGame`: what tables, matches and trainers ask of it."""

from typing import Any

import numpy as np

from rlcard_big2.cards import NUM_CARDS, format_cards
from rlcard_big2.engine.batch import (
    deal_games,
    find_illegal,
    list_legal,
    observe_games,
    play_moves,
    settle_games,
    shuffle_deals,
    start_games,
)
from rlcard_big2.engine.moves import MAX_LEGAL
from rlcard_big2.engine.observation import OBSERVATION, OPPONENTS, Observations
from rlcard_big2.engine.ruleset import RuleTables, tabulate
from rlcard_big2.engine.state import GAME, NUM_PLAYERS, Games
from rlcard_big2.rules import Rules, find_rules
from rlcard_kit.arrays import BoolArray, Int64Array
from rlcard_kit.rng import Streams


class Big2:
    """Big 2 for four players; see `CardGame`. A move is a mask of cards, 0 for a pass; a deal is four masks."""

    name = 'big2'
    num_seats = NUM_PLAYERS
    teams: tuple[tuple[int, ...], ...] = tuple((seat,) for seat in range(NUM_PLAYERS))
    opponents: tuple[str, ...] = OPPONENTS
    record: np.dtype[Any] = GAME
    observation: np.dtype[Any] = OBSERVATION
    deal: np.dtype[Any] = np.dtype((np.int64, NUM_PLAYERS))
    max_legal = MAX_LEGAL
    max_plies = NUM_CARDS * NUM_PLAYERS  # every card played alone, and three passes after each
    figures: tuple[str, ...] = ('cards left',)

    def rules(self, rules: str | Rules) -> Rules:
        """Return a `Rules`, or the rules that a text names; ConfigError or RulesError say what is wrong."""
        return find_rules(rules)

    def tabulate(self, rules: Rules) -> RuleTables:
        """Return rules as kernels read them."""
        return tabulate(rules)

    def shuffle(self, random: Streams, out: Int64Array) -> None:
        """Write a random deal from each stream into `out`, int64 [D, 4]."""
        shuffle_deals(random, out)

    def start(self, table: RuleTables, games: Games, deals: Int64Array) -> None:
        """Start game i with deal i."""
        start_games(games, deals)

    def deal_anew(self, table: RuleTables, games: Games, where: Int64Array, random: Streams) -> None:
        """Deal and start the games at indices `where` from their own streams."""
        deal_games(games, where, random)

    def seats_to_move(self, games: Games) -> Int64Array:
        """Return the seat to move in each game, int64 [N]."""
        return games['player'].copy()

    def are_over(self, games: Games) -> BoolArray:
        """Tell which games are over, bool [N]."""
        return np.greater_equal(games['winner'], 0)

    def observe(self, table: RuleTables, games: Games, seats: Int64Array, out: Observations) -> None:
        """Write what seat `seats[i]` sees of game i into `out`."""
        observe_games(table, games, seats, out)

    def list_legal(self, table: RuleTables, games: Games, moves: Int64Array, offsets: Int64Array) -> int:
        """Write the legal moves of all games; return their number."""
        return list_legal(table, games, moves, offsets)

    def find_illegal(self, table: RuleTables, games: Games, moves: Int64Array) -> int:
        """Return the first game whose move is not legal; -1 if all are."""
        return find_illegal(table, games, moves)

    def play(self, table: RuleTables, games: Games, moves: Int64Array) -> None:
        """Make one legal move in each game that is not over."""
        play_moves(table, games, moves)

    def settle(self, table: RuleTables, games: Games, payoffs: Int64Array) -> None:
        """Write every seat's payoff, in cards; zeros until a game ends."""
        settle_games(table, games, payoffs)

    def text(self, move: int, rules: Rules) -> str:
        """Return a move as text: '3d', 'Tc Th' or 'pass'."""
        return format_cards(move, rules.suits) or 'pass'

    def seatings(self, agent: int, field: int) -> Int64Array:
        """Return the agent in each seat against three of the field, int64 [4, 4]; in seating s it has seat s."""
        return np.where(np.eye(NUM_PLAYERS, dtype=np.bool_), agent, field)

    def wins(self, payoffs: Int64Array) -> BoolArray:
        """Tell which seat has shed all cards: the one that gains."""
        return payoffs > 0

    def won_from(self, own: Int64Array, others: Int64Array) -> Int64Array:
        """Return what a seat won from each opponent: the winner takes from each, and each loser pays the winner."""
        gained = own[..., None]
        return np.where(gained > 0, -others, np.where(others > 0, gained, 0))

    def measure(self, games: Games) -> Int64Array:
        """Return the number of cards that each seat has left, int64 [N, 4, 1]."""
        left: Int64Array = (games['hands'][:, :, None] >> np.arange(NUM_CARDS) & 1).sum(axis=2, keepdims=True)
        return left


BIG2 = Big2()
