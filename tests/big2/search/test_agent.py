"""The search agent: its budgets, its rollouts and its estimates."""

import numpy as np
import pytest
import rlcard
from rlcard import models

from rlcard_big2.agents.base import GreedyAgent, RandomAgent
from rlcard_big2.agents.published import PublishedAgent
from rlcard_big2.agents.rule import RuleAgent
from rlcard_big2.cards import parse_cards
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.models import load_dmc
from rlcard_big2.nets.agents import DMCAgent, PPOAgent
from rlcard_big2.nets.networks import CharlesworthNetwork
from rlcard_big2.nets.spec import CharlesworthSpec
from rlcard_big2.registry import AgentNameError, make_agent, weights_file
from rlcard_big2.rules import FOUR_PLAYERS, Rules
from rlcard_big2.search.agent import SearchAgent, SearchSettings
from rlcard_big2.search.beliefs import Uniform
from rlcard_big2.search.estimates import MIN_GAIN, PRIOR_SD, SHRINKAGE, Estimates, estimate_moves, still_open
from rlcard_big2.search.opponent_model import OpponentModel, model_opponents
from rlcard_big2.search.posterior import Posterior
from rlcard_big2.search.rollouts import play_out
from rlcard_big2.search.zoo import load_search, posterior_beliefs
from rlcard_kit.agents import choose_highest
from rlcard_kit.errors import ConfigError
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table
from tests.big2.agents.test_published import random_parameters
from tests.support.big2_positions import state_of
from tests.support.positions import positions_after
from tests.support.random_games import NEAR, Hashed, positions_of, random_games, table_of


@pytest.fixture(scope='module')
def base():
    return load_dmc(numpy=True)


@pytest.mark.parametrize('rules', ['charlesworth', 'taiwan', 'game-sofa'])
@pytest.mark.parametrize('weighs_moves', [False, True])
def test_games_do_not_depend_on_what_runs_beside_them(rules, weighs_moves):
    base = DMCAgent(Hashed(NEAR))
    agent = SearchAgent(base, SearchSettings(worlds=20), posterior_beliefs(base) if weighs_moves else Uniform)
    agent.prepare(FOUR_PLAYERS[rules])
    positions = positions_after(9, 12, rules)
    together = agent.choose(positions, new_streams(2, 12)).indices - positions.offsets[:-1]
    single = [positions.select(np.array([game])) for game in range(12)]
    alone = [agent.choose(one, new_streams(2, 12)[game : game + 1]).indices[0] for game, one in enumerate(single)]
    assert together.tolist() == alone
    assert alone != [base.choose(one, new_streams(2, 1)).indices[0] for one in single]  # it does search


def test_a_win_that_nobody_can_stop_is_played_without_a_search(base):
    state = state_of('2s 3d 3c', (2, 1, 10))
    action, info = load_search(base, worlds=8).eval_step(state)
    assert state['raw_legal_actions'][list(state['legal_actions']).index(action)] == '2s'
    assert info['worlds'] == {}


@pytest.mark.parametrize(('rules', 'turns'), [('charlesworth', 0), ('hkust', 8), ('taiwan', 0), ('game-sofa', 8)])
@pytest.mark.parametrize(('temperature', 'is_known'), [(0, False), (0, True), (2.0**-8, True)])
def test_moves_are_played_out_as_at_a_table(rules, turns, temperature, is_known):
    rules, count = FOUR_PLAYERS[rules], 20
    own, theirs = Hashed(), Hashed(NEAR) if is_known else None
    opening = table_of(rules, count, 4, [DMCAgent(own)])
    env = opening.env
    for _ in range(turns):
        opening.turn()
    viewers, seats = env.games['player'].copy(), np.arange(4)
    observations = positions_of(env.games, rules).observations
    hands = np.take_along_axis(env.games['hands'], (viewers[:, None] + seats) % 4, axis=1)
    assert (env.games['winner'] < 0).all()
    agents = [DMCAgent(own), DMCAgent(theirs or own)]
    table = Table(env, agents, (seats != viewers[:, None]).astype(int), new_streams(0, 2 * count).reshape(-1, 2))
    turn = table.turn()
    moves = turn.moves.copy()
    while not env.is_over:
        turn = table.turn()
    copies = np.tile(np.arange(count), 150)  # more than one batch
    found = play_out(
        tabulate(rules),
        observations,
        copies,
        hands[copies],
        moves[copies],
        own,
        [OpponentModel(theirs or own, temperature)],
        random=new_streams(1, count)[copies],
    )
    assert (found.reshape(150, count) == found[:count]).all()
    assert (found[:count] == turn.payoffs[np.arange(count), viewers]).all() == (temperature == 0)


class Fond:
    """Values: a gap to a pass, single cards and others, in this order."""

    def __init__(self, gap):
        self.gap = gap

    def values(self, positions):
        sizes = [int(move).bit_count() for move in positions.moves]
        return np.array([self.gap * min(size, 2) for size in sizes], np.float32)


@pytest.mark.parametrize(
    ('hand', 'theirs', 'move', 'share'),
    [('3s 2s', 'Ks 3d 3c', '3s', 1 / (1 + np.exp(0.4 / 0.3))), ('3s Kc Kh', 'As 3d 3c', 'Kc Kh', 1)],
)
def test_opponents_sample_their_moves_and_the_viewer_plays_the_best(hand, theirs, move, share):
    """After the 3 the next player passes, or plays its only card; or the viewer leads its pair, not a king."""
    state, count = state_of(hand, (1, 1, 1)), 4000
    hands = np.array([[parse_cards(hand), *map(parse_cards, theirs.split())]])
    observations = state['raw_obs']['packed'].copy()
    observations['others'] = hands[0, 1:].sum()
    zeros = np.zeros(count, np.int64)
    payoffs = play_out(
        tabulate(Rules()), observations, zeros, hands[zeros], np.full(count, parse_cards(move)), Fond(0.4),
        [OpponentModel(Fond(0.4), 0.3)], random=new_streams(4, count),
    )  # fmt: skip
    assert (payoffs > 0).mean() == pytest.approx(share, abs=0.03)


def test_equal_moves_in_equal_worlds_are_rolled_out_once():
    network = Hashed(NEAR)
    agent = SearchAgent(DMCAgent(network), SearchSettings(worlds=1))
    agent.prepare(Rules())
    positions = positions_after(9, 6)
    first = positions.moves[positions.offsets[:-1]]
    hands = agent.beliefs.draw(positions.observations, new_streams(3, 6), 1)[:, 0]
    kinds, streams = np.zeros_like(hands), new_streams(5, 8)
    once = agent.outcomes(positions.observations, np.arange(6), hands, first, kinds, streams[:6])
    asked, network.asked = network.asked, 0
    order = np.array([3, 1, 1, 0, 5, 3, 2, 4])
    again = agent.outcomes(positions.observations, order, hands[order], first[order], kinds[order], streams)
    np.testing.assert_array_equal(again, once[order])
    assert network.asked == asked


def test_a_choice_comes_with_its_estimates(base):
    state = state_of('5s 6s 2s', (2, 6, 7))
    action, info = SearchAgent(base, SearchSettings(worlds=20)).eval_step(state)
    assert set(info['values']) == set(state['raw_legal_actions'])
    assert set(info['estimates']) == set(info['errors']) == set(info['worlds']) <= set(info['values'])
    best = max(info['estimates'], key=info['estimates'].get)
    assert list(state['legal_actions'])[state['raw_legal_actions'].index(best)] == action
    assert info['errors'][best] == 0
    assert max(info['worlds'].values()) in (16, 20)
    agents = [SearchAgent(base, SearchSettings(64, temperature=temperature)) for temperature in (0, 1, 1)]
    cold, hot, again = (agent.eval_step(state)[1]['estimates'] for agent in agents)
    assert cold != hot == again
    single = state_of('Ks', (3, 4, 5))
    action, info = SearchAgent(base, SearchSettings(worlds=20)).eval_step(single)
    assert (list(single['legal_actions']), info['estimates']) == ([action], {})


def test_time_buys_worlds_and_none_buys_the_moves_of_the_base():
    agent = DMCAgent(Hashed(NEAR))
    state = rlcard.make('big2', config={'seed': 1}).reset(position=random_games(Rules(), 1, seed=6)[0].at(5))[0]
    action, info = SearchAgent(agent, SearchSettings(milliseconds=1e-6)).eval_step(state)
    assert (set(info['worlds'].values()), set(info['errors'].values())) == ({0}, {None})
    assert action == agent.eval_step(state)[0]
    _, info = SearchAgent(agent, SearchSettings(milliseconds=600)).eval_step(state)
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


def test_probabilities_are_drawn_from_as_values_are():
    positions = positions_after(9, 40, 'taiwan')
    policy = PPOAgent(CharlesworthNetwork(CharlesworthSpec()))
    for agent in (PublishedAgent(random_parameters()), PublishedAgent(random_parameters(), greedy=True), policy):
        network, temperature = model_opponents(agent, 0.0)
        assert temperature == (not agent.greedy)
        assert np.exp(network.values(positions)) == pytest.approx(agent.probabilities(positions), rel=1e-5)
    assert model_opponents(DMCAgent(Hashed()), 0.5).temperature == 0.5


def test_agents_without_a_network_are_modelled_by_their_moves():
    positions = positions_after(9, 40, 'taiwan')
    for agent in (GreedyAgent(), RuleAgent()):
        agent.prepare(Rules.preset('taiwan'))
        network, temperature = model_opponents(agent, 0.0)
        values = network.values(positions)
        assert choose_highest(values, positions.offsets).tolist() == agent.choose(positions, None).indices.tolist()
        assert np.isinf(values).sum() == len(values) - 40
        assert temperature == 0
    network, temperature = model_opponents(RandomAgent(0), 0.0)
    assert (set(network.values(positions).tolist()), temperature) == ({0}, 1)
    with pytest.raises(ConfigError, match='moves of their own'):
        model_opponents(RuleAgent(), 0.5)
    with pytest.raises(ConfigError, match='SearchAgent'):
        model_opponents(SearchAgent(DMCAgent(Hashed()), SearchSettings(8)), 0.0)


def test_worlds_follow_from_what_known_opponents_do():
    network, rules = PublishedAgent(random_parameters()), tabulate(Rules())
    agent = load_search(DMCAgent(Hashed(NEAR)), worlds=8, opponents=network)
    agent.prepare(Rules())
    observations = positions_after(9, 12).observations
    worlds = Uniform(Rules()).draw(observations, new_streams(1, 12), 6)
    expected = Posterior(Uniform(Rules()), model_opponents(network, 0.0).network, rules, 1.0)
    np.testing.assert_array_equal(
        agent.beliefs.likelihoods(observations, worlds), expected.likelihoods(observations, worlds)
    )


@pytest.mark.parametrize(
    ('name', 'named'),
    [
        ('search:big2-dmc', 'neither'),
        ('search:big2-dmc,worlds=4,milliseconds=9', 'both'),
        ('search:big2-dmc,worlds=4,uniform,learned', 'both'),
        ('search:big2-dmc,deals=4', 'deals=4'),
        *((f'search:big2-dmc,worlds={worlds}', f'worlds={worlds}') for worlds in (0, -1, 1.5, 'many')),
        *((f'search:big2-dmc,milliseconds={time}', f'milliseconds={time}') for time in (-3, 0, 'nan')),
        *((f'search:big2-dmc,worlds=4,temperature={value}', f'temperature={value}') for value in ('nan', -1)),
        ('search:rule,worlds=4', 'big2-dmc'),
        ('search:big2-dmc,worlds=4,opponents=rule,temperature=0.5', 'moves of their own'),
        ('search:big2-dmc,worlds=4,adaptive,uniform', 'takes adaptive, or learned'),
        ('search:big2-dmc,worlds=4,opponents=big2-ppo,temperature=0.5', r'temperature=0\.5'),
        ('search:big2-dmc,worlds=4,opponents=nobody', 'nobody'),
        ('search:nobody,worlds=4', 'nobody'),
        ('search', 'search:AGENT'),
    ],
)  # fmt: skip
def test_names_that_do_not_mean_a_search_are_refused(name, named):
    with pytest.raises(AgentNameError, match=named):
        make_agent(name)


def test_it_is_made_by_name_and_as_a_model():
    named = make_agent('search:big2-dmc,worlds=6')
    assert (named.settings.worlds, named.settings.milliseconds) == (6, None)
    assert make_agent('search:big2-dmc,milliseconds=2.5,epsilon=0.1').agent.settings.milliseconds == 2.5
    assert weights_file('search:big2-dmc,worlds=6') == weights_file('big2-dmc')
    (agent, *others) = models.load('big2-search').agents
    assert isinstance(agent, SearchAgent)
    assert others == [agent] * 3
