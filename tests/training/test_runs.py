"""Whole runs of both trainers on both games: recorded, resumed, played, exported, and refused before they start."""

import io
import json
import os
import shlex
import shutil
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from functools import cache, partial

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import dmc.cli
import dmc.trainer
import ppo.cli
from dmc.learner import Learner
from dmc.workers.in_process import InProcessWorkers
from eval.common.cli import python
from rlcard_big2 import VectorEnv
from rlcard_big2.nets.agents import DMCAgent
from rlcard_big2.nets.value import ValueNetwork
from tests.support.damage import damaged
from tests.support.helpers import SMALL_SPEC
from tests.support.training import save_network
from training.evaluator import Evaluator
from training.export import export
from training.games import GAMES
from training.games.big2 import DMC_PRESETS
from training.metrics import COLUMNS
from training.run_settings import recorded

pytestmark = pytest.mark.filterwarnings('ignore:.*resuming from', 'ignore:.*its settings are taken')

MAINS = {'dmc': dmc.cli.main, 'ppo': ppo.cli.main}
SIZES = {
    'dmc': '--num-actors 1 --num-games 8 --batch-size 64 --ring-size 4096 --hidden-size 16 --lstm-size 8 --win-bonus 1',
    'ppo': '--num-games 16 --num-steps 8 --hidden-size 16 --epochs 2 --pool-share 0.25',
}
OPTIONS = {'big2': '--rules hkust --eval-opponents random', 'catch5': '--game catch5 --eval-opponents pass'}
OTHERS = '--deterministic --decay 0 --learning-rate 2e-3 --eval-deals'
SMALL = dmc.config.Config.of(num_games=8, batch_size=64, ring_size=4096, hidden_size=16, lstm_size=8, num_actors=1)
each_trainer = pytest.mark.parametrize('trainer', MAINS)
each_game = pytest.mark.parametrize('game', OPTIONS)


def command(text):
    """Run a command in this process; return all that it prints."""
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out):
        patch.setattr('sys.argv', shlex.split(text))
        MAINS[text.split()[0]]()
    return out.getvalue()


def start(trainer, folder, more='', game='big2', frames=1000, deals=0):
    limits = f'--savedir {shlex.quote(str(folder))} --total-frames {frames} {OTHERS} {deals}'
    said = command(f'{trainer} train {SIZES[trainer]} {OPTIONS[game]} {limits} {more}')
    assert 'to continue training: ' in said, 'or a signal to this process has ended it'
    return said


@pytest.fixture(scope='module')
def finished(tmp_path_factory):
    """Return a function that returns the folder of a run, which no test changes, and its output."""

    @cache
    def run(trainer, game='big2'):
        folder = tmp_path_factory.mktemp(f'{trainer} {game}')
        return folder, start(trainer, folder, game=game, deals=4)

    return run


@pytest.fixture
def copied(finished, tmp_path):
    """Return a function that copies the folder of a run for a test."""
    return lambda trainer, game='big2': shutil.copytree(finished(trainer, game)[0], tmp_path / 'a run')


def weights(folder):
    return {name: array.tolist() for name, array in load_file(folder / 'network.safetensors').items()}


def stored(folder, name='training.json'):
    return json.loads((folder / name).read_text())


def settings_of(folder):
    return {key: value for key, value in stored(folder).items() if key not in ('savedir', 'resume', 'history')}


def frames_of(folder):
    return stored(folder, 'settings.json')['provenance']['frames']


def contents(folder):
    files = (path for path in folder.rglob('*') if path.is_file() and path.name != 'lock')
    return {path: path.read_bytes() for path in files if 'tensorboard' not in str(path)}


def changes_in(said):
    return [line for line in said.splitlines() if '->' in line]


@each_trainer
@each_game
def test_a_run_is_recorded_played_and_exported(finished, tmp_path, trainer, game):
    folder, said = finished(trainer, game)
    learned, small, rules = GAMES[game], tmp_path / 'small', {'big2': 'hkust', 'catch5': 'paper'}[game]
    assert f'{trainer.upper()} against {"three of random" if game == "big2" else "two of pass"}, 4 deals' in said
    assert ('  passes ' in said) == (game == 'catch5')
    settings = stored(folder, 'settings.json')
    assert (settings['game'], settings['agent'], settings['rules']['name']) == (game, trainer, rules)
    flags = settings['provenance']['command']
    assert '--total-frames 1000' in flags
    assert ('--rules' in flags) == (game == 'big2'), 'else as its preset has them'
    agent = learned.make_agent(f'{trainer}:{folder}', learned.find_rules(rules))
    assert agent.trained_on.name == rules
    exported = export(folder, small, trainer, games=100)
    assert exported == learned.settings.load(small, trainer)
    assert (exported.calibration is not None) == ((trainer, game) == ('dmc', 'big2')), 'others have points or a policy'
    assert np.isfinite(learned.estimate(learned.play_match(f'{trainer}:{small}', 'random', 4, rules, 1)).mean)


@each_trainer
@each_game
def test_a_seed_gives_the_same_bits_and_another_seed_others(finished, tmp_path, trainer, game):
    for seed in (0, 9):
        start(trainer, tmp_path / str(seed), f'--seed {seed}', game, deals=0)
        assert (weights(tmp_path / str(seed)) == weights(finished(trainer, game)[0])) == (seed == 0)


@pytest.mark.parametrize(
    ('game', 'more'), [('big2', ''), ('big2', '--pool-share 0'), ('catch5', '--pool-agents pass rule')]
)
def test_a_resumed_ppo_run_goes_on_bit_by_bit(tmp_path, game, more):
    start('ppo', tmp_path / 'whole', more, game, frames=2000)
    start('ppo', tmp_path / 'parts', more, game)
    command(f'ppo train --resume --savedir {tmp_path / "parts"} --total-frames 2000')
    assert weights(tmp_path / 'whole') == weights(tmp_path / 'parts')


@each_trainer
@each_game
def test_the_printed_command_trains_on_with_the_settings_of_the_run(finished, copied, trainer, game):
    (folder, said), copy = finished(trainer, game), copied(trainer, game)
    words = said.split('to continue training: ')[1].split('\n')[0]
    assert words == f"{python()} -m {trainer} train --resume --savedir '{folder}' --total-frames 2000"
    before, frames = settings_of(copy), frames_of(copy)
    said = command(words.removeprefix(f'{python()} -m ').replace(str(folder), str(copy)))
    assert changes_in(said) == ['total_frames: 1000 -> 2000']
    assert settings_of(copy) == {**before, 'total_frames': 2000}
    history = stored(copy)['history']
    assert [entry['changed'] for entry in history] == [{}, {'total_frames': [1000, 2000]}]
    assert history[1]['frames'] == frames
    assert frames_of(copy) >= 2000


@each_trainer
def test_resuming_a_finished_run_plays_and_writes_nothing_twice(copied, trainer):
    folder = copied(trainer)
    before = contents(folder)
    said = command(f"{trainer} train --resume --savedir '{folder}'")
    assert 'nothing is left to train' in said
    assert 'against three of' not in said
    assert contents(folder) == before
    for name in ('curve.csv', 'curve.npz'):
        (folder / name).unlink()
    assert 'against three of random' in command(f"{trainer} train --resume --savedir '{folder}'"), 'it was cut off'
    assert contents(folder).keys() == before.keys()


@each_trainer
def test_a_run_in_another_thread_trains(tmp_path, trainer):
    with ThreadPoolExecutor(1) as thread:
        thread.submit(start, trainer, tmp_path / 'run').result()
    assert frames_of(tmp_path / 'run') >= 1000


def test_a_preset_counts_as_the_flags_that_it_stands_for(copied, monkeypatch):
    resume = f"dmc train --resume --savedir '{copied('dmc')}'"
    with pytest.raises(SystemExit, match=r"rules='charlesworth': .* has 'hkust', which cannot change"):
        command(f'{resume} --rules charlesworth')
    monkeypatch.setitem(DMC_PRESETS, 'slow', {'learning_rate': 1e-5, 'total_frames': 1100, 'rules': 'hkust'})
    said = command(f'{resume} --preset slow --total-frames 1200')
    assert changes_in(said) == ['total_frames: 1000 -> 1200', 'learning_rate: 0.002 -> 1e-05']


def test_exploitation_is_resumed_against_the_same_agent(tmp_path):
    sizes = f'{SIZES["dmc"]} --deterministic --eval-deals 4 --total-frames'
    command(f'dmc exploit greedy --savedir {tmp_path} {sizes} 500')
    said = command(f'dmc exploit --resume --savedir {tmp_path} --total-frames 1000')
    assert changes_in(said) == ['total_frames: 500 -> 1000']
    assert 'DMC against three of greedy' in said
    assert f'python -m dmc exploit --resume --savedir {tmp_path}' in said
    assert settings_of(tmp_path)['opponent'] == 'greedy'


@each_trainer
def test_a_run_starts_from_the_weights_of_another(copied, tmp_path, trainer):
    first, second = copied(trainer), tmp_path / 'second'
    words = f"--rules taiwan --seed 5 --start-from '{first}'"
    start(trainer, second, words, frames=0)
    assert weights(second) == weights(first)
    first.rename(tmp_path / 'moved')  # a resumed run has weights of its own
    start(trainer, second, f'{words} --resume', frames=300)
    assert weights(second) != weights(tmp_path / 'moved')


def test_a_network_of_more_inputs_starts_with_the_values_of_another(tmp_path):
    first, wide = tmp_path / 'first', tmp_path / 'wide'
    start('dmc', first, '--inputs rules', frames=0)
    start('dmc', wide, f"--inputs tables --start-from '{first}'", frames=0)
    positions = VectorEnv(20, seed=3).positions()
    expected = DMCAgent.load(first).network.values(positions)
    np.testing.assert_allclose(DMCAgent.load(wide).network.values(positions), expected, atol=1e-5)


@pytest.mark.parametrize(
    ('game', 'more', 'names'),
    [
        ('big2', '--start-from nowhere', 'nowhere'),
        ('big2', '--inputs cards', 'inputs=.afterstates.*inputs=.cards'),
        ('big2', '--hidden-size 32', 'hidden_size=16.*hidden_size=32'),
        ('catch5', '', "is of game 'catch5': expected 'big2'"),
    ],
)
def test_a_start_that_does_not_fit_is_refused(finished, tmp_path, game, more, names):
    with pytest.raises(SystemExit, match=f'start_from=.*{names}'):
        start('dmc', tmp_path / 'run', f"--start-from '{finished('dmc', game)[0]}' {more}")
    assert not (tmp_path / 'run').exists()


@pytest.mark.attack('damaged or forged files')
def test_with_a_damaged_record_a_run_resumes_by_its_newest_state(copied, record_property):
    folder, noticed = copied('dmc'), 0
    path = folder / 'training.json'
    before, settings, text = settings_of(folder), recorded(dmc.config.Config, folder), path.read_bytes()
    for name, data in damaged(text):
        path.write_bytes(data)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            found = recorded(dmc.config.Config, folder)
        assert len(caught) < 2
        assert not caught or ('training.json' in str(caught[0].message) and found == settings), name
        noticed += len(caught)
    record_property('tries', noticed)
    assert noticed > 150
    path.write_text('[]')
    said = command(f"dmc train --resume --savedir '{folder}'")
    assert 'nothing is left to train' in said
    assert changes_in(said) == []
    assert settings_of(folder) == before, 'it is written again'
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(SystemExit, match=r'training\.json is a pipe or a device'):
        command(f"dmc train --resume --savedir '{folder}'")


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('dmc train --resume', 'holds no state to resume from'),
        ('dmc train --training-device cuda:9', 'training_device=.cuda:9'),
        ('dmc train --eval-opponents nobody', 'eval_opponents'),
        ('dmc exploit nobody', 'nobody'),
        ('dmc exploit self', 'cannot be exploited'),
        ('dmc bench --seconds 0', r'seconds=0\.0'),
        ('dmc bench --seconds inf', 'seconds=inf'),
        ('dmc bench --deterministic', 'deterministic'),
        ('dmc train --minutes inf', 'minutes=inf'),
        ('dmc train --num-games 100000000', 'num_games=100000000'),
        ('dmc train --hidden-size 1000000000', 'hidden_size=1000000000'),
        ('dmc train --num-games 1000000 --num-actors 8', r'num_games=1000000, ring_size.* GB'),
        ('ppo train --num-games 1000000 --num-steps 1000000', r'num_games=1000000, num_steps=1000000.* GB'),
        ('ppo train --deterministic --pool-share 0.5 --pool-agents nobody', 'pool_agents: .*nobody'),
    ],
)
def test_impossible_commands_are_refused_before_anything_starts(tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match=message):
        command(text)
    assert not list(tmp_path.iterdir())


def test_a_folder_with_a_run_is_not_overwritten(copied):
    folder = copied('dmc')
    before = contents(folder)
    with pytest.raises(SystemExit, match='another folder'):
        start('dmc', folder)
    assert contents(folder) == before


def test_weights_that_are_no_numbers_are_neither_played_with_nor_saved(tmp_path, monkeypatch):
    published = []
    spoiled = partial(torch.nn.init.constant_, val=float('nan'))
    monkeypatch.setattr(Learner, 'update', lambda learner, rows: spoiled(learner.network.value.bias).item())
    monkeypatch.setattr(InProcessWorkers, 'publish', lambda workers, weights: published.append(weights))
    with pytest.raises(FloatingPointError, match=r"'value.bias' go to nan.*not saved"):
        dmc.trainer.train(SMALL.changed(savedir=tmp_path, deterministic=True, total_frames=10**9))
    assert all(np.isfinite(weights).all() for weights in published)
    assert not list(tmp_path.rglob('*.safetensors'))


def collect(evaluator):
    while (result := evaluator.collect()) is None:
        assert evaluator.is_busy
    return result


def test_matches_are_played_beside_the_run_and_failures_are_reported(tmp_path):
    settings = SMALL.changed(eval_deals=4, eval_opponents=('random', 'greedy')).evaluation
    evaluator = Evaluator(SMALL.find_game(), SMALL.game.rules, 'dmc', settings)
    assert evaluator.collect() is None
    evaluator.start(tmp_path, 1.5, 700)
    assert 'holds no trained network' in collect(evaluator)
    save_network(tmp_path, SMALL, ValueNetwork(SMALL_SPEC), 700)
    evaluator.start(tmp_path, 1.5, 700)
    assert [point[1:4] for point, _ in collect(evaluator)] == [(700, 'random', 4), (700, 'greedy', 4)]
    assert not evaluator.is_busy


@pytest.mark.parametrize('game', ['big2', pytest.param('catch5', marks=pytest.mark.slow)])
def test_a_run_with_actors_keeps_figures_and_plays_on_the_way(tmp_path, monkeypatch, game):
    monkeypatch.setattr('training.metrics.WRITE_SECONDS', 0.0)  # the run may be shorter than ten seconds
    limits = '--total-frames 6000 --eval-interval 0.01 --eval-deals 4 --precision float32 --learner-threads 1'
    said = command(f'dmc train --savedir {tmp_path} {limits} {SIZES["dmc"]} {OPTIONS[game]}')
    assert 'float32 on cpu (as set)' in said
    assert 'actors on cpu compute in float32 in ' in said
    columns, *lines = (tmp_path / 'metrics.csv').read_text().splitlines()
    assert columns.startswith(','.join((*COLUMNS, 'loss', 'queue', 'learning_rate')))
    assert lines
    assert (tmp_path / 'playing/settings.json').exists()
    assert (tmp_path / 'curve.png').exists()
    assert list((tmp_path / 'tensorboard').iterdir())
