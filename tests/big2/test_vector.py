"""Vectorised games of Big 2, and wrong calls: each is an error of the project, and leaves everything as it was."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import rlcard

from rlcard_big2 import VectorEnv, make_agent
from rlcard_big2.duplicate import play_match
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.observation import OBSERVATION
from rlcard_kit import vector_env
from rlcard_kit.errors import ArrayError, ConfigError, KitError
from tests.support.helpers import everything

Misuse = tuple[str, Callable[[], object]]
GUARD = 4096  # bytes around a buffer, which must stay as they are


class Guarded:
    """An array inside a larger block of bytes that nothing may write to."""

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        self._block = np.full(size + 2 * GUARD, 0xA5, np.uint8)
        self._size = size
        self.array = self._block[GUARD : GUARD + size].view(dtype).reshape(shape)

    @property
    def is_intact(self) -> bool:
        """Whether the bytes around the array, and the array itself, are as they were."""
        return bool((self._block == 0xA5).all())


def wrong_arrays(shape: tuple[int, ...], dtype: Any, longer: bool = False) -> Iterator[tuple[str, Any]]:
    """Yield what is not a buffer of a shape and dtype, by name: lists, other types and shapes, layouts, read-only ones.

    Args:
        shape: of the buffer.
        dtype: of the buffer.
        longer: a longer one would do.
    """
    dtype, (first, *rest) = np.dtype(dtype), shape
    good = np.zeros(shape, dtype)
    yield from {
        'None': None,
        'a list': [0] * first,
        'a number': 0,
        'a text': 'moves',
        'bytes': bytes(8 * first),
    }.items()
    for other in (np.int32, np.float64, np.uint64, np.int8, object, '>i8', 'datetime64[ns]'):
        if dtype != np.dtype(other):
            yield f'{np.dtype(other)}', np.zeros(shape, other)
    sizes = {'one short': first - 1, 'half': first // 2, 'none': 0} | ({} if longer else {'one long': first + 1})
    for name, size in sizes.items():
        yield name, Guarded((size, *rest), dtype).array
    yield 'no dimension', np.zeros((), dtype)
    yield 'a dimension more', np.zeros((*shape, 1), dtype)
    yield 'a dimension before', np.zeros((1, *shape), dtype)
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


def vector_misuse(env: VectorEnv) -> Iterator[Misuse]:
    """Yield wrong calls of a `VectorEnv` that is in the middle of its games."""
    count = env.num_games
    moves, offsets = env.new_legal()
    env.legal(moves, offsets)
    legal, payoffs, done = moves[offsets[:-1]], env.new_payoffs(), np.zeros(count, np.bool_)
    buffers: dict[str, tuple[tuple[int, ...], Any, Callable[[Any], object]]] = {
        'observations': ((count,), OBSERVATION, env.observe),
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
            yield f'{name}: read-only', lambda call=call, shape=shape, dtype=dtype: call(_read_only(shape, dtype))
    for move in (-1, 1 << 52, (1 << 63) - 1, -(1 << 63), (1 << 52) - 1):
        yield f'the move {move}', lambda move=move: env.step(np.full(count, move), payoffs, done)


def creation_misuse() -> Iterator[Misuse]:
    """Yield wrong calls of what makes environments and agents."""
    for count in (0, -1, 2.5, '8', None, True, 10**12, float('nan'), [8]):
        yield f'{count!r} games', lambda count=count: VectorEnv(count)
    for seed in (-1, 0.5, 'seed', float('nan'), [1.5]):
        yield f'seed {seed!r}', lambda seed=seed: VectorEnv(2, seed=seed)
    for rules in ('', 'bridge', None, 3, {}, ['taiwan'], 'nowhere.json', 'python:os:path', '{}', '[' * 9999, 'a\0b/c'):
        yield f'vector rules {rules!r:.20}', lambda rules=rules: VectorEnv(2, rules)
        yield f'rules {rules!r:.20}', lambda rules=rules: rlcard.make('big2', config={'game_rules': rules})
        yield f"an agent's rules {rules!r:.20}", lambda rules=rules: make_agent('rule', rules)
    for config in ({'seed': -1}, {'seed': 'x'}, {'seed': 0.5}, {'game_num_players': 3}, {'rules': 'taiwan'}, {'x': 1}):
        yield f'the configuration {config}', lambda config=config: rlcard.make('big2', config=config)
    for deals in (0, 1, -5, 2.5, '8', None, 10**12, float('inf')):
        yield f'a match of {deals!r} deals', lambda deals=deals: play_match('random', 'random', deals)
    for seed in (-1, 0.5, 'x', None):
        yield f'a match with seed {seed!r}', lambda seed=seed: play_match('random', 'random', 2, seed=seed)
    for name in (
        '',
        'nobody',
        'dmc',
        'dmc:',
        'dmc:nowhere',
        'rule:x',
        'random,epsilon=2',
        'random,epsilon=x',
        'python:',
    ):
        yield f'the agent {name!r}', lambda name=name: make_agent(name)


def game_misuse(env: Any) -> Iterator[Misuse]:
    """Yield wrong calls of an environment that `rlcard.make` returned, at the beginning of its game."""
    for seat in (-1, 4, 1.5, '0', None, 10**30, [0]):
        yield f'the state of seat {seat!r}', lambda seat=seat: env.get_state(seat)
        if seat is not None:
            yield f'the view of seat {seat!r}', lambda seat=seat: env.describe(seat)
    for action in (-1, 10**9, 10**30, 0.5, 'pass', None, float('nan'), [3], True):
        yield f'the action {action!r}', lambda action=action: env.step(action)
    for text in ('', 'Xd', '3d 3d', '2s As', 'pass', 7, None, '3d' * 999, '\ud800'):
        yield f'the raw action {text!r:.20}', lambda text=text: env.step(text, raw_action=True)
    for hands in ([], [[0]] * 4, [range(13)] * 4, 'cards', [[99] * 13] * 4, [[-1] * 13] * 4, 5):
        yield f'the hands {hands!r:.20}', lambda hands=hands: env.reset(hands)
    for position in ('', '{', '[]', {}, 5, '{"big2": 1}'):
        yield f'the position {position!r}', lambda position=position: env.reset(position=position)


def _read_only(shape: tuple[int, ...], dtype: Any) -> Any:
    array = np.zeros(shape, dtype)
    array.flags.writeable = False
    return array


@pytest.fixture
def env():
    """Return eight games, some moves from their beginning."""
    env = VectorEnv(8, seed=1)
    (moves, offsets), payoffs, done = env.new_legal(), env.new_payoffs(), np.empty(8, np.bool_)
    for _ in range(12):
        env.legal(moves, offsets)
        env.step(moves[offsets[:-1]], payoffs, done)
    return env


def refusals(misuse):
    """Return the error of each wrong call by its name; those that are not the project's are raised."""
    errors = {}
    for name, call in misuse:
        try:
            call()
        except KitError as error:
            errors[name] = str(error)
            continue
        pytest.fail(f'{name}: nothing was raised')
    return errors


def test_wrong_arrays_are_refused_before_anything_changes(env):
    before = env.games.tobytes(), env.streams.tobytes()
    errors = refusals(vector_misuse(env))
    assert len(errors) > 120
    assert (env.games.tobytes(), env.streams.tobytes()) == before
    assert errors['done: int32'] == 'done is int32 [8]: expected bool [8], C-contiguous and writable'
    assert errors['moves: a list'] == 'moves is of type list: expected int64 [8], C-contiguous'
    assert errors['payoffs: read-only'].startswith('payoffs is int64 [8, 4], read-only: expected int64 [8, 4]')
    assert errors['offsets: every second'].startswith('offsets is int64 [9], not C-contiguous: expected')
    assert errors['legal moves: one short'].startswith('moves is int64 [13559]: expected at least int64 [13560]')
    assert errors['observations: one short'].startswith(
        f'out is records of {OBSERVATION.itemsize} bytes [7]: expected records of {OBSERVATION.itemsize} bytes [8'
    )


@pytest.mark.parametrize(
    ('shape', 'dtype'), [((3, 3), np.int64), ((3,), np.int64), ((3, 4), np.int32), ((3, 1), np.uint64)]
)
def test_deals_that_kernels_would_read_beyond_are_refused(shape, dtype):
    with pytest.raises(ArrayError, match=r'^deals is .*: expected '):
        vector_env.VectorEnv(BIG2, 'charlesworth', np.zeros(shape, dtype))


def test_nothing_is_written_past_the_end_of_a_buffer(env):
    legal, offsets = env.new_legal()
    env.legal(legal, offsets)
    moves, payoffs, done = legal[offsets[:-1]], env.new_payoffs(), np.empty(8, np.bool_)
    buffers = [
        (Guarded((7,), OBSERVATION), env.observe),
        (Guarded((legal.size - 1,), np.int64), lambda small: env.legal(small, offsets)),
        (Guarded((8,), np.int64), lambda small: env.legal(legal, small)),
        (Guarded((7, 4), np.int64), lambda small: env.step(moves, small, done)),
        (Guarded((7,), np.bool_), lambda small: env.step(moves, payoffs, small)),
    ]
    for small, call in buffers:
        with pytest.raises(ArrayError):
            call(small.array)
        assert small.is_intact


def test_buffers_that_fit_are_taken_wherever_they_lie(env):
    packed, offsets = Guarded((8,), OBSERVATION).array, Guarded((9,), np.int64).array
    moves, payoffs, done = (
        Guarded(shape, kind).array for shape, kind in (((99999,), int), ((8, 4), int), ((8,), bool))
    )
    env.observe(packed)
    env.legal(moves, offsets)
    env.step(moves[offsets[:-1]], payoffs, done)
    assert set(done.tolist()) <= {False, True}


def test_environments_and_agents_are_made_from_what_makes_sense():
    assert len(refusals(creation_misuse())) > 50
    with pytest.raises(ConfigError, match=r'num_games=1000000000000: expected a whole number, from 1 to 1048576'):
        VectorEnv(10**12)


def test_a_game_refuses_wrong_calls_and_stays_as_it_was():
    env = rlcard.make('big2', config={'seed': 3})
    env.reset()
    before = everything(env)
    assert len(refusals(game_misuse(env))) > 30
    after = everything(env)
    assert all(
        np.array_equal(before[key], after[key]) if key == 'draws' else before[key] == after[key] for key in before
    )
