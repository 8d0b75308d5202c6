"""Files that a command is given: whatever is done to them, they are read or refused in a sentence, and at once."""

import random
import sys
from contextlib import suppress

import pytest

import eval.__main__
from dmc.config import Config
from eval.commands.curve import _kind, _read_times
from eval.points import COLUMNS, read_points
from rlcard_big2.duplicate.deals import deals_from_seed, load_deals, save_deals
from rlcard_big2.nets.value import ValueNetwork
from rlcard_kit.errors import ConfigError, HandsError
from tests.support.damage import damaged, not_files, remove
from tests.support.helpers import SMALL_SPEC
from training.checkpoint import save_checkpoint

ROW = '0.5,10,rule,50,0.2,0.01,-2.5,0.2'
KINDS = ('a folder', 'a pipe', 'a device')


@pytest.fixture
def command(monkeypatch, capsys):
    """Run a command in this process; return its exit status and what it says of an error."""

    def run(*words):
        monkeypatch.setattr(sys, 'argv', ['eval', *map(str, words)])
        try:
            eval.__main__.main()
        except SystemExit as error:
            return (1, error.code) if isinstance(error.code, str) else (error.code, '')
        finally:
            capsys.readouterr()
        return 0, ''

    return run


@pytest.fixture
def run_folder(tmp_path):
    """Make the folder of a run with a checkpoint."""
    folder = tmp_path / 'run/checkpoints/000000000000'
    save_checkpoint(folder, Config(hidden_size=16, lstm_size=8), ValueNetwork(SMALL_SPEC), 0)
    return tmp_path / 'run'


def variants(contents, count):
    """Yield a file cut off and with bytes changed at random."""
    draw = random.Random(3)
    for _ in range(count):
        changed = bytearray(contents[: draw.choice((len(contents), draw.randrange(len(contents))))])
        for _ in range(draw.randint(0, 4) if changed else 0):
            changed[draw.randrange(len(changed))] = draw.choice((0, 10, 13, 34, 44, 45, 57, 101, 110, 255))
        yield bytes(changed)


BROKEN_ROWS = (
    '', ',' * 20, '0.5,10,rule,50,0.2,0.01,-2.5', ROW + ',1', ROW.replace('10', '1e400'), ROW.replace('10', '9' * 400),
    ROW.replace('-2.5', 'nan'), ROW.replace('-2.5', 'inf'), ROW.replace('0.01', '-0.01'), ROW.replace('10', '-10'),
    ROW.replace('rule', '"rule'), '\0', 'a\rb',
)  # fmt: skip


def test_every_damaged_curve_is_read_or_refused(tmp_path):
    path = tmp_path / 'curve.csv'
    whole = '\n'.join([','.join(COLUMNS), ROW, ROW]).encode()
    for contents in (*variants(whole, 200), *((','.join(COLUMNS) + '\n' + row).encode() for row in BROKEN_ROWS)):
        path.write_bytes(contents)
        with suppress(ValueError):
            assert all(point.ev.margin >= 0 for point in read_points(path))


@pytest.mark.parametrize('row', BROKEN_ROWS[2:])
def test_a_broken_line_of_a_curve_is_refused(command, tmp_path, row):
    (tmp_path / 'curve.csv').write_text(','.join(COLUMNS) + '\n' + row)
    status, said = command('overlay', tmp_path / 'curve.csv')
    assert (status, 'curve.csv is not a curve by frames: ' in said) == (1, True), said


def test_every_damaged_file_of_deals_is_read_or_refused(tmp_path):
    save_deals(tmp_path / 'deals', deals_from_seed(0, 5))
    for contents in variants((tmp_path / 'deals').read_bytes(), 200):
        (tmp_path / 'deals').write_bytes(contents)
        with suppress(HandsError):
            load_deals(tmp_path / 'deals')


def test_every_damaged_file_of_a_run_is_read_or_refused(run_folder):
    settings = run_folder / 'checkpoints/000000000000/settings.json'
    for _, contents in damaged(settings.read_bytes()):
        settings.write_bytes(contents)
        with suppress(ConfigError):
            _kind(settings)
    for contents in variants(b'seconds,frames\n60,0\n120,500000\n', 100):
        (run_folder / 'metrics.csv').write_bytes(contents)
        with suppress(ConfigError):
            _read_times(run_folder / 'metrics.csv')


def put(kind, path):
    remove(path)
    dict(not_files(path))[kind]()
    return path


MATCH = ('match', 'greedy', 'random', '--deals', 2, '--workers', 1)
USES = {
    '--deals-file': lambda path, run: (*MATCH, '--deals-file', path),
    '--save-deals': lambda path, run: (*MATCH, '--save-deals', path),
    '--record': lambda path, run: (*MATCH, '--record', path),
    'overlay': lambda path, run: ('overlay', path),
    'settings.json': lambda path, run: ('match', f'dmc:{run}', 'random', '--deals', 2, '--workers', 1),
    'network.safetensors': lambda path, run: ('match', f'dmc:{run}', 'random', '--deals', 2, '--workers', 1),
    'metrics.csv': lambda path, run: ('curve', run.parents[1], '--deals', 2, '--workers', 1),
}


@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('use', USES)
def test_what_is_not_a_file_is_refused_at_once(command, run_folder, tmp_path, monkeypatch, use, kind):
    monkeypatch.chdir(tmp_path)
    checkpoint = run_folder / 'checkpoints/000000000000'
    path = {'settings.json': checkpoint, 'network.safetensors': checkpoint, 'metrics.csv': run_folder}.get(
        use, tmp_path
    )
    path /= use
    put(kind, path)
    status, said = command(*USES[use](path, checkpoint))
    assert status == 1
    assert use in said
    assert path.exists() or path.is_symlink()
    assert not path.is_file()
