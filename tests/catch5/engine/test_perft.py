"""Counts of legal lines of play by the oracle; the engine must list the same moves at each position.

COUNTS holds, by preset and seeded deal, the lines of 1, 2 and 3 moves from the deal and from three later positions. Run
this file to print them.
"""

import copy

import numpy as np
import pytest
import rlcard

from rlcard_catch5.rules import PRESETS
from tests.support import catch5_oracle as oracle

PLIES_AHEAD = (0, 1, 5, 15)  # a line may not cross the refill, whose order depends on the trumps named
DEPTH = 3
SEEDS = (0, 1)
COUNTS = {  # the rules of `march` give the same lines as those of `paper`
    'paper': [
        [[8, 36, 120], [6, 21, 77], [6, 12, 36], [4, 8, 24]], [[8, 36, 120], [6, 21, 77], [6, 17, 56], [4, 4, 12]],
    ],
    'newest': [
        [[8, 64, 512], [8, 64, 512], [6, 19, 114], [4, 8, 24]], [[8, 64, 512], [8, 64, 512], [6, 32, 80], [4, 16, 48]],
    ],
    'table': [
        [[8, 36, 120], [6, 21, 77], [6, 12, 36], [4, 8, 24]], [[8, 36, 120], [6, 21, 77], [6, 32, 192], [4, 4, 12]],
    ],
}  # fmt: skip
COUNTS['march'] = COUNTS['paper']


def deal_of(seed):
    """Return a deal as the environment takes it; the refill goes by the numbers of the cards."""
    deck = np.random.RandomState(seed).permutation(52).tolist()
    hands = [deck[9 * seat : 9 * seat + 9] for seat in range(4)]
    return {'dealer': seed % 4, 'hands': hands, 'stock': deck[36:], 'redeal_stock': deck[36:], 'leftover': []}


def lines(game, env, depth):
    """Count the lines from a position of the oracle, after each move of which the engine must list the same moves."""
    moves = game.legal()
    assert env.game.legal_texts == moves
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        after = copy.deepcopy(game)
        after.play(move)
        env.step(move, raw_action=True)
        total += lines(after, env, depth - 1)
        env.step_back()
    return total


def count(rules, seed):
    """Return the lines from each position of a seeded deal."""
    deal, counts = deal_of(seed), []
    texts = [[oracle.card_of(card) for card in hand] for hand in deal['hands']]
    game = oracle.Game(rules, deal['dealer'], texts, map(oracle.card_of, deal['redeal_stock']))
    env = rlcard.make('catch5', config={'game_rules': rules, 'allow_step_back': True})
    env.reset(deal=deal)
    for ply in range(PLIES_AHEAD[-1] + 1):
        if ply in PLIES_AHEAD:
            counts.append([lines(game, env, depth) for depth in range(1, DEPTH + 1)])
        moves = game.legal()
        move = moves[(5 * ply + 2) % len(moves)]
        game.play(move)
        env.step(move, raw_action=True)
    return counts


@pytest.mark.parametrize('seed', SEEDS)
@pytest.mark.parametrize('name', PRESETS)
def test_lines_are_counted(name, seed):
    assert count(PRESETS[name], seed) == COUNTS[name][seed]


if __name__ == '__main__':
    for preset in PRESETS:
        counts = [count(PRESETS[preset], seed) for seed in SEEDS]
        print(f"    '{preset}': {counts},")  # noqa: T201
