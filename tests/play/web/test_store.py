"""Saved tables: power failures, and files that others leave in the folder."""

import json
import os
import shutil
from random import Random
from time import monotonic

import pytest

from rlcard_big2.rules import Rules
from rlcard_play.big2.played import GAME, SeatedGame
from rlcard_play.study.seated_game import Seat
from rlcard_play.web import store as store_module
from rlcard_play.web.store import Store
from rlcard_play.web.tables import SharedTable
from tests.support.faults import fail_each

GAMES = {'big2': GAME}
DAMAGE = (lambda data: b'', lambda data: data[: len(data) // 2], lambda data: bytes(len(data)), None)


@pytest.fixture
def table():
    return SharedTable(GAME, SeatedGame([Seat('Ann')] * 4, Rules(), seed=1), practice=False, first_time=True)


class Disk:
    """Notes what the disk surely has: contents of synced files, and files that were removed since the last sync."""

    def __init__(self, monkeypatch, folder):
        self.synced, self.removed, self.folder = set(), {}, folder
        replace, unlink = store_module.replace_text, type(folder).unlink

        def replacing(path, text, sync):
            replace(path, text, sync)
            if sync:
                self.synced.add(path)
                self.removed.clear()

        def unlinking(path, missing_ok=False):
            if path.exists():
                self.removed[path] = path.read_bytes()
            unlink(path, missing_ok)

        monkeypatch.setattr(store_module, 'replace_text', replacing)
        monkeypatch.setattr(type(folder), 'unlink', unlinking)

    def crashed(self, folder, random):
        """Copy the folder as a power failure may leave it: unsynced files damaged or gone, removed ones back."""
        shutil.rmtree(folder, ignore_errors=True)
        (folder / 'tables').mkdir(parents=True)
        for path in self.folder.glob('tables/*'):
            damage = None if path in self.synced else random.choice(DAMAGE)
            data = path.read_bytes()
            if path in self.synced or random.random() < 0.8:
                (folder / 'tables' / path.name).write_bytes(data if damage is None else damage(data))
        for path, data in self.removed.items():
            if random.random() < 0.5:
                (folder / 'tables' / path.name).write_bytes(data)


def test_a_power_failure_loses_a_minute_at_most(tmp_path, monkeypatch, table):
    random, now, synced = Random(1), [0.0], []
    monkeypatch.setattr(store_module, 'monotonic', lambda: now[0])
    disk, store = Disk(monkeypatch, tmp_path / 'data'), Store(tmp_path / 'data', GAMES)
    plies = []  # and the times of their saves
    while not table.game.is_over:
        store.save(table)
        plies.append((now[0], table.game.ply))
        for _ in range(10):
            disk.crashed(tmp_path / 'crashed', random)
            (found,) = Store(tmp_path / 'crashed', GAMES).load()
            assert found.id == table.id
            assert found.game.ply >= max(ply for then, ply in plies if then <= max(0.0, now[0] - 60))
            synced.append(found.game.ply < table.game.ply)
        table.game.play(random.choice(table.game.legal))
        now[0] += random.uniform(0, 25)
    assert any(synced), 'the failures lost something'
    assert len([*(tmp_path / 'data/tables').iterdir()]) <= 2


@pytest.mark.attack('each call of the file system fails')
def test_a_fault_of_any_call_keeps_the_last_saved_table(tmp_path, monkeypatch, table, record_property):
    store, now = Store(tmp_path / 'data', GAMES), iter(range(0, 10**6, 100))
    monkeypatch.setattr(store_module, 'monotonic', lambda: next(now))
    saved = [0]

    def save():
        table.game.play(table.game.legal[0])
        store.save(table)
        saved.append(table.game.ply)

    def check():
        shutil.rmtree(tmp_path / 'copy', ignore_errors=True)
        shutil.copytree(tmp_path / 'data', tmp_path / 'copy')
        (found,) = Store(tmp_path / 'copy', GAMES).load()
        assert saved[-1] <= found.game.ply <= table.game.ply

    store.save(table)
    failures = fail_each(monkeypatch, save, check)
    record_property('tries', failures)
    assert failures > 4


@pytest.fixture
def saved(tmp_path, table):
    """Save a table; return its file and what that holds."""
    Store(tmp_path, GAMES).save(table)
    (file,) = (tmp_path / 'tables').iterdir()
    return file, json.loads(file.read_text())


def test_a_restart_makes_no_table_younger(tmp_path, saved, monkeypatch):
    monkeypatch.setattr(store_module, 'time', lambda: saved[0].stat().st_mtime + 10**9)
    (table,) = Store(tmp_path, GAMES).load()
    assert table.touched < monotonic() - 10**9 + 1000


@pytest.mark.attack('damaged or forged files')
@pytest.mark.parametrize(
    ('key', 'value'),
    [('help', {}), ('help', []), ('help', {'takebacks': 3, 'advice': []}), ('help', {'takebacks': ['x'], 'advice': []}),
     ('help', {'takebacks': [], 'advice': [], 'seats': [3]}), ('help', {'takebacks': [], 'advice': [], 'practice': 7}),
     ('seats', [[1], None, None, None]), ('seats', [None] * 5), ('people', {'x': ['a', True]}),
     ('people', {'9': ['a', True]}), ('people', {'0': [3, True]}), ('people', {'0': ['a', 'yes']}), ('choices', []),
     ('version', 'new'), ('moves', 7),
     ('practice', 'yes'), ('first_time', None)],
)  # fmt: skip
def test_a_table_of_other_types_is_left_alone(tmp_path, saved, capsys, key, value):
    file, table = saved
    file.write_text(json.dumps({**table, key: value}))
    assert list(Store(tmp_path, GAMES).load()) == []
    assert str(file) in capsys.readouterr().err
    assert file.exists()


@pytest.mark.attack('links, pipes, folders and devices in place of files')
def test_other_things_in_the_folder_are_left_alone(tmp_path, saved, capsys):
    file, _ = saved
    (file.parent / 'x.tmp').mkdir()
    os.mkfifo(file.parent / 'x.json')
    os.mkfifo(file.with_name(file.name.replace('.1.json', '.7.json')))
    store = Store(tmp_path, GAMES)
    (table,) = store.load()
    store.save(table)
    printed = capsys.readouterr().err
    assert all(name in printed for name in ('x.tmp', 'x.json', '.7.json'))
    assert {path.name.partition('.')[2] for path in file.parent.iterdir()} == {'tmp', 'json', '7.json', '8.json'}
