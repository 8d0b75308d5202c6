"""Counts of legal lines of play, made by the oracle without the engine.

COUNTS holds, by preset and seeded deal, the lines of 1, 2 and 3 moves from the deal and from three later positions. Run
this file to print them.
"""

import copy

import numpy as np
import pytest
import rlcard

import rlcard_catch5  # noqa: F401  # registers 'catch5'
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


def nth_move(moves, ply):
    return moves[(5 * ply + 2) % len(moves)]


def oracle_game(rules, seed, plies):
    deal = deal_of(seed)
    texts = [[oracle.card_of(card) for card in hand] for hand in deal['hands']]
    game = oracle.Game(rules, deal['dealer'], texts, map(oracle.card_of, deal['redeal_stock']))
    for ply in range(plies):
        game.play(nth_move(game.legal(), ply))
    return game


def oracle_lines(game, depth):
    if depth == 1:
        return len(game.legal())
    total = 0
    for move in game.legal():
        after = copy.deepcopy(game)
        after.play(move)
        total += oracle_lines(after, depth - 1)
    return total


def oracle_counts(rules, seed):
    games = [oracle_game(rules, seed, plies) for plies in PLIES_AHEAD]
    return [[oracle_lines(game, depth) for depth in range(1, DEPTH + 1)] for game in games]


def engine_lines(env, depth):
    legal = env.game.legal_ids.copy()
    if depth == 1:
        return len(legal)
    total = 0
    for move in legal:
        env.step(move)
        total += engine_lines(env, depth - 1)
        env.step_back()
    return total


def engine_counts(rules, seed):
    counts = []
    for plies in PLIES_AHEAD:
        env = rlcard.make('catch5', config={'game_rules': rules, 'allow_step_back': True})
        env.reset(deal=deal_of(seed))
        for ply in range(plies):
            env.step(nth_move(env.game.legal_ids, ply))
        counts.append([engine_lines(env, depth) for depth in range(1, DEPTH + 1)])
    return counts


@pytest.mark.parametrize('seed', SEEDS)
@pytest.mark.parametrize('name', PRESETS)
def test_oracle_and_engine_count_the_lines(name, seed):
    assert oracle_counts(PRESETS[name], seed) == engine_counts(PRESETS[name], seed) == COUNTS[name][seed]


if __name__ == '__main__':
    for preset in PRESETS:
        counts = [oracle_counts(PRESETS[preset], seed) for seed in SEEDS]
        print(f"    '{preset}': {counts},")  # noqa: T201
