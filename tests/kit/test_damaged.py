"""Damaged files of every kind: each is read, or is an error of its class that names the file, at once."""

import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from safetensors.torch import save_file

from dmc.config import Config
from eval.commands.curve import _kind, _read_times
from eval.points import COLUMNS, read_points
from rlcard_big2.duplicate.deals import deals_from_seed, load_deals, save_deals
from rlcard_big2.nets.agents import DMCAgent
from rlcard_big2.nets.value import ValueNetwork
from rlcard_big2.rules import Rules, find_rules
from rlcard_kit.errors import ConfigError, FileError, HandsError, RulesError
from rlcard_kit.nets.checkpoint import NETWORK, SETTINGS, CheckpointError, read_weights
from tests.support.damage import Variant, damaged, damaged_weights, not_files, remove
from tests.support.helpers import SMALL_SPEC
from tests.support.training import save_network

SMALL = Config.of(hidden_size=16, lstm_size=8)
ROW = '0.5,10,rule,50,0.2,0.01,-2.5,0.2'
HEAD = ','.join(COLUMNS)
BROKEN_ROWS = (
    ROW + ',1', ROW.removesuffix(',0.2'), ROW.replace('10', '1e400'), ROW.replace('10', '9' * 400), ',' * 20,
    ROW.replace('-2.5', 'nan'), ROW.replace('-2.5', 'inf'), ROW.replace('0.01', '-0.01'), ROW.replace('10', '-10'),
    ROW.replace('rule', '"rule'), '\0', 'a\rb',
)  # fmt: skip


def changed(contents: bytes, seed: int = 3) -> Iterator[Variant]:
    """Yield a file cut off and with bytes changed at random; it may still be read."""
    draw = random.Random(seed)
    for number in range(200):
        data = bytearray(contents[: draw.choice((len(contents), draw.randrange(len(contents))))])
        for _ in range(draw.randint(0, 4) if data else 0):
            data[draw.randrange(len(data))] = draw.choice((0, 10, 13, 34, 44, 45, 57, 101, 110, 255))
        yield f'bytes changed, {number}', bytes(data)


def broken_rows(contents: bytes) -> Iterator[Variant]:
    return ((f'the row {row:.40}', f'{HEAD}\n{row}'.encode()) for row in BROKEN_ROWS)


def carried(settings: bytes) -> Iterator[Variant]:
    tensors, path = ValueNetwork(SMALL_SPEC).state_dict(), Path('carrier')
    for name, text in damaged(settings, seed=1):
        save_file(tensors, path, {'settings': text.decode(errors='replace')})
        yield name, path.read_bytes()


class Kind(NamedTuple):
    """A kind of file, its damage, and the error of reading that."""

    file: str
    contents: Callable[[], bytes]
    damage: Callable[[bytes], Iterator[Variant]]
    read: Callable[[Path], object]
    error: type[Exception]
    refused: int  # at least, of the variants
    harmless: tuple[str, ...] = ('bytes changed',)  # beginnings of names of damage after which it may be read


def of_checkpoint(file: str) -> bytes:
    save_network(Path('whole'), SMALL, ValueNetwork(SMALL_SPEC), 7)
    return Path('whole', file).read_bytes()


def of_deals() -> bytes:
    save_deals(Path('whole'), deals_from_seed(0, 5))
    return Path('whole').read_bytes()


def load(path: Path, numpy: bool = True) -> object:
    return DMCAgent.load(path.parent, numpy=numpy)


SETTINGS_TEXT, WEIGHTS_DATA = partial(of_checkpoint, SETTINGS), partial(of_checkpoint, NETWORK)
OPTIONAL = (
    'bytes changed', 'an unknown key', 'rules.name', 'without rules.name', 'provenance.', 'without provenance.',
    *(f'without rules.{name}' for name in Rules.LATER),
)  # fmt: skip
KINDS = {
    'settings': Kind(SETTINGS, SETTINGS_TEXT, damaged, load, CheckpointError, 120, OPTIONAL),
    'settings in weights': Kind(NETWORK, SETTINGS_TEXT, carried, load, CheckpointError, 120, ('',)),
    'weights': Kind(NETWORK, WEIGHTS_DATA, damaged_weights, load, CheckpointError, 60, ()),
    'weights, torch': Kind(NETWORK, WEIGHTS_DATA, damaged_weights, partial(load, numpy=False), CheckpointError, 60, ()),
    'rules': Kind(
        'rules.json', Rules(final_pass=True).text.encode, damaged, lambda path: find_rules(str(path)), RulesError, 90,
        ('bytes changed', *(f'{name} = ' for name in Rules().fields()), *(f'without {name}' for name in Rules.LATER)),
    ),
    'agent of settings': Kind(SETTINGS, SETTINGS_TEXT, damaged, _kind, ConfigError, 20, ('',)),
    'curve': Kind('curve.csv', f'{HEAD}\n{ROW}\n{ROW}'.encode, changed, read_points, ValueError, 50),
    'rows of a curve': Kind('curve.csv', f'{HEAD}\n{ROW}'.encode, broken_rows, read_points, ValueError, 12, ()),
    'metrics': Kind(
        'metrics.csv', b'seconds,frames\n60,0\n120,500000\n'.strip, changed, _read_times, ConfigError, 50
    ),
    'deals': Kind('deals', of_deals, changed, load_deals, HandsError, 50),
}  # fmt: skip


@pytest.fixture(params=KINDS)
def kind(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_network(tmp_path / 'run', SMALL, ValueNetwork(SMALL_SPEC), 7)
    return KINDS[request.param]


def refusal(kind, path):
    """Return the error of reading a file, or None."""
    try:
        kind.read(path)
    except ValueError as error:
        return error


@pytest.mark.attack('damaged or forged files')
def test_damaged_files_are_refused(kind, tmp_path, record_property):
    path, refused = tmp_path / 'run' / kind.file, 0
    variants = list(kind.damage(kind.contents()))
    record_property('tries', len(variants))
    for name, contents in variants:
        path.write_bytes(contents)
        error = refusal(kind, path)
        if error is None:
            assert name.startswith(kind.harmless or ('nothing is harmless',)), name
        else:
            assert isinstance(error, kind.error), name
            assert len(str(error)) < 1500, name
            assert kind.file in str(error) or kind.error in (RulesError, ValueError), name
        refused += error is not None
    assert refused >= kind.refused


@pytest.mark.attack('links, pipes, folders and devices in place of files')
def test_what_is_not_a_file_is_refused_at_once(kind, tmp_path, record_property):
    path = tmp_path / 'run' / kind.file
    remove(path)
    variants = list(not_files(path))
    record_property('tries', len(variants))
    for name, put in variants:
        put()
        error = refusal(kind, path)
        assert isinstance(error, (kind.error, FileError)), name
        assert kind.file in str(error), name
        remove(path)


def test_a_file_that_is_too_large_is_refused_unread(tmp_path):
    with open(tmp_path / NETWORK, 'wb') as file:
        file.truncate(1 << 40)  # a sparse file: it takes no space
    with pytest.raises(CheckpointError, match=NETWORK):
        read_weights(tmp_path)


@pytest.mark.attack('links, pipes, folders and devices in place of files')
@pytest.mark.parametrize(
    ('flag', 'what'), [('--save-deals', 'a folder'), ('--record', 'a pipe'), ('--deals-file', 'a device')]
)
def test_commands_refuse_what_is_not_a_file(command, tmp_path, flag, what):
    path = tmp_path / 'given'
    dict(not_files(path))[what]()
    words = ('match', 'greedy', 'random', '--deals', 2, '--workers', 1, '--out', tmp_path / 'out', flag, path)
    status, printed = command(*words)
    assert (status, str(path) in printed.replace('\n', '')) == (1, True), printed
    assert not path.is_file()
