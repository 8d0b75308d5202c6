"""Resuming by the command line: a run goes on with its own settings, and what is given beside them is told."""

import json
import os
import shlex

import pytest
from safetensors.torch import load_file

import dmc.cli
import ppo.cli
from training.games.big2 import DMC_PRESETS

pytestmark = [pytest.mark.usefixtures('one_thread'), pytest.mark.filterwarnings('ignore:.*resuming from')]

SIZES = {
    'dmc': '--num-games 8 --batch-size 64 --ring-size 4096 --hidden-size 16 --lstm-size 8 --win-bonus 0',
    'ppo': '--num-games 16 --num-steps 8 --hidden-size 16 --epochs 2 --pool-share 0.25',
}
OTHERS = '--deterministic --decay 0 --learning-rate 2e-3 --eval-deals 0 --eval-opponents greedy random --rules hkust'
COMMANDS = {'dmc': dmc.cli.main, 'ppo': ppo.cli.main}


@pytest.fixture
def command(monkeypatch, capsys):
    """Run a command in this process; return what it prints."""

    def run(program, text):
        monkeypatch.setattr('sys.argv', [program, *shlex.split(text)])
        COMMANDS[program]()
        return capsys.readouterr().out

    return run


def start(command, program, folder, frames=1000, more=''):
    sizes = f'{SIZES[program]} {OTHERS} {more}'
    return command(program, f'train --savedir {shlex.quote(str(folder))} --total-frames {frames} {sizes}')


def weights(folder):
    return {name: array.tolist() for name, array in load_file(folder / 'network.safetensors').items()}


@pytest.mark.parametrize('program', COMMANDS)
def test_a_run_starts_from_the_weights_of_another(tmp_path, command, program):
    first, second = tmp_path / 'first', tmp_path / 'second'
    start(command, program, first, 300)
    words = f'--rules taiwan --seed 5 --start-from {first}'
    start(command, program, second, 0, words)
    assert weights(second) == weights(first)
    first.rename(tmp_path / 'moved')  # a resumed run has weights of its own
    start(command, program, second, 300, f'{words} --resume')
    assert weights(second) != weights(tmp_path / 'moved')


@pytest.mark.parametrize(
    ('more', 'names'),
    [('--start-from {0}/none', '/none'), ('--start-from {0}/first --hidden-size 32', 'hidden_size=16.*hidden_size=32')],
)
def test_a_start_that_does_not_fit_is_refused(tmp_path, command, more, names):
    start(command, 'dmc', tmp_path / 'first', 0)
    with pytest.raises(SystemExit, match=f'start_from=.*{names}'):
        start(command, 'dmc', tmp_path / 'second', 100, more.format(tmp_path))
    assert not (tmp_path / 'second').exists()


def settings_of(folder):
    stored = json.loads((folder / 'training.json').read_text())
    return {key: value for key, value in stored.items() if key not in ('savedir', 'resume', 'history')}


def contents(folder):
    files = (path for path in folder.rglob('*') if path.is_file() and path.name != 'lock')
    return {path: path.read_bytes() for path in files if 'tensorboard' not in str(path)}


@pytest.mark.parametrize('program', COMMANDS)
def test_a_resumed_run_has_the_settings_of_the_run(tmp_path, command, program):
    start(command, program, tmp_path)
    before = settings_of(tmp_path)
    said = command(program, f'train --resume --savedir {tmp_path} --total-frames 2000')
    assert settings_of(tmp_path) == {**before, 'total_frames': 2000}
    assert [line for line in said.splitlines() if '->' in line] == ['total_frames: 1000 -> 2000']
    history = json.loads((tmp_path / 'training.json').read_text())['history']
    assert [entry['changed'] for entry in history] == [{}, {'total_frames': [1000, 2000]}]
    assert (
        history[1]['frames']
        == json.loads(sorted((tmp_path / 'state').glob('*.json'))[0].read_text())['counters']['frames']
    )


@pytest.mark.parametrize(
    'more',
    ['', '--pool-share 0', '--game catch5 --rules paper --network suits --pool-agents pass --eval-opponents pass'],
)
def test_a_resumed_run_goes_on_bit_by_bit(tmp_path, command, more):
    start(command, 'ppo', tmp_path / 'whole', 2000, more)
    start(command, 'ppo', tmp_path / 'parts', 1000, more)
    command('ppo', f'train --resume --savedir {tmp_path / "parts"} --total-frames 2000')
    assert weights(tmp_path / 'whole') == weights(tmp_path / 'parts')
    start(command, 'ppo', tmp_path / 'other', 2000, f'{more} --seed 9')
    assert weights(tmp_path / 'whole') != weights(tmp_path / 'other')


@pytest.mark.parametrize('program', COMMANDS)
def test_resuming_a_finished_run_plays_and_writes_nothing_twice(tmp_path, command, program):
    first = start(command, program, tmp_path, more='--eval-deals 4 --eval-opponents random')
    assert 'against three of random' in first
    before = contents(tmp_path)
    said = command(program, f'train --resume --savedir {tmp_path}')
    assert 'has reached its limit: nothing is left to train' in said
    assert contents(tmp_path) == before
    (tmp_path / 'curve.csv').unlink()
    (tmp_path / 'curve.npz').unlink()
    assert 'against three of random' in command(program, f'train --resume --savedir {tmp_path}'), 'it was cut off there'
    assert contents(tmp_path).keys() == before.keys()


@pytest.mark.parametrize('program', COMMANDS)
def test_the_printed_command_trains_on(tmp_path, command, program):
    said = start(command, program, tmp_path / 'a run')
    words = said.split('to train on: ')[1].split('\n')[0]
    assert words == f"python -m {program} train --resume --savedir '{tmp_path}/a run' --total-frames 2000"
    frames = json.loads((tmp_path / 'a run/settings.json').read_text())['provenance']['frames']
    command(program, words.removeprefix(f'python -m {program} '))
    assert json.loads((tmp_path / 'a run/settings.json').read_text())['provenance']['frames'] >= 2 * frames - 200


@pytest.mark.parametrize(('program', 'flags'), [('dmc', '--win-bonus 2 --batch-size 64'), ('ppo', '--hidden-size 16')])
def test_a_resumed_run_keeps_what_differs_from_the_default_of_its_game(tmp_path, command, program, flags):
    words = f'--game catch5 --num-games 16 --deterministic --eval-deals 0 {flags}'
    command(program, f'train --savedir {tmp_path} --total-frames 100 {words}')
    before = settings_of(tmp_path)
    said = command(program, f'train --resume --savedir {tmp_path} --total-frames 200')
    assert settings_of(tmp_path) == {**before, 'total_frames': 200}
    assert [line for line in said.splitlines() if '->' in line] == ['total_frames: 100 -> 200']


def test_a_preset_counts_as_the_flags_that_it_stands_for(tmp_path, command, monkeypatch):
    start(command, 'dmc', tmp_path)
    with pytest.raises(SystemExit, match=r"rules='charlesworth': the run in .* has 'hkust', which cannot change"):
        command('dmc', f'train --resume --savedir {tmp_path} --rules charlesworth')
    monkeypatch.setitem(DMC_PRESETS, 'slow', {'learning_rate': 1e-5, 'total_frames': 1100, 'rules': 'hkust'})
    said = command('dmc', f'train --resume --savedir {tmp_path} --preset slow --total-frames 1200')
    assert [line for line in said.splitlines() if '->' in line] == [
        'total_frames: 1000 -> 1200', 'learning_rate: 0.002 -> 1e-05',
    ]  # fmt: skip


def test_exploitation_is_resumed_against_the_same_agent(tmp_path, command):
    sizes = f'{SIZES["dmc"]} --deterministic --eval-deals 4 --total-frames'
    command('dmc', f'exploit greedy --savedir {tmp_path} {sizes} 500')
    said = command('dmc', f'exploit --resume --savedir {tmp_path} --total-frames 1000')
    assert [line for line in said.splitlines() if '->' in line] == ['total_frames: 500 -> 1000']
    assert 'DMC against three of greedy' in said
    assert f'python -m dmc exploit --resume --savedir {tmp_path}' in said
    assert settings_of(tmp_path)['opponent'] == 'greedy'


TEXTS = {
    'empty': '',
    'cut off': '{"minutes": 1',
    'a list': '[]',
    'a number': '1',
    'null': 'null',
    'no UTF-8': '\udcff',
    'deep': '[' * 100_000,
    'of no run': '{}',
}
CHANGES = {
    'of another agent': {'agent': 'ppo'},
    'a word for a number': {'learning_rate': 'high'},
    'a number for a word': {'rules': 1},
    'a list for a number': {'num_games': [1]},
    'null for a number': {'num_games': None},
    'true for a number': {'num_games': True},
    'a fraction for a whole number': {'num_games': 1.5},
    'an infinity': {'learning_rate': float('inf')},
    'out of bounds': {'num_games': -1},
    'an object for names': {'eval_opponents': {'a': 1}},
    'numbers for names': {'eval_opponents': [1]},
    'a text for true': {'deterministic': 'yes'},
}


@pytest.fixture(scope='module')
def stopped(tmp_path_factory):
    """The folder of a small run."""
    folder = tmp_path_factory.mktemp('run')
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            'sys.argv',
            ['dmc', 'train', '--savedir', str(folder), '--total-frames', '500', *f'{SIZES["dmc"]} {OTHERS}'.split()],
        )
        dmc.cli.main()
    return folder


@pytest.mark.parametrize('how', [*TEXTS, *CHANGES])
def test_with_a_damaged_record_a_run_resumes_by_its_newest_state(stopped, command, how):
    path = stopped / 'training.json'
    before = settings_of(stopped)
    text = json.dumps({**before, **CHANGES[how]}) if how in CHANGES else TEXTS.get(how, '')
    path.write_bytes(text.encode(errors='surrogateescape'))
    with pytest.warns(UserWarning, match=r'training\.json.*: its settings are taken from its newest state'):
        said = command('dmc', f'train --resume --savedir {stopped}')
    assert 'nothing is left to train' in said
    assert '->' not in said
    assert settings_of(stopped) == before, 'it is written again'


@pytest.mark.filterwarnings('ignore:.*its settings are taken')
def test_a_pipe_in_place_of_the_record_is_refused_at_once(stopped, command):
    path = stopped / 'training.json'
    before = path.read_bytes()
    path.unlink()
    os.mkfifo(path)
    try:
        with pytest.raises(SystemExit, match=r'training\.json is a pipe or a device, not a file'):
            command('dmc', f'train --resume --savedir {stopped}')
    finally:
        path.unlink()
        path.write_bytes(before)


def test_a_folder_without_a_run_is_refused(tmp_path, command):
    with pytest.raises(SystemExit, match='holds no state to resume from'):
        command('dmc', f'train --resume --savedir {tmp_path}')
    assert not list(tmp_path.iterdir())
