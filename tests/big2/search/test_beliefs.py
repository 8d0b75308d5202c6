"""Beliefs: what is learned of hidden hands, and how worlds are drawn by it."""

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from dmc.big2.beliefs import AVERAGED, BeliefModule, Beliefs, choices
from dmc.big2.self_play import StudentLearner
from rlcard_big2.engine.bitboard import popcount
from rlcard_big2.engine.observation import restore
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import new_games
from rlcard_big2.models import load_dmc
from rlcard_big2.nets.beliefs import BeliefNetwork
from rlcard_big2.nets.spec import BeliefSpec
from rlcard_big2.rules import FOUR_PLAYERS, Rules
from rlcard_big2.search.agent import SearchAgent, SearchSettings
from rlcard_big2.search.beliefs import Learned, Uniform, learned_beliefs
from rlcard_big2.search.posterior import Posterior
from rlcard_big2.search.zoo import WEIGHTS, load_small_networks, shipped_beliefs
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.checkpoint import CheckpointError
from rlcard_kit.rng import new_streams
from tests.support.big2_positions import state_of
from tests.support.positions import positions_after
from tests.support.random_games import NEAR, Hashed, positions_of, random_games

SPEC = BeliefSpec(hidden_size=8)


def network_of(module):
    return BeliefNetwork(SPEC, {name: tensor.numpy() for name, tensor in module.state_dict().items()}, Rules())


@pytest.fixture
def module():
    torch.manual_seed(4)
    return BeliefModule(SPEC, Rules())


@pytest.fixture
def seen():
    return positions_after(9, 12).observations


def test_scores_in_numpy_are_those_of_training(module, seen):
    worlds = Uniform(Rules()).draw(seen, new_streams(1, 12), 50)
    expected = module(seen, worlds).detach().numpy()
    assert np.ptp(expected, axis=1).min() > 0.01
    np.testing.assert_allclose(network_of(module).scores(seen, worlds), expected, atol=1e-5)


def test_worlds_are_drawn_as_often_as_they_are_likely(module, seen):
    class Doubling:
        """Finds worlds in which the next player has more than half of its cards in the lower suits twice as likely."""

        rules = Rules()

        def scores(self, observations, worlds):
            assert len(observations) == len(worlds) == 1
            return np.log(1.0 + is_low(worlds))

    def is_low(worlds):
        return np.vectorize(lambda hand: 2 * popcount(hand & 0x3333333333333) > popcount(hand))(worlds[:, :, 1])

    seen = seen[:1]
    before = is_low(Uniform(Rules()).draw(seen, new_streams(1, 1), 4000)).mean()
    drawn = Learned(Doubling()).draw(seen, new_streams(2, 1), 2000)
    assert is_low(drawn).mean() == pytest.approx(2 * before / (1 + before), abs=0.02)


def beliefs_of(kind, module, rules):
    if kind == 'posterior':
        return Posterior(Uniform(Rules()), Hashed(), tabulate(rules), NEAR)
    return Learned(network_of(module)) if kind == 'learned' else Uniform(rules)


KINDS = pytest.mark.parametrize('kind', ['uniform', 'learned', 'posterior'])


@KINDS
@pytest.mark.parametrize('rules', FOUR_PLAYERS.values(), ids=FOUR_PLAYERS)
def test_worlds_agree_with_all_that_a_seat_sees_and_with_themselves(kind, rules, module):
    beliefs, games = beliefs_of(kind, module, rules), new_games(20)
    for ply in (1, 9, 25):
        seen, streams = positions_after(ply, 6, rules).observations, new_streams(3, 6)
        together = beliefs.draw(seen, streams, 20)
        for game, worlds in enumerate(together):
            own = new_streams(3, 6)[game : game + 1]
            np.testing.assert_array_equal(beliefs.draw(seen[game : game + 1], own, 20)[0], worlds)
            assert own == streams[game]
            for world, restored in zip(worlds, games, strict=True):
                restore(tabulate(Rules())[0], seen[game], world, 0, restored)
            assert (positions_of(games, rules).observations == seen[game]).all()
        assert ply > 9 or len(np.unique(together[0], axis=0)) > 10


@KINDS
def test_the_seat_that_opened_keeps_the_lowest_card_until_it_plays_it(kind, module):
    rules, kept = FOUR_PLAYERS['hkust'], 0
    for record in random_games(rules, 8, seed=1):
        for ply in range(1, 12):
            game = record.at(ply).final()
            mover = int(game['player'][0])
            holder = next((seat for seat in range(4) if game['hands'][0, seat] & 1), mover)
            if holder != mover:
                kept += 1
                seen = positions_of(game, rules).observations
                drawn = beliefs_of(kind, module, rules).draw(seen, new_streams(0, 1), 20)
                assert (drawn[0, :, (holder - mover) % 4] & 1).all()
    assert kept > 20


def test_every_deal_of_the_hidden_cards_is_equally_likely():
    seen = state_of('2h 2s', (1, 2, 2))['raw_obs']['packed']
    drawn = Uniform(Rules()).draw(seen, new_streams(0, 1), 3000)[0]
    counts = np.unique(drawn, axis=0, return_counts=True)[1]
    assert len(counts) == 30  # ways to deal five cards as 1 + 2 + 2
    assert ((counts - 100) ** 2 / 100).sum() < 58.3  # 0.999 of chi-square with 29 degrees of freedom
    np.testing.assert_array_equal(Uniform(Rules()).draw(seen, new_streams(0, 1), 3)[0], drawn[:3])


def test_choices_come_with_the_true_hands():
    for seen, _ in zip(choices(load_dmc(numpy=True).network, 'hkust', 3), range(12), strict=False):
        assert (seen.hands[:, 0] == seen.observations['hand']).all()
        assert (np.bitwise_or.reduce(seen.hands[:, 1:], axis=1) == seen.observations['others']).all()
        counts = [[popcount(hand) for hand in hands[1:]] for hands in seen.hands]
        assert counts == seen.observations['left'].tolist()


def knowledge(score, rules, steps):
    """Return how much likelier the true hands are than by chance, in nats, among 24 and in fresh games."""
    told = []
    for seen, _ in zip(choices(load_dmc(numpy=True).network, rules, 9), range(steps), strict=False):
        worlds = Uniform(Rules()).draw(seen.observations, new_streams(8, len(seen.hands)), 24)
        worlds[:, 0] = seen.hands
        scores = score(seen.observations, worlds)
        told += (scores[:, 0] - np.log(np.exp(scores).mean(axis=1))).tolist()
    return np.mean(told)


@pytest.mark.slow
def test_shipped_beliefs_know_much_under_their_rules_and_the_posterior_more():
    learned = knowledge(BeliefNetwork.load(WEIGHTS / 'beliefs').scores, 'charlesworth', 30)
    assert learned > 1.0
    weighted = Posterior(Uniform(Rules()), load_small_networks()[Rules()], tabulate(Rules()), 0.5)
    posterior = knowledge(lambda *given: weighted.join(weighted.likelihoods(*given)), 'charlesworth', 30)
    assert posterior > learned + 0.3
    for rules in FOUR_PLAYERS.values():
        assert isinstance(shipped_beliefs(rules), Learned if rules == Rules() else Uniform)


@pytest.mark.parametrize('precision', ['float32', 'bfloat16'])
def test_it_learns_to_find_the_true_hands(seen, precision):
    options = Beliefs(hidden_size=8, learning_rate=1e-2, positions=60 * AVERAGED, precision=precision)
    learner, streams = StudentLearner(options), new_streams(5, 12)
    worlds = Uniform(Rules()).draw(seen, streams, 8)
    for _ in range(60):
        learner.step((seen, worlds), 1.0)
    average = {name: tensor.numpy() for name, tensor in learner.average.state_dict().items()}
    scores = BeliefNetwork(SPEC, average, Rules()).scores(seen, worlds)
    assert np.mean(scores.argmax(axis=1) == 0) > 0.8
    assert learner.recent > 0.3


def test_the_command_writes_what_search_can_take(tmp_path, capsys):
    options = Beliefs(tmp_path / 'own', positions=2000, hidden_size=8, worlds=8)
    options.run()
    assert 'nats likelier than by chance, among 8' in capsys.readouterr().out
    network = BeliefNetwork.load(options.folder)
    assert set(load_file(options.folder / 'network.safetensors')) == set(BeliefModule(SPEC, Rules()).state_dict())
    agent = SearchAgent(load_dmc(numpy=True), SearchSettings(worlds=4), learned_beliefs(network))
    with pytest.raises(ConfigError, match="these beliefs were learned under the rules 'charlesworth', not 'taiwan'"):
        agent.prepare(FOUR_PLAYERS['taiwan'])


def test_a_network_of_another_kind_is_refused():
    with pytest.raises(CheckpointError, match=r"agent 'dmc'.*'beliefs'|'beliefs'.*'dmc'"):
        BeliefNetwork.load(WEIGHTS / 'dmc')
