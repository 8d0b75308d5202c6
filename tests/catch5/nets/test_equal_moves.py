"""Moves that count as one: equal cards can be exchanged in every ending, and discards that a policy hardly prefers."""

import numpy as np
import pytest

from rlcard_catch5.actions import FIRST_CARD
from rlcard_catch5.cards import cards_in, format_card, parse_card, parse_cards, parse_suit
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.observation import OBSERVATION
from rlcard_catch5.engine.play import MAX_LEGAL, legal_moves, play, settle
from rlcard_catch5.engine.ruleset import tabulate
from rlcard_catch5.engine.state import NUM_PLIES
from rlcard_catch5.nets.equal_moves import fold_moves, write_equals
from rlcard_catch5.rules import Rules
from rlcard_kit.rng import new_streams
from rlcard_kit.vector_env import VectorEnv
from tests.catch5.engine.test_engine import VARIANTS

SEARCHED = NUM_PLIES - 10  # plies from here on are played out in all ways
GAMES = 120


def legal_of(table, game):
    moves = np.empty(MAX_LEGAL, np.int64)
    return moves[: legal_moves(table[0], game[0], moves)].tolist()


def after(table, game, move):
    made = game.copy()
    play(table[0], made[0], move)
    return made


def assert_exchangeable(table, one, other, exchanged):
    """Play two games out in all ways, the same but for two cards that are exchanged; both end alike."""
    moves = legal_of(table, one)
    assert sorted(exchanged.get(move, move) for move in moves) == legal_of(table, other)
    if not moves:
        payoffs = np.empty((2, 4), np.int64)
        settle(table[0], one[0], payoffs[0])
        settle(table[0], other[0], payoffs[1])
        assert payoffs[0].tolist() == payoffs[1].tolist()
    for move in moves:
        assert_exchangeable(table, after(table, one, move), after(table, other, exchanged.get(move, move)), exchanged)


@pytest.mark.parametrize('name', VARIANTS)
def test_equal_cards_can_be_exchanged_in_every_ending(name):
    rules, random = VARIANTS[name], np.random.default_rng(5)
    table, env = tabulate(rules), VectorEnv(CATCH5, rules, new_streams(5, GAMES))
    done, payoffs = np.zeros(GAMES, np.bool_), env.new_payoffs()
    suits, beside = set(), 0
    for ply in range(NUM_PLIES - 1):
        positions = env.positions()
        equals = np.empty(len(positions.moves), np.int64)
        write_equals(table, *positions, equals)
        for game in range(GAMES) if ply >= SEARCHED else ():
            for j in range(positions.offsets[game], positions.offsets[game + 1]):
                a, b = positions.moves[[equals[j], j]].tolist()
                if a != b:
                    state = env.games[game : game + 1]
                    assert_exchangeable(table, after(table, state, a), after(table, state, b), {a: b, b: a})
                    suits.add((a - FIRST_CARD) // 13 == state['trump'][0])
                    beside += b - a > 1
        env.step(positions.moves[positions.offsets[:-1] + random.integers(positions.counts)], payoffs, done)
    assert suits == {False, True}
    assert beside > 20  # not all are neighbours in the deck


def folded(hand, trick, shares, rules=None, gone='', drawn=0, thrown=''):
    """Fold the shares of the cards of a hand, all legal, in a trick that the next seat leads; spades are trumps.

    Returns the shares by card, and the card that stands for each that does not stand for itself.
    """
    seen = np.zeros(1, OBSERVATION)
    seen['hand'], seen['thrown'], seen['played'][0, 2] = map(parse_cards, (hand, thrown, f'{gone} {trick}'))
    seen['trump'], seen['ply'], seen['drawn'] = parse_suit('S'), NUM_PLIES - 4, drawn
    seen['trick'], seen['leader'] = -1, 1 if trick else 0
    for seat, card in enumerate(trick.split(), 1):
        seen['trick'][0, seat] = parse_card(card)
    cards = cards_in(parse_cards(hand))
    moves, offsets = np.array(cards) + FIRST_CARD, np.array([0, len(cards)])
    probabilities, chosen = np.array(shares, np.float64), np.empty(len(cards), np.int64)
    fold_moves(tabulate(rules or Rules()), seen, moves, offsets, probabilities, chosen)
    names = [format_card(card) for card in cards]
    stand_ins = {names[i]: names[j] for i, j in enumerate(chosen) if i != j}
    return dict(zip(names, probabilities.tolist(), strict=True)), stand_ins


LAST, DEALT = Rules(judging='last'), Rules(low='dealt')


@pytest.mark.parametrize(
    ('hand', 'trick', 'shares', 'options', 'chosen'),
    [
        ('3h 4h', '', (6, 4), {}, {'4h': '3h'}),  # neighbours; the likelier one is played
        ('3h 5h', '', (4, 6), {}, {}),  # the 4 is out
        ('3h 5h', '', (4, 6), {'gone': '4h'}, {'3h': '5h'}),
        ('3h 4h 5h', '', (2, 3, 4), {}, {'3h': '5h', '4h': '5h'}),
        ('3h 5h', '', (4, 6), {'thrown': '4h'}, {'3h': '5h'}),
        ('3h 5h', '', (4, 6), {'thrown': '4h', 'drawn': 5}, {}),  # thrown cards were dealt again
        ('9s Ts', '', (4, 6), {}, {}),  # a point more
        ('Ts Js', '', (4, 6), {}, {'Ts': 'Js'}),
        ('9s Ts Qs', '', (4, 1, 6), {'gone': 'Js'}, {'9s': 'Qs'}),  # cards of one hand do not meet
        ('2s Ts', '', (4, 6), {'gone': '3s 4s 5s 6s 7s 8s 9s'}, {'2s': 'Ts'}),
        ('2s Ts', '', (4, 6), {'gone': '3s 4s 5s 6s 7s 8s 9s', 'rules': DEALT}, {}),
        ('8h Th', '9h', (4, 6), {}, {}),  # one wins the trick
        ('8h Th', '9h Jh', (4, 6), {}, {'8h': 'Th'}),  # neither does
        ('8h Th', '9h 2s', (4, 6), {}, {'8h': 'Th'}),
        ('3d 3h', '7c', (4, 6), {}, {'3d': '3h'}),  # discards
        ('3d 3h', '7c', (6, 3), {}, {'3h': '3d'}),
        ('3d 3h', '7c', (7, 2), {}, {}),  # the policy prefers one
        ('3d 3h', '7c', (4, 6), {'rules': LAST}, {}),  # the last card may win
        ('3d 3h', '7c 2s', (4, 6), {'rules': LAST}, {'3d': '3h'}),
        ('3c 9c', '7c', (4, 6), {}, {}),
        ('3d 3h 4s', '7c', (2, 3, 4), {}, {'3d': '3h'}),
    ],
)  # fmt: skip
def test_moves_that_count_as_one(hand, trick, shares, options, chosen):
    given = dict(zip(map(format_card, cards_in(parse_cards(hand))), shares, strict=True))
    probabilities, stand_ins = folded(hand, trick, shares, **options)
    assert stand_ins == chosen
    for card, share in probabilities.items():
        own = [other for other in given if chosen.get(other, other) == card]
        assert share == sum(given[other] for other in own)
