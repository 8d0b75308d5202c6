"""Whole runs: their settings on a machine, determinism, matches on the way, and the commands."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import rlcard
import torch
from safetensors.torch import load_file

from dmc.autosize import fit
from dmc.bench import bench, verdict
from dmc.cli import main
from dmc.config import Config
from dmc.learner import Learner
from dmc.trainer import train
from dmc.workers.shared_memory import SharedArrays
from eval.points import Point
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.nets.value import ValueNetwork
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.checkpoint import CheckpointError
from rlcard_kit.statistics import Estimate, estimate
from tests.support.helpers import SMALL_SPEC
from training.checkpoint import Counters, save_checkpoint
from training.cli import print_resume_command
from training.evaluator import Evaluator
from training.learner import rate_factor
from training.learning_curve import Curve, Played
from training.machine import Machine
from training.metrics import COLUMNS, Metrics
from training.precision import _seconds, choose_precision, product
from training.progress import Progress
from training.run import Trained

SMALL = Config.of(num_games=8, batch_size=64, ring_size=4096, hidden_size=16, lstm_size=8, eval_deals=0)
SIZES = ['--num-games', '16', '--hidden-size', '32', '--lstm-size', '8', '--batch-size', '128']


def run(*arguments):
    return subprocess.run(
        [sys.executable, '-m', 'dmc', *map(str, arguments)], capture_output=True, text=True, timeout=120
    )


def deterministic(folder, updates, seed):
    config = SMALL.changed(
        savedir=folder, deterministic=True, total_frames=updates * SMALL.learning.batch_size, seed=seed
    )
    train(config)
    return load_file(folder / 'network.safetensors')


@pytest.mark.parametrize('updates', [50, pytest.param(500, marks=pytest.mark.slow)])
def test_deterministic_runs_give_the_same_bits(tmp_path, updates):
    runs = (('a', 3), ('b', 3), ('c', 4))
    first, again, other = (deterministic(tmp_path / name, updates, seed) for name, seed in runs)
    settings = json.loads((tmp_path / 'a' / 'settings.json').read_text())
    assert settings['provenance']['frames'] == updates * SMALL.learning.batch_size
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not all(torch.equal(first[name], other[name]) for name in first)


LAPTOP, GPU_SERVER = Machine(cores=2, cuda_devices=0, has_mps=False), Machine(16, 2, False)


def test_sizes_fit_the_machine():
    small, large = fit(Config.of(), LAPTOP), fit(Config.of(), GPU_SERVER)
    assert (small.run.num_actors, small.run.learner_threads, small.run.training_device) == (1, 1, 'cpu')
    assert (large.run.num_actors, large.run.learner_threads, large.run.training_device) == (15, 1, 'cuda:0')
    on_cpu = fit(Config.of(training_device='cpu'), GPU_SERVER)
    assert (on_cpu.run.num_actors, on_cpu.run.learner_threads) == (11, 5)
    assert fit(Config.of(num_actors=3, learner_threads=2), LAPTOP).run.num_actors == 3
    assert fit(Config.of(deterministic=True), GPU_SERVER).run.num_actors == 1


@pytest.mark.parametrize(
    ('settings', 'known'),
    [
        ({'training_device': 'cuda:7'}, 'cuda:0, cuda:1, cpu'),
        ({'actor_devices': ('cpu', 'mps')}, 'cuda:0, cuda:1, cpu'),
        ({'training_device': 'tpu'}, 'cpu'),
    ],
)
def test_a_device_that_does_not_exist_is_refused(settings, known):
    with pytest.raises(ConfigError, match=known):
        fit(Config.of(**settings), GPU_SERVER)


def test_too_few_file_descriptors_are_told(monkeypatch):
    monkeypatch.setattr('dmc.autosize.most_files', lambda: 256)
    assert fit(Config.of(num_actors=8), LAPTOP).run.num_actors == 8
    with pytest.raises(ConfigError, match=r'num_actors=60: they need 304 .* may open 256; `ulimit -n 304`'):
        fit(Config.of(num_actors=60), LAPTOP)


def test_devices_go_by_torchs_names_and_by_douzeros_numbers():
    config = fit(Config.of(training_device='1', actor_devices=('cuda', 'cpu')), GPU_SERVER)
    assert config.run.training_device == 'cuda:1'
    assert config.run.actor_devices == ('cuda:0', 'cpu')
    assert fit(Config.of(deterministic=True), GPU_SERVER).run.training_device == 'cpu'


@pytest.mark.parametrize(('faster', 'slower'), [(torch.float32, torch.bfloat16), (torch.bfloat16, torch.float32)])
def test_the_faster_precision_is_measured(monkeypatch, faster, slower):
    seconds = {faster: 1.0, slower: 2.5}
    monkeypatch.setattr('training.precision._seconds', lambda work, dtype: seconds[dtype])
    found = choose_precision(Config.of(), product(32, 'cpu'))
    assert found.dtype == faster
    assert f'{seconds[torch.float32] / seconds[torch.bfloat16]:.1f} times as fast' in found.reason


def test_time_is_measured_in_both_precisions():
    assert all(_seconds(product(32, 'cpu'), dtype) > 0 for dtype in (torch.float32, torch.bfloat16))


def test_precision_is_as_set():
    assert choose_precision(Config.of(deterministic=True), product(32, 'cpu')) == (torch.float32, 'deterministic')
    assert choose_precision(Config.of(precision='float32'), product(32, 'cpu')) == (torch.float32, 'as set')


def test_the_rate_falls_in_the_last_part_of_a_run():
    assert rate_factor(0.0, 0.3) == rate_factor(0.7, 0.3) == 1
    assert rate_factor(0.85, 0.3) == pytest.approx(0.55)
    assert rate_factor(1.0, 0.3) == pytest.approx(0.1)
    assert rate_factor(1.0, 0.0) == 1


def test_flags_make_the_same_settings_again(tmp_path):
    config = Config.of(savedir=tmp_path, eval_opponents=('rule',), deterministic=True, num_actors=1)
    assert config.flags().split() == [
        '--savedir', str(tmp_path), '--deterministic', '--num-actors', '1', '--eval-opponents', 'rule',
    ]  # fmt: skip


def test_an_interrupted_run_goes_on_to_its_limit_and_another_beyond(capsys):
    config = Config.of(savedir=Path('runs/[a]'), minutes=3.0, learning_rate=1e-3)
    ended = Trained(3.0, 100, 10.0, {})
    for trained, what in (
        (ended._replace(interrupted=True), "resume: python -m dmc train --resume --savedir 'runs/[a]'"),
        (ended, "train on: python -m dmc train --resume --savedir 'runs/[a]' --minutes 6.0"),
    ):
        print_resume_command('dmc train', config, trained)
        assert capsys.readouterr().out == f'saved in runs/[a]; to {what}\n'


def test_minutes_are_those_of_the_whole_run():
    progress = Progress(Config.of(minutes=10.0), Counters(seconds=450.0))
    assert progress.done == pytest.approx(0.75, abs=0.01)
    assert progress.seconds_left == pytest.approx(150, abs=1)


def test_a_resumed_run_forgets_the_part_that_was_lost(tmp_path):
    (tmp_path / 'metrics.csv').write_text('seconds,frames\n10,100\n20,200\n30,300\n40')
    Metrics(tmp_path, 200)
    assert (tmp_path / 'metrics.csv').read_text().split() == ['seconds,frames', '10,100', '20,200']
    Curve(tmp_path, 'EV').add([point(100, -3.0), point(300, -2.0)])
    assert [kept.frames for kept in Curve(tmp_path, 'EV', 200).points] == [100]
    (tmp_path / 'curve.csv').write_text('minutes,frames\n1')
    with pytest.raises(CheckpointError, match=r'curve\.csv cannot be read'):
        Curve(tmp_path, 'EV')


def test_weights_that_are_no_numbers_are_neither_played_with_nor_saved(tmp_path, monkeypatch):
    published = []

    def spoil(learner, rows):
        with torch.no_grad():
            learner.network.value.bias.fill_(float('nan'))
        return 1.0

    monkeypatch.setattr(Learner, 'update', spoil)
    monkeypatch.setattr(SharedArrays, 'publish', lambda shared, weights: published.append(weights))
    with pytest.raises(FloatingPointError, match=r"diverged: weights 'value.bias' go to nan.*not saved"):
        train(SMALL.changed(savedir=tmp_path, num_actors=1, minutes=2))
    assert published
    assert all(np.isfinite(weights).all() for weights in published)
    assert not list(tmp_path.rglob('*.safetensors'))


LUCK = np.random.default_rng(0).normal(0, 5, 50)  # of the cards of each deal, which all points share


def point(frames, ev, opponent='rule', noise=0.1):
    evs = LUCK - LUCK.mean() + ev + noise * np.sin(np.arange(50) + frames)
    return Played(Point(frames / 1000, frames, opponent, 50, Estimate(0.25, 0.01), estimate(evs)), evs)


def test_a_curve_is_kept_and_says_whether_the_run_improves(tmp_path):
    curve = Curve(tmp_path, 'EV')
    assert 'too early' in curve.trend('rule')
    curve.add([point(0, -4.0, 'greedy'), point(1000, -3.0)])
    assert 'too early' in curve.trend('greedy'), 'a point says nothing beside itself'
    assert 'too early' in curve.trend('rule')
    curve.add([point(2000, -2.0), point(3000, -1.0), point(3000, 5.0, 'random')])
    assert curve.trend('rule').startswith('still improving: +1.0')
    curve.add([point(4500, -0.9)])
    assert curve.trend('rule').startswith('still improving: +0.1'), 'though each EV alone is uncertain by more'
    assert curve.latest()['rule'].ev.margin > 1
    curve.add([point(9000, -1.0)])
    assert 'no improvement that can be told: -0.1' in curve.trend('rule')
    assert Curve(tmp_path, 'EV').points == curve.points
    assert Curve(tmp_path, 'EV').trend('rule') == curve.trend('rule')
    assert curve.latest()['random'].ev.mean == pytest.approx(5.0, abs=0.1)
    assert (tmp_path / 'curve.png').stat().st_size > 10_000


def collect(evaluator):
    while (result := evaluator.collect()) is None:
        assert evaluator._process.is_alive() or evaluator._process.exitcode is not None
    return result


def test_matches_are_played_beside_the_run(tmp_path):
    save_checkpoint(tmp_path, SMALL, ValueNetwork(SMALL_SPEC), 700)
    evaluator = Evaluator(SMALL.changed(eval_deals=4, eval_opponents=('random', 'greedy')), DMCAgent.load)
    assert evaluator.collect() is None
    evaluator.start(tmp_path, 1.5, 700)
    points = collect(evaluator)
    assert [point[1:4] for point, _ in points] == [(700, 'random', 4), (700, 'greedy', 4)]
    assert evaluator.collect() is None


def test_a_match_that_fails_is_told(tmp_path):
    evaluator = Evaluator(SMALL.changed(eval_deals=4), DMCAgent.load)
    evaluator.start(tmp_path, 1.5, 700)
    assert 'holds no trained network' in collect(evaluator)


def test_a_run_keeps_figures_and_says_what_it_consists_of(tmp_path):
    arguments = ('--minutes', '0.25', '--eval-interval', '0.05', '--eval-deals', '4', '--precision', 'float32')
    result = run('train', '--savedir', tmp_path, *SIZES, *arguments)
    assert result.returncode == 0, result.stderr
    assert 'float32 on cpu (as set)' in result.stdout
    assert 'actors on cpu compute in float32 in ' in result.stdout
    lines = (tmp_path / 'metrics.csv').read_text().splitlines()
    assert 'DMC against three of rule, 4 deals in all four seats' in result.stdout
    assert tuple(lines[0].split(',')) == (*COLUMNS, 'loss', 'queue', 'learning_rate')
    assert len(lines) > 1
    assert (tmp_path / 'curve.png').exists()
    assert list((tmp_path / 'tensorboard').iterdir())
    env = rlcard.make('big2', config={'seed': 3})
    env.set_agents([DMCAgent.load(tmp_path)] * 4)
    assert sum(env.run()[1]) == 0


def test_exploiting_an_agent_reports_what_is_gained(tmp_path, in_process):
    arguments = ('--frames', '2000', '--eval-deals', '10', '--savedir', tmp_path)
    status, said = in_process(main, 'exploit', 'greedy', *SIZES, *arguments)
    assert status == 0, said
    assert 'DMC against three of greedy' in said
    assert 'python -m dmc exploit --resume' in said
    assert json.loads((tmp_path / 'training.json').read_text())['opponent'] == 'greedy'


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        (('train', '--training-device', 'cuda:9'), "training_device='cuda:9': this machine has"),
        (('train', '--eval-opponents', 'nobody'), 'eval_opponents'),
        (('exploit', 'nobody'), 'nobody'),
        (('exploit', 'self'), 'cannot be exploited'),
        (('bench', '--seconds', '0'), 'seconds=0.0: it must be above 0'),
        (('bench', '--seconds', 'inf'), 'seconds=inf: it must be above 0 and at most 100,000'),
        (('train', '--minutes', 'inf'), 'minutes=inf: it must be at least 0 and at most 10,000,000'),
        (('train', '--num-games', '100000000'), 'num_games=100000000: it must be above 0 and at most 1,000,000'),
        (('train', '--hidden-size', '1000000000'), 'hidden_size=1000000000: it must be above 0 and at most 4,096'),
        (('train', '--num-games', '1000000', '--num-actors', '8'), 'num_games=1000000, ring_size'),
    ],
)
def test_what_cannot_work_is_refused_before_anything_starts(tmp_path, monkeypatch, arguments, message):
    command, *rest = arguments
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr('sys.argv', ['dmc', command, *SIZES, *rest])
    with pytest.raises(SystemExit, match=re.escape(message)):
        main()
    assert not list(tmp_path.iterdir())


def test_a_run_that_plays_and_learns_in_turn_has_no_stages():
    with pytest.raises(ConfigError, match='no stages'):
        bench(SMALL.changed(deterministic=True))


@pytest.mark.slow
def test_bench_measures_each_stage_and_names_the_bottleneck():
    result = run('bench', '--seconds', '0.5', *SIZES)
    assert result.returncode == 0, result.stderr
    for stage in ('actor', 'rings', 'unpacking', 'learner', 'together'):
        assert stage in result.stdout
    assert 'bottleneck' in result.stdout
    assert re.search(
        r'actors on cpu compute in \w+ in (torch|numpy) \(measured: [\d.]+ times as fast as', result.stdout
    )
    assert re.search(r'weights, learned by 1 threads; \w+ on cpu \(measured', result.stdout)


@pytest.mark.parametrize(('queue', 'name'), [(0.9, 'The learner is'), (0.1, 'The actors are')])
def test_full_rings_mean_that_the_learner_holds_up(queue, name):
    assert verdict(20_000, 30_000, queue).startswith(name)
