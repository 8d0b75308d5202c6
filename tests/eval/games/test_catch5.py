"""The evaluation of Catch Five: the same commands as for Big 2, for two teams."""

import csv
import shutil

import numpy as np
import pytest

from eval.games import GAMES
from rlcard_big2.duplicate.deals import save_deals as save_big2
from rlcard_catch5 import records
from rlcard_catch5.cards import mask_of
from rlcard_catch5.duplicate import play_match
from rlcard_catch5.duplicate.deals import load_deals, save_deals
from rlcard_catch5.models import WEIGHTS
from rlcard_kit.errors import HandsError
from tests.support.helpers import report, tables

CATCH5 = GAMES['catch5']


@pytest.fixture
def run_folder(tmp_path):
    """Make the folder of a run with two checkpoints."""
    for frames in (1_000_000, 2_000_000):
        shutil.copytree(WEIGHTS / 'ppo', tmp_path / f'run/checkpoints/{frames:012d}')
    return tmp_path / 'run'


def test_the_command_plays_the_match_of_the_library(command, tmp_path):
    for workers in (1, 2):
        words = ('match', 'pass', 'random', '--game', 'catch5', '--rules', 'table', '--deals', 70, '--seed', 4)
        assert command(*words, '--workers', workers, '--out', tmp_path / str(workers))[0] == 0
    assert tables(tmp_path / '1') == tables(tmp_path / '2')
    match = play_match('pass', 'random', 70, 'table', seed=4)
    (table,) = tables(tmp_path / '1')
    assert list(table['rows']) == ['pass', 'random']
    for name, (own, other) in match.figures().items():
        for row, found in (('pass', own), ('random', other)):
            if found is not None and not np.isnan(found.mean):
                assert table['rows'][row][name] == {'mean': found.mean, 'margin': found.margin}, name
    assert report(tmp_path / '1')['game'] == 'catch5'


def test_pairs_are_compared_deal_by_deal(command, tmp_path):
    words = ('match', 'pass', '--paired', 'catch5-ppo', 'rule', '--deals', 40, '--workers', 1, '--out', tmp_path)
    assert command(*words)[0] == 0
    rows = tables(tmp_path)[2]['rows']
    one, other = (play_match(name, 'pass', 40).by_deal for name in ('catch5-ppo', 'rule'))
    for figure in ('score difference', 'winning bid'):
        assert rows['difference'][figure]['mean'] == pytest.approx(np.mean(one[figure] - other[figure]))
    assert rows['catch5-ppo']['winning bid']['mean'] > 3


def test_a_tournament_ranks_by_its_matches(command, tmp_path):
    words = ('tournament', 'suit', 'rule', 'pass', '--deals', 30, '--workers', 1, '--out', tmp_path)
    assert command(*words)[0] == 0
    *matrices, ranks = tables(tmp_path)
    assert [matrix['title'].partition(' of the row')[0] for matrix in matrices] == list(CATCH5.compared)
    difference, won, _ = (matrix['rows'] for matrix in matrices)
    assert difference['rule']['pass']['mean'] == -difference['pass']['rule']['mean']
    assert won['rule']['suit']['mean'] == 1 - won['suit']['rule']['mean']
    assert difference['rule']['pass']['mean'] == play_match('rule', 'pass', 30).difference.mean
    assert next(iter(ranks['rows'])) == 'rule'
    expected = np.mean([cell['mean'] for cell in difference['rule'].values()])
    assert ranks['rows']['rule']['score difference']['mean'] == pytest.approx(expected)


def test_a_curve_has_the_figures_of_the_paper(command, run_folder, tmp_path):
    words = ('curve', run_folder, '--against', 'pass', '--others', 'last', '--options', 'greedy', '--deals', 10)
    assert command(*words, '--workers', 1, '--out', tmp_path / 'out')[0] == 0
    for name, agents in (('opponents', 2), ('earlier', 1)):
        with (tmp_path / f'out/{name}.csv').open(newline='') as file:
            rows = list(csv.DictReader(file))
        assert {row['row'] for row in rows} == set(['000001000000', '000002000000'][:agents])
        assert (tmp_path / f'out/{name}.png').stat().st_size > 5000
    found = {row['column']: float(row['mean']) for row in rows}
    assert found['hands won, the last'] == 0.5, 'the two are the same network'
    assert found['winning bid, the last'] == found['winning bid, the earlier'] >= 3
    assert found['bids won by a seat, the last'] == 0.25
    status, said = command('overlay', tmp_path / 'out', '--against', 'pass', '--figure', tmp_path / 'a.svg')
    assert (status, said) == (0, f'drawn: {tmp_path / "a.svg"}\n')
    assert 'score difference in points per hand' in (tmp_path / 'a.svg').read_text()
    status, said = command('overlay', tmp_path / 'out', '--game', 'big2')
    assert (status, 'plays Catch Five' in said) == (1, True)


@pytest.mark.parametrize(
    ('words', 'answer'),
    [
        (('match', 'catch5-ppo', 'greedy'), "'greedy' plays Big 2"),
        (('match', 'greedy', 'rule', '--game', 'catch5'), "'greedy' plays Big 2"),
        (('match', f'ppo:{WEIGHTS / "ppo"}', 'rule', '--game', 'big2'), 'plays Catch Five'),
        (('match', 'pass', 'rule', '--rules', 'hkust'), "'hkust'"),
        (('match', 'rule', 'nobody', '--game', 'catch5'), "'nobody'"),
        (('match', 'rule', f'python:{__name__}:greedy', '--game', 'catch5'), 'rlcard_big2.Rules'),
        (('explain', 'pass', 'rule'), 'game=catch5'),
    ],
)
def test_what_does_not_fit_together_is_refused(command, tmp_path, words, answer):
    status, said = command(*words, *(() if words[0] == 'explain' else ('--out', tmp_path)))
    assert status == 1
    assert answer in ' '.join(said.split())


def test_games_of_a_match_are_recorded(command, tmp_path):
    file, out = tmp_path / 'games.catch5.jsonl', tmp_path / 'out'
    words = ('match', 'rule', 'random', '--game', 'catch5', '--rules', 'table', '--deals', 70, '--workers', 1)
    assert command(*words, '--record', file, '--out', out)[0] == 0
    games = records.read(file)
    assert len(games) == len({game.extra['id'] for game in games}) == 2 * 70
    gains = [game.payoffs[0] - game.payoffs[1] for game in games]
    is_first = [game.seats[0]['name'] == 'rule' for game in games]
    (table,) = tables(out)
    assert np.mean(np.where(is_first, gains, np.negative(gains))) == pytest.approx(
        table['rows']['rule']['score difference']['mean']
    )
    assert [game.extra['match'] for game in games[:3]] == [
        {'number': 0, 'seating': 0},
        {'number': 0, 'seating': 1},
        {'number': 1, 'seating': 0},
    ]
    hands = [[mask_of(hand) for hand in game.deal['hands']] for game in games[::2]]
    assert hands == CATCH5.deal(0, 70)['hands'].tolist()
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b''.join(lines[:10]))
    assert command(*words, '--record', file, '--out', out, '--resume')[0] == 0
    assert records.read(file) == games


def greedy():
    """Return an agent of the other game."""
    return GAMES['big2'].make_agent('greedy', GAMES['big2'].find_rules(None))


def test_deals_are_kept_in_a_file(tmp_path):
    deals = CATCH5.deal(3, 20)
    deals['redeal'][5, :2] = 7, 9
    save_deals(tmp_path / 'deals', deals)
    assert (load_deals(tmp_path / 'deals') == deals).all()
    for field, value in (('hands', 0), ('dealer', 4), ('redeal', 52), ('leftover', 3)):
        wrong = deals.copy()
        wrong[field][6] = value
        save_deals(tmp_path / 'wrong', wrong)
        with pytest.raises(HandsError, match='deal 6'):
            load_deals(tmp_path / 'wrong')
    save_big2(tmp_path / 'big2', GAMES['big2'].deal(3, 2))
    with pytest.raises(HandsError, match="'big2'"):
        load_deals(tmp_path / 'big2')
