"""Catch Five as a `CardGame`."""

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
from rlcard_catch5.engine.observation import OBSERVATION, OPPONENTS
from rlcard_catch5.engine.play import MAX_LEGAL
from rlcard_catch5.engine.ruleset import tabulate
from rlcard_catch5.engine.state import DEAL, GAME, NUM_PLAYERS, NUM_PLIES, NUM_TEAMS, Games
from rlcard_catch5.rules import Rules, find_rules
from rlcard_kit.arrays import BoolArray, Int64Array
from rlcard_kit.game import CardGame


def is_terminal(games: Games) -> BoolArray:
    """Return whether each game is over, bool [N]."""
    return np.greater_equal(games['ply'], NUM_PLIES)


def text(move: int, rules: Rules) -> str:
    """Return a move as text: 'bid 4', 'pass', 'trump H' or '5h'."""
    return TEXTS[move]


def seatings(agent: int, field: int) -> Int64Array:
    """Return A, B, A, B and B, A, B, A, int64 [2, 4]: the agent's team in either pair of seats."""
    return np.array([[agent, field] * NUM_TEAMS, [field, agent] * NUM_TEAMS])


def wins(payoffs: Int64Array) -> BoolArray:
    """Return whether each seat has the higher score; there are no ties."""
    return payoffs > np.roll(payoffs, 1, axis=-1)


def measure(games: Games) -> Int64Array:
    """Return the bids won, the winning bid if it is the seat's own, its team's points, and the trumps that it named.

    Returns:
        int64 [N, 4, 7], in the order of `figures`; of the suits, a 1 is the one that it named.
    """
    won = games['bidder'][:, None] == np.arange(NUM_PLAYERS)
    points = np.tile(games['points'], NUM_TEAMS)
    named = [won & (games['trump'][:, None] == suit) for suit in range(NUM_SUITS)]
    return np.stack([won, won * games['bids'], points, *named], axis=2).astype(np.int64)


# A move is an action id, a deal a record of DEAL. Partners have the same payoff, their team's score.
CATCH5 = CardGame(
    name='catch5',
    num_seats=NUM_PLAYERS,
    teams=((0, 2), (1, 3)),
    opponents=OPPONENTS,
    state=GAME,
    observation=OBSERVATION,
    deal=DEAL,
    max_legal=MAX_LEGAL,
    max_plies=NUM_PLIES,
    figures=('bid won', 'winning bid', 'points', *SUIT_NAMES),
    find_rules=find_rules,
    tabulate=tabulate,
    shuffle=shuffle_deals,
    init=start_games,
    reset=deal_games,
    is_terminal=is_terminal,
    observe=observe_games,
    legal_actions=list_legal,
    find_illegal=find_illegal,
    step=play_moves,
    rewards=settle_games,
    text=text,
    seatings=seatings,
    wins=wins,
    measure=measure,
)
