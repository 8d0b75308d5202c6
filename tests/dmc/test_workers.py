"""Actors in processes: rings of shared memory, the order of writes, heartbeats and deaths."""

import fcntl
import os
import signal
import subprocess
import sys
from contextlib import closing
from types import SimpleNamespace

import numba
import numpy as np
import pytest
import torch

import training.workers
from dmc.config import Config
from dmc.inference import Inference
from dmc.workers import shared_memory
from dmc.workers.processes import ProcessWorkers
from dmc.workers.shared_memory import FOLDER, PREFIX, SharedArrays, SharedLink, Sizes
from eval.common import processes
from rlcard_big2.nets.value import ValueNetwork
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.weights import dump_weights
from tests.support.faults import remove_locks
from tests.support.limits import wait_until
from training.games import game_of
from training.workers import ActorError

SMALL = Config.of(num_actors=1, num_games=8, batch_size=64, ring_size=4096, hidden_size=16, lstm_size=8)
SIZES = Sizes.of(game_of('big2'), 2, 100, 5)
FLOAT32 = {'cpu': Inference(torch.float32)}


@pytest.fixture
def arrays():
    with closing(SharedArrays(SIZES)) as arrays:
        yield arrays


def rows_of(*actions):
    rows = np.zeros(len(actions), SIZES.row)
    rows['action'] = actions
    return rows


def taken(arrays, count):
    out = rows_of(*[0] * count)
    arrays.take(count, out)
    return out['action'].tolist()


def test_a_ring_keeps_every_row_in_order_across_the_wrap_until_it_is_full(arrays):
    for first in range(0, 600, 30):
        assert arrays.put(0, rows_of(*range(first, first + 30))) == 30
        assert taken(arrays, 30) == [*range(first, first + 30)]
    assert arrays.put(1, rows_of(*range(130))) == arrays.waiting() == 100
    assert arrays.put(1, rows_of(1)) == 0


def test_a_batch_is_taken_from_all_rings_and_another_view_sees_the_same(arrays):
    arrays.put(0, rows_of(*range(10)))
    with closing(SharedArrays(SIZES, arrays.name)) as view:
        view.put(1, rows_of(*range(1000, 1090)))
    assert sorted(taken(arrays, 60)) == [*range(10), *range(1000, 1050)]


def test_counts_of_all_actors_add_up():
    learned = game_of('catch5')
    each = np.arange(2.0 * len(learned.statistics)).reshape(-1, 2)
    with closing(SharedArrays(Sizes.of(learned, 2, 100, 5))) as arrays:
        for actor in (0, 1, 1):
            SharedLink(arrays, actor).report(2, 14, each + actor)
        counts = arrays.counts()
    assert counts[:3] == (0, 6, 42)
    assert counts.statistics.tolist() == (3 * each + 2).tolist()


def test_weights_are_fetched_once_and_never_half_written(arrays):
    class WhileWritten(np.ndarray):
        """Takes weights as the learner begins to write newer ones."""

        def __setitem__(self, key, value):
            super().__setitem__(key, value)
            arrays.version[0] += 1

    out = np.zeros(5, np.float32)
    arrays.publish(np.ones(5, np.float32))
    assert arrays.fetch(0, out) == arrays.fetch(2, out) == 2
    assert (out == 1).all()
    assert arrays.fetch(0, out.view(WhileWritten)) == 0, 'they changed on the way'
    arrays.weights[0] = 7
    assert arrays.fetch(2, out) == 2, 'they are being written'
    assert (out == 1).all()


def test_a_memory_barrier_is_one_of_the_processor():
    again = numba.njit(shared_memory.memory_barrier.py_func)  # compiled here: cached code cannot be inspected
    again()
    (text,) = again.inspect_llvm().values()
    assert 'fence seq_cst' in text


@pytest.fixture
def moments(arrays, monkeypatch):
    """Return a function that lists the counters of `arrays` and an array at each memory barrier of a call."""

    def watch(array, call, *arguments):
        found = []

        def note():
            found.append((int(arrays.written[0]), int(arrays.read[0]), int(arrays.version[0]), array.tolist()))

        monkeypatch.setattr(shared_memory, 'memory_barrier', note)
        call(*arguments)
        monkeypatch.undo()
        return found

    return watch


def test_rows_are_counted_after_they_are_written_and_released_after_they_are_read(arrays, moments):
    found = moments(arrays.rings[0, :2]['action'], arrays.put, 0, rows_of(7, 8))
    assert found == [(0, 0, 0, [0, 0]), (0, 0, 0, [7, 8])]
    assert arrays.written[0] == 2
    out = rows_of(0, 0)
    found = moments(out['action'], arrays.take, 2, out)
    assert (2, 0, 0, [7, 8]) in found
    assert found[0][3] == [0, 0]
    assert arrays.read[0] == 2


def test_weights_are_written_and_read_between_two_looks_at_their_version(arrays, moments):
    found = moments(arrays.weights, arrays.publish, np.full(5, 3, np.float32))
    assert found == [(0, 0, 1, [0.0] * 5), (0, 0, 1, [3.0] * 5)]
    out = np.zeros(5, np.float32)
    assert moments(out, arrays.fetch, 0, out) == [(0, 0, 2, [0.0] * 5), (0, 0, 2, [3.0] * 5)]


@pytest.fixture
def block():
    """Return a path for a block whose process cannot be seen, as that of one in another container."""
    path = FOLDER / f'{PREFIX}-{2**22 + 1}-{os.getpid()}'
    path.write_bytes(b'in use')
    yield path
    path.unlink(missing_ok=True)


def test_a_block_that_a_process_out_of_sight_holds_stays_until_its_end(block):
    hold = 'import fcntl, sys; file = open(sys.argv[1]); fcntl.flock(file, fcntl.LOCK_EX); print(flush=True); input()'
    with subprocess.Popen([sys.executable, '-c', hold, block], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        holder.stdout.readline()
        SharedArrays(SIZES).close()
        assert block.read_bytes() == b'in use'
        holder.communicate(b'\n')
    SharedArrays(SIZES).close()
    assert not block.exists()


def test_a_block_of_a_living_run_is_held_and_one_that_no_one_holds_is_removed(arrays):
    abandoned = FOLDER / f'{PREFIX}-{os.getpid()}-abandoned'
    abandoned.write_bytes(b'')
    SharedArrays(SIZES).close()
    assert not abandoned.exists(), 'though its number is that of a process'
    assert (FOLDER / arrays.name).exists()
    (FOLDER / arrays.name).unlink()  # it can be closed all the same


def test_without_locks_no_block_counts_as_abandoned(block, monkeypatch):
    remove_locks(monkeypatch)
    SharedArrays(SIZES).close()
    assert block.read_bytes() == b'in use'


@pytest.mark.attack('links, pipes, folders and devices in place of files')
def test_links_pipes_and_files_of_others_stay(tmp_path, monkeypatch, record_property):
    monkeypatch.setattr(shared_memory, 'FOLDER', tmp_path)
    (tmp_path / 'file').write_text('mine')
    paths = [tmp_path / f'{PREFIX}-{name}' for name in ('link', 'pipe', 'folder', 'file')]
    record_property('tries', len(paths))
    paths[0].symlink_to(tmp_path / 'file')
    os.mkfifo(paths[1])
    paths[2].mkdir()
    paths[3].touch()
    with monkeypatch.context() as others:
        others.setattr(os, 'getuid', lambda: 4321)
        shared_memory._remove_abandoned()
    assert all(path.exists() for path in paths)
    shared_memory._remove_abandoned()
    assert [path.exists() for path in paths] == [True, True, True, False]
    assert (tmp_path / 'file').read_text() == 'mine'


@pytest.mark.parametrize('moment', ['before it is opened', 'before it is locked'])
def test_a_block_that_is_removed_before_it_is_held_is_made_again(monkeypatch, moment):
    removed = []

    def remove(path):
        if not removed and str(path).startswith(f'{FOLDER}/{PREFIX}-{os.getpid()}'):
            removed.append(path)
            os.unlink(path)

    def open_late(path, flags):
        if moment == 'before it is opened':
            remove(path)
        descriptor = os.open(path, flags)
        remove(path)
        return descriptor

    monkeypatch.setattr(shared_memory, 'os', SimpleNamespace(**{**vars(os), 'open': open_late}))
    arrays = SharedArrays(SIZES)
    monkeypatch.undo()
    assert removed
    with (FOLDER / arrays.name).open() as file, pytest.raises(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    arrays.close()
    assert not list(FOLDER.glob(f'{PREFIX}-{os.getpid()}-*'))


def test_too_little_shared_memory_is_refused(monkeypatch):
    monkeypatch.setattr(shared_memory.shutil, 'disk_usage', lambda folder: SimpleNamespace(free=2**20))
    with pytest.raises(ConfigError, match=r'/dev/shm has 1 MB free, and this run needs \d+ MB'):
        SharedArrays(Sizes.of(game_of('big2'), 2, 16384, 100))


@pytest.fixture
def lone_actor():
    """Run one actor until it has played; return its workers and its process."""
    weights = dump_weights(ValueNetwork(SMALL.spec))
    with closing(ProcessWorkers(SMALL.changed(opponent='greedy'), SMALL.find_game(), weights, FLOAT32)) as workers:
        wait_until(workers.waiting)
        yield workers, workers._running[0].process.pid


def test_a_killed_actor_is_reported_and_replaced(lone_actor):
    workers, first = lone_actor
    os.kill(first, signal.SIGKILL)
    reports = []
    wait_until(lambda: reports.extend(workers.replace_dead()) or reports)
    assert 'actor 0' in reports[0]
    assert '-9' in reports[0]
    workers.read[:] = workers.written
    wait_until(workers.waiting)
    assert workers._running[0].process.pid != first
    assert workers.started == 2


@pytest.mark.slow
def test_actors_that_keep_dying_end_the_run_with_their_traceback(monkeypatch):
    monkeypatch.setattr(training.workers, 'MAX_DEATHS', 1)
    config = SMALL.changed(game='catch5', rules='paper', network='suits')
    impossible = {'cpu': Inference(torch.float32, in_numpy=True)}  # every actor fails
    with (
        closing(ProcessWorkers(config, config.find_game(), np.ones(3, np.float32), impossible)) as workers,
        pytest.raises(ActorError, match=r'(?s)more than 1.*Traceback.*cannot be computed in numpy'),
    ):
        wait_until(lambda: workers.replace_dead() and False)


class FakeProcess:
    """A process that lives until it is killed."""

    exitcode, pid, alive = -9, 1, True

    def __init__(self, **arguments):
        self.start = self.join = lambda *seconds: None

    def is_alive(self):
        return self.alive

    def kill(self):
        self.alive = False


class Watched(ProcessWorkers):
    """Fake processes, and a clock for them."""

    now = 0.0

    def live(self, seconds, playing):
        """Let time go by, in which the actors of some numbers play; return the reports."""
        reports = []
        for _ in range(int(seconds)):
            Watched.now += 1
            self.heartbeats[list(playing)] += 1
            reports += self.replace_dead()
        return reports

    def die(self, number):
        self._running[number].process.kill()
        return self.replace_dead()


@pytest.fixture
def watched(monkeypatch):
    monkeypatch.setattr(processes, 'get_context', lambda method: SimpleNamespace(Process=FakeProcess))
    monkeypatch.setattr(training.workers, 'time', SimpleNamespace(monotonic=lambda: Watched.now))
    monkeypatch.setattr(Watched, 'now', 0.0)
    monkeypatch.setattr(training.workers, 'MAX_DEATHS', 3)
    config = SMALL.changed(num_actors=2)
    with closing(Watched(config, config.find_game(), np.ones(3, np.float32), FLOAT32)) as workers:
        yield workers


@pytest.mark.parametrize('interval', [0, 12, 59])
def test_an_actor_that_dies_again_and_again_ends_the_run_whatever_the_interval(watched, interval):
    for _ in range(3):
        watched.live(interval, playing=[0, 1])
        assert len(watched.die(0)) == 1
    watched.live(interval, playing=[0, 1])
    with pytest.raises(ActorError, match='more than 3 actors died'):
        watched.die(0)


def test_actors_that_never_make_a_move_end_the_run(watched):
    with pytest.raises(ActorError, match=r'more than 3 .*actor 0 made no move for 600 seconds'):
        watched.live(3000, playing=[1])
    assert watched.now == 4 * (training.workers.START_SECONDS + 1)


def test_an_actor_may_take_longer_to_start_than_it_may_be_silent_later(watched):
    assert watched.live(training.workers.START_SECONDS, playing=[1]) == []
    assert watched.live(1, playing=[0, 1]) == []
    assert watched.live(training.workers.MAX_SILENCE, playing=[1]) == []
    (report,) = watched.live(1, playing=[1])
    assert 'actor 0 made no move for 120 seconds' in report


def test_deaths_are_forgotten_when_the_replacement_has_played_for_a_minute(watched):
    for _ in range(10):
        assert len(watched.die(0)) == 1
        watched.live(62, playing=[0, 1])
    for _ in range(3):
        watched.die(0)
    watched.live(62, playing=[1])
    with pytest.raises(ActorError):
        watched.die(1)
