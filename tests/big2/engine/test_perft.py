"""Counts of legal lines of play, as chess programs check their move generators.

A line is `depth` legal moves in a row from a position; a game that ends sooner has none. COUNTS holds, for
each preset and seeded deal, the lines of 1, 2, 3 and 4 moves from the deal and from two later positions.
The oracle counts, and the engine must list the same moves at each position.

`python -m tests.big2.engine.test_perft` prints the numbers of the presets that COUNTS lacks.
"""

import sys
from itertools import islice

import numpy as np
import pytest

from rlcard_big2.actions import action_id
from rlcard_big2.engine.batch import list_legal, play_moves
from rlcard_big2.engine.moves import MOST_LEGAL
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import new_games, start
from rlcard_big2.rules import PRESETS
from tests.support import oracle

PLIES_AHEAD = {4: (0, 25, 45), 3: (0, 25, 45), 2: (0, 8, 16)}  # by players
DEPTHS = (1, 2, 3, 4)
COUNTS = {
    'charlesworth': {
        0: [[1, 14, 129, 732], [3, 12, 12, 40], [3, 9, 15, 71]],
        1: [[1, 14, 139, 495], [1, 6, 27, 109], [11, 32, 144, 488]],
        2: [[1, 14, 80, 602], [2, 4, 7, 27], [1, 5, 6, 21]],
    },
    'hkust': {
        0: [[23, 152, 869, 4124], [1, 4, 21, 71], [9, 37, 112, 401]],
        1: [[72, 447, 2161, 5097], [1, 9, 36, 133], [3, 5, 16, 44]],
        2: [[24, 167, 529, 3006], [7, 34, 127, 530], [2, 10, 16, 52]],
    },
    'hong-kong': {
        0: [[5, 41, 191, 977], [6, 31, 50, 155], [1, 9, 22, 50]],
        1: [[27, 164, 600, 1256], [1, 2, 24, 91], [1, 1, 2, 6]],
        3: [[3, 21, 107, 545], [5, 34, 146, 803], [3, 14, 28, 109]],
    },
    'taiwan': {
        0: [[4, 46, 182, 822], [1, 6, 23, 63], [2, 6, 14, 31]],
        1: [[27, 140, 288, 944], [1, 9, 57, 102], [1, 2, 6, 12]],
        2: [[3, 23, 96, 642], [9, 40, 270, 1138], [1, 1, 6, 42]],
    },
    'game-sofa': {
        0: [[4, 46, 182, 822], [1, 6, 23, 63], [2, 6, 14, 29]],
        5: [[5, 42, 149, 621], [1, 8, 31, 41], [1, 2, 8, 13]],
        7: [[13, 68, 727, 1446], [4, 7, 19, 56], [1, 3, 9, 38]],
    },
    'pusoy-dos': {
        0: [[3, 29, 172, 810], [8, 41, 75, 173], [1, 10, 31, 117]],
        1: [[15, 140, 528, 1184], [1, 2, 24, 75], [1, 1, 2, 6]],
        9: [[3, 28, 453, 2661], [1, 1, 48, 130], [1, 7, 15, 71]],
    },
    'coders-for-causes': {
        0: [[3, 23, 159, 791], [8, 41, 75, 173], [1, 10, 31, 117]],
        1: [[15, 140, 1176, 1832], [5, 18, 64, 238], [1, 2, 8, 32]],
        10: [[6, 24, 109, 558], [4, 27, 97, 419], [1, 13, 97, 165]],
    },
    'bluo42': {
        3: [[3, 21, 107, 545], [3, 21, 149, 1137], [1, 2, 2, 9]],
        4: [[2, 20, 123, 901], [1, 2, 12, 61], [8, 52, 185, 922]],
        9: [[3, 28, 453, 2661], [5, 40, 68, 245], [1, 5, 14, 75]],
    },
    'hong-kong-3': {
        0: [[25, 1060, 12674, 53171], [6, 34, 107, 247], [3, 3, 11, 15]],
        2: [[8, 40, 352, 2304], [20, 84, 396, 1661], [1, 1, 5, 29]],
        3: [[8, 79, 520, 2255], [2, 13, 56, 65], [5, 8, 42, 114]],
    },
    'two': {
        0: [[6, 24, 170, 1261], [3, 11, 37, 132], [5, 11, 29, 58]],
        1: [[3, 23, 136, 1125], [9, 45, 278, 1242], [12, 33, 234, 608]],
        2: [[3, 23, 138, 1147], [7, 34, 172, 920], [4, 11, 57, 185]],
    },
    'mini': {
        0: [[4, 9, 17, 37], [1, 1, 0, 0], [1, 0, 0, 0]],
        1: [[3, 6, 15, 25], [4, 11, 15, 26], [3, 5, 8, 6]],
        2: [[3, 7, 16, 32], [4, 10, 17, 29], [2, 4, 7, 6]],
    },
}


def legal(rules, games):
    masks, offsets = np.empty(MOST_LEGAL, np.int64), np.empty(2, np.int64)
    return masks[: list_legal(tabulate(rules), games, masks, offsets)].tolist()


def after(rules, games, move):
    games = games.copy()
    play_moves(tabulate(rules), games, np.array([move]))
    return games


def lines(rules, games, position, depth):
    """Count the lines from a position of the oracle, after each move of which the engine must list the same moves."""
    moves = oracle.legal(rules, position)
    assert set(legal(rules, games)) == moves, position
    if depth == 1:
        return len(moves)
    return sum(lines(rules, after(rules, games, one), oracle.after(position, one), depth - 1) for one in moves)


def deal(rules, seed):
    """Deal in turn from a seeded pack; what is left goes to the holder of the lowest card, or out of play."""
    deck = 52 - rules.num_cards + np.random.RandomState(seed).permutation(rules.num_cards)
    dealt = rules.players * rules.hand_size
    hands = deck[:dealt].reshape(rules.players, -1).tolist()
    if rules.leftover == 'opener':
        min(hands, key=min).extend(deck[dealt:])
    return [sum(1 << int(card) for card in hand) for hand in hands]


def count(rules, seed):
    """Return the lines from each position of a seeded deal; None if the game ends before the last of them."""
    hands, games, counts = deal(rules, seed), new_games(1), []
    start(tabulate(rules)[0], games[0], np.array(hands))
    position = oracle.deal(rules, hands)
    ahead = PLIES_AHEAD[rules.players] if rules.hand_size > 3 else (0, 1, 2)
    for ply in range(ahead[-1] + 1):
        if ply in ahead:
            counts.append([lines(rules, games, position, depth) for depth in DEPTHS])
        moves = sorted(oracle.legal(rules, position), key=action_id)
        if not moves:
            return None
        move = moves[(7 * ply + 3) % len(moves)]
        games, position = after(rules, games, move), oracle.after(position, move)
    return counts


@pytest.mark.parametrize(('name', 'seed'), [(name, seed) for name, seeds in COUNTS.items() for seed in seeds])
def test_lines_are_counted(name, seed):
    assert count(PRESETS[name], seed) == COUNTS[name][seed]


def test_every_preset_is_counted():
    assert COUNTS.keys() == PRESETS.keys()


if __name__ == '__main__':
    for name in PRESETS.keys() - COUNTS.keys():
        found = ((seed, count(PRESETS[name], seed)) for seed in range(100))
        counts = dict(islice(((seed, counts) for seed, counts in found if counts), 3))
        sys.stdout.write(f'    {name!r}: {counts},\n')
