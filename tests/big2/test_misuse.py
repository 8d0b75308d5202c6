"""Wrong calls: each is an error of the project, and leaves everything as it was."""

import numpy as np
import pytest
import rlcard

from rlcard_big2 import VectorEnv
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.observation import OBSERVATION
from rlcard_kit import vector_env
from rlcard_kit.errors import ArrayError, ConfigError, KitError
from tests.support.helpers import everything
from tests.support.misuse import Guarded, creation_misuse, game_misuse, vector_misuse


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
