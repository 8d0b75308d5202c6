"""Values of the networks in WebAssembly equal those in numpy."""

import numpy as np
import pytest

from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.models import load_dmc
from rlcard_big2.records import moves_of
from rlcard_big2.search.analysis import analyse_moves
from rlcard_big2.search.zoo import load_search, posterior_beliefs
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.models import load_ppo
from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import PRESETS as CATCH5_PRESETS
from rlcard_catch5.search.analysis import roll_out
from rlcard_kit.rng import new_streams
from rlcard_kit.rollout_analysis import GROUPS
from rlcard_kit.vector_env import VectorEnv
from tests.support.games import BIG2 as BIG2_FACTS
from tests.support.games import CATCH5 as CATCH5_FACTS
from tests.support.games import make
from tests.wasm.test_kernels import deal_of

TOLERANCE = 1e-3
LOOKED_AT = 1, 4, 9, 16  # plies: a bid, the trumps, two cards
NUMBERS = 'points', 'margin', 'behind', 'behind_margin', 'made'


def games_in_node(run_node, game, agent, rules, count):
    """Yield what the page computes at each turn: the position, its values, and what `evaluate` tells of it."""
    streams = new_streams(46, count)
    seeds = streams.astype(str).tolist()
    found = run_node('values.mjs', game=game.name, agent=agent, rules=rules, seeds=seeds)['games']
    for stream, turns in zip(streams, found, strict=True):
        env = VectorEnv(game, rules, np.array([stream]))
        for move, values, *told in turns:
            positions = env.positions()
            assert move in positions.moves
            yield positions, np.array(values), *told
            env.step(np.array([move]), env.new_payoffs(), np.zeros(1, np.bool_))


@pytest.mark.parametrize(('rules', 'count'), [('charlesworth', 25), ('hkust', 6), ('hong-kong-3', 6), ('taiwan', 6)])
def test_values_of_moves(run_node, rules, count):
    agent = load_dmc(numpy=True)
    agent.prepare(BIG2.find_rules(rules))
    states = other = 0
    for positions, values, *_ in games_in_node(run_node, BIG2, 'big2-dmc', rules, count):
        expected = agent.network.values(positions)
        assert np.abs(values - expected).max() < TOLERANCE
        other += values.argmax() != expected.argmax()
        states += 1
    assert states > 20 * count
    assert other <= states / 1000


@pytest.mark.parametrize('rules', ['charlesworth', 'hong-kong', 'two'])
def test_calibration(run_node, rules):
    found = run_node('values.mjs', game='big2', agent='big2-dmc', rules=rules, seeds=[])['calibration']
    expected = load_dmc(numpy=True).calibration(BIG2.find_rules(rules)).to_json()
    assert found.keys() == expected.keys()
    for name, table in expected.items():
        assert found[name] == pytest.approx(table)


def test_probabilities(run_node):
    agent, states, equal = load_ppo(), 0, 0
    for positions, values, value, folded, chosen in games_in_node(run_node, CATCH5, 'catch5-ppo', 'paper', 10):
        probabilities, payoffs = agent.network.probabilities(positions)
        shares, stand_ins = agent.fold(positions, probabilities)
        assert chosen == stand_ins.tolist()
        assert np.abs(np.array(folded) - shares).max() < TOLERANCE
        equal += len(set(chosen)) < len(chosen)
        assert np.abs(values - probabilities).max() < TOLERANCE
        assert abs(value - payoffs[0]) < TOLERANCE
        assert values.argmax() == probabilities.argmax()
        states += 1
    assert states == 290
    assert equal > 30


@pytest.mark.parametrize('rules', ['charlesworth', 'hong-kong-3', pytest.param('taiwan', marks=pytest.mark.slow)])
def test_deep_looks_and_searches(run_node, rules):
    env, before = make(BIG2_FACTS, seed=5, game_rules=rules), []
    state, _ = env.reset()
    hands = env.game.games['hands'][0, : env.num_players].tolist()
    while len(before) < 24 or len(state['raw_legal_actions']) < 4:
        before.append(state['raw_legal_actions'][0])
        state, _ = env.step(before[-1], raw_action=True)
    agent, moves, streams = load_dmc(numpy=True), state['raw_legal_actions'][:4], new_streams(3, 10)
    agent.prepare(BIG2.find_rules(rules))
    beliefs = posterior_beliefs(agent, trace=moves_of(state['raw_obs']['trace'], agent.rules))
    expected = analyse_moves(state, agent, deals=40, moves=moves, seed=3, beliefs=beliefs)
    given = {'hands': hands, 'before': before, 'moves': moves, 'deals': 40, 'streams': streams.astype(str).tolist()}
    found = run_node('look.mjs', rules=rules, worlds=48, **given)
    assert found['shares'] == sorted(found['shares'])
    assert found['shares'][-1] == 1
    for one, same in zip(found['moves'], expected.to_json()['moves'], strict=True):
        assert one.pop('reason') == pytest.approx(same.pop('reason'))
        assert one.pop('move') == same.pop('move')
        assert {'mean': one.pop('cards'), **one} == pytest.approx(same, abs=0.5)  # of rounding
    searching = load_search(agent, worlds=48)
    searching.prepare(agent.rules)
    searching._stream = streams[:1]
    action, info = searching.eval_step(state)
    assert found['chosen'] == state['raw_legal_actions'][list(state['legal_actions']).index(action)]
    assert found['worlds'] == info['worlds']
    assert found['estimates'] == pytest.approx(info['estimates'], abs=0.1)


@pytest.mark.parametrize(
    'rules',
    [pytest.param(name, marks=[pytest.mark.slow] * (name not in ('paper', 'newest'))) for name in CATCH5_PRESETS],
)
def test_searches_and_deep_looks_of_catch_five(run_node, rules):
    env, agent = make(CATCH5_FACTS, seed=8, game_rules=rules), load_ppo()
    searching, streams = make_agent('search:catch5-ppo,worlds=32', rules), new_streams(3, GROUPS)
    state, _ = env.reset()
    deal, turns, looks, moves = deal_of(env.game.games), [], [], []
    while not env.is_over():
        seen, legal = state['raw_obs'], state['raw_legal_actions']
        if len(legal) > 1:
            searching._stream = streams[:1].copy()
            turns.append([len(moves), legal[list(state['legal_actions']).index(searching.eval_step(state)[0])]])
        if len(moves) in LOOKED_AT:
            looks.append(roll_out(seen, legal, agent, 40, seed=3, guess=True))
        moves.append(legal[7 * len(moves) % len(legal)])
        state, _ = env.step(moves[-1], raw_action=True)
    given = {'deal': deal, 'moves': moves, 'plies': LOOKED_AT, 'streams': streams.astype(str).tolist()}
    found = run_node('catch5.mjs', rules=rules, stream=str(streams[0]), **given)
    assert [turn[:2] for turn in found['chosen']] == turns
    assert len(turns) > 15
    for (look, share), expected in zip(found['looks'], looks, strict=True):
        assert share == 1  # that is done at last
        for one, same in zip(look, expected, strict=True):
            reason, numbers = one.pop('reason'), (*same.payoff, *same.behind, same.made)
            assert reason == (same.reason and pytest.approx(same.reason._asdict()))
            assert one == pytest.approx(dict(zip(NUMBERS, numbers, strict=True)) | {'move': same.move})
