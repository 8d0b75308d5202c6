"""A run's figures on disk: the curve, TensorBoard's events, full disks, damaged files and lost parts."""

import csv
import os

import numpy as np
import pytest

from eval.points import Point
from rlcard_kit.nets.checkpoint import CheckpointError
from rlcard_kit.statistics import Estimate, estimate
from tests.support.helpers import exit_status, fork
from training.checkpoint import Counters
from training.learning_curve import Curve, Played
from training.metrics import Metrics
from training.progress import Progress
from training.workers import Counts

POINT = Point(1.0, 500, 'rule', 50, Estimate(0.25, 0.01), Estimate(-1.5, 0.1))


@pytest.fixture
def progress(tmp_path):
    progress = Progress(Counters(frames=500, seconds=60), np.zeros((0, 2)))
    progress.note(Counts(7, 0, 0, np.zeros((0, 2))))
    return progress


def test_tensorboard_reads_the_events(tmp_path, progress):
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


@pytest.mark.attack('full disks, or no memory')
@pytest.mark.parametrize('room', [0, 10])
def test_a_full_disk_leaves_whole_lines(tmp_path, progress, room):
    metrics = Metrics(tmp_path)
    metrics.write(progress, {'loss': 2.5})
    before = (tmp_path / 'metrics.csv').read_bytes()

    def write_on():
        progress._before = Counters(seconds=100.0)
        with pytest.raises(OSError, match=r'File too large|no room'):
            metrics.write(progress, {'loss': 2.5})

    assert exit_status(fork(write_on, len(before) + room)) == 0
    assert (tmp_path / 'metrics.csv').read_bytes() == before


@pytest.mark.attack('full disks, or no memory')
def test_a_full_disk_is_an_error_of_tensorboards_events_too(tmp_path):
    metrics = Metrics(tmp_path)
    metrics.add([POINT])

    def write_on():
        for _ in range(3):
            with pytest.raises(OSError, match='File too large'):
                metrics.add([POINT])

    assert exit_status(fork(write_on, 0)) == 0
    metrics.add([POINT])


LINES = 'seconds,frames,loss\r\n10,100,1\r\n20,200,1\r\n'


@pytest.mark.attack('damaged or forged files')
@pytest.mark.parametrize(
    'damaged', ['30,300', '30,many,1', '30,' + '9' * 5000 + ',1', '\udcff\udcfe', '"', '30,100.5,1']
)
def test_damaged_lines_of_metrics_are_dropped(tmp_path, damaged):
    path = tmp_path / 'metrics.csv'
    path.write_bytes((LINES + damaged).encode(errors='surrogateescape'))
    Metrics(tmp_path, 200)
    assert path.read_text().split() == LINES.split()


def test_a_resumed_run_forgets_the_part_that_was_lost(tmp_path):
    Metrics(tmp_path).write(Progress(Counters(100, seconds=10.0), np.zeros((0, 2))), {})
    with (tmp_path / 'metrics.csv').open('a') as file:
        file.write('20.0,200,0,0,0,\r\n30.0,300,0,0,0,\r\n40')
    Metrics(tmp_path, 200)
    lines = (tmp_path / 'metrics.csv').read_text().splitlines()
    assert [line.split(',')[1] for line in lines] == ['frames', '100', '200']
    Curve(tmp_path, 'EV').add([point(100, -3.0), point(300, -2.0)])
    assert [kept.frames for kept in Curve(tmp_path, 'EV', 200).points] == [100]


LUCK = np.random.default_rng(0).normal(0, 5, 50)  # of the cards of each deal, which all points share


def point(frames, ev, opponent='rule', noise=0.1):
    evs = LUCK - LUCK.mean() + ev + noise * np.sin(np.arange(50) + frames)
    return Played(Point(frames / 1000, frames, opponent, 50, Estimate(0.25, 0.01), estimate(evs)), evs)


def test_a_curve_is_kept_and_shows_the_trend(tmp_path):
    curve = Curve(tmp_path, 'EV')
    curve.add([point(0, -4.0, 'greedy'), point(1000, -3.0)])
    assert all('one match' in curve.trend(opponent) for opponent in ('greedy', 'rule', 'nobody'))
    curve.add([point(2000, -2.0), point(3000, -1.0)])
    assert curve.trend('rule').startswith('still improving: +1.0')
    curve.add([point(4500, -0.9)])
    assert curve.trend('rule').startswith('still improving: +0.1'), 'though each EV alone is uncertain by more'
    assert curve.latest()['rule'].ev.margin > 1
    curve.add([point(9000, -1.0), point(9000, 5.0, 'random')])
    assert '-0.1' in curve.trend('rule')
    again = Curve(tmp_path, 'EV')
    assert (again.points, again.trend('rule')) == (curve.points, curve.trend('rule'))
    assert curve.latest()['random'].ev.mean == pytest.approx(5.0, abs=0.1)
    assert (tmp_path / 'curve.png').stat().st_size > 10_000


@pytest.mark.attack('links, pipes, folders and devices in place of files')
@pytest.mark.parametrize('name', ['metrics.csv', 'curve.csv', 'curve.npz'])
def test_a_pipe_in_place_of_a_file_is_refused_at_once(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(CheckpointError, match=f'{name} cannot be read: it is a pipe'):
        Metrics(tmp_path, 200) if name == 'metrics.csv' else Curve(tmp_path, 'EV')


@pytest.mark.attack('damaged or forged files')
@pytest.mark.parametrize('damaged', ['inf,1,rule,2,0,0,0,0', '1,1', '\0', '"' + 'a' * 200_000, '\udcff'])
def test_a_damaged_curve_is_refused(tmp_path, damaged):
    text = f'minutes,frames,opponent,deals,wp,wp_margin,ev,ev_margin\n{damaged}'
    (tmp_path / 'curve.csv').write_bytes(text.encode(errors='surrogateescape'))
    with pytest.raises(CheckpointError, match=r'curve\.csv cannot be read: .*without it the run starts a new curve'):
        Curve(tmp_path, 'EV')
