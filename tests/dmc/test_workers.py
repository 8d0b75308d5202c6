"""The workers without its processes: when deaths end a run, whose shared memory is removed, and the order of writes."""

import fcntl
import multiprocessing
import os
import subprocess
import sys
from types import SimpleNamespace

import numba
import numpy as np
import pytest
import torch

from dmc.config import Config
from dmc.inference import Inference
from dmc.workers import shared_memory
from dmc.workers.processes import ProcessWorkers
from dmc.workers.shared_memory import FOLDER, PREFIX, SharedArrays, Sizes
from training import heartbeat as deaths
from training.games import game_of
from training.heartbeat import ActorError

SMALL = Config.of(num_games=8, batch_size=64, ring_size=256)
SIZES = Sizes.of(game_of('big2'), 2, 100, 5)


class FakeProcess:
    """A process that lives until `die`."""

    exitcode, pid = -9, 1

    def __init__(self, **arguments):
        self.alive = True

    def start(self):
        """Do nothing."""

    def is_alive(self):
        return self.alive

    def kill(self):
        self.alive = False

    def join(self, seconds=0.0):
        """Do nothing."""


FLOAT32 = {'cpu': Inference(torch.float32)}


class Watched:
    """A workers of fake processes, and a clock for it."""

    def __init__(self, monkeypatch, num_actors, max_deaths):
        self.now = 0.0
        context = SimpleNamespace(Pipe=multiprocessing.Pipe, Process=FakeProcess)
        monkeypatch.setattr(multiprocessing, 'get_context', lambda kind: context)
        monkeypatch.setattr(deaths, 'time', SimpleNamespace(monotonic=lambda: self.now))
        config = SMALL.changed(num_actors=num_actors)
        self.workers = ProcessWorkers(
            config, np.ones(3, np.float32), {'cpu': Inference(torch.float32)}, max_deaths=max_deaths
        )

    def live(self, seconds, playing):
        """Let time go by, in which the actors of some numbers play; return the reports."""
        reports = []
        for _ in range(int(seconds)):
            self.now += 1
            self.workers.shared.heartbeats[list(playing)] += 1
            reports += self.workers.replace_dead()
        return reports

    def die(self, number):
        self.workers._running[number].process.kill()
        return self.workers.replace_dead()


@pytest.fixture
def watched(monkeypatch):
    def make(num_actors=2, max_deaths=3):
        made.append(Watched(monkeypatch, num_actors, max_deaths))
        return made[-1]

    made = []
    yield make
    for one in made:
        one.workers.close()


@pytest.mark.parametrize('interval', [0, 12, 59])
def test_an_actor_that_dies_again_and_again_ends_the_run_whatever_the_interval(watched, interval):
    workers = watched(max_deaths=3)
    for _ in range(3):
        workers.live(interval, playing=[0, 1])
        assert len(workers.die(0)) == 1
    workers.live(interval, playing=[0, 1])
    with pytest.raises(ActorError, match=r'more than 3 actors died before a replacement played for a minute'):
        workers.die(0)


def test_actors_that_never_make_a_move_end_the_run(watched):
    workers = watched(max_deaths=3)
    with pytest.raises(ActorError, match=r'more than 3 .*actor 0 made no move for 600 seconds'):
        workers.live(3000, playing=[1])
    assert workers.now == 4 * (deaths.START_SECONDS + 1)


def test_an_actor_may_take_longer_to_start_than_it_may_be_silent_later(watched):
    workers = watched()
    assert workers.live(deaths.START_SECONDS, playing=[1]) == []
    assert workers.live(1, playing=[0, 1]) == []
    assert workers.live(deaths.MAX_SILENCE, playing=[1]) == []
    (report,) = workers.live(1, playing=[1])
    assert 'actor 0 made no move for 120 seconds' in report


def test_deaths_are_forgotten_when_the_replacement_has_played_for_a_minute(watched):
    workers = watched(max_deaths=1)
    for _ in range(10):
        assert len(workers.die(0)) == 1
        workers.live(62, playing=[0, 1])
    workers.die(0)
    workers.live(62, playing=[1])
    with pytest.raises(ActorError):
        workers.die(1)


# Whose shared memory is removed


@pytest.fixture
def block():
    """Return a path for a block whose process cannot be seen, as that of one in another container."""
    path = FOLDER / f'{PREFIX}-{2**22 + 1}-{os.getpid()}'
    assert not os.path.exists(f'/proc/{2**22 + 1}')
    path.write_bytes(b'in use')
    yield path
    path.unlink(missing_ok=True)


def begin_and_end():
    SharedArrays(SIZES).close()


def test_a_block_that_a_process_out_of_sight_holds_stays_until_its_end(block):
    hold = 'import fcntl, sys; file = open(sys.argv[1]); fcntl.flock(file, fcntl.LOCK_EX); print(flush=True); input()'
    with subprocess.Popen([sys.executable, '-c', hold, block], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        holder.stdout.readline()
        begin_and_end()
        assert block.read_bytes() == b'in use'
        holder.communicate(b'\n')
    begin_and_end()
    assert not block.exists()


def test_a_block_that_no_one_holds_is_removed_though_its_number_is_that_of_a_process():
    path = FOLDER / f'{PREFIX}-{os.getpid()}-abandoned'
    path.write_bytes(b'')
    begin_and_end()
    assert not path.exists()


def test_a_block_of_a_living_run_is_held():
    arrays = SharedArrays(SIZES)
    begin_and_end()
    assert (FOLDER / arrays.name).exists()
    arrays.close()
    assert not (FOLDER / arrays.name).exists()


def test_a_block_that_is_gone_already_can_be_closed():
    arrays = SharedArrays(SIZES)
    (FOLDER / arrays.name).unlink()
    arrays.close()


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

    fake = SimpleNamespace(**{**vars(os), 'open': open_late})
    monkeypatch.setattr(shared_memory, 'os', fake)
    arrays = SharedArrays(SIZES)
    monkeypatch.undo()
    assert removed
    with (FOLDER / arrays.name).open() as file, pytest.raises(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    arrays.close()
    assert not list(FOLDER.glob(f'{PREFIX}-{os.getpid()}-*'))


# The order of writes


def test_a_memory_barrier_is_one_of_the_processor():
    again = numba.njit(
        shared_memory.memory_barrier.py_func
    )  # compiled here, since what comes from the cache cannot be looked at
    again()
    (text,) = again.inspect_llvm().values()
    assert 'fence seq_cst' in text


@pytest.fixture
def seen(monkeypatch):
    """Arrays, and what they and `out` hold at each memory barrier."""
    arrays, moments, watched = SharedArrays(SIZES), [], []

    def note():
        moments.append((int(arrays.written[0]), int(arrays.read[0]), int(arrays.version[0]), watched[-1].tolist()))

    def watch(array):
        watched.append(array)
        moments.clear()
        return moments

    monkeypatch.setattr(shared_memory, 'memory_barrier', note)

    yield arrays, watch
    watched.clear()  # or the memory could not be released
    arrays.close()


def rows_of(*actions):
    rows = np.zeros(len(actions), SIZES.row)
    rows['action'] = actions
    return rows


def test_rows_are_counted_after_they_are_written_and_released_after_they_are_read(seen):
    arrays, watch = seen
    moments = watch(arrays.rings[0, :2]['action'])
    arrays.put(0, rows_of(7, 8))
    assert moments == [(0, 0, 0, [0, 0]), (0, 0, 0, [7, 8])]
    assert arrays.written[0] == 2
    out = rows_of(0, 0)
    moments = watch(out['action'])
    arrays.take(2, out)
    assert (2, 0, 0, [7, 8]) in moments
    assert moments[0][3] == [0, 0]
    assert arrays.read[0] == 2


def test_weights_are_written_and_read_between_two_looks_at_their_version(seen):
    arrays, watch = seen
    moments = watch(arrays.weights)
    arrays.publish(np.full(5, 3, np.float32))
    assert moments == [(0, 0, 1, [0.0] * 5), (0, 0, 1, [3.0] * 5)]
    assert arrays.version[0] == 2
    out = np.zeros(5, np.float32)
    moments = watch(out)
    assert arrays.fetch(0, out) == 2
    assert moments == [(0, 0, 2, [0.0] * 5), (0, 0, 2, [3.0] * 5)]
