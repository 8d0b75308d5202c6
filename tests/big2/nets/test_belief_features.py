"""Features of candidate hands, compared with a slow description by all moves that a hand allows."""

import numpy as np
import pytest

from rlcard_big2.engine.bitboard import popcount
from rlcard_big2.engine.moves import MAX_LEGAL, answers
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import HISTORY, new_games, play, start
from rlcard_big2.nets.belief_features import (
    BROKEN,
    BROKEN_TRIPLE,
    HANDS,
    LEVELS,
    LOWER,
    LOWER_PAIR,
    OTHER,
    PER_MOVE,
    hands_inputs,
)
from rlcard_big2.rules import FOUR_PLAYERS, Rules
from tests.big2.nets.test_afterstates import cards_in
from tests.support.random_games import positions_of, table_of

GAMES = 40
LEVEL_OF_RANK = [0] * 7 + [1] * 3 + [2] * 2 + [3]


def said_of(rules, game, move):
    """Return the inputs that are to be ones, given the game before a move."""
    hand, table = int(game['hands'][game['player']]), int(game['table'])
    scratch, size = np.empty(MAX_LEGAL, np.int64), popcount(move or table)
    count = answers(rules[0], hand, game['beat'], scratch)
    found = [sorted(cards_in(mask)) for mask in scratch[:count].tolist()]
    if move == 0:
        levels = [LEVEL_OF_RANK[cards[0] // 4] for cards in found if len(cards) == size]
        if size > 2:
            return {OTHER} if found else set()
        return {(size - 1) * LEVELS + min(levels)} if levels else set()
    cards = sorted(cards_in(move))
    same = sum(card // 4 == cards[0] // 4 for card in cards_in(hand))
    lower = [one for one in found if len(one) == size and one[-1] < cards[0] and one[0] // 4 <= cards[0] // 4]
    if size == 1:
        return chosen({LOWER: lower, BROKEN: same > 1})
    if size == 2:
        lower = [one for one in lower if one[0] // 4 < cards[0] // 4]
        return chosen({LOWER_PAIR: lower, BROKEN_TRIPLE: same > 2})
    return set()


def described(hands):
    """Return the inputs of the opponents' cards, and of the ranks of which they hold two."""
    cards = [hand >> card & 1 for hand in hands for card in range(52)]
    return cards + [(hand >> 4 * rank & 15).bit_count() >= 2 for hand in hands for rank in range(13)]


def chosen(inputs):
    return {index for index, is_one in inputs.items() if is_one}


def is_known(past, age, game):
    """Tell whether the last 16 moves show what was to beat before one of them."""
    seen = [int(moves[game]) for _, moves in past[-HISTORY:][: HISTORY - age]][-3:]
    return len(past) <= HISTORY or len(seen) == 3 or any(seen)


@pytest.mark.parametrize(
    'preset',
    ['charlesworth', 'game-sofa', *(pytest.param(name, marks=pytest.mark.slow) for name in ('hkust', 'taiwan'))],
)
def test_it_says_what_true_hands_passed_up(preset):
    rules, table = tabulate(FOUR_PLAYERS[preset]), table_of(FOUR_PLAYERS[preset], GAMES, seed=5)
    past, said = [], np.zeros(PER_MOVE, np.int64)
    while not table.env.is_over:
        games = table.env.games.copy()
        turn = table.turn()
        for i in np.flatnonzero(turn.positions.counts > 0):
            game, observation = games[i], turn.positions.observations[i : i + 1]
            hands = np.roll(game['hands'], -game['player'])[None]
            inputs = hands_inputs(rules, observation, np.zeros(1, np.int64), hands)[0]
            assert inputs[:HANDS].tolist() == described(hands[0, 1:].tolist())
            found = inputs[HANDS:].reshape(HISTORY, PER_MOVE)
            for age in range(1, HISTORY + 1):
                expected = set()
                if age <= len(past) and age % 4 and is_known(past, age, i):
                    before, moves = past[-age]
                    expected = said_of(rules, before[i], int(moves[i]))
                assert set(np.flatnonzero(found[HISTORY - age])) == expected, (age, i)
            said += found.sum(axis=0)
        past.append((games, turn.moves.copy()))
    assert (said > 0).all()
    assert (OTHER, LOWER, BROKEN, LOWER_PAIR, BROKEN_TRIPLE, PER_MOVE) == (8, 9, 10, 11, 12, 13)


def test_who_must_pass_with_control_passes_nothing_up():
    rules, games = Rules(no_lone_two=True), new_games(1)
    hands = np.array([1 << 51, 1 << 9, 1 << 5, 1 << 7])
    start(tabulate(rules)[0], games[0], hands)
    games['ply'], games['player'] = 4, 0
    play(tabulate(rules)[0], games[0], 0)
    observations, true = positions_of(games, rules).observations, np.roll(hands, -1)[None]
    assert not hands_inputs(tabulate(rules), observations, np.zeros(1, np.int64), true)[0, HANDS:].any()
