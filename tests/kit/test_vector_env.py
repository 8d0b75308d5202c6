"""N games stepped together, for every game: endless deals, and wrong calls, refused before anything changes."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from rlcard_big2.engine.big2 import BIG2 as BIG2_KERNELS
from rlcard_kit import vector_env
from rlcard_kit.errors import ArrayError, IllegalActionError, KitError
from tests.support.games import BIG2, CATCH5, EACH_GAME, GameFacts, make

Misuse = tuple[str, Callable[[], object]]
GUARD = 4096  # bytes around a buffer, which must stay as they are


BLOCKS: list[np.ndarray] = []  # of bytes that nothing may write to, each around a buffer


def guarded(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Return an array inside a larger block."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    BLOCKS.append(np.full(size + 2 * GUARD, 0xA5, np.uint8))
    return BLOCKS[-1][GUARD : GUARD + size].view(dtype).reshape(shape)


def wrong_arrays(shape: tuple[int, ...], dtype: Any, longer: bool = False) -> Iterator[tuple[str, Any]]:
    """Yield invalid buffers of a shape and dtype, by name; with `longer`, longer ones are valid."""
    dtype, (first, *rest) = np.dtype(dtype), shape
    good = np.zeros(shape, dtype)
    yield from {'None': None, 'a list': [0] * first, 'a number': 0, 'bytes': bytes(8 * first)}.items()
    for other in (np.int32, np.float64, np.uint64, np.int8, object, '>i8', 'datetime64[ns]'):
        if dtype != np.dtype(other):
            yield f'{np.dtype(other)}', np.zeros(shape, other)
    sizes = {'one short': first - 1, 'half': first // 2, 'none': 0} | ({} if longer else {'one long': first + 1})
    for name, size in sizes.items():
        yield name, guarded((size, *rest), dtype)
    for extra in ((), (*shape, 1), (1, *shape)):
        yield f'shape {extra}', np.zeros(extra, dtype)
    yield 'every second', np.zeros((2 * first, *rest), dtype)[::2]
    yield 'backwards', good[::-1]
    yield 'the same over and over', np.broadcast_to(np.zeros((1, *rest), dtype), shape)
    if dtype.alignment > 1:
        yield 'not aligned', np.zeros(good.nbytes + 1, np.uint8)[1:].view(dtype).reshape(shape)
    yield 'a subclass', good.view(np.ma.MaskedArray)
    if rest:
        yield 'in the order of Fortran', np.asfortranarray(good)
        yield 'transposed', np.zeros(shape[::-1], dtype).T
        yield 'flat', np.zeros(good.size, dtype)


def vector_misuse(env: Any) -> Iterator[Misuse]:
    """Yield wrong calls of a `VectorEnv` that is in the middle of its games."""
    count = env.num_games
    moves, offsets = env.new_legal()
    env.legal(moves, offsets)
    legal, payoffs, done = moves[offsets[:-1]], env.new_payoffs(), np.zeros(count, np.bool_)
    buffers: dict[str, tuple[tuple[int, ...], Any, Callable[[Any], object]]] = {
        'observations': ((count,), env.game.observation, env.observe),
        'legal moves': (moves.shape, np.int64, lambda wrong: env.legal(wrong, offsets)),
        'offsets': (offsets.shape, np.int64, lambda wrong: env.legal(moves, wrong)),
        'moves': ((count,), np.int64, lambda wrong: env.step(wrong, payoffs, done)),
        'payoffs': (payoffs.shape, np.int64, lambda wrong: env.step(legal, wrong, done)),
        'done': ((count,), np.bool_, lambda wrong: env.step(legal, payoffs, wrong)),
        'done, unchecked moves': ((count,), np.bool_, lambda wrong: env.step(legal, payoffs, wrong, check=False)),
    }
    for name, (shape, dtype, call) in buffers.items():
        for kind, wrong in wrong_arrays(shape, dtype, longer=name == 'legal moves'):
            yield f'{name}: {kind}', lambda call=call, wrong=wrong: call(wrong)
        if name != 'moves':
            array = np.zeros(shape, dtype)
            array.flags.writeable = False
            yield f'{name}: read-only', lambda call=call, array=array: call(array)
    for move in (-1, 1 << 52, (1 << 63) - 1, -(1 << 63), (1 << 52) - 1):
        yield f'the move {move}', lambda move=move: env.step(np.full(count, move), payoffs, done)


NO_RULES = ('', 'bridge', None, 3, {}, ['taiwan'], 'nowhere.json', 'python:os:path', '{}', '[' * 9999, 'a\0b/c')
NO_AGENTS = ('', 'nobody', 'ppo', 'ppo:', 'ppo:nowhere', 'rule:x', 'random,epsilon=2', 'random,epsilon=x', 'python:')


def creation_misuse(game: GameFacts) -> Iterator[Misuse]:
    """Yield wrong calls of the functions that make environments, agents and matches."""
    play_match = game.module('duplicate').play_match
    new, make_agent = game.module().VectorEnv, game.module().make_agent
    for count in (0, -1, 2.5, '8', True, 10**12, float('nan')):
        yield f'{count!r} games', lambda count=count: new(count)
    for seed in (-1, 0.5, 'seed', float('nan'), [1.5]):
        yield f'seed {seed!r}', lambda seed=seed: new(2, seed=seed)
    for rules in NO_RULES:
        yield f'vector rules {rules!r:.20}', lambda rules=rules: new(2, rules)
        yield f'rules {rules!r:.20}', lambda rules=rules: make(game, game_rules=rules)
        if rules is not None:  # the default
            yield f"an agent's rules {rules!r:.20}", lambda rules=rules: make_agent('rule', rules)
    for deals in (0, 1, -5, 2.5, '8', None, 10**12, float('inf')):
        yield f'a match of {deals!r} deals', lambda deals=deals: play_match('random', 'random', deals)
    for seed in (-1, 0.5, 'x', None):
        yield f'a match with seed {seed!r}', lambda seed=seed: play_match('random', 'random', 2, seed=seed)
    for name in NO_AGENTS:
        yield f'the agent {name!r}', lambda name=name: make_agent(name)


def new_env(game: GameFacts, count: int, *rules: object, seed: int = 4) -> Any:
    return game.module().VectorEnv(count, *rules, seed=seed)


def first_legal(env: Any, index: int = 0) -> np.ndarray:
    """Return the legal move of that index in each game, counted modulo their number."""
    moves, offsets = env.new_legal()
    env.legal(moves, offsets)
    return moves[offsets[:-1] + index % np.diff(offsets)]


@pytest.fixture
def env(game):
    env = new_env(game, 8, seed=1)
    for _ in range(12):
        env.step(first_legal(env), env.new_payoffs(), np.empty(8, np.bool_))
    return env


def refusals(misuse):
    """Return the error of each wrong call by its name; errors of other libraries are raised."""
    errors = {}
    for name, call in misuse:
        try:
            call()
        except KitError as error:
            errors[name] = str(error)
            continue
        pytest.fail(f'{name}: nothing was raised')
    return errors


@EACH_GAME
def test_wrong_arrays_are_refused_before_anything_changes(env):
    before = env.games.tobytes(), env.streams.tobytes()
    errors = refusals(vector_misuse(env))
    assert len(errors) > 110
    assert (env.games.tobytes(), env.streams.tobytes()) == before
    assert all((block == 0xA5).all() for block in BLOCKS)
    assert errors['done: int32'] == 'done is int32 [8]: expected bool [8], C-contiguous and writable'
    assert 'moves is of type list: expected int64 [8]' in errors['moves: a list']
    assert 'payoffs is int64 [8, 4], read-only' in errors['payoffs: read-only']
    assert 'offsets is int64 [9], not C-contiguous' in errors['offsets: every second']
    size = 8 * env.game.max_legal
    assert f'moves is int64 [{size - 1}]: expected at least int64 [{size}]' in errors['legal moves: one short']
    assert f'records of {env.game.observation.itemsize} bytes [7]' in errors['observations: one short']


@pytest.mark.parametrize(
    ('shape', 'dtype'), [((3, 3), np.int64), ((3,), np.int64), ((3, 4), np.int32), ((3, 1), np.uint64)]
)
def test_deals_that_kernels_would_read_beyond_are_refused(shape, dtype):
    with pytest.raises(ArrayError, match=r'^deals is'):
        vector_env.VectorEnv(BIG2_KERNELS, 'charlesworth', np.zeros(shape, dtype))


@EACH_GAME
def test_environments_agents_and_matches_are_made_from_what_makes_sense(game):
    assert len(refusals(creation_misuse(game))) > 50


ILLEGAL = [(BIG2, 0, 'a pass'), (BIG2, 2, '3c'), (BIG2, 0b11, '3d 3c'), (BIG2, -1, ''), (BIG2, 1 << 52, '')]
ILLEGAL += [(CATCH5, 64, '64'), (CATCH5, 20, 'Tc'), (CATCH5, -1, '')]


@pytest.mark.parametrize(('game', 'move', 'named'), ILLEGAL, ids=lambda value: getattr(value, 'name', str(value)))
def test_an_illegal_move_is_named_and_plays_nothing(game, move, named):
    env = new_env(game, 3)
    moves, payoffs, done, before = first_legal(env), env.new_payoffs(), np.empty(3, np.bool_), env.games.copy()
    with pytest.raises(IllegalActionError, match=f'game 1 {named}'):
        env.step(np.where(np.arange(3) == 1, move, moves), payoffs, done)
    assert (env.games == before).all()
    env.step(moves, payoffs, done)
    assert (env.games['ply'] == 1).all()


def played(env, steps):
    logs = [[hands] for hands in env.games['hands'].tolist()]
    payoffs, done = env.new_payoffs(), np.empty(env.num_games, np.bool_)
    for step in range(steps):
        moves = first_legal(env, step * 5 + 2)
        env.step(moves, payoffs, done)
        for i, log in enumerate(logs):
            log.append((int(moves[i]), payoffs[i].tolist(), bool(done[i])))
    return logs


@EACH_GAME
def test_games_depend_on_their_own_streams_alone(game):
    assert played(new_env(game, 7), 300)[:3] == played(new_env(game, 3), 300)
    assert played(new_env(game, 2), 5) != played(new_env(game, 2, seed=5), 5)


@EACH_GAME
def test_every_deal_is_another_one(game):
    env = new_env(game, 4)
    payoffs, done, deals = env.new_payoffs(), np.ones(4, np.bool_), []
    for _ in range(400):
        deals += [tuple(hands) for hands in env.games['hands'][done].tolist()]
        env.step(first_legal(env, -1), payoffs, done)
    assert len(deals) > 12
    env.reset()
    deals += [tuple(hands) for hands in env.games['hands'].tolist()]
    assert len(set(deals)) == len(deals)
    assert (env.games['ply'] == 0).all()
    dealt = {'big2': 52, 'catch5': 36}[game.name]
    assert all(int(union).bit_count() == dealt for union in np.bitwise_or.reduce(env.games['hands'], axis=1))
