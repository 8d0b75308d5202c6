"""A run's figures on disk: full disks, damaged files, and what TensorBoard reads."""

import csv
import os
import resource
import signal

import numpy as np
import pytest

import dmc.config
from eval.points import Point
from rlcard_kit.nets.checkpoint import CheckpointError
from rlcard_kit.statistics import Estimate
from training.checkpoint import Counters
from training.learning_curve import Curve
from training.metrics import Metrics
from training.progress import Progress
from training.workers import Counts

POINT = Point(1.0, 500, 'rule', 50, Estimate(0.25, 0.01), Estimate(-1.5, 0.1))


@pytest.fixture
def progress(tmp_path):
    progress = Progress(dmc.config.Config.of(savedir=tmp_path), Counters(frames=500, seconds=60))
    progress.note(Counts(7, 0, 0, np.zeros((0, 2))))
    return progress


def test_tensorboard_reads_what_is_written(tmp_path, progress):
    loader = pytest.importorskip('tensorboard.backend.event_processing.event_file_loader')
    metrics = Metrics(tmp_path)
    metrics.write(progress, {'loss': 2.5, 'rate': None})
    metrics.add([POINT])
    (path,) = (tmp_path / 'tensorboard').iterdir()
    events = [event for event in loader.LegacyEventFileLoader(str(path)).Load() if event.summary.value]
    written = {value.tag: (event.step, value.simple_value) for event in events for value in event.summary.value}
    assert written['loss'] == (500, 2.5)
    assert written['ev/rule'] == (500, -1.5)
    assert written['frames'] == (500, 500)
    assert 'rate' not in written


def test_a_resumed_run_that_measures_more_has_more_columns(tmp_path, progress):
    Metrics(tmp_path).write(progress, {'loss': 2.5})
    Metrics(tmp_path, 500).write(progress, {'staleness': 1.0, 'loss': 2.0})
    Metrics(tmp_path, 500).write(progress, {'loss': 1.5})
    with (tmp_path / 'metrics.csv').open() as file:
        lines = list(csv.DictReader(file))
    assert [(line['loss'], line['staleness']) for line in lines] == [('2.5', ''), ('2.0', '1.0'), ('1.5', '')]


def with_files_of(limit, action):
    """Do something in a copy of this process whose files may have so many bytes; return what it prints."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(writer, 2)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            action()
        except BaseException as error:
            os.write(2, repr(error).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader) as said:
        text = said.read()
    os.waitpid(pid, 0)
    return text


@pytest.mark.parametrize('room', [0, 10])
def test_a_full_disk_leaves_whole_lines(tmp_path, progress, room):
    metrics = Metrics(tmp_path)
    metrics.write(progress, {'loss': 2.5})
    before = (tmp_path / 'metrics.csv').read_bytes()

    def write_on():
        progress._before = Counters(seconds=100.0)
        with pytest.raises(OSError, match=r'File too large|no room'):
            metrics.write(progress, {'loss': 2.5})
        os.write(2, b'told')

    assert with_files_of(len(before) + room, write_on) == 'told'
    assert (tmp_path / 'metrics.csv').read_bytes() == before


def test_a_full_disk_is_told_by_tensorboards_events_too(tmp_path):
    metrics = Metrics(tmp_path)
    metrics.add([POINT])

    def write_on():
        for _ in range(3):
            with pytest.raises(OSError, match='File too large'):
                metrics.add([POINT])
        os.write(2, b'told')

    assert with_files_of(0, write_on) == 'told'
    metrics.add([POINT])


LINES = 'seconds,frames,loss\r\n10,100,1\r\n20,200,1\r\n'


@pytest.mark.parametrize(
    'damaged',
    ['30,300', '30,many,1', '30,,1', '30,' + '9' * 5000 + ',1', '\udcff\udcfe', '"', '30,100.5,1'],
)
def test_damaged_lines_of_metrics_are_dropped(tmp_path, damaged):
    path = tmp_path / 'metrics.csv'
    path.write_bytes((LINES + damaged).encode(errors='surrogateescape'))
    Metrics(tmp_path, 200)
    assert path.read_text().split() == LINES.split()


def test_a_pipe_in_place_of_a_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / 'metrics.csv')
    with pytest.raises(CheckpointError, match=r'metrics\.csv cannot be read: it is a pipe'):
        Metrics(tmp_path, 200)
    for name in ('curve.csv', 'curve.npz'):
        os.mkfifo(tmp_path / name)
        with pytest.raises(CheckpointError, match=f'{name} cannot be read: it is a pipe'):
            Curve(tmp_path, 'EV')
        (tmp_path / name).unlink()


BAD_POINTS = (
    'inf,1,rule,2,0,0,0,0', '1,-1,rule,2,0,0,0,0', f'1,{"9" * 5000},rule,2,0,0,0,0', '1,1,rule,2,0,nan,0,0', '1,1',
    '1,1,rule,2,a,0,0,0', '\0', '"' + 'a' * 200_000, '\udcff',
)  # fmt: skip


@pytest.mark.parametrize('damaged', BAD_POINTS)
def test_a_damaged_curve_is_refused_in_words(tmp_path, damaged):
    text = f'minutes,frames,opponent,deals,wp,wp_margin,ev,ev_margin\n{damaged}'
    (tmp_path / 'curve.csv').write_bytes(text.encode(errors='surrogateescape'))
    with pytest.raises(CheckpointError, match=r'curve\.csv cannot be read: .*without it the run starts a new curve'):
        Curve(tmp_path, 'EV')
