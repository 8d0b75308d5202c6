"""Games in WebAssembly equal those of numba: legal moves, observations and payoffs."""

import numpy as np

from rlcard_big2.engine.big2 import BIG2
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_kit.rng import new_streams
from rlcard_kit.vector_env import VectorEnv
from tests.support.games import EACH_PRESET

GAMES = {'big2': (BIG2, 600), 'catch5': (CATCH5, 1200)}  # of each preset
MODULUS = 65521


def fold(digests, owners, numbers):
    """Add numbers, [M], to the digests of their games, int64 [N], given each number's game, as games.mjs does."""
    places = np.arange(len(owners)) - np.searchsorted(owners, owners) + 1
    sums = np.bincount(owners, places * (numbers.astype(np.int64) % MODULUS), len(digests)).astype(np.int64)
    has_any = np.bincount(owners, minlength=len(digests)) > 0
    return np.where(has_any, (31 * digests + sums) % 2**44, digests)


def fold_rows(digests, rows, which):
    """Add rows of numbers, [N, K], to the digests of some of their games, bool [N]."""
    return fold(digests, np.repeat(np.flatnonzero(which), rows.shape[1]), rows[which].ravel())


def play_at_once(game, rules, seeds):
    """Return the digest of each game, given the seeds of the deals."""
    env = VectorEnv(game, rules, np.array(seeds, np.uint64))
    digests, observations, payoffs = np.zeros(len(seeds), np.int64), env.new_observations(), env.new_payoffs()
    is_on = np.ones(len(seeds), np.bool_)
    done = np.zeros(len(seeds), np.bool_)
    while is_on.any():
        moves, offsets = env.new_legal()
        moves = moves[: env.legal(moves, offsets)]
        env.observe(observations)
        owners = np.repeat(np.arange(len(seeds)), np.diff(offsets))
        digests = np.where(is_on, fold(digests, owners, moves), digests)
        digests = fold_rows(digests, observations.view(np.uint8).reshape(len(seeds), -1), is_on)
        env.step(moves[offsets[:-1] + digests % np.diff(offsets)], payoffs, done)
        digests = fold_rows(digests, payoffs, done & is_on)
        is_on &= ~done
    return digests.tolist()


@EACH_PRESET
def test_random_games(run_node, game, rules):
    card_game, count = GAMES[game.name]
    seeds = new_streams(45, count).tolist()
    found = run_node('games.mjs', game=game.name, rules=rules, seeds=[str(seed) for seed in seeds])
    assert found == play_at_once(card_game, rules, seeds)
