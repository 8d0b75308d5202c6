"""Beliefs: what is learned of hidden hands, and how worlds are drawn by it."""

import re
import signal
from collections import Counter

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from dmc.big2.beliefs import AVERAGED, BeliefModule, Beliefs, _Learner, choices, learn
from rlcard_big2.engine.bitboard import popcount
from rlcard_big2.models import load_dmc
from rlcard_big2.nets.beliefs import BeliefNetwork
from rlcard_big2.nets.spec import BeliefSpec
from rlcard_big2.rules import PRESETS, Rules
from rlcard_big2.search.agent import SearchAgent
from rlcard_big2.search.beliefs import Learned, Uniform, learned_beliefs
from rlcard_big2.search.zoo import WEIGHTS, shipped_beliefs
from rlcard_kit.errors import ConfigError, KitError
from rlcard_kit.nets.checkpoint import CheckpointError
from rlcard_kit.rng import new_streams
from tests.big2.search.test_agent import positions_of_games

SPEC = BeliefSpec(hidden_size=8)


def network_of(module):
    return BeliefNetwork(SPEC, {name: tensor.numpy() for name, tensor in module.state_dict().items()}, Rules())


@pytest.fixture
def module():
    torch.manual_seed(4)
    return BeliefModule(SPEC, Rules())


@pytest.fixture
def seen():
    return positions_of_games(12, 'charlesworth', 9).observations


def test_scores_in_numpy_are_those_of_training(module, seen):
    worlds = Uniform().draw(seen, new_streams(1, 12), 50)
    expected = module(seen, worlds).detach().numpy()
    assert np.ptp(expected, axis=1).min() > 0.01
    np.testing.assert_allclose(network_of(module).scores(seen, worlds), expected, atol=1e-5)


def test_worlds_are_drawn_as_often_as_they_are_likely(module, seen):
    class Doubling:
        """Finds worlds in which the next player has more than half of its cards in the lower suits twice as likely."""

        def scores(self, observations, worlds):
            assert len(observations) == len(worlds) == 1
            return np.log(1.0 + is_low(worlds))

    def is_low(worlds):
        return np.vectorize(lambda hand: 2 * popcount(hand & 0x3333333333333) > popcount(hand))(worlds[:, :, 1])

    seen = seen[:1]
    before = is_low(Uniform().draw(seen, new_streams(1, 1), 4000)).mean()
    drawn = Learned(Doubling()).draw(seen, new_streams(2, 1), 2000)
    assert is_low(drawn).mean() == pytest.approx(2 * before / (1 + before), abs=0.02)


def test_worlds_agree_with_what_is_seen_and_with_themselves(module, seen):
    beliefs, streams = Learned(network_of(module)), new_streams(3, 12)
    together = beliefs.draw(seen, streams, 20)
    for game in range(12):
        own = new_streams(3, 12)[game : game + 1]
        alone = beliefs.draw(seen[game : game + 1], own, 20)
        np.testing.assert_array_equal(alone[0], together[game])
        assert own == streams[game]
        for hands in together[game]:
            assert hands[0] == seen[game]['hand']
            assert np.bitwise_or.reduce(hands[1:]) == seen[game]['others']
            assert [popcount(hand) for hand in hands[1:]] == seen[game]['left'].tolist()
    assert max(Counter(map(tuple, together[0])).values()) < 20


def test_choices_come_with_the_true_hands():
    for seen, _ in zip(choices(load_dmc(numpy=True), 'hkust', 3), range(12), strict=False):
        assert (seen.hands[:, 0] == seen.observations['hand']).all()
        assert (np.bitwise_or.reduce(seen.hands[:, 1:], axis=1) == seen.observations['others']).all()
        counts = [[popcount(hand) for hand in hands[1:]] for hands in seen.hands]
        assert counts == seen.observations['left'].tolist()


def knowledge(network, rules, steps):
    """Return how much likelier the true hands are than by chance, in nats, among 24 and in fresh games."""
    told = []
    for seen, _ in zip(choices(load_dmc(numpy=True), rules, 9), range(steps), strict=False):
        worlds = Uniform().draw(seen.observations, new_streams(8, len(seen.hands)), 24)
        worlds[:, 0] = seen.hands
        scores = network.scores(seen.observations, worlds)
        told += (scores[:, 0] - np.log(np.exp(scores).mean(axis=1))).tolist()
    return np.mean(told)


def test_shipped_beliefs_know_much_under_their_rules():
    assert knowledge(BeliefNetwork.load(WEIGHTS / 'beliefs'), 'charlesworth', 60) > 1.0
    assert isinstance(shipped_beliefs(Rules()), Learned)
    for rules in set(PRESETS.values()) - {Rules()}:
        assert isinstance(shipped_beliefs(rules), Uniform)


@pytest.mark.parametrize('precision', ['float32', 'bfloat16'])
def test_it_learns_to_find_the_true_hands(seen, precision):
    options = Beliefs(hidden_size=8, learning_rate=1e-2, positions=60 * AVERAGED, precision=precision)
    learner, streams = _Learner(options), new_streams(5, 12)
    worlds = Uniform().draw(seen, streams, 8)
    for _ in range(60):
        learner.step(seen, worlds, 1.0)
    average = {name: tensor.numpy() for name, tensor in learner.weights().items()}
    scores = BeliefNetwork(SPEC, average, Rules()).scores(seen, worlds)
    assert np.mean(scores.argmax(axis=1) == 0) > 0.8
    assert learner.gain > 0.3


def test_the_command_writes_what_search_can_take(tmp_path, capsys):
    options = Beliefs(tmp_path / 'own', positions=2000, hidden_size=8, worlds=8)
    options.run()
    assert 'nats likelier than by chance, among 8' in capsys.readouterr().out
    network = BeliefNetwork.load(options.folder)
    assert set(load_file(options.folder / 'network.safetensors')) == set(BeliefModule(SPEC, Rules()).state_dict())
    agent = SearchAgent(load_dmc(numpy=True), worlds=4, beliefs=learned_beliefs(network))
    with pytest.raises(ConfigError, match="these beliefs were learned under the rules 'charlesworth', not 'taiwan'"):
        agent.prepare(PRESETS['taiwan'])
    with pytest.raises(ConfigError, match='own'):
        learn(options)


def test_an_interruption_saves_what_has_been_learned(tmp_path, capsys, monkeypatch):
    saved = _Learner.save

    def interrupted(learner, count):
        saved(learner, count)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr('dmc.big2.beliefs.REPORT_SECONDS', 0.0)
    monkeypatch.setattr(_Learner, 'save', interrupted)
    options = Beliefs(tmp_path / 'own', positions=100_000, hidden_size=8, worlds=8)
    options.run()
    told = capsys.readouterr().out.splitlines()[-1]
    assert re.match(r'interrupted after \d+ of 100,000 choices; wrote .*own: the true hands are', told)
    assert BeliefNetwork.load(options.folder).rules == Rules()


@pytest.mark.parametrize(
    ('flags', 'message'),
    [
        ({'agent': 'rule'}, 'agent=rule: expected big2-dmc or dmc:FOLDER, which have values'),
        ({'rules': 'chess'}, 'chess'),
    ],
)
def test_what_cannot_be_learned_from_is_refused(tmp_path, flags, message):
    with pytest.raises(KitError, match=message):
        learn(Beliefs(tmp_path / 'own', **flags))
    assert not (tmp_path / 'own').exists()


def test_a_network_of_another_kind_is_refused():
    with pytest.raises(CheckpointError, match=r"agent 'dmc'.*'beliefs'|'beliefs'.*'dmc'"):
        BeliefNetwork.load(WEIGHTS / 'dmc')
