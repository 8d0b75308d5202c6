"""The search agent: what it sees, its budgets, its beliefs and its estimates."""

from dataclasses import replace

import numpy as np
import pytest
import rlcard
from random_games import random_games
from rlcard import models
from test_look import Hashed, seen, state_of, worlds_of

import rlcard_big2  # noqa: F401  # registers 'big2'
from experiments import distilling
from experiments.searching import Options, Played, Variant, played_choices
from rlcard_big2.agents.rule import RuleAgent
from rlcard_big2.duplicate import play_match
from rlcard_big2.engine.moves import MAX_LEGAL
from rlcard_big2.engine.observation import new_observations
from rlcard_big2.engine.state import HISTORY, new_games
from rlcard_big2.errors import ConfigError
from rlcard_big2.lockstep.positions import Positions
from rlcard_big2.lockstep.random import new_streams
from rlcard_big2.models import load_dmc
from rlcard_big2.names import AgentNameError, make_agent, weights_file
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.notation import table_of
from rlcard_big2.rules import PRESETS, Rules
from rlcard_big2.search import beliefs, playouts
from rlcard_big2.search.agent import SearchAgent
from rlcard_big2.search.beliefs import log_likelihoods
from rlcard_big2.search.estimates import TRUST, estimate_moves, still_open
from rlcard_big2.testing import check_agent
from rlcard_big2.vector import VectorEnv


@pytest.fixture(scope='module')
def base():
    return load_dmc(numpy=True)


class Near(Hashed):
    """Values so near to each other that there are always candidates."""

    def values(self, positions):
        return super().values(positions) / 2**24


def positions_of_games(count, rules, plies, seed=1):
    """Return what the seats to move see and may do after some random moves."""
    env, random = VectorEnv(count, rules, seed), np.random.default_rng(seed)
    observations, (moves, offsets) = env.new_observations(), env.new_legal()
    payoffs, done = env.new_payoffs(), np.empty(count, np.bool_)
    for _ in range(plies):
        total = env.legal(moves, offsets)
        env.step(moves[:total][offsets[:-1] + (random.random(count) * np.diff(offsets)).astype(int)], payoffs, done)
    env.observe(observations)
    return Positions(observations, moves[: env.legal(moves, offsets)].copy(), offsets)


def test_true_hidden_hands_change_nothing(base):
    for ply in (5, 23):
        position = random_games(Rules(), 1, seed=6)[0].at(ply)
        shown = position.seen_by(position.player)
        found = []
        for seed, one in enumerate((position, shown, shown)):
            state, _ = rlcard.make('big2', config={'seed': seed}).reset(position=one)
            agent = SearchAgent(base, worlds=8)
            found.append(agent.eval_step(state))
        assert found[0] == found[1] == found[2]
        assert found[0][1]['estimates']


def test_without_worlds_it_plays_as_its_base_does(base):
    positions = positions_of_games(40, 'charlesworth', 10)
    streams = new_streams(0, 40)
    choice = SearchAgent(base, worlds=0).choose(positions, streams)
    np.testing.assert_array_equal(choice.indices, base.choose(positions, streams).indices)
    np.testing.assert_array_equal(streams, new_streams(0, 40))


def test_the_same_seed_plays_the_same_games(base):
    once, again = (play_match(SearchAgent(base, worlds=4), 'greedy', deals=2, seed=3) for _ in range(2))
    np.testing.assert_array_equal(once.payoffs, again.payoffs)


@pytest.mark.parametrize('rules', PRESETS)
def test_games_do_not_depend_on_what_runs_beside_them(rules):
    agent = SearchAgent(DMCAgent(Near()), worlds=20)
    agent.prepare(PRESETS[rules])
    positions, streams = positions_of_games(12, rules, 9), new_streams(2, 12)
    together = agent.choose(positions, streams).indices - positions.offsets[:-1]
    alone = []
    for game in range(12):
        own = positions.select(np.array([game]))
        alone.append(agent.choose(own, new_streams(2, 12)[game : game + 1]).indices[0])
    assert together.tolist() == alone
    first = [positions.select(np.array([game])) for game in range(12)]
    plain = [agent.base.choose(one, streams[:1]).indices[0] for one in first]
    assert alone != plain  # it does search


def test_what_is_computed_at_once_changes_nothing(monkeypatch):
    positions, found = positions_of_games(12, 'charlesworth', 9), []
    for size in (2048, 7):
        monkeypatch.setattr(playouts, 'LOCKSTEP', size)
        monkeypatch.setattr(beliefs, 'LOCKSTEP', size)
        _, _, cases = SearchAgent(DMCAgent(Near()), worlds=20).search(positions, new_streams(2, 12))
        found.append([(case.means.tolist(), case.worlds.tolist()) for case in cases])
    assert found[0] == found[1]
    assert len(found[0]) > 3


def test_what_it_was_chosen_by_is_told(base):
    state = state_of('5s 6s 2s', 2, 6, 7)
    action, info = SearchAgent(base, worlds=20).eval_step(state)
    assert set(info['values']) == set(state['raw_legal_actions'])
    assert set(info['estimates']) == set(info['errors']) == set(info['worlds']) <= set(info['values'])
    best = max(info['estimates'], key=info['estimates'].get)
    assert list(state['legal_actions'])[state['raw_legal_actions'].index(best)] == action
    assert info['errors'][best] == 0
    assert max(info['worlds'].values()) in (16, 20)
    assert SearchAgent(base, worlds=20).eval_step(state)[1] == info


def test_a_single_candidate_needs_no_playouts(base):
    state = state_of('Ks', 3, 4, 5)
    action, info = SearchAgent(base, worlds=20).eval_step(state)
    assert (list(state['legal_actions']), info['estimates']) == ([action], {})


def test_time_buys_worlds_and_none_buys_the_moves_of_the_base():
    agent = DMCAgent(Near())
    state = rlcard.make('big2', config={'seed': 1}).reset(position=random_games(Rules(), 1, seed=6)[0].at(5))[0]
    _, info = SearchAgent(agent, milliseconds=1e-6).eval_step(state)
    assert set(info['worlds'].values()) == {0}
    assert set(info['errors'].values()) == {None}
    assert SearchAgent(agent, milliseconds=1e-6).eval_step(state)[0] == agent.eval_step(state)[0]
    _, info = SearchAgent(agent, milliseconds=600).eval_step(state)
    assert max(info['worlds'].values()) > 4


@pytest.mark.parametrize('rules', PRESETS.values(), ids=PRESETS)
def test_opponents_choices_are_replayed_as_they_were_seen(rules):
    replayed = 0
    for record in random_games(rules, 3, seed=2):
        for ply in (4, 11, 16, 23, len(record.moves) - 1):
            game, mover = record.at(min(ply, len(record.moves) - 1)).final(), record.at(ply).player
            found = replay(table_of(rules), seen(game), np.roll(game['hands'], -mover, axis=1))
            true = [record.at(age).final() for age in range(max(0, ply - HISTORY), ply)]
            true = [one for one in true if one['player'][0] != mover]
            by_ply = {int(one['ply'][0]): one for one in true}
            for observation, moves, chosen in found:
                one = by_ply[int(observation['ply'])]
                expected = seen(one)[0]
                fields = [name for name in expected.dtype.names if name not in ('history', 'last', 'kinds')]
                if not rules.final_pass:
                    fields.remove('passed')
                for field in fields:
                    assert np.array_equal(observation[field], expected[field]), field
                if ply <= HISTORY:
                    assert observation['history'].tolist() == expected['history'].tolist()
                assert moves[chosen] == record.moves[int(observation['ply'])]
                replayed += 1
            if ply <= HISTORY:
                assert len(found) == sum(num_legal(rules, one) > 1 for one in true)
    assert replayed > 60


def num_legal(rules, game):
    env = rlcard.make('big2', config={'seed': 0, 'game_rules': rules})
    env.show(game, [])
    return len(env.get_state(env.get_player_id())['raw_legal_actions'])


def replay(table, observation, hands):
    """Return the opponents' choices in a world: what was seen, the legal moves, and the index of the move made."""
    moves, offsets = np.empty(HISTORY * MAX_LEGAL, np.int64), np.empty(HISTORY + 1, np.int64)
    worlds, chosen, out = np.empty(HISTORY, np.int64), np.empty(HISTORY, np.int64), new_observations(HISTORY)
    count = beliefs._replay(
        table, observation, np.zeros(1, np.int64), hands, new_games(1), out, moves, offsets, worlds, chosen
    )
    return [
        (out[i], moves[offsets[i] : offsets[i + 1]], chosen[i] - offsets[i]) for i in range(count)
    ]  # fmt: skip


def test_true_hands_are_likelier_than_others(base):
    """Among games of the network against itself; 1 nat for the true deal among 24 is far beyond chance."""
    told = []
    for seed in range(8):
        env = rlcard.make('big2', config={'seed': seed})
        env.set_agents([base] * 4)
        env.run()
        record = env.to_record()
        for ply in range(8, len(record.moves), 7):
            game, mover = record.at(ply).final(), record.at(ply).player
            worlds = worlds_of(seen(game), 24, seed)[0]
            worlds[0] = np.roll(game['hands'][0], -mover)
            logs = log_likelihoods(base.network, table_of(Rules()), seen(game), np.zeros(24, np.int64), worlds)
            assert (logs <= 0).all()
            told.append(logs[0] - np.log(np.exp(logs).mean()))
    assert len(told) > 20
    assert np.mean(told) > 1


def test_positions_without_their_first_moves_are_searched(base):
    state = state_of('5s 6s 2s', 2, 6, 7)
    packed = state['raw_obs']['packed']
    logs = log_likelihoods(base.network, table_of(Rules()), packed, np.zeros(5, np.int64), worlds_of(packed, 5)[0])
    assert logs.tolist() == [0] * 5  # nothing is known of how they played


def test_estimates_lie_between_the_network_and_what_came_of_the_moves():
    random = np.random.default_rng(0)
    common, own = random.normal(0, 20, 4000), random.normal(0, 3, (3, 4000))
    outcomes = np.array([1.0, 2.0, 0.0])[:, None] + common + own
    many = estimate_moves(np.array([5.0, 4.5, 4.0]), outcomes, np.zeros(4000))
    assert many.means.argmax() == 1
    np.testing.assert_allclose(many.means - many.means[1], [-1, 0, -2], atol=0.25)
    assert many.errors[1] == 0
    assert (many.errors[[0, 2]] < 0.1).all()
    assert still_open(many).tolist() == [False, True, False]
    few = estimate_moves(np.array([5.0, 4.5, 4.0]), outcomes[:, :1], np.zeros(1))
    np.testing.assert_allclose(few.means - 5, [0, -0.5, -1], atol=0.9)
    assert (few.errors[1:] > 0.9 * TRUST).all()


def test_unlikely_worlds_count_for_nothing():
    outcomes = np.array([[0.0] * 40, [-10.0] * 20 + [10.0] * 20])
    for likely, best in ((slice(0, 20), 0), (slice(20, 40), 1)):
        logs = np.full(40, -50.0)
        logs[likely] = 0
        assert estimate_moves(np.zeros(2), outcomes, logs).means.argmax() == best


@pytest.mark.parametrize(
    ('settings', 'message'),
    [
        ({}, r'^search takes worlds or milliseconds for a decision: neither are given$'),
        ({'worlds': 8, 'milliseconds': 5}, r'^search takes worlds or milliseconds for a decision: both are given$'),
        ({'worlds': -1}, r'^worlds=-1: expected a whole number, from 0 to 1000000$'),
        ({'worlds': 1.5}, r'^worlds=1\.5: expected a whole number'),
        ({'milliseconds': 0}, r'^milliseconds=0: expected a number above 0, at most 3,600,000$'),
        ({'milliseconds': float('nan')}, r'^milliseconds=nan: expected a number above 0'),
    ],
)
def test_budgets_out_of_bounds_are_refused(base, settings, message):
    with pytest.raises(ConfigError, match=message):
        SearchAgent(base, **settings)


@pytest.mark.parametrize(
    ('name', 'message'),
    [
        ('search:big2-dmc', 'search takes worlds or milliseconds for a decision: neither are given'),
        ('search:big2-dmc,worlds=0', 'worlds=0: expected a whole number, from 1 to 1000000'),
        ('search:big2-dmc,worlds=4,milliseconds=9', 'both are given'),
        ('search:big2-dmc,milliseconds=-3', 'milliseconds=-3: expected a number above 0'),
        ('search:big2-dmc,worlds=many', 'worlds=many is not a number'),
        ('search:big2-dmc,deals=4', "no option 'deals=4': it takes worlds=N, milliseconds=N, epsilon=SHARE"),
        ('search:rule,worlds=4', 'search needs an agent that says what moves are worth: big2-dmc or dmc:FOLDER'),
        ('search:nobody,worlds=4', "'nobody' is not the name of an agent"),
        ('search', r'write search:AGENT\[,worlds=N\]\[,milliseconds=N\]'),
    ],
)
def test_names_that_do_not_mean_a_search_are_refused(name, message):
    with pytest.raises(AgentNameError, match=message):
        make_agent(name)


def test_it_is_made_by_name_and_as_a_model():
    named = make_agent('search:big2-dmc,worlds=6')
    assert (named.worlds, named.milliseconds) == (6, None)
    assert make_agent('search:big2-dmc,milliseconds=2.5,epsilon=0.1').agent.milliseconds == 2.5
    assert weights_file('search:big2-dmc,worlds=6') == weights_file('big2-dmc')
    (agent, *others) = models.load('big2-search').agents
    assert isinstance(agent, SearchAgent)
    assert agent.worlds == 64
    assert others == [agent] * 3


def test_a_base_without_values_is_refused():
    with pytest.raises(ConfigError, match='search needs an agent that says what moves are worth'):
        SearchAgent(RuleAgent(), worlds=4)


def test_it_keeps_to_the_protocol(base):
    check_agent(SearchAgent(base, worlds=1), ['charlesworth'])


def test_the_experiment_judges_by_what_the_true_hands_bring(base):
    choice = next(played_choices(SearchAgent(base, worlds=8), Options(worlds=8)))
    assert choice.outcomes.shape == (len(choice.expected), len(choice.logs)) == (len(choice.true), 8)
    assert choice.expected.tolist() == sorted(choice.expected, reverse=True)
    outcomes = np.array([[-5.0] * 8, [20.0] * 4 + [-40.0] * 4])
    told = Played(np.zeros(2), np.array([-5.0, 12.0]), outcomes, np.array([0.0] * 4 + [-30.0] * 4))
    assert Variant(1, weighed=True).gain(told) == 17
    assert Variant(1, weighed=False).gain(told) == 0
    assert Variant(1 / 2, weighed=False).gain(told) == 17


def test_a_small_network_learns_to_choose_as_a_large_one(tmp_path, capsys):
    options = distilling.Options(tmp_path / 'quick', hidden_size=8, minutes=0.05)
    distilling.distil(options)
    quick = DMCAgent.load(options.savedir, numpy=True)
    assert (quick.network.spec.summary, quick.network.spec.hidden_size) == ('none', 8)
    agent = SearchAgent(load_dmc(numpy=True), worlds=4, playing=quick.network)
    assert play_match(agent, 'random', deals=2).num_deals == 2
    with pytest.raises(ConfigError, match='quick is there already'):
        distilling.distil(options)
    with pytest.raises(ConfigError, match='teacher=rule: expected'):
        distilling.distil(replace(options, savedir=tmp_path / 'other', teacher='rule'))
