"""The contract of `rlcard.make` for every game, and RLCard's own agents on it."""

import copy
import json
import pickle
import random
import re
import subprocess
import sys
from collections import OrderedDict
from functools import partial

import numpy as np
import pytest
import torch
from rlcard.agents import DQNAgent, NFSPAgent, RandomAgent
from rlcard.utils import reorganize, tournament
from torch.nn.utils import parameters_to_vector

from rlcard_kit.errors import ConfigError, GameOverError, HandsError, IllegalActionError, KitError, RecordError
from rlcard_kit.registry import AgentNameError
from tests.support.commands import run_python
from tests.support.games import EACH_GAME, EACH_PRESET, make, other, play_digests, random_states
from tests.support.helpers import digest, everything

CPU = torch.device('cpu')


def draws(seed=0):
    return np.random.default_rng(seed)


@EACH_GAME
def test_sizes_of_the_environment(game):
    env = make(game, game_num_players=4)
    assert (env.name, env.num_players, env.num_actions) == (game.name, 4, game.num_actions)
    assert (env.state_shape, env.action_shape) == ([[game.observation_size]] * 4, [[game.feature_size]] * 4)
    assert (env.game.get_num_players(), env.game.get_num_actions()) == (4, game.num_actions)


@EACH_PRESET
def test_states_of_a_game(game, rules):
    env = make(game, seed=1, game_rules=rules)
    for _ in range(5):
        for state, player in random_states(env, draws()):
            payoffs, winners = env.get_payoffs(), env.game.judger.judge_winners()
            assert player == env.get_player_id()
            assert (state['obs'].dtype, state['obs'].shape) == (np.int8, tuple(env.state_shape[player]))
            assert digest(state) == digest(env.get_state(player))
            assert_actions(env, state)
            assert_seats(env, player)
            assert payoffs.shape == (env.num_players,)
            assert payoffs.any() == bool(winners) == env.is_over()
            assert not winners or min(payoffs[list(winners)]) == max(payoffs) > min(payoffs)


def assert_seats(env, to_move):
    information = env.get_perfect_information()
    for seat in range(env.num_players):
        seen = env.get_state(seat)
        raw = seen['raw_obs']
        assert bool(seen['legal_actions']) == (seat == to_move and not env.is_over())
        assert (raw['self'], raw['current_player']) == (seat, information['current_player'])
        assert raw['current_hand'] == information['hand_cards'][seat]
        assert raw['played_cards'] == information['played_cards']
        assert raw['trace'] == information['trace'] == seen['action_record'] == env.action_recorder
        assert raw['actions'] == seen['raw_legal_actions']
        assert raw['actions'] == (information['legal_actions'] if seen['legal_actions'] else [])


def assert_actions(env, state):
    actions = state['legal_actions']
    assert type(actions) is OrderedDict
    assert bool(actions) != env.is_over()
    assert all(type(action) is int for action in actions)
    assert list(actions) == sorted(set(actions))
    for (action, feature), text in zip(actions.items(), state['raw_legal_actions'], strict=True):
        assert (feature.dtype, feature.tolist()) == (np.int8, env.get_action_feature(action).tolist())
        assert env._decode_action(action) == text
    assert len(set(state['raw_legal_actions'])) == len(actions)


@EACH_GAME
def test_states_are_the_callers_own(game):
    env = make(game, seed=1)
    state, _ = env.reset()
    before, feature = everything(env), env.get_action_feature(0)
    state['obs'][:] = 7
    state['legal_actions'].popitem()[1][:] = 7
    state['raw_obs']['trace'].append('x')
    state['raw_obs']['actions'].clear()
    state['raw_legal_actions'].clear()
    env.get_perfect_information()['legal_actions'].clear()
    env.get_action_feature(0)[:] = 7
    assert everything(env) == before
    assert env.get_action_feature(0).tolist() == feature.tolist()


@EACH_GAME
def test_steps_by_id_numpy_id_and_text_are_one(game):
    env, results = make(game), []
    _, opener = env.reset(**game.deal)
    action = env.game.legal_ids[env.game.legal_texts.index(game.opening)]
    for given, raw in (
        (action, False),
        (np.int64(action), False),
        (game.opening, True),
        (f' {game.opening.upper()} ', True),
    ):
        env.reset(**game.deal)
        results.append(digest(env.step(given, raw_action=raw)[0]))
        assert env.action_recorder == [(opener, game.opening)]
    assert all(result == results[0] for result in results)


@EACH_GAME
def test_same_seed_same_games(game):
    def games(seed):
        return play_digests(make(game, seed=seed), draws())

    assert games(11) == games(11)
    assert games(11) != games(12)
    assert games(None) != games(None)
    env = make(game, seed=12)
    play_digests(env, draws())
    assert env.seed(11) == 11
    assert play_digests(env, draws()) == games(np.int64(11))


@EACH_GAME
def test_importing_needs_neither_torch_nor_drawing_nor_rlcard_agents(game):
    modules = ['torch', 'rlcard.agents', 'rlcard.models', 'gymnasium', f'{game.package}.render.svg']
    code = f'import sys, json, {game.package}, rlcard; rlcard.make({game.name!r}).reset(); '
    code += f'print(json.dumps([name for name in {modules} if name in sys.modules]))'
    assert json.loads(run_python('.', '-c', code)) == []


@EACH_GAME
@pytest.mark.parametrize(('module', 'library'), [('gymnasium',) * 2, ('pettingzoo',) * 2, ('openspiel', 'pyspiel')])
def test_without_its_library_an_environment_names_the_extra(game, module, library):
    code = f'import sys; sys.modules[{library!r}] = None; import {game.package}.{module}'
    result = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
    assert f"pip install 'rlcard-big2[{module}]'" in result.stderr


@EACH_GAME
def test_global_random_state_is_neither_read_nor_written(game):
    results = []
    for seed in (1, 2):
        random.seed(seed)
        np.random.seed(seed)
        before = random.getstate(), str(np.random.get_state())
        results.append(play_digests(make(game, seed=9), draws()))
        play_digests(make(game), draws())
        assert (random.getstate(), str(np.random.get_state())) == before
    assert results[0] == results[1]


@EACH_GAME
@pytest.mark.parametrize('copied', [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_of_a_game_continue_alike_and_alone(game, copied):
    env = make(game, seed=4, game_rules=game.presets[2], allow_step_back=True)
    states = random_states(env, draws())
    for _ in range(20):
        next(states)
    before = everything(env)
    twin = copied(env)
    assert everything(twin) == before
    text = env.get_perfect_information()['legal_actions'][-1]
    after = digest(twin.step(text, raw_action=True)[0])
    assert everything(env) == before
    assert digest(env.step(text, raw_action=True)[0]) == after
    assert everything(twin) == everything(env)
    twin.step_back()
    assert everything(twin) == before
    twin.step(text, raw_action=True)
    assert play_digests(env, draws(1)) == play_digests(twin, draws(1))


@EACH_PRESET
def test_steps_back_restore_every_state_to_the_root(game, rules):
    env = make(game, seed=2, game_rules=rules, allow_step_back=True)
    random_draws, earlier, moves = draws(2), [], []
    state, _ = env.reset()
    while not env.is_over():
        earlier.append(everything(env))
        moves.append(int(random_draws.choice(list(state['legal_actions']))))
        state, _ = env.step(moves[-1])
    end = everything(env)
    for before in reversed(earlier):
        state, player = env.step_back()
        assert everything(env) == before
        assert digest(state) == before['states'][player]
        assert player == before['information']['current_player']
    assert env.step_back() is False
    assert everything(env) == earlier[0]
    for move in moves:
        env.step(move)
    assert everything(env) == end


@EACH_GAME
def test_agents_that_cannot_play_are_named(game):
    env = make(game, seed=1)
    with pytest.raises(ConfigError, match='set_agents'):
        env.run()
    agent, stranger = game.module().make_agent('rule'), other(game).module().make_agent
    program = f'program:{sys.executable}'
    for agents in ([agent] * 3, [], None, 7, 'rule', agent):
        with pytest.raises(ConfigError, match=r'^set_agents\(.*a list of 4 agents'):
            env.set_agents(agents)
    for wrong in (None, 7, ['rule'], type(agent), stranger('rule'), stranger(program)):
        with pytest.raises(ConfigError, match=r'^seat 2='):
            env.set_agents([agent, agent, wrong, agent])
    with pytest.raises(ConfigError, match=r"make_agent\('rule'\)"):
        env.set_agents([agent, agent, agent, 'rule'])
    env.set_agents([agent, agent, agent, game.module().make_agent(program)])
    env.set_agents([agent] * 5)  # RLCard's models have an agent for each of the most seats
    assert len(env.run()[1]) == 4


@EACH_GAME
def test_what_is_no_agent_is_named_by_matches_and_checks(game):
    play, make_agent = game.module('duplicate').play_match, game.module().make_agent
    for wrong in (None, 7, ['random', 'rule'], other(game).module().make_agent('rule')):
        for agents in (('rule', wrong), (wrong, 'rule')):
            with pytest.raises(ConfigError, match=re.escape(f'={wrong!r:.80}: ')):
                play(*agents, 2)
    for wrong in (None, 7, ['random', 'rule'], make_agent('rule')):
        with pytest.raises(AgentNameError, match='expected text, such as'):
            make_agent(wrong)
    with pytest.raises(AssertionError, match="'rule' is not an agent"):
        game.module('testing').check_agent('rule')


UNKNOWN_IDS = [-1, 10**30, 0.5, float('nan'), float('inf'), '3d', '0', '', None, [0], (0,), {}, b'3d', np.array([0, 1])]
UNKNOWN_TEXTS = ['', 'Xd', '3d 3d', '2s As', 7, None, ['4c'], '3d' * 999, '\ud800']
NO_DEALS = [[], [[0]] * 4, [range(13)] * 4, 'cards', [[99] * 13] * 4, [[-1] * 13] * 4, 5]
NO_POSITIONS = ['', '{', '[]', {}, 5, '{"big2": 1}', '{"catch5": 1}']


@EACH_GAME
def test_wrong_calls_are_refused_and_change_nothing(game):
    env = make(game, seed=1)
    env.reset()
    before = everything(env)
    wrong = [(call, seat, ConfigError) for call in (env.get_state, env.describe) for seat in (-1, 4, 1.5, '0', 10**30)]
    for action in (*UNKNOWN_IDS, game.num_actions):
        wrong += [(env.step, action, IllegalActionError), (env.get_action_feature, action, IllegalActionError)]
    wrong += [(partial(env.step, raw_action=True), text, KitError) for text in UNKNOWN_TEXTS]
    wrong += [(env.reset, deal, HandsError) for deal in NO_DEALS]
    wrong += [(lambda given: env.reset(position=given), position, RecordError) for position in NO_POSITIONS]
    for call, argument, error in wrong:
        with pytest.raises(error) as raised:
            call(argument)
        assert error in (HandsError, RecordError, KitError) or f'{argument!r:.20}' in str(raised.value)
    assert everything(env) == before


@EACH_GAME
def test_illegal_actions_and_moves_out_of_a_game_change_nothing(game):
    env = make(game, seed=1)
    for _ in range(2):
        before = everything(env)
        for action, raw in ((0, False), (game.num_actions - 1, False), (game.opening, True), ('pass', True)):
            with pytest.raises(GameOverError):
                env.step(action, raw_action=raw)
        assert everything(env) == before
        for _ in random_states(env, draws()):
            pass
    _, player = env.reset(**game.deal)
    before = everything(env)
    for action, raw in ((game.illegal, True), (env.game._parse(game.illegal), False)):
        with pytest.raises(IllegalActionError) as raised:
            env.step(action, raw_action=raw)
        named = game.illegal, f'player {player}', env.game.players[player].current_hand
        assert all(part in str(raised.value) for part in named)
    assert everything(env) == before


@EACH_GAME
@pytest.mark.parametrize(
    ('config', 'named'),
    [
        ({'game_rule': 'hkust'}, 'game_rule: .*game_rules.*game_num_players'),
        ({'game_x': 1, 'sede': 2}, 'game_x, sede'), ({'game_num_players': 5}, 'players.*4'),
        ({'game_rules': 'bridge'}, "'bridge'"), ({'game_rules': None}, 'game_rules=None'),
        ({'game_rules': {'triples': False}}, 'triples'), ({'seed': -1}, 'seed=-1'), ({'seed': 1.5}, 'seed=1.5'),
        ({'seed': 'x'}, "seed='x'"),
    ],
)  # fmt: skip
def test_bad_configurations_are_named(game, config, named):
    with pytest.raises(KitError, match=named):
        make(game, **config)


@EACH_GAME
def test_a_configuration_belongs_to_its_environment(game):
    make(game, game_rules=game.presets[-1], allow_step_back=True)
    assert make(game).game.rules.name == game.presets[0]
    with pytest.raises(ConfigError, match='allow_step_back'):
        make(game).step_back()


# RLCard's tests of its environments, and its agents


@EACH_GAME
def test_run_reorganize_and_tournament(game):
    env = make(game, seed=42)
    env.set_agents([RandomAgent(env.num_actions) for _ in range(env.num_players)])
    raw, payoffs = env.run(is_training=True)
    for player, transitions in enumerate(reorganize(raw, payoffs)):
        assert len(transitions) == sum(seat == player for seat, _ in env.action_recorder)
        for state, action, reward, next_state, done in transitions:
            assert action in state['legal_actions']
            assert reward == (payoffs[player] if done else 0)
            assert next_state['raw_obs']['self'] == player
        assert [done for *_, done in transitions] == [False] * (len(transitions) - 1) + [True]
    assert len(tournament(env, 3)) == 4


def weights(module):
    return parameters_to_vector(module.parameters()).detach().clone()


@EACH_GAME
def test_dqn_and_nfsp_agents_train(game):
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    env = make(game, seed=42)
    sizes = {'num_actions': env.num_actions, 'state_shape': env.state_shape[0], 'device': CPU}
    dqn = DQNAgent(
        replay_memory_size=200, replay_memory_init_size=20, batch_size=8, mlp_layers=[8], train_every=5, **sizes
    )
    nfsp = NFSPAgent(
        hidden_layers_sizes=[8], anticipatory_param=1.0, batch_size=8, min_buffer_size_to_learn=8, train_every=5,
        q_replay_memory_size=200, q_replay_memory_init_size=20, q_batch_size=8, q_train_every=5, q_mlp_layers=[8],
        **sizes,
    )  # fmt: skip
    for agent, network in ((dqn, dqn.q_estimator.qnet), (nfsp, nfsp.policy_network)):
        before = weights(network)
        env.set_agents([agent, *(RandomAgent(env.num_actions) for _ in range(3))])
        for _ in range(8):
            for transition in reorganize(*env.run(is_training=True))[0]:
                agent.feed(transition)
        assert agent.train_t > 1
        assert not torch.equal(weights(network), before)
        assert len(tournament(env, 2)) == 4


@pytest.mark.slow
@pytest.mark.parametrize(
    'modules', ['rlcard.models, rlcard_big2, rlcard_catch5', 'rlcard_big2, rlcard_catch5, rlcard.models']
)
def test_models_are_registered_whichever_is_imported_first(modules):
    code = (
        f"import {modules}; print([type(rlcard.models.load(name)).__name__ for name in ('big2-rule', 'catch5-rule')])"
    )
    assert run_python('.', '-c', code) == "['RuleModel', 'RuleModel']\n"
