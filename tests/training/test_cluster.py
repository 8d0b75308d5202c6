"""Training and evaluation on a cluster of several nodes, which are real processes of Ray on this machine."""

import os
import re
import signal
import sys
import time
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import psutil
import pytest
import torch

import dmc.trainer
import ppo.trainer
import training.workers
from dmc.config import Config
from dmc.inference import Inference
from dmc.workers.base import replay_dtype
from eval.common import ray_cluster
from eval.common.ray_cluster import SERVERS, ClusterError, about, check_servers, connected, difference
from eval.workers import WorkerError
from ppo.trainer import PPOState
from rlcard_big2.nets.networks import make_network
from rlcard_kit.duplicate.block import Outcome
from rlcard_kit.nets.weights import dump_weights
from tests.support.helpers import tables
from tests.support.training import load_state
from training.machine import Precision
from training.workers import ActorError

if os.environ.get('CI') != 'true':
    pytest.importorskip('ray', reason='Ray is not installed')
import ray  # or these tests fail
from ray.cluster_utils import Cluster

import dmc.workers.ray_workers  # needs it
from eval.on_ray import play_on_cluster
from tests.ppo.test_workers import PPO
from tests.support.commands import Command, is_alive
from tests.support.limits import PATIENCE, wait_until
from training.cluster import ActorPool

ROOT = Path(__file__).parents[2]
NODE = {'num_cpus': 1, 'object_store_memory': 80 << 20, 'include_log_monitor': False}
MARK = 'BIG2_TEST_CLUSTER'  # in the environment of all processes that the tests start
HEALTH = {'health_check_initial_delay_ms': 0, 'health_check_period_ms': 500, 'health_check_failure_threshold': 10}
SYSTEM = {**HEALTH, 'worker_niceness': 0}  # or actors wait while other tests use all cores
OTHER_VERSION = """
import sys, types
from tests.support.training import load_state
sys.modules['rlcard_kit.version'] = types.SimpleNamespace(__version__='0.0.1')
"""
MATCH = ('match', 'greedy', 'random', '--deals', 150)  # three blocks
SMALL = Config.of(num_games=16, hidden_size=16, lstm_size=8, batch_size=64, learner_threads=1, training_device='cpu')


@pytest.fixture(scope='module')
def two_nodes():
    """A cluster of two nodes with a CPU each, whose processes find the checkout and these tests."""
    os.environ.update({**ray_cluster.SETTINGS, MARK: str(os.getpid())})
    patch = pytest.MonkeyPatch()
    patch.setenv('PYTHONPATH', str(ROOT))
    head = {**NODE, 'include_dashboard': False, 'no_monitor': True, '_system_config': SYSTEM}
    made = Cluster(True, head_node_args=head)
    made.add_node(**NODE)
    yield made
    made.shutdown()
    patch.undo()


@contextmanager
def another_node(cluster, **options):
    """Add a node; remove it abruptly at the end, unless the test has."""
    node = cluster.add_node(**NODE, **options)
    try:
        yield node
    finally:
        if node in cluster.worker_nodes:
            cluster.remove_node(node, allow_graceful=False)


def processes_of(word):
    """Return the processes that descend from these tests, orphans too, and whose command line has a word."""
    every = psutil.process_iter(['cmdline', 'environ'])
    own = (one for one in every if (one.info['environ'] or {}).get(MARK) == str(os.getpid()))
    return [one for one in own if word in ' '.join(one.info['cmdline'] or ())]


def no_actors_are_left():
    wait_until(lambda: not processes_of('ray::RemoteActor'))


@pytest.mark.parametrize('address', ['here', 'host:0', 'ray://127.0.0.1:1', '127.0.0.1:1'])
def test_an_address_without_a_cluster_is_refused(command, tmp_path, address):
    status, said = command(*MATCH, '--ray', address, '--out', tmp_path / 'out')
    assert status == 1
    assert said.count(f'python -m eval: ray={address!r}') == 1
    assert 'Traceback' not in said
    assert not list(tmp_path.rglob('*.npz'))


def test_auto_without_a_cluster_is_refused(monkeypatch):
    monkeypatch.setattr(ray, 'init', lambda **options: (_ for _ in ()).throw(ConnectionError('no running instance')))
    with pytest.raises(ClusterError, match="ray='auto'"), connected('auto'):
        pass


def test_without_ray_the_package_to_install_is_named(monkeypatch, command, tmp_path):
    monkeypatch.setitem(sys.modules, 'ray', None)
    status, said = command(*MATCH, '--ray', 'local', '--out', tmp_path / 'out')
    assert status == 1
    assert re.search(r"pip install 'rlcard-big2\[ray\]'", said.splitlines()[-1])


def test_more_actors_or_workers_than_free_cpus_are_refused(two_nodes, command, tmp_path):
    status, said = command(*MATCH, '--ray', two_nodes.address, '--workers', 3, '--out', tmp_path / 'out')
    assert status == 1
    assert 'workers=3: the cluster has 2 free CPUs' in said
    for train, config in ((dmc.trainer.train, SMALL), (ppo.trainer.train, PPO)):
        with pytest.raises(ClusterError, match='num_actors=5: the cluster has 2 free CPUs'):
            train(config.changed(ray=two_nodes.address, num_actors=5, savedir=tmp_path / 'run'))
    assert not (tmp_path / 'run').exists()


def test_a_difference_names_the_node_and_both_versions():
    here = about()
    assert difference('a', here, here) is None
    assert {'python', 'numpy', 'torch', 'rlcard-big2', 'sources'} <= set(here)
    assert re.search(rf'node a .*numpy 1\.0.*{here["numpy"]}', difference('a', {**here, 'numpy': '1.0'}, here))


def make_numbered():
    """Return a class of workers, which is pickled by value so that actors need not import the tests."""

    class Numbered:
        def __init__(self, stream):
            self.stream = stream

        def play(self, weights, version, task=''):
            if task == 'fail':
                raise ValueError('\x1b[31mno such card')
            time.sleep(600 if task == 'hang' else 0)
            return self.stream, os.getpid()

    return Numbered


def pool_on(cluster, started):
    pool = ActorPool(SMALL.changed(ray=cluster.address).run, started)
    pool.start(make_numbered(), np.zeros(4, np.float32))
    return closing(pool)


def call(pool, *task, number=0):
    """Call an actor; return its result, or the report on its failure."""
    pool.submit(pool.actors[number], *task)
    return wait_until(lambda: [one.value for one in pool.results(0.1)] or pool.replace_dead())[0]


def report_of(pool, words):
    """Wait for a report with these words; return it."""
    return wait_until(lambda: [one for one in pool.replace_dead() if words in one])[0]


@pytest.mark.slow
def test_an_actor_that_dies_fails_or_hangs_is_restarted_with_a_stream_of_its_own(two_nodes, monkeypatch):
    monkeypatch.setattr(training.workers, 'MAX_SILENCE', 20)
    monkeypatch.setattr(training.workers, 'MAX_DEATHS', 3)
    with connected(two_nodes.address), pool_on(two_nodes, 7) as pool:
        stream, process = call(pool)
        assert stream == 7
        assert call(pool) == (7, process)
        report = call(pool, 'fail')
        assert re.search(r'actor 0 on .*test_cluster.py.*no such card', report, re.DOTALL)
        assert '\x1b' not in report
        stream, process = call(pool)
        assert stream == 8
        os.kill(process, signal.SIGKILL)  # with no call under way
        assert 'actor 0 on' in call(pool)
        stream, process = call(pool)
        assert stream == 9
        os.kill(process, signal.SIGSTOP)
        assert '20 seconds' in call(pool)
        assert call(pool)[0] == 10
        assert pool.started == 11
        with pytest.raises(ActorError, match=r'(?s)more than 3 actors .*no such card'):
            call(pool, 'fail')
    no_actors_are_left()


@pytest.mark.slow
def test_nodes_join_and_leave_and_others_are_refused(two_nodes, command, tmp_path, monkeypatch):
    (tmp_path / 'sitecustomize.py').write_text(OTHER_VERSION)
    other = {'PYTHONPATH': f'{tmp_path}:{ROOT}'}
    monkeypatch.setattr(training.workers, 'MAX_DEATHS', 0)
    with connected(two_nodes.address), pool_on(two_nodes, 0) as pool:
        assert pool.wanted == 1, "the other core is the learner's"
        with another_node(two_nodes) as node:
            assert '1 cores' in report_of(pool, 'joined')
            assert [call(pool, number=number)[0] for number in (0, 1)] == [0, 1]
            pool.submit(pool.actors[1], 'hang')
            two_nodes.remove_node(node, allow_graceful=False)
            report_of(pool, 'left')
            assert list(pool.actors) == [0], 'and no death is counted'
        with another_node(two_nodes, env_vars=other):
            report_of(pool, 'rlcard-big2 0.0.1')
            assert list(pool.actors) == [0]
    with another_node(two_nodes, env_vars=other):
        status, said = command(*MATCH, '--ray', two_nodes.address, '--out', tmp_path / 'out')
    assert status == 1
    assert 'Traceback' not in said
    assert 'rlcard-big2 0.0.1' in said


def test_a_match_on_two_nodes_has_the_numbers_of_one_process(two_nodes, command, tmp_path):
    assert command(*MATCH, '--workers', 1, '--out', tmp_path / 'here')[0] == 0
    status, said = command(*MATCH, '--ray', two_nodes.address, '--out', tmp_path / 'there')
    assert status == 0, said
    assert tables(tmp_path / 'here') == tables(tmp_path / 'there')
    assert (tmp_path / 'here' / 'report.csv').read_bytes() == (tmp_path / 'there' / 'report.csv').read_bytes()
    wait_until(lambda: not processes_of('spawn_main'))


class Slow:
    """Plays a block in a moment; the outcome has its number. One block kills the process."""

    def __init__(self, fatal, watch):
        self.fatal = fatal

    def play(self, number):
        if number == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.3)
        return Outcome(*(np.full((1, 1), number) for _ in Outcome._fields))


@pytest.mark.slow
def test_blocks_of_a_node_that_leaves_are_played_on_another(two_nodes):
    with another_node(two_nodes) as node, connected(two_nodes.address):
        answers = play_on_cluster(partial(Slow, None), range(12), 3)
        found = dict(next(answers) for _ in range(3))
        two_nodes.remove_node(node, allow_graceful=False)
        found.update(answers)
    assert {number: int(outcome.plies[0, 0]) for number, outcome in found.items()} == {n: n for n in range(12)}


def test_a_match_ends_with_a_server_that_this_process_started(two_nodes, monkeypatch):
    with connected(two_nodes.address), another_node(two_nodes) as node, monkeypatch.context() as patch:
        patch.setattr(ray._private.worker, '_global_node', node)  # which has its raylet only
        check_servers()
        node.all_processes['raylet'][0].process.kill()
        with pytest.raises(ClusterError, match='raylet'):
            next(play_on_cluster(partial(Slow, None), range(3), 1))


@pytest.mark.slow
def test_an_agent_that_ends_its_process_is_named_by_its_deals(two_nodes):
    with connected(two_nodes.address), pytest.raises(WorkerError, match=r'deals 128 to 191 .*signal 9'):
        list(play_on_cluster(partial(Slow, 2), range(3), 1))


def goes_on(workers, step, count, enough):
    """Take steps until the count is enough, and then, with a dead actor, until it is twice that."""
    deadline, reports = time.monotonic() + PATIENCE, []
    for wanted in (enough, 2 * enough):
        while count() < wanted or (wanted > enough and not reports):
            assert time.monotonic() < deadline, reports
            reports += workers.replace_dead()
            step()
        if wanted == enough:
            assert reports == []
            processes_of('ray::RemoteActor')[0].kill()
    assert len(reports) == 1
    assert workers.started == 2


@pytest.mark.slow
def test_dmc_goes_on_when_an_actor_dies(two_nodes):
    weights, batch = dump_weights(make_network(SMALL.spec)), np.empty(64, replay_dtype(SMALL.find_game().card))
    make = dmc.workers.ray_workers.RayWorkers

    def step():
        if workers.waiting() < len(batch):
            return workers.supply()
        workers.take(len(batch), batch)
        assert batch['action'].any()
        return workers.publish(weights)

    with (
        connected(two_nodes.address),
        closing(make(SMALL, SMALL.find_game(), weights, Inference(torch.float32))) as workers,
    ):
        goes_on(workers, step, lambda: workers.counts().played, 64)
    no_actors_are_left()


@pytest.mark.slow
def test_a_ppo_run_on_a_cluster_resumes_in_one_process(two_nodes, tmp_path):
    pool = {'pool_share': 0.5, 'pool_agents': ('rule',)}
    config = PPO.changed(ray=two_nodes.address, num_actors=1, savedir=tmp_path, total_frames=1500, **pool)
    trained = ppo.trainer.train(config)
    assert trained.frames >= 1500
    assert trained.figures['staleness'] == 1
    again = config.changed(ray=None, num_actors=None, resume=True, total_frames=2500)
    assert ppo.trainer.train(again).frames >= 2500
    assert load_state(again, PPOState(again, again.find_game(), {'cpu': Precision(torch.float32, '')})).actors == 2, (
        'deals of its own'
    )


SIZES = ('--num-games', '16', '--hidden-size', '16', '--eval-deals', '0', '--num-actors', '1', '--minutes', '5')
TRAIN = ('dmc', 'train', *SIZES, '--lstm-size', '8', '--batch-size', '64')
OWN_LINES = (
    r'$|starting|rlcard_kit: compil|python -m \w+: importing|'
    r'[a-z-]*residual network; |in float32, |--network |actors on cpu compute in |1 actor with 16 |time '
)


def other_lines(lines):
    """Return the lines that a run does not print itself."""
    return [line for line in lines if not re.match(OWN_LINES, line)]


@pytest.mark.slow
@pytest.mark.parametrize(('address', 'number'), [('', signal.SIGKILL), ('local', signal.SIGKILL), ('', signal.SIGTERM)])
def test_a_trainer_that_ends_leaves_no_actors(two_nodes, tmp_path, address, number):
    """Neither on a cluster that goes on nor on its own; SIGTERM, which `ray job stop` sends, saves the run."""
    with Command(tmp_path, *TRAIN, '--ray', address or two_nodes.address, '--savedir', tmp_path) as command:
        command.wait_for('frames [1-9]')
        assert other_lines(command.output) == [], 'Ray prints nothing of its own'
        assert len(processes_of('ray::RemoteActor')) == 1
        own = [one for one in command.process.children(recursive=True) if one.name() in SERVERS]
        assert len(own) == (len(SERVERS) if address else 0)
        command.process.send_signal(number)
        status = command.process.wait(PATIENCE)
    assert status == (0 if number == signal.SIGTERM else -number)
    assert (tmp_path / 'network.safetensors').exists() == (number == signal.SIGTERM)
    no_actors_are_left()
    wait_until(lambda: not any(map(is_alive, own)))


@pytest.mark.slow
@pytest.mark.parametrize('server', SERVERS)
@pytest.mark.parametrize(
    ('words', 'first', 'saved'),
    [
        ((*TRAIN, '--savedir'), 'metrics.csv', 'state/*.json'),
        (('ppo', 'train', *SIZES, '--num-steps', '8', '--savedir'), 'metrics.csv', 'state/*.json'),
        (('eval', 'match', 'greedy', 'random', '--deals', '99999', '--workers', '1', '--out'), '*.npz', '*.npz'),
    ],
)
def test_a_command_saves_and_names_the_server_of_its_cluster_that_ended(tmp_path, words, first, saved, server):
    with Command(tmp_path, *words, tmp_path / 'run', '--ray', 'local') as command:
        wait_until(lambda: list(tmp_path.rglob(first)))
        own = command.process.children(recursive=True)
        next(one for one in own if one.name() == server).kill()
        status, said = command.end()
    assert status == 1
    (line,) = other_lines(said.splitlines())
    assert re.fullmatch(rf'python -m {words[0]}: .*{server}.*--resume', line)
    assert list(tmp_path.rglob(saved))
    wait_until(lambda: not any(map(is_alive, own)))
