"""Evaluation and training on clusters: several nodes on this machine, as real processes of Ray."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import psutil
import pytest
import ray
from conftest import tables
from ray.cluster_utils import Cluster

from common import cluster
from common.cluster import ClusterError, about, connected, difference
from eval.on_ray import play_on_cluster
from eval.pool import WorkerError
from rlcard_big2.duplicate.block import Outcome

ROOT = Path(__file__).parents[1]
STORE = 80 << 20
MARK = 'BIG2_TEST_CLUSTER'  # in the environment of all that the tests start
HEALTH = {'health_check_initial_delay_ms': 0, 'health_check_period_ms': 500, 'health_check_failure_threshold': 10}
MATCH = ('match', 'greedy', 'random', '--deals', 150)


@pytest.fixture(scope='module')
def two_nodes():
    """A cluster of two nodes with a CPU each, whose processes find the checkout and these tests."""
    os.environ.update({**cluster.QUIET, MARK: str(os.getpid())})
    patch = pytest.MonkeyPatch()
    patch.setenv('PYTHONPATH', f'{ROOT}:{ROOT / "tests"}')
    head = {'num_cpus': 1, 'include_dashboard': False, 'object_store_memory': STORE, '_system_config': HEALTH}
    made = Cluster(True, head_node_args=head)
    made.add_node(num_cpus=1, object_store_memory=STORE)
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


def wait_until(condition, seconds):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


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
    assert len(said.splitlines()) == 1
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
    assert said.strip() == (
        "python -m eval: ray: Ray is not installed: pip install 'rlcard-big2[ray]', or leave out --ray"
    )


def test_more_workers_than_free_cpus_are_refused(two_nodes, command, tmp_path):
    status, said = command(*MATCH, '--ray', two_nodes.address, '--workers', 3, '--out', tmp_path)
    assert status == 1
    assert 'workers=3: the cluster has 2 free CPUs' in said
    assert 'ask for 2 or fewer' in said


def test_a_difference_names_the_node_and_both_versions():
    here = about()
    assert difference('a', here, here) is None
    assert {'python', 'numpy', 'torch', 'rlcard-big2', 'sources'} <= set(here)
    assert difference('a', {**here, 'numpy': '1.0'}, here) == (
        f'node a runs numpy 1.0, and this process {here["numpy"]}: install the same on all nodes'
    )


def test_a_node_with_another_version_is_refused(two_nodes, tmp_path, command):
    (tmp_path / 'sitecustomize.py').write_text(
        "import rlcard_big2.version; rlcard_big2.version.__version__ = '0.0.1'\n"
    )
    environment = {'PYTHONPATH': f'{tmp_path}:{os.environ["PYTHONPATH"]}'}
    node = two_nodes.add_node(num_cpus=1, object_store_memory=STORE, env_vars=environment)
    try:
        status, said = command(*MATCH, '--ray', two_nodes.address, '--out', tmp_path / 'out')
    finally:
        two_nodes.remove_node(node)
    assert status == 1
    assert len(said.splitlines()) == 1
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


def test_blocks_of_a_node_that_leaves_are_played_on_another(two_nodes):
    node = two_nodes.add_node(num_cpus=1, object_store_memory=STORE)
    with connected(two_nodes.address):
        answers = play_on_cluster(partial(Slow, None), range(12), 3)
        found = dict(next(answers) for _ in range(3))
        two_nodes.remove_node(node, allow_graceful=False)
        found.update(answers)
    assert {number: int(outcome.plies[0, 0]) for number, outcome in found.items()} == {n: n for n in range(12)}


def test_an_agent_that_ends_its_process_is_told_with_its_deals(two_nodes):
    with connected(two_nodes.address), pytest.raises(WorkerError, match='deals 128 to 191 was killed by signal 9'):
        list(play_on_cluster(partial(Slow, 2), range(3), 1))


def test_a_killed_evaluation_on_its_own_cluster_leaves_no_process(tmp_path):
    words = [
        sys.executable,
        '-m',
        'eval',
        *map(str, MATCH[:3]),
        '--deals',
        '200000',
        '--ray',
        'local',
        '--out',
        tmp_path,
    ]
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: list(tmp_path.rglob('blocks/*')), seconds=90)
        started = psutil.Process(process.pid).children(recursive=True)
        assert any('raylet' in one.name() for one in started)
    finally:
        process.kill()
        process.wait()
    wait_until(
        lambda: not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in started), seconds=30
    )
