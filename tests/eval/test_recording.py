"""The games that `python -m eval match --record FILE` keeps."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import rlcard_big2
from eval import __main__ as command_line
from rlcard_big2 import records
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_kit.files import checksum


def run_match(monkeypatch, folder, *options, agents=('greedy', 'random'), deals=6):
    arguments = ['match', *agents, '--deals', str(deals), '--out', str(folder), '--workers', '1', *options]
    monkeypatch.setattr(sys, 'argv', ['python -m eval', *arguments])
    command_line.main()
    return json.loads((folder / 'report.json').read_text())


def ev_of(games, name):
    """Return the mean payoff of the only seat of that name."""
    seats = [[seat['name'] for seat in game.seats] for game in games]
    assert all(names.count(name) == 1 for names in seats)
    return np.mean([game.payoffs[names.index(name)] for game, names in zip(games, seats, strict=True)])


def test_records_equal_the_table(monkeypatch, tmp_path):
    file = tmp_path / 'kept' / 'games.big2.jsonl'
    report = run_match(monkeypatch, tmp_path, '--record', str(file), '--seed', '3', deals=70)
    games = records.read(file)
    assert len(games) == 4 * 70
    assert {game.hands for game in games} == {tuple(deal) for deal in deals_from_seed(3, 70).tolist()}
    assert len({game.extra['id'] for game in games}) == len(games)
    total = report['tables'][0]['rows']['all seats']
    assert ev_of(games, 'greedy') == pytest.approx(total['EV']['mean'])
    assert np.mean([len(game.moves) for game in games]) == pytest.approx(total['length']['mean'])


def test_an_interrupted_match_repeats_no_game(monkeypatch, tmp_path):
    file = tmp_path / 'games'
    run_match(monkeypatch, tmp_path / 'a', '--record', str(file), '--rules', 'taiwan')
    games = records.read(file)
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b''.join(lines[:10]))
    run_match(monkeypatch, tmp_path / 'a', '--record', str(file), '--rules', 'taiwan', '--resume')
    assert records.read(file) == games
    run_match(monkeypatch, tmp_path / 'b', '--record', str(file), '--rules', 'taiwan', '--seed', '1')
    assert records.read(file)[: len(games)] == games
    assert len(records.read(file)) == 2 * len(games)


def test_blocks_that_were_finished_without_moves_are_played_again(monkeypatch, tmp_path):
    plain = run_match(monkeypatch, tmp_path)
    recorded = run_match(monkeypatch, tmp_path, '--record', str(tmp_path / 'games'), '--resume')
    assert plain['tables'] == recorded['tables']
    assert len(records.read(tmp_path / 'games')) == 24


def test_weights_are_named(monkeypatch, tmp_path):
    folder = Path(rlcard_big2.__file__).parent / 'models' / 'dmc'
    agents = (f'dmc:{folder},numpy', 'rule')
    run_match(monkeypatch, tmp_path, '--record', str(tmp_path / 'games'), agents=agents, deals=2)
    seats = {seat['name']: seat for game in records.read(tmp_path / 'games') for seat in game.seats}
    assert set(seats) == set(agents)
    assert seats[agents[0]]['weights'] == f'sha256:{checksum(folder / "network.safetensors")}'
    assert 'weights' not in seats['rule']


def test_a_file_of_something_else_is_refused(monkeypatch, tmp_path):
    (tmp_path / 'notes.txt').write_text('not games\n')
    with pytest.raises(SystemExit, match='line 1: it is not JSON'):
        run_match(monkeypatch, tmp_path, '--record', str(tmp_path / 'notes.txt'))
    assert (tmp_path / 'notes.txt').read_text() == 'not games\n'
