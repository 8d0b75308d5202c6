"""The search agent: what it sees, its budgets, its beliefs and its estimates."""

import numpy as np
import pytest
import rlcard
from rlcard import models

import rlcard_big2  # noqa: F401  # registers 'big2'
from rlcard_big2.agents.published import PublishedAgent
from rlcard_big2.agents.rule import RuleAgent
from rlcard_big2.duplicate import play_match
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.batch import settle_games
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import new_games
from rlcard_big2.models import load_dmc
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.nets.policy import CharlesworthNetwork
from rlcard_big2.nets.ppo import PPOAgent
from rlcard_big2.nets.spec import CharlesworthSpec
from rlcard_big2.registry import AgentNameError, make_agent, weights_file
from rlcard_big2.rules import PRESETS, Rules
from rlcard_big2.search.agent import SearchAgent
from rlcard_big2.search.beliefs import Uniform, uniform_beliefs
from rlcard_big2.search.estimates import MIN_GAIN, PRIOR_SD, SHRINKAGE, Estimates, estimate_moves, still_open
from rlcard_big2.search.opponent_model import model_opponents
from rlcard_big2.search.posterior import Posterior
from rlcard_big2.search.rollouts import _add_gumbel, roll_out
from rlcard_big2.search.zoo import load_search, posterior_beliefs
from rlcard_big2.testing import check_agent
from rlcard_big2.vector import VectorEnv
from rlcard_kit import vector_env
from rlcard_kit.errors import ConfigError
from rlcard_kit.positions import Positions
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table
from tests.big2.agents.test_published import random_parameters
from tests.big2.search.test_analysis import Hashed, state_of
from tests.support.random_games import random_games


@pytest.fixture(scope='module')
def base():
    return load_dmc(numpy=True)


class Near(Hashed):
    """Values so near to each other that there are always candidates."""

    def values(self, positions):
        return super().values(positions) / 2**24


class Counting(Near):
    """Counts the positions that it evaluates."""

    asked = 0

    def values(self, positions):
        self.asked += len(positions.counts)
        return super().values(positions)


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
            agent = load_search(base, worlds=8)
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
@pytest.mark.parametrize('weighs_moves', [False, True])
def test_games_do_not_depend_on_what_runs_beside_them(rules, weighs_moves):
    base = DMCAgent(Near())
    agent = SearchAgent(base, worlds=20, beliefs=posterior_beliefs(base) if weighs_moves else uniform_beliefs)
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


def test_rollouts_do_not_depend_on_the_batch_size():
    deals, found = vector_env.VectorEnv(BIG2, Rules(), deals_from_seed(4, 20)).games, []
    for size in (2048, 7):
        games = deals.copy()
        roll_out(Near(), tabulate(Rules()), games, 0.1, new_streams(2, 20), batch_size=size)
        found.append(games['hands'].copy())
    np.testing.assert_array_equal(*found)


def test_equal_moves_in_equal_worlds_are_rolled_out_once():
    counting = Counting()
    agent = SearchAgent(DMCAgent(counting), worlds=1)
    agent.prepare(Rules())
    positions = positions_of_games(6, 'charlesworth', 9)
    owners, first = np.arange(6), positions.moves[positions.offsets[:-1]]
    hands = agent.beliefs.draw(positions.observations, new_streams(3, 6), 1)[:, 0]
    once = agent.outcomes(positions.observations, owners, hands, first)
    asked, counting.asked = counting.asked, 0
    order = np.array([3, 1, 1, 0, 5, 3, 2, 4])
    again = agent.outcomes(positions.observations, owners[order], hands[order], first[order])
    np.testing.assert_array_equal(again, once[order])
    assert counting.asked == asked


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


def test_estimates_lie_between_the_network_and_what_came_of_the_moves():
    random = np.random.default_rng(0)
    common, own = random.normal(0, 20, 4000), random.normal(0, 3, (3, 4000))
    outcomes = np.array([1.0, 2.0, 0.0])[:, None] + common + own
    many = estimate_moves(np.array([5.0, 4.5, 4.0]), outcomes)
    assert many.means.argmax() == 1
    network, worlds = np.array([0.5, 0, -0.5]), np.array([-1, 0, -2])
    np.testing.assert_allclose(many.means - many.means[1], network + SHRINKAGE * (worlds - network), atol=0.25)
    assert many.errors[1] == 0
    assert (many.errors[[0, 2]] < 0.1).all()
    assert still_open(many).tolist() == [False, True, False]
    few = estimate_moves(np.array([5.0, 4.5, 4.0]), outcomes[:, :1])
    np.testing.assert_allclose(few.means - 5, [0, -0.5, -1], atol=0.9)
    assert (few.errors[1:] > 0.9 * SHRINKAGE * PRIOR_SD).all()


def test_moves_are_dropped_when_more_worlds_promise_too_little():
    errors = np.array([0, 0.3, 0.3, 0.03, 2.0])
    behind = np.array([0, 0.1, 0.7, 0.1, 3.0])
    drawn = np.random.default_rng(0).normal(-behind, errors, (200_000, 5))
    hoped = np.maximum(drawn, 0).mean(axis=0)
    assert (np.abs(hoped[1:] - MIN_GAIN) > 0.002).all()  # so that chance cannot decide
    assert still_open(Estimates(1 - behind, errors)).tolist() == [True, *(hoped[1:] > MIN_GAIN)]


def test_opponents_draw_their_moves_by_values_and_the_viewer_plays_the_best():
    count, gap, temperature = 20_000, 0.4, 0.3
    games = new_games(count)
    games['player'][: count // 2] = 2
    values = np.tile(np.array([0, gap, -np.inf], np.float32), count)
    offsets, running = np.arange(0, 3 * count + 1, 3), np.arange(count)
    _add_gumbel(games, running, offsets, temperature, new_streams(4, count), values)
    chosen = (values.reshape(-1, 3).argmax(axis=1) == 1).reshape(2, -1).mean(axis=1)
    assert chosen[0] == pytest.approx(1 / (1 + np.exp(-gap / temperature)), abs=0.015)
    assert chosen[1] == 1


@pytest.mark.parametrize('rules', PRESETS)
@pytest.mark.parametrize('temperature', [0, 2.0**-8])
def test_opponents_that_are_known_choose_for_themselves(rules, temperature):
    deals = deals_from_seed(4, 20)
    env = vector_env.VectorEnv(BIG2, PRESETS[rules], deals)
    games, seating = env.games.copy(), np.repeat([[0, 1, 1, 1]], 20, axis=0)
    table = Table(env, [DMCAgent(Hashed()), DMCAgent(Near())], seating, new_streams(0, 20).reshape(-1, 1))
    while not env.is_over:
        turn = table.turn()
    roll_out(Hashed(), tabulate(PRESETS[rules]), games, temperature, new_streams(1, 20), Near())
    payoffs = np.empty((20, 4), np.int64)
    settle_games(tabulate(PRESETS[rules]), games, payoffs)
    assert (payoffs == turn.payoffs).all() == (temperature == 0)


def test_probabilities_are_drawn_from_as_values_are():
    positions = positions_of_games(40, 'taiwan', 9)
    for greedy in (False, True):
        agent = PublishedAgent(random_parameters(), greedy)
        network, temperature = model_opponents(agent, 0.0)
        assert temperature == (not greedy)
        values = network.values(positions)
        assert np.exp(values) == pytest.approx(agent.probabilities(positions), rel=1e-5)
    assert model_opponents(DMCAgent(Near()), 0.5)[1] == 0.5
    policy = PPOAgent(CharlesworthNetwork(CharlesworthSpec()))
    assert np.exp(model_opponents(policy, 0.0).network.values(positions)) == pytest.approx(
        policy.probabilities(positions)
    )


def test_worlds_follow_from_what_known_opponents_do():
    network, rules = PublishedAgent(random_parameters()), tabulate(Rules())
    agent = load_search(DMCAgent(Near()), worlds=8, opponents=network)
    agent.prepare(Rules())
    positions = positions_of_games(12, 'charlesworth', 9)
    worlds = Uniform().draw(positions.observations, new_streams(1, 12), 6)
    expected = Posterior(Uniform(), model_opponents(network, 0.0).network, rules, 1.0).scores(
        positions.observations, worlds
    )
    np.testing.assert_array_equal(agent.beliefs.scores(positions.observations, worlds), expected)
    once, again = (agent.choose(positions, new_streams(2, 12)).indices.tolist() for _ in range(2))
    assert once == again


@pytest.mark.parametrize(
    ('opponents', 'temperature', 'message'),
    [
        (RuleAgent(), 0, 'RuleAgent'),
        (PublishedAgent(random_parameters()), 0.5, 'temperature=0.5'),
    ],
)
def test_opponents_that_cannot_be_followed_are_refused(base, opponents, temperature, message):
    with pytest.raises(ConfigError, match=message):
        load_search(base, worlds=1, opponents=opponents, temperature=temperature)


def test_opponents_that_err_change_what_moves_are_worth(base):
    state = state_of('5s 6s 2s', 2, 6, 7)
    told = [SearchAgent(base, worlds=64, temperature=hot).eval_step(state)[1]['estimates'] for hot in (0, 1, 1)]
    assert told[0] != told[1] == told[2]


@pytest.mark.parametrize(
    ('settings', 'named'),
    [
        ({}, 'neither'),
        ({'worlds': 8, 'milliseconds': 5}, 'both'),
        ({'worlds': -1}, 'worlds=-1'),
        ({'worlds': 1.5}, 'worlds=1.5'),
        ({'worlds': 1, 'temperature': True}, 'temperature=True'),
        ({'worlds': 1, 'temperature': float('nan')}, 'temperature=nan'),
        ({'milliseconds': 0}, 'milliseconds=0'),
        ({'milliseconds': float('nan')}, 'milliseconds=nan'),
    ],
)
def test_budgets_out_of_bounds_are_refused(base, settings, named):
    with pytest.raises(ConfigError, match=named):
        SearchAgent(base, **settings)


@pytest.mark.parametrize(
    ('name', 'named'),
    [
        ('search:big2-dmc', 'neither'),
        ('search:big2-dmc,worlds=0', 'worlds=0'),
        ('search:big2-dmc,worlds=4,milliseconds=9', 'both'),
        ('search:big2-dmc,worlds=4,uniform,learned', 'both'),
        ('search:big2-dmc,milliseconds=-3', 'milliseconds=-3'),
        ('search:big2-dmc,worlds=many', 'worlds=many'),
        ('search:big2-dmc,deals=4', 'deals=4'),
        ('search:big2-dmc,worlds=4,temperature=-1', 'temperature=-1'),
        ('search:rule,worlds=4', 'big2-dmc'),
        ('search:big2-dmc,worlds=4,opponents=rule', 'RuleAgent'),
        ('search:big2-dmc,worlds=4,opponents=nobody', 'nobody'),
        ('search:nobody,worlds=4', 'nobody'),
        ('search', 'search:AGENT'),
    ],
)
def test_names_that_do_not_mean_a_search_are_refused(name, named):
    with pytest.raises(AgentNameError, match=named):
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
    with pytest.raises(ConfigError, match='big2-dmc'):
        SearchAgent(RuleAgent(), worlds=4)


def test_it_keeps_to_the_protocol(base):
    check_agent(SearchAgent(base, worlds=1), ['charlesworth'])
