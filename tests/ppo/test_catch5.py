"""PPO on Catch Five: sorted suits, both networks in torch and numpy, statistics, the pool and the precision."""

from functools import partial

import numpy as np
import pytest
import torch

import ppo.rollout
import ppo.trainer
from ppo.config import Config
from ppo.learner import FIGURES, Learner
from rlcard_catch5 import make_agent
from rlcard_catch5.cards import parse_cards
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.nets.agents import PPOAgent
from rlcard_catch5.nets.networks import make_network
from rlcard_catch5.nets.spec import SuitsSpec, VonYorkSpec
from rlcard_catch5.nets.suits import rename, sort_suits
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table
from rlcard_kit.vector_env import VectorEnv
from tests.support.positions import positions_after
from tests.support.training import new_opponents, new_pool, new_rollout, ppo_learner, save_network
from training.games import game_of
from training.machine import choose_precision
from training.workers import TRAINED, seat_trained

SMALL = Config.preset(
    'default', game='catch5', num_games=16, num_steps=20, minibatch_size=64, hidden_size=16, eval_deals=0
)
PAPER = Config.preset('paper', game='catch5', eval_deals=0)
SPECS = [SuitsSpec(hidden_size=16), VonYorkSpec(), VonYorkSpec(activation='leaky')]
VONYORK = {'tanh': 'vonyork', 'leaky': 'vonyork-leaky'}


def test_suits_are_sorted_trumps_first_then_by_length_and_ranks():
    seen = positions_after(0, 2, 'paper', CATCH5).observations
    seen['hand'] = parse_cards('2c 3c 4c 5d Ad Kh Qh 9s')
    places = np.empty((2, 4), np.int8)
    seen['trump'] = [-1, 3]
    for i in range(2):
        sort_suits(seen[i], places[i])
    assert places.tolist() == [[0, 1, 2, 3], [1, 2, 3, 0]], 'an ace is above a king'


def test_renamed_cards_keep_their_ranks():
    seen = positions_after(0, 2, 'paper', CATCH5).observations
    seen['trick'][0], seen['trump'][0] = [parse_cards(card).bit_length() - 1 for card in ('2c', '9d', 'Ah', 'Ks')], 3
    rename(seen[0], np.array([1, 2, 3, 0], np.int8), seen[1])
    expected = [parse_cards(card).bit_length() - 1 for card in ('2d', '9h', 'As', 'Kc')]
    assert (seen['trick'][1].tolist(), seen['trump'][1]) == (expected, 0)


@pytest.mark.parametrize('spec', SPECS)
@pytest.mark.parametrize('plies', [2, 4, 12])
def test_numpy_computes_the_values_of_torch(tmp_path, spec, plies):
    torch.manual_seed(1)
    network = make_network(spec)
    config = SMALL if isinstance(spec, SuitsSpec) else PAPER.changed(network=VONYORK[spec.activation])
    save_network(tmp_path, config, network, 7)
    shown = positions_after(plies, 70, 'paper', CATCH5)
    in_numpy = PPOAgent.load_network(tmp_path, spec).probabilities(shown)
    for found, expected in zip(in_numpy, network.probabilities(shown), strict=True):
        assert np.abs(found - expected).max() < 1e-5
    assert np.add.reduceat(network.probabilities(shown)[0], shown.offsets[:-1]) == pytest.approx(np.ones(70))


def test_the_papers_networks_have_its_sizes():
    network = make_network(PAPER.spec)
    sizes = [sum(weights.numel() for weights in part.parameters()) for part in (network.actor, network.critic)]
    assert sizes == [472_128, 455_937]


def test_returns_are_the_difference_of_the_teams_scores(monkeypatch):
    monkeypatch.setattr(ppo.rollout, 'GAE_LAMBDA', 1.0)
    payoffs = np.array([[7, 2, 7, 2], [-5, 4, -5, 4]])
    assert game_of('catch5').returns(payoffs).tolist() == [[5, -5, 5, -5], [-9, 9, -9, 9]]
    assert (game_of('big2').returns(payoffs) == payoffs).all()
    for target in ('difference', 'score'):
        config = SMALL.changed(target=target, num_steps=200, learn_forced=True, payoff_unit=1.0)
        batch = new_rollout(config).collect(ppo_learner(config, torch.float32).sampler)
        returns = batch.values + batch.advantages
        assert returns.min() < -9 if target == 'difference' else returns.min() >= -9.001


def test_the_statistics_are_those_of_the_games_that_ended():
    deals = np.empty(40, CATCH5.deal)
    CATCH5.shuffle(new_streams(5, 40), deals)
    env = VectorEnv(CATCH5, 'paper', deals)
    assert CATCH5.teams == ((0, 2), (1, 3))
    seating = seat_trained(np.arange(40) < 30, CATCH5.teams)
    table = Table(env, [make_agent('rule'), make_agent('random')], seating, new_streams(2, 40)[:, None])
    while not env.is_over:
        turn = table.turn()
    game = game_of('catch5')
    counts = game.count(turn, seating == TRAINED)
    passes, bid, made, dealer, first, trained = game.averages(counts).values()
    games, (won, bids) = env.games, np.moveaxis(CATCH5.measure(env.games), 2, 0)[:2]
    bidders = won.argmax(axis=1)
    assert passes == pytest.approx((games['bids'] == 0).mean())
    assert bid == bids.sum(axis=1).mean()
    assert made == (turn.payoffs[np.arange(40), bidders] > 0).mean()
    assert dealer == (bidders == games['dealer']).mean()
    assert first == ((bidders - games['dealer']) % 4 == 1).mean()
    assert trained == (seating[np.arange(30), bidders[:30]] == TRAINED).mean()
    assert counts[5, 1] == 30
    assert set(game.averages(0 * counts).values()) == {None}


def test_agents_by_name_play_in_the_pool_as_often_as_earlier_selves():
    config = SMALL.changed(pool_agents=('pass', 'rule'))
    learner = ppo_learner(config, torch.float32)
    pool, drawn = new_pool(config, learner), []
    for learner.updates in range(300):
        pool.follow()
        agent, member = pool.draw()
        assert agent is not None or member in pool.members
        drawn.append(agent)
    assert {agent: drawn.count(agent) // 50 for agent in sorted(set(drawn), key=str)} == {0: 2, 1: 1, None: 1}
    players = new_opponents(config, learner.network, torch.float32)
    assert [type(players.find(index, None)).__name__ for index in (0, 1)] == ['PassAgent', 'RuleAgent']


def test_the_papers_iteration_is_32_whole_hands():
    learner = ppo_learner(PAPER, torch.float32)
    batch = new_rollout(PAPER).collect(learner.sampler)
    assert batch.size == 32 * 29
    figures = learner.update(batch)
    assert list(figures) == list(FIGURES)
    assert learner.steps == 5 * 32 * 29 // 8


@pytest.mark.parametrize('config', [SMALL, SMALL.changed(pool_agents=('pass',)), PAPER], ids=['pool', 'pass', 'paper'])
def test_the_precision_is_chosen_by_minibatches_as_they_are_learned_from(monkeypatch, config):
    sizes, config = [], config.changed(training_device='cpu')
    monkeypatch.setattr(Learner, 'gradient', lambda self, batch: sizes.append((self.dtype, batch.size)))
    choose_precision(config.run, partial(ppo.trainer.minibatch_work, config, config.find_game()))
    assert set(sizes) == {(dtype, config.learning.minibatch_size) for dtype in (torch.float32, torch.bfloat16)}


def test_measuring_a_gradient_takes_no_step():
    learner = ppo_learner(PAPER, torch.float32)
    batch = new_rollout(PAPER).collect(learner.sampler).select(np.arange(8))
    before = {name: tensor.clone() for name, tensor in learner.network.state_dict().items()}
    assert learner.gradient(batch) == pytest.approx(learner.gradient(batch))
    assert all(torch.equal(before[name], tensor) for name, tensor in learner.network.state_dict().items())
    gradients = [parameter.grad.clone() for parameter in learner.network.parameters()]
    assert all(gradient.abs().sum() > 0 for gradient in gradients)
    learner.gradient(batch)
    assert all(map(torch.equal, gradients, (parameter.grad for parameter in learner.network.parameters())))
