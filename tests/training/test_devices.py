"""Training on a device that is not the CPU: a GPU if there is one, or else a stand-in that keeps its tensors apart."""

import itertools

import numpy as np
import pytest
import torch
from safetensors.torch import load, load_file, save

import dmc.bench
import dmc.config
import dmc.trainer
import ppo.config
import ppo.pool
from dmc.inference import Inference
from rlcard_kit.nets.weights import dump_weights
from rlcard_kit.rng import new_streams
from tests.support import standin
from tests.support.training import dmc_learner, new_actor, new_opponents, new_pool, new_rollout, ppo_learner
from tests.training.test_runs import SIZES, command
from training.machine import Machine

DMC = {'num_games': 16, 'batch_size': 64, 'hidden_size': 16, 'eval_deals': 0, 'num_actors': 1, 'ring_size': 4096}
PPO = {'num_games': 16, 'num_steps': 20, 'minibatch_size': 64, 'hidden_size': 16, 'eval_deals': 0}
BIG2_DMC = dmc.config.Config.of(**DMC, lstm_size=8)
BIG2_PPO = ppo.config.Config.of(**PPO)
CATCH5_DMC = dmc.config.Config.preset('default', game='catch5', **DMC)
CATCH5_PPO = ppo.config.Config.preset('default', game='catch5', **PPO | {'num_steps': 8})
DEVICE = 'cuda:0' if torch.cuda.is_available() else standin.Device(standin.DEVICE)
KIND = DEVICE.partition(':')[0]
CLOSE = 1e-5 if DEVICE == standin.DEVICE else 1e-4  # a GPU rounds the products of an LSTM to TF32

pytestmark = pytest.mark.usefixtures('registered')


@pytest.fixture
def registered():
    if DEVICE != standin.DEVICE:  # torch would take the stand-in for the machine's GPU
        yield
        return
    standin.registered()
    with torch.autograd.set_multithreading_enabled(False):  # a process that has learned begins no thread for a device
        yield


def apart(one, other):
    """Return how far the weights of two networks are from each other, at most."""
    return np.abs(dump_weights(one) - dump_weights(other)).max()


@pytest.mark.skipif(DEVICE != standin.DEVICE, reason='there is a GPU')
def test_the_stand_in_refuses_tensors_of_two_devices_as_a_gpu_does():
    here, there = torch.ones(2, 3), torch.ones(2, 3).to(DEVICE)
    assert there.device.type == standin.NAME
    assert (there + there + torch.tensor(1.0)).tolist() == [[3.0] * 3] * 2, 'numbers may be anywhere'
    for mix in (
        lambda: here @ there.t(),
        lambda: torch.cat((here, there)),
        lambda: here.add_(there),
        lambda: torch.nn.Linear(3, 1)(there),
        lambda: np.asarray(there),
    ):
        with pytest.raises((RuntimeError, TypeError), match=r'standin:0 and on cpu|numpy'):
            mix()
    assert here.sum() == 6


def rows_of(config, device='cpu', moves=150):
    """Return the rows of some moves of an actor with an untrained network, the same every time."""
    torch.manual_seed(5)
    actor = new_actor(config, Inference(torch.float32), device)
    return np.concatenate([actor.play_moves() for _ in range(moves)])


DMC_CONFIGS = [
    BIG2_DMC,
    BIG2_DMC.changed(network='plain', optimizer='rmsprop', averaging=1),
    BIG2_DMC.changed(network='memoryless-residual', inputs='cards', opponent='prior'),
    CATCH5_DMC,
]


@pytest.mark.parametrize('config', DMC_CONFIGS)
def test_dmc_plays_and_learns_there_as_here(config):
    played, other = (rows_of(config, device) for device in ('cpu', DEVICE))
    for field in ('observation', 'action'):
        assert np.array_equal(played[field], other[field])
    assert np.allclose(played['target'], other['target'], atol=1e-4)
    batches = played[:240].reshape(4, 60)
    here, there = (dmc_learner(config, torch.float32, device) for device in ('cpu', DEVICE))
    start = dump_weights(here.network)
    for batch in batches[:3]:
        assert there.update(batch) == pytest.approx(here.update(batch), rel=1e-4)
    continued_elsewhere(here, there, lambda learner: learner.update(batches[3]))
    assert np.abs(dump_weights(there.network) - start).max() > 1e-3
    assert there.last_loss() == pytest.approx(here.last_loss(), rel=1e-4)


def continued_elsewhere(here, there, update):
    """Check that two learners agree, and go on agreeing once each has taken over the other's saved state."""
    assert (here.device.type, there.device.type) == ('cpu', KIND)
    states = [load(save(learner.tensors())) for learner in (there, here)]
    for learner, state in zip((here, there), states, strict=True):
        learner.restore(state)
        update(learner)
    for one, other in ((here.network, there.network), (here.average, there.average)):
        assert next(other.parameters()).device.type == KIND
        assert apart(one, other) < CLOSE


@pytest.mark.parametrize('config', [BIG2_DMC, CATCH5_DMC])
def test_dmc_learns_there_in_bfloat16(config):
    rows = rows_of(config)[:64]
    exact, rounded = (dmc_learner(config, dtype, DEVICE) for dtype in (torch.float32, torch.bfloat16))
    for _ in range(5):
        losses = [learner.update(rows) for learner in (exact, rounded)]
        assert losses[0] != losses[1]
        assert losses[1] == pytest.approx(losses[0], rel=0.01)
    assert 0 < apart(exact.network, rounded.network) < 0.02
    assert {weights.dtype for weights in rounded.network.parameters()} == {torch.float32}


PPO_CONFIGS = [
    BIG2_PPO.changed(baselines_details=True, entropy_coefficient=0.01, pool_share=0.25),
    BIG2_PPO.changed(network='charlesworth', pool_share=0.25),
    CATCH5_PPO,
    CATCH5_PPO.changed(network='vonyork'),
]


@pytest.mark.parametrize('config', PPO_CONFIGS)
def test_ppo_plays_and_learns_there_as_here(config):
    here, there = (ppo_learner(config, torch.float32, device) for device in ('cpu', DEVICE))
    start = dump_weights(here.network)
    batch, other = (new_rollout(config).collect(learner.sampler) for learner in (here, there))
    assert np.array_equal(batch.chosen, other.chosen)
    assert np.allclose(batch.log_probabilities, other.log_probabilities, atol=1e-5)
    found, expected = there.update(other), here.update(batch)
    assert found == pytest.approx(expected, abs=1e-4)
    continued_elsewhere(here, there, lambda learner: learner.update(batch))
    assert np.abs(dump_weights(there.network) - start).max() > 1e-4


@pytest.mark.parametrize('config', PPO_CONFIGS)
def test_earlier_selves_play_there_as_here(monkeypatch, config):
    monkeypatch.setattr(ppo.pool, 'POOL_INTERVAL', 1)
    shown = []
    batch = new_rollout(config).collect(ppo_learner(config, torch.float32).sampler)
    for device in ('cpu', DEVICE):
        learner = ppo_learner(config, torch.float32, device)
        pool, resumed = (new_pool(config, learner) for _ in range(2))
        pool.follow()
        learner.update(batch)
        pool.follow()
        resumed.restore(load(save(pool.tensors())))
        opponents = new_opponents(config, learner.network, torch.float32)
        for weights in resumed.members.values():
            assert weights.device.type == torch.device(device).type
            shown.append(opponents.find(None, weights).choose(batch.positions, new_streams(3, batch.size)))
    first, second, first_there, second_there = shown
    assert not np.allclose(first.values, second.values, atol=1e-4)
    for one, other in ((first, first_there), (second, second_there)):
        assert np.array_equal(one.indices, other.indices)
        assert np.allclose(one.values, other.values, atol=1e-5)


@pytest.fixture
def offered(monkeypatch):
    """Have this machine offer the stand-in, as the fastest of its devices."""
    monkeypatch.setattr(Machine, 'devices', property(lambda machine: [DEVICE, 'cpu']))


@pytest.mark.slow
@pytest.mark.parametrize('game', ['big2', 'catch5'])
@pytest.mark.parametrize('program', ['dmc', 'ppo'])
def test_a_run_learns_there_and_is_saved_played_resumed_and_exported(tmp_path, offered, program, game):
    run, small = tmp_path / 'run', tmp_path / 'small'
    words = f'{SIZES[program]} --game {game} --total-frames 600 --eval-deals 4 --eval-opponents random'
    said = command(f'{program} train --savedir {run} {words}')
    assert f'learned by {DEVICE}; ' in said
    assert 'of random, 4 deals' in said
    saved = [load_file(run / 'network.safetensors')]
    for frames, device in ((1200, DEVICE), (1800, 'cpu')):
        said = command(f'{program} train --resume --savedir {run} --total-frames {frames} --training-device {device}')
        assert (f'learned by {DEVICE}; ' in said) == (device == DEVICE)
        saved.append(load_file(run / 'network.safetensors'))
    for earlier, later in itertools.pairwise(saved):
        assert not all(torch.equal(earlier[name], later[name]) for name in later)
    assert f"it plays as '{program}:{small}'" in command(f'{program} export {run} {small} --games 100')


@pytest.mark.slow
def test_actors_play_there_in_processes_of_their_own(tmp_path, offered, capsys):
    config = BIG2_DMC.changed(savedir=tmp_path, actor_devices=(DEVICE,), total_frames=300)
    assert dmc.trainer.train(config).frames >= 300
    said = capsys.readouterr().out
    assert f'actors on {DEVICE} compute in ' in said
    assert f'1 actor with 16 games, on {DEVICE}; ' in said


@pytest.mark.slow
def test_bench_measures_there(offered, capsys):
    dmc.bench.bench(BIG2_DMC.changed(actor_devices=(DEVICE,)), seconds=4)
    assert f'learned by {DEVICE}; ' in capsys.readouterr().out
