"""Counts of legal lines of play, as chess programs check their move generators.

A line is `depth` legal moves in a row from a position; a game that ends sooner has none. COUNTS holds, for
each preset and seeded deal, the lines of 1, 2, 3 and 4 moves from the deal and from two later positions.
The oracle made the numbers, without the engine. The tests count with both.
"""

import numpy as np
import pytest

from rlcard_big2.actions import action_id
from rlcard_big2.engine.batch import list_legal, play_moves
from rlcard_big2.engine.moves import MAX_LEGAL
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import new_games, start
from rlcard_big2.rules import PRESETS
from tests.support import oracle

PLIES_AHEAD = (0, 25, 45)
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
}


class Oracle:
    """Counts by brute force."""

    def __init__(self, rules):
        self.rules = rules

    def start(self, hands):
        return oracle.deal(hands)

    def legal(self, position):
        return oracle.legal(self.rules, position)

    def after(self, position, move):
        return oracle.after(position, move)


class Engine:
    """Counts by the kernels."""

    def __init__(self, rules):
        self.table = tabulate(rules)

    def start(self, hands):
        games = new_games(1)
        start(games[0], np.array(hands))
        return games

    def legal(self, games):
        masks, offsets = np.empty(MAX_LEGAL, np.int64), np.empty(2, np.int64)
        return masks[: list_legal(self.table, games, masks, offsets)].tolist()

    def after(self, games, move):
        games = games.copy()
        play_moves(self.table, games, np.array([move]))
        return games


def lines(program, position, depth):
    moves = program.legal(position)
    return len(moves) if depth == 1 else sum(lines(program, program.after(position, one), depth - 1) for one in moves)


@pytest.mark.parametrize('program', [Oracle, Engine])
@pytest.mark.parametrize(('name', 'seed'), [(name, seed) for name, seeds in COUNTS.items() for seed in seeds])
def test_lines_are_counted(name, seed, program):
    counting, counts = program(PRESETS[name]), []
    deck = np.random.RandomState(seed).permutation(52).reshape(4, 13).tolist()
    position = counting.start([sum(1 << card for card in hand) for hand in deck])
    for ply in range(PLIES_AHEAD[-1] + 1):
        if ply in PLIES_AHEAD:
            counts.append([lines(counting, position, depth) for depth in DEPTHS])
        moves = sorted(counting.legal(position), key=action_id)
        position = counting.after(position, moves[(7 * ply + 3) % len(moves)])
    assert counts == COUNTS[name][seed]
