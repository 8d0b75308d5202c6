"""The PettingZoo face: PettingZoo's own tests, and agreement with `Big2Env`."""

import subprocess
import sys
import warnings
from collections.abc import Callable

import numpy as np
import pytest
import rlcard
from pettingzoo import AECEnv
from pettingzoo.test import api_test, render_test, seed_test
from rlcard.agents.pettingzoo_agents import RandomAgentPettingZoo
from rlcard.utils.pettingzoo_utils import reorganize_pettingzoo, run_game_pettingzoo, tournament_pettingzoo

import rlcard_big2.pettingzoo as big2
from rlcard_big2 import Rules
from rlcard_big2.actions import NUM_ACTIONS, PASS_ID
from rlcard_kit.errors import ConfigError, IllegalActionError, RulesError

FACES = pytest.mark.parametrize('make', [big2.env, big2.raw_env])
# PettingZoo's api_test warns of every Dict observation, its own games excepted by name.
DICT_OBSERVATION = ('Observation space for each agent probably', 'Observation is not a NumPy array')
Make = Callable[..., AECEnv]


class LowestAgent:
    """Plays the lowest action of the mask."""

    def step(self, state: big2.Observation) -> int:
        return int(np.argmax(state['action_mask']))

    def eval_step(self, state: big2.Observation) -> tuple[int, dict[str, object]]:
        return self.step(state), {}


def play_out(env: AECEnv, seed: int) -> list[int]:
    """Play the lowest legal actions until the game ends and return them; no agent is taken out yet."""
    env.reset(seed=seed)
    actions = []
    while not any(env.terminations.values()):
        actions.append(LowestAgent().step(env.observe(env.agent_selection)))
        env.step(actions[-1])
    return actions


def hands_of(env: AECEnv) -> list[str]:
    return env.unwrapped.rlcard_env.get_perfect_information()['hand_cards']


@FACES
@pytest.mark.parametrize('rules', ['charlesworth', Rules.preset('taiwan')])
def test_pettingzoos_api_test_passes_without_warnings(make: Make, rules: str | Rules) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        for message in DICT_OBSERVATION:
            warnings.filterwarnings('ignore', message)
        api_test(make(rules), num_cycles=200)


@FACES
def test_pettingzoos_seed_test_passes(make: Make) -> None:
    seed_test(make)


@FACES
def test_pettingzoos_render_test_passes(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(make, custom_tests={'ansi': lambda text: all(agent in text for agent in big2.AGENTS)})
    assert '> player_' in capsys.readouterr().out


def test_a_seed_fixes_this_deal_and_the_next_ones() -> None:
    env, again = big2.env(), big2.env()
    deals = []
    for seed in (5, None, None):
        env.reset(seed=seed)
        again.reset(seed=seed)
        assert hands_of(env) == hands_of(again)
        deals.append(tuple(hands_of(env)))
    assert len(set(deals)) == 3
    env.reset(seed=6)
    assert tuple(hands_of(env)) not in deals


def test_without_a_seed_two_environments_differ() -> None:
    env, other = big2.env(), big2.env()
    env.reset()
    other.reset()
    assert hands_of(env) != hands_of(other)


@pytest.mark.parametrize('rules', ['charlesworth', 'hkust', 'hong-kong', 'taiwan'])
def test_a_game_agrees_with_rlcards_environment(rules: str) -> None:
    env = big2.env(rules)
    reference = rlcard.make('big2', config={'seed': 11, 'game_rules': rules})
    env.reset(seed=11)
    state, player = reference.reset()
    while not reference.is_over():
        assert env.agent_selection == f'player_{player}'
        for seat, agent in enumerate(env.possible_agents):
            seen, expected = env.observe(agent), reference.get_state(seat)
            assert np.array_equal(seen['observation'], expected['obs'])
            assert np.flatnonzero(seen['action_mask']).tolist() == list(expected['legal_actions'])
        action = list(state['legal_actions'])[-1 if reference.timestep % 3 else 0]
        env.step(action)
        state, player = reference.step(action)
    assert env.rewards == {f'player_{seat}': payoff for seat, payoff in enumerate(reference.get_payoffs())}


@FACES
def test_rewards_come_once_and_dead_agents_leave_one_by_one(make: Make) -> None:
    env = make()
    play_out(env, seed=3)
    payoffs = dict(zip(env.possible_agents, env.unwrapped.rlcard_env.get_payoffs().tolist(), strict=True))
    assert max(payoffs.values()) > 0
    collected = {}
    for agent in env.agent_iter():
        observation, collected[agent], terminated, truncated, info = env.last()
        assert (terminated, truncated, info) == (True, False, {})
        assert not observation['action_mask'].any()
        env.step(None)
        assert not any(env.rewards.values())
    assert collected == payoffs
    assert env.agents == []


def test_an_action_after_the_end_is_refused() -> None:
    env = big2.raw_env()
    play_out(env, seed=3)
    with pytest.raises(ValueError, match='only valid action is None'):
        env.step(PASS_ID)


@pytest.mark.parametrize('action', [PASS_ID, None, -1, NUM_ACTIONS, 'pass'])
def test_raw_env_explains_an_illegal_action_and_goes_on(action: object) -> None:
    env = big2.raw_env()
    env.reset(seed=1)
    agent, before = env.agent_selection, env.observe(env.agent_selection)
    with pytest.raises(IllegalActionError):
        env.step(action)
    assert env.agent_selection == agent
    assert all(np.array_equal(before[key], now) for key, now in env.observe(agent).items())
    env.step(LowestAgent().step(before))
    assert env.agent_selection != agent


def test_env_ends_the_game_at_an_illegal_action_and_can_be_reset() -> None:
    env = big2.env()
    env.reset(seed=1)
    culprit = env.agent_selection
    env.step(PASS_ID)
    rewards = {}
    for agent in env.agent_iter():
        _, rewards[agent], terminated, truncated, _ = env.last()
        assert terminated
        assert truncated
        env.step(None)
    assert rewards == {agent: -13.0 if agent == culprit else 0.0 for agent in big2.AGENTS}
    assert play_out(env, seed=1) == play_out(big2.env(), seed=1)


def test_env_refuses_what_is_no_action_or_comes_too_early() -> None:
    env = big2.env()
    with pytest.raises(AssertionError, match='reset'):
        env.step(0)
    env.reset(seed=1)
    with pytest.raises(AssertionError, match='action space'):
        env.step(NUM_ACTIONS)


def test_rlcards_helpers_play_games() -> None:
    env = big2.env()
    agents = {agent: RandomAgentPettingZoo(NUM_ACTIONS) for agent in big2.AGENTS}
    agents['player_2'] = LowestAgent()
    for is_training in (False, True):
        transitions = reorganize_pettingzoo(run_game_pettingzoo(env, agents, is_training))
        assert set(transitions) == set(big2.AGENTS)
        assert all(steps[-1][4] for steps in transitions.values())
        rewards = {agent: steps[-1][2] for agent, steps in transitions.items()}
        assert list(map(rewards.get, big2.AGENTS)) == env.unwrapped.rlcard_env.get_payoffs().tolist()
    averages = tournament_pettingzoo(env, agents, 20)
    assert sum(averages.values()) == pytest.approx(0)
    assert any(averages.values())


def test_render_shows_hands_table_moves_and_payoffs() -> None:
    env = big2.env(render_mode='ansi')
    env.reset(seed=2)
    opener = env.agent_selection
    assert all(hand in env.render() for hand in hands_of(env))
    assert 'table     free' in env.render()
    env.step(LowestAgent().step(env.observe(opener)))
    assert f'table     3d by {opener}' in env.render()
    assert f'moves     {opener} 3d' in env.render()
    assert f'> {env.agent_selection}' in env.render()
    play_out(env, seed=2)
    trace = env.unwrapped.rlcard_env.get_perfect_information()['trace']
    moves = [f'player_{seat} {move}' for seat, move in trace[-8:]]
    payoffs = [f'player_{seat} {payoff:+d}' for seat, payoff in enumerate(env.unwrapped.rlcard_env.get_payoffs())]
    end = ' '.join(env.render().partition('moves')[2].split())
    assert end == f'{", ".join(moves)} payoffs {", ".join(payoffs)}'
    assert '>' not in env.render()


def test_human_mode_writes_every_position(capsys: pytest.CaptureFixture[str]) -> None:
    env = big2.env(render_mode='human')
    actions = play_out(env, seed=2)
    assert capsys.readouterr().out.count('table') == len(actions) + 1


def test_without_a_mode_render_warns() -> None:
    env = big2.raw_env()
    env.reset(seed=2)
    with pytest.warns(UserWarning, match="render_mode='ansi'"):
        assert env.render() is None


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ConfigError, match=r"'rgb_array'.*'human', 'ansi'"):
        big2.env(render_mode='rgb_array')
    with pytest.raises(RulesError, match='poker'):
        big2.env('poker')


def test_without_pettingzoo_the_import_names_the_extra() -> None:
    code = "import sys; sys.modules['pettingzoo'] = None; import rlcard_big2.pettingzoo"
    result = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert "needs PettingZoo: pip install 'rlcard-big2[pettingzoo]'" in result.stderr
