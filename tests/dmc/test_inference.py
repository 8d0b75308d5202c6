"""Inference of actors: the fastest way is measured at the start, and numpy plays by the weights of torch."""

import numpy as np
import pytest
import torch

import dmc.inference
import dmc.opponents
from dmc.actor import Actor
from dmc.config import Config
from dmc.inference import Inference, choose_inference, some_positions
from dmc.workers.in_process import LocalLink
from rlcard_kit.nets.weights import dump_weights
from rlcard_kit.table import OPPONENT, TRAINED

SMALL = Config.of(num_actors=1, num_games=8, batch_size=64, hidden_size=16, lstm_size=8)
CATCH5 = {'game': 'catch5', 'network': 'suits', 'rules': 'paper'}
TORCH, ROUGH, NUMPY = Inference(torch.float32), Inference(torch.bfloat16), Inference(torch.float32, in_numpy=True)

pytestmark = pytest.mark.usefixtures('one_thread')


@pytest.mark.parametrize('fastest', [TORCH, ROUGH, NUMPY])
def test_the_fastest_way_is_chosen_and_says_why(monkeypatch, fastest):
    def seconds(config, ways):
        return {way: 1.0 if way == fastest else 2.5 for way in ways}

    monkeypatch.setattr(dmc.inference, '_seconds', seconds)
    (found,) = choose_inference(SMALL).values()
    assert found[:2] == fastest[:2]
    slower = [way.name for way in (TORCH, ROUGH, NUMPY) if way != fastest]
    assert found.reason == 'measured: ' + ', '.join(f'2.5 times as fast as {name}' for name in slower)


@pytest.mark.parametrize(
    ('changes', 'ways'),
    [
        ({}, [TORCH, ROUGH, NUMPY]),
        ({'precision': 'float32'}, [TORCH, NUMPY]),
        (CATCH5, [TORCH, ROUGH]),
    ],
)
def test_each_way_that_the_settings_leave_open_is_measured(monkeypatch, changes, ways):
    measured, threads, measure = [], [], dmc.inference._seconds

    def noting(config, found):
        seconds = measure(config, found)
        measured.extend(seconds)
        return seconds

    def once(do):
        threads.append(torch.get_num_threads())
        assert np.isfinite(do()).all()
        return 1.0

    monkeypatch.setattr(dmc.inference, '_seconds', noting)
    monkeypatch.setattr(dmc.inference, 'shortest', once)
    torch.set_num_threads(2)
    found = choose_inference(SMALL.changed(**changes))['cpu']
    assert measured == ways
    assert found._replace(reason='as set') in ways
    assert set(threads) == {1}
    assert torch.get_num_threads() == 2


@pytest.mark.parametrize(
    'changes',
    [{'deterministic': True}, {'precision': 'bfloat16'}, {'precision': 'float32', **CATCH5}],
)
def test_what_is_settled_is_not_measured(monkeypatch, changes):
    monkeypatch.setattr(dmc.inference, '_seconds', None)
    found = choose_inference(SMALL.changed(**changes))['cpu']
    assert not found.in_numpy
    assert str(found.dtype).removeprefix('torch.') == changes.get('precision', 'float32')
    assert found.reason == ('deterministic' if 'deterministic' in changes else 'as set')


@pytest.mark.parametrize('opponent', ['self', 'prior'])
def test_an_actor_in_numpy_plays_by_the_newest_weights_and_has_torchs_values(opponent, monkeypatch):
    monkeypatch.setattr(dmc.opponents, 'PRIOR_GAMES', 1)
    config = SMALL.changed(opponent=opponent)
    positions, link = some_positions(config), LocalLink(config.learned)
    actor = Actor(config, 0, link, NUMPY)
    found = []
    for seed in range(2):
        torch.manual_seed(seed)
        network = config.learned.make_value_network(config.spec)
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.mul_(2)
        link.publish(dump_weights(network))
        actor.refresh()
        while link.counts.games < 2 * (seed + 1):  # so many that the prior is copied anew
            actor.play_moves()
        for player in actor.players:
            found.append(player.evaluate(positions)[0])
            np.testing.assert_allclose(found[-1], network.values(positions), rtol=0, atol=1e-5)
    assert len(actor.players) == (1 if opponent == 'self' else 2)
    assert not np.allclose(found[0], found[-1], atol=0.01)


def test_a_prior_in_numpy_keeps_its_copy():
    config = SMALL.changed(opponent='prior')
    link = LocalLink(config.learned)
    actor, positions = Actor(config, 0, link, NUMPY), some_positions(config)
    for _ in range(8):
        actor.play_moves()
    first = actor.players[OPPONENT].evaluate(positions)[0]
    link.publish(dump_weights(config.learned.make_value_network(config.spec)))
    actor.refresh()
    actor.play_moves()
    assert np.array_equal(actor.players[OPPONENT].evaluate(positions)[0], first)
    assert not np.allclose(actor.players[TRAINED].evaluate(positions)[0], first, atol=1e-4)


def test_a_network_that_numpy_cannot_compute_is_refused():
    config = SMALL.changed(**CATCH5)
    with pytest.raises(TypeError, match='SuitsValueSpec'):
        Actor(config, 0, LocalLink(config.learned), NUMPY)
