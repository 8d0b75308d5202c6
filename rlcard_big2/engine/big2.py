"""Big 2 as a `CardGame`."""

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
from rlcard_big2.engine.observation import OBSERVATION, OPPONENTS
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import GAME, NUM_PLAYERS, Games
from rlcard_big2.rules import Rules, find_rules
from rlcard_kit.arrays import BoolArray, Int64Array
from rlcard_kit.game import CardGame


def current_player(games: Games) -> Int64Array:
    """Return the seat to move in each game, int64 [N]."""
    return games['player'].copy()


def is_terminal(games: Games) -> BoolArray:
    """Return whether each game is over, bool [N]."""
    return np.greater_equal(games['winner'], 0)


def text(move: int, rules: Rules) -> str:
    """Return a move as text: '3d', 'Tc Th' or 'pass'."""
    return format_cards(move, rules.suits) or 'pass'


def seatings(agent: int, field: int) -> Int64Array:
    """Return the agent in each seat against three of the field, int64 [4, 4]; in seating s it has seat s."""
    return np.where(np.eye(NUM_PLAYERS, dtype=np.bool_), agent, field)


def wins(payoffs: Int64Array) -> BoolArray:
    """Return whether each seat has shed all cards: the one that gains."""
    return payoffs > 0


def won_from(own: Int64Array, others: Int64Array) -> Int64Array:
    """Return the amounts won from each opponent: the winner takes from each, and each loser pays the winner."""
    gained = own[..., None]
    return np.where(gained > 0, -others, np.where(others > 0, gained, 0))


def count_left(games: Games) -> Int64Array:
    """Return the number of cards that each seat has left, int64 [N, 4, 1]."""
    left: Int64Array = (games['hands'][:, :, None] >> np.arange(NUM_CARDS) & 1).sum(axis=2, keepdims=True)
    return left


# A move is a mask of cards, 0 for a pass; a deal is four masks. Payoffs are in cards.
BIG2 = CardGame(
    name='big2',
    num_seats=NUM_PLAYERS,
    teams=tuple((seat,) for seat in range(NUM_PLAYERS)),
    opponents=OPPONENTS,
    state=GAME,
    observation=OBSERVATION,
    deal=np.dtype((np.int64, NUM_PLAYERS)),
    max_legal=MAX_LEGAL,
    max_plies=NUM_CARDS * NUM_PLAYERS,  # every card played alone, and three passes after each
    figures=('cards left',),
    find_rules=find_rules,
    tabulate=tabulate,
    shuffle=shuffle_deals,
    init=start_games,
    reset=deal_games,
    current_player=current_player,
    is_terminal=is_terminal,
    observe=observe_games,
    legal_actions=list_legal,
    find_illegal=find_illegal,
    step=play_moves,
    rewards=settle_games,
    text=text,
    seatings=seatings,
    wins=wins,
    won_from=won_from,
    measure=count_left,
)
