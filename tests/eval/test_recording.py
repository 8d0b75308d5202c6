"""The games that `python -m eval match --record FILE` keeps."""

import numpy as np
import pytest

from rlcard_big2 import records
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.models import WEIGHTS
from rlcard_kit.files import checksum
from tests.support.helpers import report


@pytest.fixture
def play(command):
    """Play a match into a folder and record it; return its report."""

    def run(folder, *options, agents=('greedy', 'random'), deals=6):
        words = ('match', *agents, '--deals', deals, '--out', folder, '--workers', 1, *options)
        status, said = command(*words)
        assert status == 0, said
        return report(folder)

    return run


def ev_of(games, name):
    """Return the mean payoff of the only seat of that name."""
    seats = [[seat['name'] for seat in game.seats] for game in games]
    assert all(names.count(name) == 1 for names in seats)
    return np.mean([game.payoffs[names.index(name)] for game, names in zip(games, seats, strict=True)])


def test_records_equal_the_table(play, tmp_path):
    file = tmp_path / 'kept' / 'games.big2.jsonl'
    (table,) = play(tmp_path, '--record', file, '--seed', 3, deals=70)['tables']
    games = records.read(file)
    assert len(games) == 4 * 70
    assert {game.hands for game in games} == {tuple(deal) for deal in deals_from_seed(3, 70).tolist()}
    assert len({game.extra['id'] for game in games}) == len(games)
    total = table['rows']['all seats']
    assert ev_of(games, 'greedy') == pytest.approx(total['EV']['mean'])
    assert np.mean([len(game.moves) for game in games]) == pytest.approx(total['length']['mean'])


def test_an_interrupted_match_repeats_no_game(play, tmp_path):
    file = tmp_path / 'games'
    play(tmp_path / 'a', '--record', file, '--rules', 'taiwan')
    games = records.read(file)
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b''.join(lines[:10]))
    play(tmp_path / 'a', '--record', file, '--rules', 'taiwan', '--resume')
    assert records.read(file) == games
    play(tmp_path / 'b', '--record', file, '--rules', 'taiwan', '--seed', 1)
    assert records.read(file)[: len(games)] == games
    assert len(records.read(file)) == 2 * len(games)


def test_blocks_that_were_finished_without_moves_are_played_again(play, tmp_path):
    plain = play(tmp_path)
    recorded = play(tmp_path, '--record', tmp_path / 'games', '--resume')
    assert plain['tables'] == recorded['tables']
    assert len(records.read(tmp_path / 'games')) == 24


def test_weights_are_named(play, tmp_path):
    agents = (f'dmc:{WEIGHTS / "dmc"},numpy', 'rule')
    play(tmp_path, '--record', tmp_path / 'games', agents=agents, deals=2)
    seats = {seat['name']: seat for game in records.read(tmp_path / 'games') for seat in game.seats}
    assert set(seats) == set(agents)
    assert seats[agents[0]]['weights'] == f'sha256:{checksum(WEIGHTS / "dmc/network.safetensors")}'
    assert 'weights' not in seats['rule']


def test_a_file_of_something_else_is_refused(command, tmp_path):
    (tmp_path / 'notes.txt').write_text('not games\n')
    status, said = command(
        'match', 'greedy', 'random', '--deals', 2, '--workers', 1, '--record', tmp_path / 'notes.txt', '--out', tmp_path
    )
    assert (status, 'line 1' in said) == (1, True)
    assert (tmp_path / 'notes.txt').read_text() == 'not games\n'
