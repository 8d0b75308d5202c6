"""Catch Five's PettingZoo face: PettingZoo's own tests, and agreement with `Catch5Env`."""

import warnings

import numpy as np
import pytest
import rlcard
from pettingzoo.test import api_test, render_test, seed_test

import rlcard_catch5.pettingzoo as catch5
from rlcard_catch5.rules import PRESETS
from rlcard_kit.errors import ConfigError, IllegalActionError, RulesError

FACES = pytest.mark.parametrize('make', [catch5.env, catch5.raw_env])
DICT_OBSERVATION = ('Observation space for each agent probably', 'Observation is not a NumPy array')


@FACES
@pytest.mark.parametrize('rules', ['paper', PRESETS['table']])
def test_pettingzoos_api_test_passes_without_warnings(make, rules):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        for message in DICT_OBSERVATION:
            warnings.filterwarnings('ignore', message)
        api_test(make(rules), num_cycles=100)


@pytest.mark.filterwarnings('ignore::UserWarning')
def test_pettingzoos_other_tests_pass():
    seed_test(catch5.env, num_cycles=60)
    render_test(catch5.env)


def test_it_is_the_same_game():
    env, single = catch5.env(), rlcard.make('catch5', config={'seed': 5})
    env.reset(seed=5)
    state, seat = single.reset()
    while not single.is_over():
        assert env.agent_selection == f'player_{seat}'
        seen = env.observe(env.agent_selection)
        assert (seen['observation'] == state['obs']).all()
        assert np.flatnonzero(seen['action_mask']).tolist() == list(state['legal_actions'])
        action = list(state['legal_actions'])[-1]
        env.step(action)
        state, seat = single.step(action)
    assert list(env.rewards.values()) == single.get_payoffs().tolist()
    assert all(env.terminations.values())


def test_an_illegal_action_costs_nine_points():
    env = catch5.env()
    env.reset(seed=1)
    player = env.agent_selection
    env.step(63)
    assert env.rewards == {agent: -9.0 if agent == player else 0.0 for agent in env.possible_agents}
    raw = catch5.raw_env()
    raw.reset(seed=1)
    with pytest.raises(IllegalActionError, match='As is not legal for player'):
        raw.step(63)


def test_wrong_settings_are_named():
    with pytest.raises(RulesError, match='no preset'):
        catch5.env('taiwan')
    with pytest.raises(ConfigError, match='the modes are None'):
        catch5.env(render_mode='rgb_array')
    shown = catch5.raw_env(render_mode='ansi')
    shown.reset(seed=2)
    assert shown.render() == shown.rlcard_env.describe()
