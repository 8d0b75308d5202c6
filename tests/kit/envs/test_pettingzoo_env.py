"""PettingZoo's own tests for every game, and agreement with RLCard's environments."""

import warnings
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from pettingzoo.utils import turn_based_aec_to_parallel
from rlcard.agents.pettingzoo_agents import RandomAgentPettingZoo
from rlcard.utils.pettingzoo_utils import reorganize_pettingzoo, run_game_pettingzoo, tournament_pettingzoo

from rlcard_big2.rules import Rules
from rlcard_kit.envs.callers import warn_once
from rlcard_kit.envs.pettingzoo_env import Observation, play_transitions
from rlcard_kit.errors import ConfigError, IllegalActionError, RulesError
from tests.support.callers import caller_in
from tests.support.games import BIG2, EACH_GAME, EACH_PRESET, GameFacts, make

WRAPPED = pytest.mark.parametrize('kind', ['env', 'raw_env'])
# PettingZoo's api_test warns of every Dict observation, its own games excepted by name.
DICT_OBSERVATION = ('Observation space for each agent probably', 'Observation is not a NumPy array')


def new(game: GameFacts, kind: str = 'env', *arguments: object, **settings: object) -> AECEnv:
    return getattr(game.module('pettingzoo'), kind)(*arguments, **settings)


class LowestAgent:
    """Plays the lowest action of the mask."""

    def step(self, state: Observation) -> int:
        return int(np.argmax(state['action_mask']))

    def eval_step(self, state: Observation) -> tuple[int, dict[str, object]]:
        return self.step(state), {}


def play_out(env: AECEnv, seed: int) -> list[int]:
    """Play the lowest legal actions until the game ends and return them; no agent is taken out yet."""
    env.reset(seed=seed)
    actions = []
    while not any(env.terminations.values()):
        actions.append(LowestAgent().step(env.observe(env.agent_selection)))
        env.step(actions[-1])
    return actions


def last_rewards(env: AECEnv) -> dict[str, float]:
    """Take out the agents of a game that is over, one by one; return their rewards."""
    rewards = {}
    for agent in env.agent_iter():
        _, rewards[agent], terminated, _, _ = env.last()
        assert terminated
        env.step(None)
        assert not any(env.rewards.values())
    assert env.agents == []
    return rewards


def hands_of(env: AECEnv) -> list[str]:
    return env.unwrapped.rlcard_env.get_perfect_information()['hand_cards']


@WRAPPED
@EACH_GAME
def test_pettingzoos_api_test_passes_without_warnings(game: GameFacts, kind: str) -> None:
    rules = game.module('rules').PRESETS[game.presets[-1]]
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        for message in DICT_OBSERVATION:
            warnings.filterwarnings('ignore', message)
        api_test(new(game, kind, rules), num_cycles=200)


@EACH_GAME
@pytest.mark.filterwarnings('ignore::UserWarning')
def test_pettingzoos_other_tests_pass(game: GameFacts) -> None:
    seed_test(partial(new, game), num_cycles=100)
    parallel_api_test(turn_based_aec_to_parallel(new(game)), num_cycles=100)
    render_test(partial(new, game), custom_tests={'ansi': lambda text: len(text) > 40})


@EACH_GAME
def test_a_seed_fixes_this_deal_and_the_next_ones(game: GameFacts) -> None:
    env, again = new(game), new(game)
    deals = []
    for seed in (5, None, None, 6):
        env.reset(seed=seed)
        again.reset(seed=seed)
        assert hands_of(env) == hands_of(again)
        deals.append(tuple(hands_of(env)))
    assert len(set(deals)) == 4
    env, again = new(game), new(game)
    env.reset()
    again.reset()
    assert hands_of(env) != hands_of(again)


@EACH_PRESET
def test_a_game_agrees_with_rlcards_environment(game: GameFacts, rules: str) -> None:
    env = new(game, 'env', rules)
    reference = make(game, seed=11, game_rules=rules)
    env.reset(seed=11)
    state, player = reference.reset()
    while not reference.is_over():
        assert env.agent_selection == f'player_{player}'
        for seat, agent in enumerate(env.possible_agents):
            seen, expected = env.observe(agent), reference.get_state(seat)
            assert np.array_equal(seen['observation'], expected['obs'])
            assert np.flatnonzero(seen['action_mask']).tolist() == list(expected['legal_actions'])
            assert env.infos[agent] == {'action_mask': seen['action_mask']}  # the same array
        action = list(state['legal_actions'])[-1 if reference.timestep % 3 else 0]
        env.step(action)
        state, player = reference.step(action)
    assert env.rewards == {f'player_{seat}': payoff for seat, payoff in enumerate(reference.get_payoffs())}
    for seat, agent in enumerate(env.possible_agents):
        assert np.array_equal(env.observe(agent)['observation'], reference.get_state(seat)['obs'])


@WRAPPED
@EACH_GAME
def test_rewards_come_once_and_dead_agents_leave_one_by_one(game: GameFacts, kind: str) -> None:
    env = new(game, kind)
    play_out(env, seed=3)
    payoffs = env.unwrapped.rlcard_env.get_payoffs().tolist()
    with pytest.raises(ValueError, match='only valid action is None'):
        env.unwrapped.step(0)
    observation, _, terminated, truncated, info = env.last()
    assert (terminated, truncated, info) == (True, False, {'action_mask': observation['action_mask']})
    assert not observation['action_mask'].any()
    assert last_rewards(env) == dict(zip(env.possible_agents, payoffs, strict=True))


@EACH_GAME
def test_raw_env_explains_an_illegal_action_and_goes_on(game: GameFacts) -> None:
    env = new(game, 'raw_env')
    env.reset(seed=1)
    agent, before = env.agent_selection, env.observe(env.agent_selection)
    for action in (game.num_actions - 1, None, -1, 10**6, 'pass'):
        with pytest.raises(IllegalActionError):
            env.step(action)
        assert env.agent_selection == agent
        assert all(np.array_equal(before[key], now) for key, now in env.observe(agent).items())
    env.step(LowestAgent().step(before))
    assert env.agent_selection != agent


@EACH_GAME
def test_env_ends_the_game_at_an_illegal_action_and_can_be_reset(game: GameFacts) -> None:
    env = new(game)
    with pytest.raises(AssertionError, match='reset'):
        env.step(0)
    env.reset(seed=1)
    with pytest.raises(AssertionError, match='action space'):
        env.step(game.num_actions)
    culprit = env.agent_selection
    env.step(game.num_actions - 1)
    assert all(env.truncations.values())
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    assert last_rewards(env) == {**rewards, culprit: game.illegal_reward}
    assert play_out(env, seed=1) == play_out(new(game), seed=1)


def test_observations_of_a_game_are_new_arrays() -> None:
    env = new(BIG2)
    env.reset(seed=1)
    seen = []
    for _ in range(3):
        seen += [env.observe(agent) for agent in env.agents] + [env.observe(env.agent_selection)]
        env.step(LowestAgent().step(seen[-1]))
    kept = [one['observation'].copy() for one in seen]
    for i, one in enumerate(seen):
        one['observation'][:] = 0
        assert all(np.array_equal(seen[k]['observation'], kept[k]) for k in range(i + 1, len(seen)))
    assert env.observe(env.agent_selection)['observation'].any()


@EACH_GAME
def test_a_wrapper_that_spoils_masks_is_named_once_and_others_are_not(game: GameFacts) -> None:
    env = new(game)

    def forfeit(call: Callable[..., Any]) -> list[str]:
        env.reset(seed=1)
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter('always')
            call(env.step, game.num_actions - 1)
        assert all(env.terminations.values())
        return [str(warning.message) for warning in shown]

    warn_once.cache_clear()
    assert forfeit(caller_in('supersuit.lambda_wrappers.reward_lambda')) == []
    (named,) = forfeit(caller_in('supersuit.generic_wrappers.frame_skip'))
    assert named.startswith("SuperSuit's frame_skip_v0 around this environment plays actions")
    assert forfeit(caller_in('supersuit.generic_wrappers.frame_skip')) == []
    sticky = type('shared_wrapper_aec', (), {'__init__': lambda self, kind: setattr(self, 'modifier_class', kind)})
    sticky.step = lambda self, step, action: step(action)
    for module, count in (('supersuit.generic_wrappers.sticky_actions', 1), ('supersuit.other', 0)):
        kind = type('Modifier', (), {'__module__': module})
        assert len(forfeit(sticky(kind).step)) == count


@EACH_GAME
def test_rlcards_helpers_play_games(game: GameFacts) -> None:
    env = new(game)
    agents = {agent: RandomAgentPettingZoo(game.num_actions) for agent in env.possible_agents}
    agents['player_2'] = LowestAgent()
    transitions = reorganize_pettingzoo(run_game_pettingzoo(env, agents, is_training=True))
    assert set(transitions) == set(env.possible_agents)
    assert all(steps[-1][4] for steps in transitions.values())
    rewards = {agent: steps[-1][2] for agent, steps in transitions.items()}
    assert list(map(rewards.get, env.possible_agents)) == env.unwrapped.rlcard_env.get_payoffs().tolist()
    assert any(tournament_pettingzoo(env, agents, 20).values())


def test_render_shows_hands_table_moves_and_payoffs() -> None:
    env = new(BIG2, render_mode='ansi')
    env.reset(seed=2)
    opener = env.agent_selection
    assert all(hand in env.render() for hand in hands_of(env))
    env.step(LowestAgent().step(env.observe(opener)))
    assert f'table     3d by {opener}' in env.render()
    play_out(env, seed=2)
    single, end = env.unwrapped.rlcard_env, ' '.join(env.render().split())
    moves = [f'player_{seat} {move}' for seat, move in single.action_recorder[-8:]]
    payoffs = [f'player_{seat} {payoff:+d}' for seat, payoff in enumerate(single.get_payoffs())]
    assert end.endswith(f'{", ".join(moves)} payoffs {", ".join(payoffs)}')


@EACH_GAME
def test_modes_of_rendering(game: GameFacts, capsys: pytest.CaptureFixture[str]) -> None:
    actions = play_out(new(game, render_mode='human'), seed=2)
    assert capsys.readouterr().out.count('\n\n') == len(actions) + 1
    env = new(game, 'raw_env')
    env.reset(seed=2)
    with pytest.warns(UserWarning, match="render_mode='ansi'"):
        assert env.render() is None
    with pytest.raises(ConfigError, match=r"'rgb_array'.*'human', 'ansi'"):
        new(game, render_mode='rgb_array')
    with pytest.raises(RulesError, match='poker'):
        new(game, 'env', 'poker')


# Transitions


def transitions_of(env, choose, seed):
    seats = defaultdict(list)
    for agent, transition in play_transitions(env, choose, seed):
        seats[agent].append(transition)
    return seats


@EACH_PRESET
def test_every_decision_is_in_the_sequence_of_its_seat_and_the_last_has_the_payoff(game: GameFacts, rules: str) -> None:
    env, draws = new(game, 'env', rules), np.random.default_rng(1)
    for seed in range(3):
        made = []

        def choose(agent, seen, made=made):
            made.append((agent, seen['observation'], int(draws.choice(np.flatnonzero(seen['action_mask'])))))
            return made[-1][-1]

        seats, single = transitions_of(env, choose, seed), env.unwrapped.rlcard_env
        assert sum(map(len, seats.values())) == len(made) == len(single.action_recorder)
        for agent, payoff in zip(env.possible_agents, single.get_payoffs().tolist(), strict=True):
            own = seats[agent]
            decisions = [(seen.tolist(), action) for other, seen, action in made if other == agent]
            assert [(step.observation.tolist(), step.action) for step in own] == decisions
            assert [step.reward for step in own] == [0] * (len(own) - 1) + [payoff] * bool(own)
            assert [step.is_last for step in own] == [False] * (len(own) - 1) + [True] * bool(own)
            assert all(step.mask[step.action] for step in own)
            for step, following in pairwise(own):
                assert np.array_equal(step.next_observation, following.observation)
                assert np.array_equal(step.next_mask, following.mask)
            assert not own or not own[-1].next_mask.any()


def test_a_seat_that_never_moves_has_none() -> None:
    env = new(BIG2, 'env', Rules(players=2, hand_size=1, opening='any'))
    seats = transitions_of(env, lambda agent, seen: seen['action_mask'].argmax(), 1)
    ((transition,),) = seats.values()
    assert (transition.reward, transition.is_last) == (1, True)


@WRAPPED
def test_an_illegal_action_ends_the_sequences_where_the_environment_does(kind: str) -> None:
    env = new(BIG2, kind)
    if kind == 'raw_env':
        with pytest.raises(ValueError, match='is not legal'):
            transitions_of(env, lambda agent, seen: seen['action_mask'].argmin(), 1)
        return
    ((transition,),) = transitions_of(env, lambda agent, seen: seen['action_mask'].argmin(), 1).values()
    assert (transition.reward, transition.is_last) == (-13, True)
