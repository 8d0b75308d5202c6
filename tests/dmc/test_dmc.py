import os
import signal
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import torch

import rlcard_big2  # noqa: F401  # registers 'big2'
from dmc.actor import Actor
from dmc.cli import main
from dmc.config import Config
from dmc.inference import Inference
from dmc.learner import Learner
from dmc.workers.base import replay_row
from dmc.workers.in_process import LocalLink
from dmc.workers.processes import ProcessWorkers
from dmc.workers.shared_memory import SharedArrays, Sizes
from rlcard_big2.agents.base import RandomAgent
from rlcard_big2.engine.observation import OBSERVATION
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.nets.features import observation_inputs
from rlcard_big2.nets.value import ValueNetwork
from rlcard_kit.dtypes import records_of
from rlcard_kit.errors import ConfigError, RulesError
from rlcard_kit.nets.checkpoint import CheckpointError
from rlcard_kit.nets.weights import dump_weights, load_weights
from rlcard_kit.positions import Positions
from tests.support.helpers import SMALL_SPEC, wait_until
from training.checkpoint import save_checkpoint
from training.games import game_of
from training.heartbeat import MAX_SILENCE, ActorError

BIG2 = game_of('big2')
ROW = replay_row(BIG2.card)

SMALL = Config.of(
    num_actors=1,
    win_bonus=0.0,
    learn_forced=True,
    td_lambda=1.0,
    num_games=8,
    batch_size=64,
    ring_size=4096,
    hidden_size=16,
    lstm_size=8,
)


@pytest.fixture
def shared():
    arrays = SharedArrays(Sizes.of(BIG2, 2, 100, 5))
    yield arrays
    arrays.close()


def rows_of(count, start=0):
    rows = np.zeros(count, ROW)
    rows['action'] = np.arange(start, start + count)
    return rows


def test_rings_keep_every_row_in_order_across_the_wrap(shared):
    got = []
    for turn in range(20):
        assert shared.put(0, rows_of(30, 30 * turn)) == 30
        out = np.empty(30, ROW)
        shared.take(30, out)
        got.extend(out['action'])
    assert got == list(range(600))


def test_a_full_ring_takes_no_more_rows(shared):
    assert shared.put(1, rows_of(130)) == 100
    assert shared.put(1, rows_of(1)) == 0
    assert shared.waiting() == 100


def test_a_batch_is_taken_from_all_rings(shared):
    shared.put(0, rows_of(10))
    shared.put(1, rows_of(90, 1000))
    out = np.empty(60, ROW)
    shared.take(60, out)
    assert sorted(out['action']) == [*range(10), *range(1000, 1050)]


def test_weights_are_fetched_once_and_never_half_written(shared):
    out = np.zeros(5, np.float32)
    shared.publish(np.ones(5, np.float32))
    version = shared.fetch(0, out)
    assert version == 2
    assert (out == 1).all()
    assert shared.fetch(version, out) == version
    shared.version[0] += 1  # as while the learner writes
    shared.weights[0] = 7
    assert shared.fetch(version, out) == version
    assert (out == 1).all()


def test_weights_that_change_while_they_are_copied_are_not_used(shared):
    class WhileWritten(np.ndarray):
        """Takes weights as the learner begins to write newer ones."""

        def __setitem__(self, key, value):
            super().__setitem__(key, value)
            shared.version[0] += 1

    shared.publish(np.ones(5, np.float32))
    out = np.zeros(5, np.float32).view(WhileWritten)
    assert shared.fetch(0, out) == 0
    shared.version[0] += 1
    plain = np.zeros(5, np.float32)
    assert shared.fetch(0, plain) == shared.version[0]
    assert (plain == 1).all()


def test_a_second_view_sees_the_same_arrays(shared):
    view = SharedArrays(shared.sizes, shared.name)
    shared.put(0, rows_of(3))
    assert view.waiting() == 3
    view.close()
    assert shared.waiting() == 3


def play_episodes(config=SMALL, moves=250):
    """Collect the rows of some finished games of an untrained network."""
    network = ValueNetwork(config.spec)
    link = LocalLink(BIG2)
    link.publish(dump_weights(network))
    actor = Actor(config, 0, link, Inference(torch.float32))
    rows = np.concatenate([actor.play_moves() for _ in range(moves)])
    return rows, link.counts.games, link.counts.winners_payoffs


def test_an_episode_holds_every_decision_with_its_own_payoff():
    rows, games, won = play_episodes()
    openings = np.flatnonzero(records_of(rows['observation'], OBSERVATION)['ply'] == 0)
    assert len(openings) == games > 10
    for first, end in zip(openings, [*openings[1:], len(rows)], strict=True):
        episode = rows[first:end]
        last = episode[-1]
        assert last['action'] == records_of(episode['observation'], OBSERVATION)[-1]['hand'], (
            'the last move sheds the last cards'
        )
        assert last['target'] > 0
        by_seat = [set(episode['target'][seat::4]) for seat in range(4)]
        assert [len(payoffs) for payoffs in by_seat] == [1] * 4
        assert sum(payoff for payoffs in by_seat for payoff in payoffs) == 0
    assert won == rows['target'][[*(openings[1:] - 1), -1]].sum()


@pytest.fixture
def lone_actor():
    """Run one actor until it has played; return its workers and its process."""
    weights = dump_weights(ValueNetwork(SMALL.spec))
    with closing(ProcessWorkers(SMALL, weights, {'cpu': Inference(torch.float32)})) as workers:
        wait_until(workers.waiting)
        yield workers, workers.pids[0]


def test_a_killed_actor_is_reported_and_replaced(lone_actor):
    workers, first = lone_actor
    os.kill(first, signal.SIGKILL)
    reports = []
    wait_until(lambda: reports.extend(workers.replace_dead()) or reports, seconds=2)
    assert 'actor 0' in reports[0]
    assert '-9' in reports[0]
    workers.shared.read[:] = workers.shared.written
    wait_until(workers.waiting)
    assert workers.pids != [first]
    assert workers.started == 2


@pytest.mark.slow
def test_an_actor_that_hangs_is_reported_and_replaced(lone_actor):
    workers, first = lone_actor
    assert workers.replace_dead() == []
    os.kill(first, signal.SIGSTOP)
    wait_until(lambda: Path(f'/proc/{first}/stat').read_text().split()[2] == 'T')
    assert workers.replace_dead() == []
    workers._running[0].last_heartbeat -= MAX_SILENCE
    (report,) = workers.replace_dead()
    assert 'actor 0 made no move for 120 seconds and is replaced' in report
    assert workers.pids != [first]


def test_actors_that_keep_dying_end_the_run_with_their_traceback():
    config = SMALL.changed(game='catch5', rules='paper', network='suits')
    impossible = {'cpu': Inference(torch.float32, in_numpy=True)}  # every actor fails
    with (
        closing(ProcessWorkers(config, np.ones(3, np.float32), impossible, max_deaths=1)) as workers,
        pytest.raises(ActorError, match=r'(?s)more than 1.*Traceback.*cannot be computed in numpy'),
    ):
        wait_until(lambda: workers.replace_dead() and False, seconds=240)


def test_every_action_recorded_is_in_the_hand():
    rows, _, _ = play_episodes()
    assert not (rows['action'] & ~records_of(rows['observation'], OBSERVATION)['hand']).any()


def test_actors_of_one_seed_play_the_same_games():
    first, again = play_episodes(moves=80)[0], play_episodes(moves=80)[0]
    assert not np.array_equal(first, again), 'untrained networks differ'
    torch.manual_seed(1)
    first = play_episodes(moves=80)[0]
    torch.manual_seed(1)
    assert np.array_equal(first, play_episodes(moves=80)[0])


def test_sharing_the_work_on_a_state_changes_no_value():
    rows, _, _ = play_episodes(moves=120)
    rows = rows[:32]
    network = ValueNetwork(SMALL_SPEC)
    observations, masks = records_of(rows['observation'], OBSERVATION), rows['action'].copy()
    one_by_one = network.values(Positions(observations, masks, np.arange(33)))
    together = network.values(Positions(observations[:1], masks, np.array([0, 32])))
    alone = network.values(Positions(np.repeat(observations[:1], 32), masks, np.arange(33)))
    assert np.allclose(together, alone, atol=1e-5)
    assert not np.allclose(together, one_by_one, atol=1e-5)


def test_features_are_those_of_the_environment():
    env = rlcard_big2_env()
    state, _ = env.reset()
    while not env.is_over():
        features = observation_inputs(RandomAgent().positions_of(state).observations, 'cards')
        assert np.array_equal(features, state['obs'][None])
        state, _ = env.step(list(state['legal_actions'])[-1])


def test_the_learner_fits_what_it_is_shown():
    rows, _, _ = play_episodes(moves=120)
    learner = Learner(Config.of(batch_size=64, hidden_size=32, lstm_size=8, learning_rate=1e-2), torch.float32)
    losses = [learner.update(rows[:64]) for _ in range(200)]
    assert losses[-1] < 0.1 * losses[0]


def test_a_loss_that_is_no_number_leaves_the_weights():
    rows, _, _ = play_episodes(moves=120)
    learner = Learner(SMALL, torch.float32)
    with torch.no_grad():
        learner.network.value.bias.fill_(float('nan'))
    before = dump_weights(learner.network).copy()
    with pytest.raises(FloatingPointError, match='nan'):
        learner.update(rows[:64])
    assert np.array_equal(before, dump_weights(learner.network), equal_nan=True)


def test_weights_survive_flattening_and_saving(tmp_path):
    network, other = ValueNetwork(SMALL_SPEC), ValueNetwork(SMALL_SPEC)
    load_weights(other, dump_weights(network).copy())
    assert np.array_equal(dump_weights(network), dump_weights(other))
    save_checkpoint(tmp_path, SMALL, network, 5)
    assert np.array_equal(dump_weights(network), dump_weights(DMCAgent.load(tmp_path).network))
    assert not list(tmp_path.glob('*.tmp'))


def test_a_folder_without_checkpoint_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match='no trained network'):
        DMCAgent.load(tmp_path)
    save_checkpoint(tmp_path, SMALL, ValueNetwork(SMALL_SPEC), 5)
    (tmp_path / 'network.safetensors').write_bytes(b'nothing')
    with pytest.raises(CheckpointError, match='cannot be read'):
        DMCAgent.load(tmp_path)


@pytest.mark.parametrize(
    ('settings', 'word'),
    [
        ({'rules': 'poker'}, 'hkust'),
        ({'num_actors': 0}, 'num_actors'),
        ({'minutes': -1.0}, 'minutes'),
        ({'exp_epsilon': 1.5}, 'exp_epsilon'),
        ({'exp_temperature': float('nan')}, 'exp_temperature'),
        ({'win_bonus': -1.0}, 'win_bonus'),
        ({'deterministic': True, 'minutes': 1.0}, '--frames'),
        ({'deterministic': True, 'num_actors': 2}, 'num_actors'),
        ({'batch_size': 500, 'ring_size': 100}, 'ring_size'),
        ({'actor_devices': ()}, 'actor_devices'),
        ({'max_silence': 100.0}, 'max_silence'),
        ({'deterministic': True, 'training_device': 'cuda'}, 'learn on the cpu'),
    ],
)
def test_impossible_settings_are_refused(settings, word):
    with pytest.raises((ConfigError, RulesError), match=word):
        Config.of(**settings)


def rlcard_big2_env():
    import rlcard

    return rlcard.make('big2', config={'seed': 3})


def test_a_folder_with_a_run_is_not_overwritten(tmp_path, in_process):
    save_checkpoint(tmp_path, SMALL, ValueNetwork(SMALL_SPEC), 5)
    before = (tmp_path / 'network.safetensors').read_bytes()
    status, said = in_process(main, 'train', '--savedir', tmp_path, '--total-frames', '1')
    assert status == 1
    assert 'another --savedir' in said
    assert (tmp_path / 'network.safetensors').read_bytes() == before


def test_a_typo_is_answered_with_the_nearest_flag(in_process):
    status, said = in_process(main, 'train', '--minuts', '3')
    assert status != 0
    assert '--minutes' in said
