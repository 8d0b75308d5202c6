"""What several test files share."""

import os

import pytest

from rlcard_big2.nets.spec import ValueSpec

os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')  # before numpy: the tests already fill all cores

SMALL_SPEC = ValueSpec(hidden_size=16, lstm_size=8)


@pytest.fixture
def one_thread():
    """Compute in one thread: the tests already fill all cores, and threads of small products wait for each other."""
    import torch  # here, since most tests do without

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def digest(state):
    """Return a state of the environment as values that == compares."""
    return {
        **state,
        'obs': state['obs'].tolist(),
        'legal_actions': [(action, feature.tolist()) for action, feature in state['legal_actions'].items()],
        'raw_obs': {**state['raw_obs'], 'packed': state['raw_obs']['packed'].tobytes()},
    }


def everything(env):
    """Return all that a move changes, and that a bad call and a step back must leave as it was."""
    return {
        'record': env.game.games.tobytes(),
        'recorder': env.action_recorder.copy(),
        'timestep': env.timestep,
        'draws': [generator.get_state()[1].tolist() for generator in (env.np_random, env.game.np_random)],
        'payoffs': env.get_payoffs().tolist(),
        'information': env.get_perfect_information(),
        'states': [digest(env.get_state(seat)) for seat in range(4)],
    }
