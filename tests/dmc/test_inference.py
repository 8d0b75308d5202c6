"""Inference of actors: the fastest way is measured at the start, and numpy plays by the weights of torch."""

import numpy as np
import pytest
import torch

import dmc.inference
from dmc.actor import Actor
from dmc.config import Config
from dmc.inference import Inference, choose_inference, some_positions
from dmc.workers.in_process import LocalLink
from rlcard_kit.nets.weights import dump_weights
from training.workers import TRAINED

SMALL = Config.of(num_actors=1, num_games=8, batch_size=64, hidden_size=16, lstm_size=8)
CATCH5 = {'game': 'catch5', 'network': 'suits', 'rules': 'paper'}
TORCH, ROUGH, NUMPY = Inference(torch.float32), Inference(torch.bfloat16), Inference(torch.float32, in_numpy=True)

pytestmark = pytest.mark.usefixtures('one_thread')


def chosen(config):
    return choose_inference(config, config.find_game())['cpu']


@pytest.mark.parametrize('fastest', [TORCH, ROUGH, NUMPY])
def test_the_fastest_way_is_chosen_for_a_reason(monkeypatch, fastest):
    def seconds(config, game, ways):
        return {way: 1.0 if way == fastest else 2.5 for way in ways}

    monkeypatch.setattr(dmc.inference, '_seconds', seconds)
    found = chosen(SMALL)
    assert found[:2] == fastest[:2]
    slower = [way.name for way in (TORCH, ROUGH, NUMPY) if way != fastest]
    assert found.reason == 'measured: ' + ', '.join(f'2.5 times as fast as {name}' for name in slower)


@pytest.mark.parametrize(
    ('changes', 'ways'),
    [({}, [TORCH, ROUGH, NUMPY]), ({'precision': 'float32'}, [TORCH, NUMPY]), (CATCH5, [TORCH, ROUGH])],
)
def test_each_way_that_the_settings_leave_open_is_measured(monkeypatch, changes, ways):
    measured, threads, measure = [], [], dmc.inference._seconds

    def noting(config, game, found):
        seconds = measure(config, game, found)
        measured.extend(seconds)
        return seconds

    def once(do):
        threads.append(torch.get_num_threads())
        assert np.isfinite(do()).all()
        return 1.0

    monkeypatch.setattr(dmc.inference, '_seconds', noting)
    monkeypatch.setattr(dmc.inference, 'shortest', once)
    torch.set_num_threads(2)
    found = chosen(SMALL.changed(**changes))
    assert measured == ways
    assert found._replace(reason='as set') in ways
    assert set(threads) == {1}
    assert torch.get_num_threads() == 2


@pytest.mark.parametrize(
    'changes', [{'deterministic': True}, {'precision': 'bfloat16'}, {'precision': 'float32', **CATCH5}]
)
def test_a_settled_way_is_not_measured(monkeypatch, changes):
    monkeypatch.setattr(dmc.inference, '_seconds', None)
    found = chosen(SMALL.changed(**changes))
    assert not found.in_numpy
    assert str(found.dtype).removeprefix('torch.') == changes.get('precision', 'float32')
    assert found.reason == ('deterministic' if 'deterministic' in changes else 'as set')


def test_an_actor_in_numpy_plays_by_the_newest_weights_and_has_torchs_values():
    positions, link = some_positions(SMALL.find_game(), SMALL.game.rules), LocalLink(SMALL.find_game())
    actor = Actor(SMALL, SMALL.find_game(), 0, link, NUMPY)
    found = []
    for seed in range(2):
        torch.manual_seed(seed)
        network = SMALL.find_game().make_network(SMALL.spec)
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.mul_(2)
        link.publish(dump_weights(network))
        actor.refresh()
        found.append(actor.players[TRAINED].evaluate(positions)[0])
        np.testing.assert_allclose(found[-1], network.values(positions), rtol=0, atol=1e-5)
    assert not np.allclose(*found, atol=0.01)
