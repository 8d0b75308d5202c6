"""Catch Five on the server: matches, restarts, views, deals and advice."""

from hashlib import sha256
from random import Random

import pytest

from rlcard_catch5 import records
from rlcard_catch5.cards import parse_cards
from rlcard_catch5.rules import PRESETS
from tests.support.web_client import Client, serving

pytestmark = pytest.mark.anyio
SEATS = ['me', 'rule', 'catch5-ppo', 'rule']


@pytest.mark.parametrize('rules', PRESETS)
async def test_a_match_goes_on_after_each_hand_and_each_restart(tmp_path, rules):
    random, ann = Random(2), Client(None)
    table, totals, dealers = None, [0, 0], []
    for number in (1, 2):
        async with serving(tmp_path) as (_, ann.app):
            if table is None:
                table, view = await ann.begin(SEATS, game='catch5', rules=rules)
            else:
                table = f'/api/tables/{(await ann.post(f"{table}/next")).json()["table"]}'
            while not (view := await ann.turn(table))['trump']:
                await ann.post(f'{table}/moves', {'ply': view['ply'], 'move': random.choice(view['legal'])})
        async with serving(tmp_path) as (_, ann.app):
            again = await ann.view(table)
            assert {**again, 'version': 0} == {**view, 'version': 0}
            assert view['match'] == {'hand': number, 'totals': totals, 'target': 31}
            over = (await ann.play_out(table, random))['over']
            game = records.parse((await ann.get(f'{table}/record')).body)
        assert over['scores'] == list(game.payoffs[:2])
        totals = over['match_totals']
        assert totals == [before + score for before, score in zip(view['match']['totals'], over['scores'], strict=True)]
        assert (over['deal']['code'][0], game.extra['match']) == (str(view['dealer']), view['match'])
        proof = sha256((over['deal']['code'] + over['deal']['nonce']).encode()).hexdigest()
        assert proof == view['deal']['commitment']
        dealers.append(view['dealer'])
    assert dealers[1] == (dealers[0] + 1) % 4
    assert records.read(tmp_path / 'games.catch5.jsonl')[-1] == game


async def test_the_view_has_bids_trumps_refill_and_points(ann, app):
    eve, random = Client(app), Random(1)
    table, view = await ann.begin(['me', 'random', 'random', 'random'], game='catch5', deal='7/0')
    dealt = set(view['hand'].split())
    assert len(dealt) == 9
    while not (view := await ann.turn(table))['over']:
        log = view['log']
        assert view['bids'] == [
            next((int(text[4:] or 0) for seat, text in log[:4] if seat == i), None) for i in range(4)
        ]
        if view['trump']:
            own = set(view['hand'].split()) | {card for seat, card in log[5:] if seat == 0}
            discarded, drawn = (set(view['refill'][key].split()) for key in ('discarded', 'drawn'))
            assert own == dealt - discarded | drawn
            assert view['kept'][0] == 6 - len(drawn) == sum(card[1] == view['trump'] for card in dealt - discarded)
            assert sum(view['points']) == sum(view['trick_points'])
        watched = await eve.view(table)
        assert watched['hand'] is watched['legal'] is watched['refill'] is None
        assert [watched[key] for key in ('bids', 'points', 'kept')] == [view[key] for key in ('bids', 'points', 'kept')]
        await ann.post(f'{table}/moves', {'ply': view['ply'], 'move': random.choice(view['legal'])})
    assert sum(view['points']) == 9
    assert view['over']['made'] == (view['points'][view['bidder'] % 2] >= view['over']['bid'])


async def test_practice_has_shares_points_and_chances_and_records_are_analysed(ann):
    table, view = await ann.begin(SEATS, game='catch5', deal='7/1')
    view = await ann.turn(table)
    advice = (await ann.get(f'{table}/advice?deep=1')).json()
    assert {one['move'] for one in advice['moves']} == {one['move'] for one in advice['deep']['moves']}
    assert {one['move'] for one in advice['moves']} == set(view['legal'])
    assert sum(one['share'] for one in advice['moves']) == pytest.approx(1, abs=1e-3)
    assert -18 <= advice['points'] <= 18
    made = {one['move']: one['made'] for one in advice['deep']['moves']}
    assert 0 <= made['bid 9'] <= 1
    await ann.play_out(table, Random(1))
    record = (await ann.get(f'{table}/record')).json()
    found = (await ann.post('/api/analyse', {'text': records.to_json(records.parse(record)), 'ply': 9})).json()
    assert (found['game'], found['ply'], found['record']) == ('catch5', 9, record)
    assert all(len(hand.split()) in (5, 6) for hand in found['position']['hands'])
    seat = found['to_move']
    seen = (await ann.post('/api/analyse', {'record': record, 'ply': 9, 'seat': seat})).json()
    assert seen['moves'] == found['moves'] != []
    assert [hand is not None for hand in seen['position']['hands']] == [seat == i for i in range(4)]
    for body in ({**record, 'match': {'hand': 1}}, {**record, 'match': {'hand': 1, 'totals': [0], 'target': 3}}):
        assert (await ann.post('/api/analyse', {'record': body})).status == 422


async def test_seeds_and_codes_give_the_same_deal_and_games_are_listed_together(ann, lobby):
    seeded = [(await ann.begin(SEATS, game='catch5', deal='7/3'))[1]['table'] for _ in range(2)]
    first, second = (lobby.tables[table].game.record().deal for table in seeded)
    assert first == second
    table, first = await ann.begin(SEATS, game='catch5', deal='7/3')
    code = (await ann.play_out(table, Random(1)))['over']['deal']['code']
    table, second = await ann.begin(['rule', 'me', 'rule', 'rule'], game='catch5', deal=code)
    word = lobby.tables[second['table']].game.record().deal['word']
    assert word == code[-16:] == lobby.tables[seeded[0]].game.record().deal['word']
    assert (first['first_time'], second['first_time']) == (True, False)
    assert not parse_cards(first['hand']) & parse_cards(second['hand'])
    assert first['dealer'] == second['dealer']
    big2, _ = await ann.begin()
    await ann.play_out(big2, Random(1))
    listed = (await ann.get('/api/records')).json()['records']
    assert [one['game'] for one in listed] == ['big2', 'catch5']
    twice = code[:3] + code[2] + code[4:]
    for deal in ('Edfrw0ajpP-GrkdAYQ', '4-' + code[2:], code[:-1], twice, code[:-16] + '0' * 16):
        assert (await ann.post('/api/tables', {'game': 'catch5', 'seats': SEATS, 'deal': deal})).status == 422
