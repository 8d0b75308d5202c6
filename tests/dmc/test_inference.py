"""Inference of actors: the fastest way is measured at the start, and copies play by the weights of torch."""

import numpy as np
import pytest
import torch

import dmc.inference
from dmc.actor import Actor
from dmc.config import Config
from dmc.inference import ONEDNN, Inference, choose_inference, some_positions
from dmc.workers.in_process import LocalLink
from rlcard_kit.nets.layers import can_pack
from rlcard_kit.nets.weights import dump_weights
from training.workers import TRAINED

SMALL = Config.of(num_actors=1, num_games=8, batch_size=64, hidden_size=16, lstm_size=8)
CATCH5 = {'game': 'catch5', 'network': 'suits', 'rules': 'paper'}
TORCH, ROUGH = map(Inference, (torch.float32, torch.bfloat16))
PACKED, ROUGHLY_PACKED = (Inference(way.dtype, ONEDNN) for way in (TORCH, ROUGH))
NUMPY = Inference(torch.float32, library='numpy')

WAYS = [TORCH, ROUGH, PACKED, ROUGHLY_PACKED, NUMPY]


def make_network(config):
    return config.find_game().make_network(config.spec)


def chosen(config):
    return choose_inference(config, config.find_game())['cpu']


@pytest.mark.parametrize('fastest', WAYS)
def test_the_fastest_way_is_chosen_for_a_reason(monkeypatch, fastest):
    def seconds(config, game, ways):
        return {way: 1.0 if way == fastest else 2.5 for way in ways}

    monkeypatch.setattr(dmc.inference, '_seconds', seconds)
    monkeypatch.setattr(dmc.inference, 'can_pack', lambda network, dtype: True)
    found = chosen(SMALL)
    assert found[:2] == fastest[:2]
    slower = [way.name for way in WAYS if way != fastest]
    assert found.reason == 'measured: ' + ', '.join(f'2.5 times as fast as {name}' for name in slower)


@pytest.mark.parametrize(
    ('changes', 'ways'),
    [({}, WAYS), ({'precision': 'float32'}, [TORCH, PACKED, NUMPY]), (CATCH5, [TORCH, ROUGH, PACKED, ROUGHLY_PACKED])],
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
    network = make_network(SMALL.changed(**changes))
    assert measured == [way for way in ways if way.library != ONEDNN or can_pack(network, way.dtype)]
    assert found._replace(reason='as set') in ways
    assert set(threads) == {1}
    assert torch.get_num_threads() == 2


@pytest.mark.parametrize(
    'changes', [{'deterministic': True}, {'precision': 'bfloat16'}, {'precision': 'float32', **CATCH5}]
)
def test_a_settled_way_is_not_measured(monkeypatch, changes):
    monkeypatch.setattr(dmc.inference, '_seconds', None)
    monkeypatch.setattr(dmc.inference, 'can_pack', lambda network, dtype: False)
    found = chosen(SMALL.changed(**changes))
    assert found.library == 'torch'
    assert str(found.dtype).removeprefix('torch.') == changes.get('precision', 'float32')
    assert found.reason == ('deterministic' if 'deterministic' in changes else 'as set')


@pytest.mark.parametrize(('way', 'atol'), [(NUMPY, 1e-5), (PACKED, 1e-5), (ROUGHLY_PACKED, 0.05)])
def test_copies_play_by_the_newest_weights_and_have_torchs_values(way, atol):
    if way.library == ONEDNN and not can_pack(make_network(SMALL), way.dtype):
        pytest.skip(f'no operators for {way.dtype} here')
    positions, link = some_positions(SMALL.find_game(), SMALL.game.rules), LocalLink(SMALL.find_game())
    actor = Actor(SMALL, SMALL.find_game(), 0, link, way)
    found = []
    for seed in range(2):
        torch.manual_seed(seed)
        network = make_network(SMALL)
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.mul_(2)
        link.publish(dump_weights(network))
        actor.refresh()
        found.append(actor.players[TRAINED].evaluate(positions)[0])
        np.testing.assert_allclose(found[-1], network.values(positions), rtol=0, atol=atol)
    assert not np.allclose(*found, atol=0.1)
