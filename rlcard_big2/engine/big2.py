"""Big 2 as a `CardGame`."""

from collections.abc import Callable
from functools import cache, partial

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
    unpack_observations,
    unpack_sizes,
)
from rlcard_big2.engine.moves import MAX_LEGAL, MOST_LEGAL
from rlcard_big2.engine.observation import OBSERVATION, OBSERVATION_SIZE, Observations, layout_of, opponents_of
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import GAME, HAND_SIZE, Games
from rlcard_big2.rules import Rules, find_rules
from rlcard_kit.arrays import BoolArray, Float64Array, Int8Array, Int64Array
from rlcard_kit.game import CardGame


def is_terminal(games: Games) -> BoolArray:
    """Return whether each game is over, bool [N]."""
    return np.greater_equal(games['winner'], 0)


def text(move: int, rules: Rules) -> str:
    """Return a move as text: '3d', 'Tc Th' or 'pass'."""
    return format_cards(move, rules.suits) or 'pass'


def seatings(players: int, agent: int, field: int) -> Int64Array:
    """Return the agent in each seat against the field, int64 [players, players]; in seating s it has seat s."""
    return np.where(np.eye(players, dtype=np.bool_), agent, field)


def wins(payoffs: Int64Array) -> BoolArray:
    """Return whether each seat has won: the one that gains most, of several the first after the seat that pays all."""
    players = payoffs.shape[-1]
    order = payoffs * players - (np.arange(players) - payoffs.argmin(axis=-1, keepdims=True)) % players
    gains: BoolArray = payoffs > 0
    return gains & (order == order.max(axis=-1, keepdims=True))


def won_from(payoffs: Int64Array, others: Int64Array) -> Float64Array:
    """Return the amounts won from each opponent; the seats that gain share each loss in proportion to their gains."""
    payoffs = payoffs[..., None]
    gains = np.maximum(payoffs, 0) + np.maximum(others, 0).sum(axis=-1, keepdims=True)
    won: Float64Array = np.where(payoffs * others < 0, payoffs * np.abs(others) / np.maximum(gains, 1), 0)
    return won


def count_left(players: int, games: Games) -> Int64Array:
    """Return the number of cards that each seat has left, int64 [N, players, 1]."""
    left: Int64Array = (games['hands'][:, :players, None] >> np.arange(NUM_CARDS) & 1).sum(axis=2, keepdims=True)
    return left


def big2_for(rules: Rules) -> CardGame:
    """Return Big 2 with the seats, cards and first lead of some rules; BIG2 for four players of thirteen cards."""
    sizes = {name: getattr(rules, name) for name in ('players', 'hand_size', 'leftover', 'ranks', 'leads')}
    return _big2_of(Rules(**sizes))


@cache
def _big2_of(sizes: Rules) -> CardGame:
    """Return the game: a move is a mask of cards, 0 for a pass; a deal is a mask a seat. Payoffs are in cards."""
    players, table = sizes.players, tabulate(sizes)
    return CardGame(
        name='big2',
        num_seats=players,
        teams=tuple((seat,) for seat in range(players)),
        opponents=opponents_of(players),
        state=GAME,
        observation=OBSERVATION,
        deal=np.dtype((np.int64, players)),
        max_legal=MAX_LEGAL if sizes.most_cards <= HAND_SIZE else MOST_LEGAL,
        max_plies=sum(sizes.hand_sizes(opener=0)) * players,  # every card played alone, and passes after each
        figures=('cards left',),
        find_rules=find_rules,
        tabulate=tabulate,
        shuffle=partial(shuffle_deals, table),
        init=partial(start_games, table),
        reset=partial(deal_games, table),
        is_terminal=is_terminal,
        observe=observe_games,
        legal_actions=list_legal,
        find_illegal=find_illegal,
        step=play_moves,
        rewards=settle_games,
        text=text,
        seatings=partial(seatings, players),
        wins=wins,
        won_from=won_from,
        measure=partial(count_left, players),
        size_for=big2_for,
    )


BIG2 = big2_for(Rules())


def features_of(rules: Rules) -> tuple[int, Callable[[Observations, Int8Array], None]]:
    """Return the number of features of an observation under some rules, and the kernel that writes them."""
    if rules.is_usual_size:
        return OBSERVATION_SIZE, unpack_observations
    layout = layout_of(rules.players, rules.most_cards)
    return sum(feature.size for feature in layout), partial(unpack_sizes, rules.players - 1, rules.most_cards)
