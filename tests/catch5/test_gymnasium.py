"""Catch Five in Gymnasium: its own checks, and agreement with `Catch5Env` and with single environments."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
import rlcard
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode

import rlcard_catch5
from rlcard_catch5.actions import NUM_ACTIONS
from rlcard_kit.errors import ConfigError, IllegalActionError


def make(**settings: Any) -> Any:
    return gymnasium.make('Catch5-v0', **settings).unwrapped


@pytest.mark.parametrize('rules', ['paper', 'march'])
def test_gymnasiums_check_passes_without_warnings(rules: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        check_env(make(rules=rules, opponents='random', illegal='end'))


def test_what_the_seat_sees_agrees_with_rlcards_environment() -> None:
    env, shown = make(opponents=['rule', 'random', 'suit'], seat='rotate'), rlcard.make('catch5', config={'seed': 0})
    draws, rewards = np.random.default_rng(2), []
    for seed in range(4):
        seen, info = env.reset(seed=None if seed else 5)
        over = False
        while not over:
            shown.show(env.sim.games, env.sim.moves_of(0))
            assert shown.get_player_id() == info['seat'] == seed
            state = shown.get_state(info['seat'])
            assert np.array_equal(seen, state['obs'])
            assert np.flatnonzero(info['action_mask']).tolist() == list(state['legal_actions'])
            seen, reward, over, _, info = env.step(draws.choice(np.flatnonzero(env.action_masks())))
            assert over or reward == 0
        shown.show(env.sim.games, env.sim.moves_of(0))
        assert reward == shown.get_payoffs()[seed]
        rewards.append(reward)
    assert any(rewards)
    assert env.names() == ['rule', 'random', 'suit', 'learner']


def test_the_vector_environment_agrees_with_single_ones() -> None:
    settings = {'pool': ['random', 'rule'], 'seat': 'random'}
    many = gymnasium.make_vec('Catch5-v0', 4, 'vector_entry_point', **settings)
    single = gymnasium.make_vec(
        'Catch5-v0', 4, 'sync', vector_kwargs={'autoreset_mode': AutoresetMode.SAME_STEP}, **settings
    )
    (seen, info), expected = many.reset(seed=3), single.reset(seed=3)
    assert data_equivalence((seen, info), expected, exact=True)
    ended = 0
    for _ in range(30):
        chosen = info['action_mask'].argmax(axis=1)
        (seen, *rest, info), (their_seen, *their_rest, their_info) = many.step(chosen), single.step(chosen)
        assert data_equivalence((seen, info), (their_seen, their_info), exact=True)
        assert all(np.array_equal(ours, theirs) for ours, theirs in zip(rest, their_rest, strict=True))
        ended += int(rest[1].sum())
    assert ended >= 4


def test_what_is_wrong_is_named() -> None:
    env = make()
    env.reset(seed=1)
    assert env.names().count('rule') == 3
    with pytest.raises(IllegalActionError, match=r'action 63 is not legal: .*pass'):
        env.step(NUM_ACTIONS - 1)
    with pytest.raises(rlcard_catch5.registry.AgentNameError, match='choose random'):
        make(opponents='greedy')
    with pytest.raises(ConfigError, match="the modes are None, 'ansi'"):
        type(env)(render_mode='rgb_array')


def test_render_writes_all_hands() -> None:
    env = make(render_mode='ansi', opponents='random')
    env.reset(seed=1)
    assert env.render().count('\n') > 4
