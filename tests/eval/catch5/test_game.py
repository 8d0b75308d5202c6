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
from rlcard_kit.statistics import estimate
from tests.support.helpers import report

CATCH5 = GAMES['catch5']


def test_the_command_plays_the_match_of_the_library(evaluate, tmp_path):
    words = ('match', 'pass', 'random', '--game', 'catch5', '--rules', 'table', '--deals', 70, '--seed', 4)
    (table,) = evaluate(*words, workers=2)
    assert list(table['rows']) == ['pass', 'random']
    for name, (own, other) in play_match('pass', 'random', 70, 'table', seed=4).figures().items():
        for row, found in (('pass', own), ('random', other)):
            if found is not None and not np.isnan(found.mean):
                margin = found.margin if np.isfinite(found.margin) else None
                assert table['rows'][row][name] == {'mean': found.mean, 'margin': margin}, name
    assert report(tmp_path / 'out')['game'] == 'catch5'


def test_pairs_are_compared_deal_by_deal(evaluate):
    rows = evaluate('match', 'pass', '--paired', 'catch5-ppo', 'rule', '--deals', 40)[2]['rows']
    one, other = (play_match(name, 'pass', 40).by_deal for name in ('catch5-ppo', 'rule'))
    for figure in ('score difference', 'winning bid'):
        found = estimate(one[figure] - other[figure])
        assert rows['difference'][figure] == {'mean': found.mean, 'margin': found.margin}
    assert rows['catch5-ppo']['winning bid']['mean'] > 3


def test_a_tournament_ranks_by_its_matches(evaluate):
    *matrices, ranks = evaluate('tournament', 'suit', 'rule', 'pass', '--deals', 30)
    assert [matrix['title'].partition(' of the row')[0] for matrix in matrices] == list(CATCH5.wording.compared)
    difference, won, _ = (matrix['rows'] for matrix in matrices)
    assert difference['rule']['pass']['mean'] == -difference['pass']['rule']['mean']
    assert won['rule']['suit']['mean'] == 1 - won['suit']['rule']['mean']
    assert difference['rule']['pass']['mean'] == play_match('rule', 'pass', 30).difference.mean
    assert next(iter(ranks['rows'])) == 'rule'
    expected = np.mean([cell['mean'] for cell in difference['rule'].values()])
    assert ranks['rows']['rule']['score difference']['mean'] == pytest.approx(expected)


def test_a_curve_has_the_figures_of_the_paper(command, evaluate, tmp_path):
    for label in ('000001000000', '000002000000'):
        shutil.copytree(WEIGHTS / 'ppo', tmp_path / 'run/checkpoints' / label)
    options = ('--others', 'last', '--options', 'greedy', '--deals', 10)
    evaluate('curve', tmp_path / 'run', '--against', 'pass', *options)
    for name, agents in (('opponents', 2), ('earlier', 1)):
        with (tmp_path / f'out/{name}.csv').open(newline='') as file:
            rows = list(csv.DictReader(file))
        assert {row['row'] for row in rows} == set(['000001000000', '000002000000'][:agents])
        assert (tmp_path / f'out/{name}.png').stat().st_size > 5000
    found = {row['column']: float(row['mean']) for row in rows}
    assert found['hands won, the last'] == 0.5, 'the two are the same network'
    assert found['winning bid, the last'] == found['winning bid, the earlier'] >= 3
    assert found['bids won by a seat, the last'] == 0.25
    status, said = command('curve', tmp_path / 'out', '--against', 'pass', '--figures', 'svg', '--out', tmp_path)
    assert (status, said) == (0, f'drawn: {tmp_path / "curves.svg"}\n')
    assert 'score difference in points a hand' in (tmp_path / 'curves.svg').read_text()
    status, said = command('curve', tmp_path / 'out', '--game', 'big2')
    assert (status, 'plays Catch Five' in said) == (1, True)


def test_games_of_a_match_are_recorded(evaluate, tmp_path):
    file = tmp_path / 'games.catch5.jsonl'
    words = ('match', 'rule', 'random', '--game', 'catch5', '--rules', 'table', '--deals', 70, '--record', file)
    (table,) = evaluate(*words)
    games = records.read(file)
    assert len(games) == len({game.extra['id'] for game in games}) == 2 * 70
    gains = [game.payoffs[0] - game.payoffs[1] for game in games]
    is_first = [game.seats[0]['name'] == 'rule' for game in games]
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
