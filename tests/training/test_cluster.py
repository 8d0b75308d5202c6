"""Evaluation and training on clusters: several nodes on this machine, as real processes of Ray."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import takewhile
from pathlib import Path

import numpy as np
import psutil
import pytest
import torch

import dmc.cli
import ppo.trainer
from common import ray_cluster as cluster
from common.ray_cluster import ClusterError, about, connected, difference
from dmc.config import Config
from dmc.inference import Arithmetic
from dmc.trainer import train
from dmc.workers.base import replay_row
from eval.workers import WorkerError
from ppo.trainer import PPOState
from rlcard_big2.nets.networks import make_network
from rlcard_kit.duplicate.block import Outcome
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.weights import dump_weights
from tests.support.helpers import tables, wait_until
from training.checkpoint import load_state
from training.precision import Precision

if os.environ.get('CI') != 'true':
    pytest.importorskip('ray', reason='Ray is not installed')
import ray  # or these tests fail
from ray.cluster_utils import Cluster

from dmc.workers.ray_workers import RayFleet  # needs it
from eval.on_ray import play_on_cluster
from tests.ppo.test_workers import PPO

ROOT = Path(__file__).parents[2]
NODE = {'num_cpus': 1, 'object_store_memory': 80 << 20, 'include_log_monitor': False}
MARK = 'BIG2_TEST_CLUSTER'  # in the environment of all that the tests start
HEALTH = {'health_check_initial_delay_ms': 0, 'health_check_period_ms': 500, 'health_check_failure_threshold': 10}
OTHER_VERSION = """
import sys, types
sys.modules['rlcard_kit.version'] = types.SimpleNamespace(__version__='0.0.1')
"""
MATCH = ('match', 'greedy', 'random', '--deals', 150)  # three blocks


@pytest.fixture(scope='module')
def two_nodes():
    """A cluster of two nodes with a CPU each, whose processes find the checkout and these tests."""
    os.environ.update({**cluster.SETTINGS, MARK: str(os.getpid())})
    patch = pytest.MonkeyPatch()
    patch.setenv('PYTHONPATH', f'{ROOT}:{ROOT / "tests"}')
    head = {**NODE, 'include_dashboard': False, 'no_monitor': True, '_system_config': HEALTH}
    made = Cluster(True, head_node_args=head)
    made.add_node(**NODE)
    yield made
    made.shutdown()
    patch.undo()


def processes_of(word):
    """Return the processes that descend from these tests, orphans too, and whose command line has a word."""
    found = []
    for one in psutil.process_iter(['cmdline', 'environ']):
        if (one.info['environ'] or {}).get(MARK) == str(os.getpid()) and word in ' '.join(one.info['cmdline'] or ()):
            found.append(one)
    return found


# What is refused, in one line, before anything starts


@pytest.mark.parametrize(
    ('address', 'message'),
    [
        ('here', "ray='here' is not an address: write auto, local or HOST:PORT"),
        ('host:0', "ray='host:0' is not an address"),
        ('ray://127.0.0.1:1', 'is not an address'),
        ('127.0.0.1:1', "ray='127.0.0.1:1': nothing answers there .*: start one by `ray start --head`"),
    ],
)
def test_an_address_without_a_cluster_is_refused(command, tmp_path, address, message):
    status, said = command(*MATCH, '--ray', address, '--out', tmp_path / 'out')
    assert status == 1
    assert said.count('python -m eval: ') == 1
    assert 'Traceback' not in said
    with pytest.raises(ClusterError, match=message), connected(address):
        pass
    assert not list(tmp_path.rglob('*.npz'))


def test_auto_without_a_cluster_is_refused(monkeypatch):
    monkeypatch.setenv('RAY_TMPDIR', '/nonexistent')
    monkeypatch.setattr(ray, 'init', lambda **options: (_ for _ in ()).throw(ConnectionError('no running instance')))
    with (
        pytest.raises(ClusterError, match="ray='auto': no cluster runs on this machine: start one by"),
        connected('auto'),
    ):
        pass


def test_without_ray_there_is_one_line(monkeypatch, command, tmp_path):
    monkeypatch.setitem(sys.modules, 'ray', None)
    status, said = command(*MATCH, '--ray', 'local', '--out', tmp_path / 'out')
    assert status == 1
    assert said.splitlines()[-1] == (
        "python -m eval: ray: Ray is not installed: pip install 'rlcard-big2[ray]', or leave out --ray"
    )


@pytest.mark.slow
def test_more_workers_than_free_cpus_are_refused(two_nodes, command, tmp_path):
    status, said = command(*MATCH, '--ray', two_nodes.address, '--workers', 3, '--out', tmp_path)
    assert status == 1
    assert 'workers=3: the cluster has 2 free CPUs' in said
    assert 'ask for 2 or fewer' in said


def test_folders_whose_command_is_gone_are_removed_and_others_stay(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path))
    with cluster.own_folder() as held:
        (held / 'log').touch()
        gone, unknown = tmp_path / 'big2-ray-gone', tmp_path / 'big2-ray-begun'
        for folder in (gone / 'session', unknown):
            folder.mkdir(parents=True)
        (gone / 'lock').touch()
        with cluster.own_folder() as other:
            assert {path.name for path in tmp_path.iterdir()} == {held.name, other.name, unknown.name}
            assert (held / 'log').exists()
    assert list(tmp_path.iterdir()) == [unknown]


def test_errors_are_told_without_colours():
    assert cluster.plain(ValueError('\x1b[36mray::play()\x1b[39m (pid=1)\n\x1b[1;31mno\x1b[0m\n')) == (
        'ray::play() (pid=1)\nno'
    )


def test_a_difference_names_the_node_and_both_versions():
    here = about()
    assert difference('a', here, here) is None
    assert {'python', 'numpy', 'torch', 'rlcard-big2', 'sources'} <= set(here)
    assert difference('a', {**here, 'numpy': '1.0'}, here) == (
        f'node a runs numpy 1.0, and this process {here["numpy"]}: install the same on all nodes'
    )


def test_a_node_with_another_version_is_refused(two_nodes, tmp_path, command):
    (tmp_path / 'sitecustomize.py').write_text(OTHER_VERSION)
    environment = {'PYTHONPATH': f'{tmp_path}:{os.environ["PYTHONPATH"]}'}
    node = two_nodes.add_node(**NODE, env_vars=environment)
    try:
        status, said = command(*MATCH, '--ray', two_nodes.address, '--out', tmp_path / 'out')
    finally:
        two_nodes.remove_node(node)
    assert status == 1
    assert 'Traceback' not in said
    assert 'runs rlcard-big2 0.0.1, and this process' in said


# Evaluation


def test_a_match_on_two_nodes_has_the_numbers_of_one_process(two_nodes, command, tmp_path):
    assert command(*MATCH, '--workers', 1, '--out', tmp_path / 'here')[0] == 0
    status, said = command(*MATCH, '--ray', two_nodes.address, '--out', tmp_path / 'there')
    assert status == 0, said
    assert tables(tmp_path / 'here') == tables(tmp_path / 'there')
    assert (tmp_path / 'here' / 'report.csv').read_bytes() == (tmp_path / 'there' / 'report.csv').read_bytes()
    wait_until(lambda: not processes_of('spawn_main'), seconds=10)


class Slow:
    """Plays a block in a moment; says which one and in which process of which node."""

    def __init__(self, fatal, watch):
        self.fatal = fatal

    def play(self, number):
        if number == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.3)
        return Outcome(*(np.full((1, 1), number) for _ in Outcome._fields))


@pytest.mark.slow
def test_blocks_of_a_node_that_leaves_are_played_on_another(two_nodes):
    node = two_nodes.add_node(**NODE)
    with connected(two_nodes.address):
        answers = play_on_cluster(partial(Slow, None), range(12), 3)
        found = dict(next(answers) for _ in range(3))
        two_nodes.remove_node(node, allow_graceful=False)
        found.update(answers)
    assert {number: int(outcome.plies[0, 0]) for number, outcome in found.items()} == {n: n for n in range(12)}


@pytest.mark.slow
def test_an_agent_that_ends_its_process_is_told_with_its_deals(two_nodes):
    with connected(two_nodes.address), pytest.raises(WorkerError, match='deals 128 to 191 was killed by signal 9'):
        list(play_on_cluster(partial(Slow, 2), range(3), 1))


# Training

SMALL = Config(num_games=16, hidden_size=16, lstm_size=8, batch_size=64, learner_threads=1, training_device='cpu')
SERVERS = ('gcs_server', 'raylet')  # of a cluster, and of a node
OWN_LINES = r'residual network; |actors on cpu compute in |1 actors with 16 games each: 1 on |time '
TRAIN = ('--num-games', '16', '--hidden-size', '16', '--lstm-size', '8', '--batch-size', '64', '--eval-deals', '0')


def learn(fleet, until):
    """Take batches until a report has some words; return it."""
    batch = np.empty(64, replay_row(SMALL.learned.card))
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        for report in fleet.replace_dead():
            if until in report:
                return report
        if fleet.waiting() >= len(batch):
            fleet.take(len(batch), batch)
            assert batch['action'].any()
        else:
            fleet.supply()
    raise AssertionError(f'no report has the words {until!r}')


def learn_more(fleet, rows):
    """Take batches until so many rows more have come."""
    enough = fleet.counts().rows + rows
    fleet.replace_dead = lambda: ['enough'] * (fleet.counts().rows >= enough) + type(fleet).replace_dead(fleet)
    learn(fleet, 'enough')
    del fleet.replace_dead


def test_training_goes_on_when_an_actor_dies_and_nodes_join_and_leave(two_nodes):
    weights = dump_weights(make_network(SMALL.spec))
    with connected(two_nodes.address), closing(RayFleet(SMALL, weights, Arithmetic(torch.float32))) as fleet:
        assert fleet.crew.wanted == 1, "the other core is the learner's"
        learn_more(fleet, 256)
        (victim,) = processes_of('ray::RemoteActor')
        victim.kill()
        assert 'died and is replaced' in learn(fleet, 'actor 0 on')
        learn_more(fleet, 256)
        node = two_nodes.add_node(**NODE)
        learn(fleet, 'has joined, with 1 cores')
        assert len(fleet.crew.members) == 2
        learn_more(fleet, 512)
        assert fleet.started == 3
        two_nodes.remove_node(node, allow_graceful=False)
        assert learn(fleet, 'has left')
        learn_more(fleet, 256)
        fleet.publish(weights)
    wait_until(lambda: not processes_of('ray::RemoteActor'), seconds=30)


def begin_training(folder, *words):
    """Start the command in a folder, to be heard."""
    return subprocess.Popen(
        [sys.executable, '-m', 'dmc', 'train', *words, *TRAIN],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize('address', ['', 'local'])
def test_a_killed_trainer_leaves_no_actors(two_nodes, tmp_path, address):
    """Neither on a cluster that goes on nor on its own, of which Ray's agents alone wait for a minute or two."""
    words = ['--ray', address or two_nodes.address, '--num-actors', '1', '--minutes', '5', '--savedir', tmp_path]
    process = begin_training(ROOT, *words)
    try:
        said = list(takewhile(lambda line: not re.search(r'frames [1-9]', line), process.stdout))
        assert process.poll() is None
        assert [line for line in said if not re.match(OWN_LINES, line)] == [], 'Ray says nothing of its own'
        assert len(processes_of('ray::RemoteActor')) == 1
        own = [one for one in psutil.Process(process.pid).children(recursive=True) if one.name() in SERVERS]
        assert len(own) == (len(SERVERS) if address else 0)
    finally:
        process.kill()
        process.communicate()
    wait_until(lambda: not processes_of('ray::RemoteActor'), seconds=30)
    wait_until(lambda: not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in own), seconds=30)


def test_what_training_cannot_do_on_a_cluster_is_told_before_it_begins(two_nodes, tmp_path):
    with pytest.raises(ClusterError, match='num_actors=5: the cluster has 2 free CPUs'):
        train(replace(SMALL, ray=two_nodes.address, num_actors=5, savedir=tmp_path / 'run'))
    assert not (tmp_path / 'run').exists()
    with pytest.raises(ConfigError, match='actor_devices=cuda: on a cluster, actors play on cpu'):
        replace(SMALL, ray='auto', actor_devices=('cuda',))
    with pytest.raises(ConfigError, match="ray='auto': --deterministic runs play in one process"):
        replace(SMALL, ray='auto', deterministic=True)


@pytest.mark.parametrize('word', ['--learner-resources', '--learner-resources=gpu=1'])
def test_the_flag_that_ray_job_submit_replaced_names_it(in_process, word):
    status, said = in_process(dmc.cli.main, 'train', '--ray', 'auto', word, 'gpu=1')
    assert status == 1
    assert re.search('--learner-resources.*ray job submit', said)
    assert len(said.splitlines()) == 1


# PPO


def ppo_learns(state, updates, until='none'):
    """Learn until so many updates are done and a report has some words, if any is given; return it."""
    done, deadline, found = 0, time.monotonic() + 240, ''
    while done < updates or (until != 'none' and not found):
        assert time.monotonic() < deadline, (done, until)
        found = found or next((report for report in state.fleet.replace_dead() if until in report), '')
        played = state.fleet.collect()
        if played is not None:
            assert played.staleness <= PPO.max_staleness
            assert played.batch.size > 60
            state.learner.update(played.batch)
            done += 1
    return found


@pytest.mark.slow  # what it shows of DMC holds here, by the same crew
def test_ppo_goes_on_when_an_actor_dies_and_nodes_join_and_leave(two_nodes):
    with connected(two_nodes.address):
        state = PPOState(replace(PPO, ray=two_nodes.address), {'cpu': Precision(torch.float32, '')})
        state.fleet.start(0)
        with closing(state.fleet) as fleet:
            ppo_learns(state, 6)
            (victim,) = processes_of('ray::RemoteActor')
            victim.kill()
            assert 'actor 0 on' in ppo_learns(state, 3, 'died and is replaced')
            node = two_nodes.add_node(**NODE)
            ppo_learns(state, 3, 'has joined, with 1 cores')
            assert len(fleet.crew.members) == 2
            two_nodes.remove_node(node, allow_graceful=False)
            ppo_learns(state, 3, 'has left')
            assert fleet.started == 3
    wait_until(lambda: not processes_of('ray::RemoteActor'), seconds=30)


@pytest.mark.slow
def test_a_ppo_run_on_a_cluster_resumes_in_one_process(two_nodes, tmp_path):
    pool = {'opponent': 'pool', 'pool_share': 0.5, 'pool_agents': ('rule',), 'pool_interval': 2}
    config = replace(PPO, ray=two_nodes.address, num_actors=1, savedir=tmp_path, total_frames=1500, **pool)
    trained = ppo.trainer.train(config)
    assert trained.frames >= 1500
    assert trained.figures['staleness'] == 1
    again = replace(config, ray=None, num_actors=None, resume=True, total_frames=2500)
    assert ppo.trainer.train(again).frames >= 2500
    assert load_state(again, PPOState(again, {'cpu': Precision(torch.float32, '')})).actors == 2, 'deals of its own'


def test_what_ppo_cannot_do_on_a_cluster_is_told_before_it_begins(two_nodes, tmp_path):
    config = replace(PPO, savedir=tmp_path / 'run')
    with pytest.raises(ClusterError, match='num_actors=5: the cluster has 2 free CPUs'):
        ppo.trainer.train(replace(config, ray=two_nodes.address, num_actors=5))
    with pytest.raises(ClusterError, match=r"ray='127\.0\.0\.1:1': nothing answers there"):
        ppo.trainer.train(replace(config, ray='127.0.0.1:1'))
    with pytest.raises(ConfigError, match='num_actors=2: PPO plays in one process, or on a cluster by --ray'):
        replace(config, num_actors=2)
    with pytest.raises(ConfigError, match='num_actors=13: 12 games are enough for 12: raise num_games'):
        replace(config, ray='auto', num_actors=13)
    with pytest.raises(ConfigError, match='num_actors=4: 12 games are enough for 3'):
        replace(config, ray='auto', num_actors=4, opponent='pool', pool_share=0.25)
    with pytest.raises(ConfigError, match="ray='auto': --deterministic runs play in one process"):
        replace(config, ray='auto', deterministic=True)
    assert not (tmp_path / 'run').exists()
