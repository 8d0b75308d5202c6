"""Sets of actions: every one means a legal move, in every environment alike."""

from itertools import combinations

import numpy as np
import pytest
import rlcard

from rlcard_big2 import make_agent
from rlcard_big2.action_sets import ACTION_SETS, action_set
from rlcard_big2.actions import ACTION_FEATURES, PASS_ID, action_id
from rlcard_big2.engine.big2 import big2_for
from rlcard_big2.engine.ruleset import strength, tabulate
from rlcard_big2.pettingzoo import env as pettingzoo_env
from rlcard_big2.random_rules import random_rules
from rlcard_big2.records import parse
from rlcard_big2.rules import PRESETS, Rules
from rlcard_kit.errors import ConfigError, GameOverError, IllegalActionError, RulesError
from tests.support.games import random_states
from tests.support.positions import random_positions

SETS = [(name, rules) for name in ACTION_SETS for rules in PRESETS if name != 'slots' or PRESETS[rules].is_usual_size]
EACH_SET = pytest.mark.parametrize(('name', 'rules'), SETS)


def make(rules, name='ids', **config):
    return rlcard.make('big2', config={'game_rules': rules, 'game_actions': name, 'seed': 7, **config})


@EACH_SET
def test_every_action_means_a_legal_move_and_every_move_has_an_action_but_for_options(name: str, rules: str) -> None:
    chosen = action_set(Rules.preset(rules), name)
    for positions in random_positions(24, rules, 40, big2_for(Rules.preset(rules))):
        games, actions = np.nonzero(chosen.masks(positions))
        each = positions.select(games)
        indices = chosen.indices(each, actions) - each.offsets[:-1]
        assert set(games) == set(range(24))
        assert ((indices >= 0) & (indices < positions.counts[games])).all()
        if name != 'reduced':
            assert len(games) == len(positions.moves) == len(set(zip(games, indices, strict=True)))


@pytest.mark.parametrize(
    ('hand', 'singles', 'pairs', 'fives'),
    [  # worked by hand, in the order of the options, '-' where the hand has none; of equals the first
        (
            '4c 5c 5d 6d 7h 8s Jh Jc Js Qd As Ad',
            'Qd, -, Qd, 4c, Qd, As',
            'Ad As, 5d 5c, Ad As',
            '-, -, 5d 5c Jc Jh Js, 4c 5d 6d 7h 8s, 5d 5c Jc Jh Js',
        ),
        (
            '3c 4h 6h 9h Qh Kh Ks Ts Td Th As 2d',
            '3c, As, 2d, 3c, 2d, As',
            '-, Kh Ks, Kh Ks',
            '-, -, Td Th Ts Kh Ks, 4h 6h 9h Th Qh, Td Th Ts Kh Ks',
        ),
        (
            '4c 6s 6h 8d 8h 8c Ts Ac As Kd 2h 2s',
            '4c, Ts, Kd, 4c, Kd, As',
            '6h 6s, 6h 6s, Ac As',
            '-, -, 6h 6s 8d 8c 8h, 6h 6s 8d 8c 8h, 6h 6s 8d 8c 8h',
        ),
        (
            '4c 5d 5c 5h 7s 8d 8c 8h Ts Qc Ad 2h',
            '4c, 7s, 2h, 4c, 2h, Ad',
            '-, -, 8d 8h',
            '-, -, -, 5d 5c 5h 8d 8c, 5d 5c 8d 8c 8h',
        ),
        (
            '4c 5d 6h 7s 8c 9c Tc Qc Ac Kd Kh 2s',
            '2s, -, 2s, 4c, 2s, Ac',
            'Kd Kh, Kd Kh, Kd Kh',
            '4c 5d 6h 7s 8c, 4c 8c 9c Tc Qc, -, 4c 5d 6h 7s 8c, 8c 9c Tc Qc Ac',
        ),
    ],
)
def test_options_mean_what_they_say(hand: str, singles: str, pairs: str, fives: str) -> None:
    position = {'big2': 1, 'rules': 'hong-kong', 'hands': [f'3d {hand}', None, None, None]}
    env = make('hong-kong', 'reduced')
    state, _ = env.reset(position=parse({**position, 'moves': ['3d', 'pass', 'pass', 'pass']}))
    expected = ', '.join((singles, pairs, fives)).split(', ')
    legal = state['legal_actions']
    found = [env._decode_action(number) if number in legal else '-' for number in range(len(expected))]
    assert found == expected


def test_the_compact_set_has_the_combinations_that_can_be_held_and_played() -> None:
    mini = PRESETS['mini']
    (table,) = tabulate(mini)
    cards = [1 << card for card in range(40, 52)]
    held = {sum(chosen) for size in (1, 2, 3) for chosen in combinations(cards, size)}
    ids = sorted(action_id(mask) for mask in held if strength(table, mask))
    chosen = action_set(mini, 'compact')
    assert chosen.ids.tolist() == [*ids, PASS_ID]
    assert len(ids) == 12 + 18 + 12
    assert np.array_equal(chosen.features, ACTION_FEATURES[chosen.ids])


@EACH_SET
def test_a_game_of_rlcard_and_pettingzoo_is_the_same_by_any_set(name: str, rules: str) -> None:
    env, ids, draws = make(rules, name, allow_step_back=True), make(rules), np.random.default_rng(2)
    (state, player), (expected, _), zoo = env.reset(), ids.reset(), pettingzoo_env(rules, actions=name)
    zoo.reset(seed=7)
    assert env.action_features.shape == (env.num_actions, *env.action_shape[0])
    while not env.is_over():
        legal, texts = list(state['legal_actions']), state['raw_legal_actions']
        by_id = dict(zip(expected['legal_actions'], expected['raw_legal_actions'], strict=True))
        assert [by_id[number] for number in state['legal_ids'].tolist()] == texts
        assert list(map(env._decode_action, legal)) == texts
        assert name == 'reduced' or texts == expected['raw_legal_actions']
        for action, features in state['legal_actions'].items():
            assert np.array_equal(features, env.get_action_feature(action))
        mask = zoo.observe(f'player_{player}')['action_mask']
        assert zoo.action_space(zoo.agent_selection).n == len(mask) == env.num_actions
        assert np.flatnonzero(mask).tolist() == sorted(legal)
        chosen = draws.integers(len(legal))
        zoo.step(legal[chosen])
        before = env.step(legal[chosen])
        assert env.step_back()[1] == player
        state, player = env.step(legal[chosen])
        assert np.array_equal(before[0]['obs'], state['obs'])
        expected, other = ids.step(texts[chosen], raw_action=True)
        assert (player, state['obs'].tolist()) == (other, expected['obs'].tolist())
    assert env.get_payoffs().tolist() == ids.get_payoffs().tolist() == list(zoo.rewards.values())


@pytest.mark.parametrize('name', ['slots', 'compact'])
def test_agents_play_the_same_games_by_any_numbering(name: str) -> None:
    games = []
    for chosen in ('ids', name):
        env = make('hong-kong', chosen)
        env.set_agents([make_agent(agent, 'hong-kong') for agent in ('rule', 'greedy', 'rule', 'big2-dmc')])
        games.append([env.run()[1].tolist() for _ in range(4)])
    assert games[0] == games[1]


def test_agents_play_options() -> None:
    env = make('hong-kong', 'reduced')
    env.set_agents([make_agent('rule'), *[make_agent('random')] * 3])
    assert np.mean([env.run()[1] for _ in range(40)], axis=0)[0] > 2


@pytest.mark.parametrize('name', ACTION_SETS)
def test_wrong_actions_are_named_and_change_nothing(name: str) -> None:
    env = make('charlesworth', name)
    with pytest.raises(GameOverError):
        env.step(0)
    state, player = env.reset()
    wrong = next(action for action in range(env.num_actions) if action not in state['legal_actions'])
    for action in (wrong, -1, env.num_actions, 'no', 0.5):
        with pytest.raises(IllegalActionError, match=str(action)):
            env.step(action)
    assert env.get_player_id() == player
    assert env.step(state['raw_legal_actions'][0], raw_action=True)[1] != player


def test_unknown_sets_and_sizes_are_named() -> None:
    for call in (make, lambda rules, name: pettingzoo_env(rules, actions=name)):
        with pytest.raises(ConfigError, match=r"'options'.*'ids', 'slots', 'reduced', 'compact'"):
            call('charlesworth', 'options')
        with pytest.raises(RulesError, match=r"actions='slots'.*players=4"):
            call('mini', 'slots')


def test_no_game_is_longer_than_its_bound() -> None:
    draws = np.random.default_rng(6)
    drawn = [random_rules(draws) for _ in range(20)]
    ends = [Rules(players=players, hand_size=2, ranks=3, opening='any', places=places, no_lone_two=not places)
            for players in (2, 3, 4) for places in (False, True)]  # fmt: skip
    longest = []
    for rules in [*drawn, *ends]:
        env = make(rules)
        for _ in range(3 if rules in drawn else 60):
            *_, (state, _) = random_states(env, draws)
            longest.append(len(state['action_record']) / big2_for(rules).max_plies)
    assert 0.5 < max(longest) <= 1
