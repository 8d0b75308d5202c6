"""Counts of legal lines of play, as chess programs check their move generators.

A line is `depth` legal moves in a row from a position; a game that ends sooner has none. COUNTS holds, for
each preset and seeded deal, the lines of 1, 2, 3 and 4 moves from the deal and from two later positions.
`oracle_counts` made the numbers, without the engine: run this file as a script to print them. The tests count
with both.
"""

import functools
import itertools

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
DEPTH = 4
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


def hands_of(seed):
    deck = np.random.RandomState(seed).permutation(52).reshape(4, 13).tolist()
    return [sum(1 << card for card in hand) for hand in deck]


def nth_move(moves, ply):
    """Choose the moves that lead to later positions: `moves` ascend by action id, the pass is last."""
    return moves[(7 * ply + 3) % len(moves)]


def oracle_position(rules, seed, plies):
    position = oracle.deal(hands_of(seed))
    for ply in range(plies):
        position = oracle.after(position, nth_move(sorted(oracle.legal(rules, position), key=action_id), ply))
    return position


def lasting_seeds(rules, count=3):
    """Return the first seeds whose games last beyond all of PLIES_AHEAD."""

    def lasts(seed):
        return all(oracle.legal(rules, oracle_position(rules, seed, plies)) for plies in range(PLIES_AHEAD[-1] + 1))

    return list(itertools.islice(filter(lasts, itertools.count()), count))


def oracle_lines(rules, position, depth):
    moves = oracle.legal(rules, position)
    if depth == 1:
        return len(moves)
    return sum(oracle_lines(rules, oracle.after(position, move), depth - 1) for move in moves)


def oracle_counts(rules, seed):
    positions = [oracle_position(rules, seed, plies) for plies in PLIES_AHEAD]
    return [[oracle_lines(rules, position, depth) for depth in range(1, DEPTH + 1)] for position in positions]


def legal(table, games):
    masks, offsets = np.empty(MAX_LEGAL, np.int64), np.empty(2, np.int64)
    return masks[: list_legal(table, games, masks, offsets)].tolist()


def after(table, games, move):
    games = games.copy()
    play_moves(table, games, np.array([move]))
    return games


def engine_position(table, seed, plies):
    games = new_games(1)
    start(games[0], np.array(hands_of(seed)))
    return functools.reduce(lambda g, ply: after(table, g, nth_move(legal(table, g), ply)), range(plies), games)


def engine_lines(table, games, depth):
    moves = legal(table, games)
    if depth == 1:
        return len(moves)
    return sum(engine_lines(table, after(table, games, move), depth - 1) for move in moves)


CASES = [(name, seed) for name, seeds in COUNTS.items() for seed in seeds]


@pytest.mark.parametrize(('name', 'seed'), CASES)
def test_engine_counts_the_lines(name, seed):
    table = tabulate(PRESETS[name])
    positions = [engine_position(table, seed, plies) for plies in PLIES_AHEAD]
    counts = [[engine_lines(table, position, depth) for depth in range(1, DEPTH + 1)] for position in positions]
    assert counts == COUNTS[name][seed]


@pytest.mark.parametrize(('name', 'seed'), CASES)
def test_oracle_counts_the_lines(name, seed):
    assert oracle_counts(PRESETS[name], seed) == COUNTS[name][seed]


if __name__ == '__main__':
    for preset in PRESETS:
        counts = {seed: oracle_counts(PRESETS[preset], seed) for seed in lasting_seeds(PRESETS[preset])}
        print(preset, counts)  # noqa: T201
