"""The games that `python -m eval match --record FILE` keeps."""

import numpy as np
import pytest

from rlcard_big2 import records
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.models import WEIGHTS
from rlcard_kit.files import checksum
from tests.support.helpers import report


@pytest.fixture
def play(command, tmp_path):
    """Play a match, in folder `a` by default, and record it; return its report and all games in the file."""

    def run(*options, agents=('greedy', 'random'), deals=6, file=tmp_path / 'new/games', out='a'):
        words = ('match', *agents, '--deals', deals, '--out', tmp_path / out, '--workers', 1, *options)
        status, said = command(*words, *(('--record', file) if file else ()))
        assert status == 0, said
        return report(tmp_path / out), records.read(file) if file else []

    return run


def ev_of(games, name):
    """Return the mean payoff of the only seat of that name."""
    seats = [[seat['name'] for seat in game.seats] for game in games]
    assert all(names.count(name) == 1 for names in seats)
    return np.mean([game.payoffs[names.index(name)] for game, names in zip(games, seats, strict=True)])


def test_records_equal_the_table(play):
    found, games = play('--seed', 3, deals=70)
    assert len(games) == len({game.extra['id'] for game in games}) == 4 * 70
    assert {game.hands for game in games} == {tuple(deal) for deal in deals_from_seed(3, 70).tolist()}
    total = found['tables'][0]['rows']['all seats']
    assert ev_of(games, 'greedy') == pytest.approx(total['EV']['mean'])
    assert np.mean([len(game.moves) for game in games]) == pytest.approx(total['length']['mean'])


def test_no_game_is_recorded_twice(play, tmp_path):
    file = tmp_path / 'new/games'
    games = play('--rules', 'taiwan')[1]
    file.write_bytes(b''.join(file.read_bytes().splitlines(keepends=True)[:10]))  # as if interrupted
    assert play('--rules', 'taiwan', '--resume')[1] == games
    more = play('--rules', 'taiwan', '--resume', deals=70)[1]
    assert more[: len(games)] == games
    assert len({game.extra['id'] for game in more}) == len(more) == 4 * 70
    assert play('--rules', 'taiwan', '--seed', 1, out='b')[1][: len(more)] == more


def test_blocks_that_were_finished_without_moves_are_played_again(play):
    plain, _ = play(file=None)
    recorded, games = play('--resume')
    assert plain['tables'] == recorded['tables']
    assert len(games) == 24


def test_weights_are_named(play):
    agents = (f'dmc:{WEIGHTS / "dmc"},numpy', 'rule')
    seats = {seat['name']: seat for game in play(agents=agents, deals=2)[1] for seat in game.seats}
    assert set(seats) == set(agents)
    assert seats[agents[0]]['weights'] == f'sha256:{checksum(WEIGHTS / "dmc/network.safetensors")}'
    assert 'weights' not in seats['rule']


def test_a_file_of_something_else_is_refused(command, tmp_path):
    notes, words = tmp_path / 'notes.txt', ('match', 'greedy', 'random', '--deals', 2, '--workers', 1)
    notes.write_text('not games\n')
    status, said = command(*words, '--record', notes, '--out', tmp_path)
    assert (status, 'line 1' in said) == (1, True)
    assert notes.read_text() == 'not games\n'
