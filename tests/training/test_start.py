"""Runs that start from the weights of another network."""

import shlex

import pytest
from safetensors.numpy import load_file

import dmc.cli
import ppo.cli

pytestmark = [pytest.mark.usefixtures('one_thread'), pytest.mark.filterwarnings('ignore:.*resuming from')]

SIZES = {
    'dmc': '--num-games 8 --batch-size 64 --hidden-size 16 --lstm-size 8',
    'ppo': '--num-games 16 --num-steps 8 --hidden-size 16',
}
OTHERS = '--deterministic --eval-deals 0'
COMMANDS = {'dmc': dmc.cli.main, 'ppo': ppo.cli.main}


def train(monkeypatch, program, folder, more):
    words = f'{program} train --savedir {shlex.quote(str(folder))} {SIZES[program]} {OTHERS} {more}'
    monkeypatch.setattr('sys.argv', shlex.split(words))
    COMMANDS[program]()


def weights(folder):
    return {name: array.tolist() for name, array in load_file(folder / 'network.safetensors').items()}


@pytest.mark.parametrize('program', COMMANDS)
def test_a_run_starts_from_the_weights_of_another(tmp_path, monkeypatch, program):
    first, second = tmp_path / 'first', tmp_path / 'second'
    train(monkeypatch, program, first, '--total-frames 300')
    start = f'--rules taiwan --seed 5 --start-from {first}'
    train(monkeypatch, program, second, f'{start} --total-frames 0')
    assert weights(second) == weights(first)
    first.rename(tmp_path / 'elsewhere')  # a resumed run goes on from its own
    train(monkeypatch, program, second, f'{start} --resume --total-frames 300')
    assert weights(second) != weights(tmp_path / 'elsewhere')


@pytest.mark.parametrize(
    ('more', 'message'),
    [
        ('--start-from {0}/none', 'start_from=.*none: .* holds no trained network'),
        ('--start-from {0}/first --hidden-size 32', 'start_from=.*first: it holds .*hidden_size=16.*hidden_size=32'),
    ],
)
def test_a_start_that_does_not_fit_is_refused(tmp_path, monkeypatch, capsys, more, message):
    train(monkeypatch, 'dmc', tmp_path / 'first', '--total-frames 0')
    with pytest.raises(SystemExit, match=message):
        train(monkeypatch, 'dmc', tmp_path / 'second', more.format(tmp_path))
    assert not (tmp_path / 'second').exists()
