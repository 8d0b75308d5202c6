"""Tables: who sits there, what they may do, and what follows."""

import asyncio
from functools import wraps
from hashlib import sha256
from random import Random

import pytest
from web_client import TICK, Client, serving, views

from rlcard_big2 import records


def in_loop(test):
    """Run a test that waits."""

    @wraps(test)
    def run(*arguments, **settings):
        asyncio.run(test(*arguments, **settings))

    return run


@in_loop
async def test_a_game_from_the_first_move_to_the_score(tmp_path):
    async with serving(tmp_path) as (_, app):
        ann = Client(app)
        table, view = await ann.begin(name='Ann')
        assert view['you'] == 0
        assert len(view['hand'].split()) == 13
        assert [seat['name'] for seat in view['seats']] == ['Ann', 'rule', 'greedy', 'random']
        assert (await ann.get(f'{table}/record')).status == 404
        view = await ann.play_out(table, Random(1))
        over = view['over']
        assert sum(over['payoffs']) == 0
        assert over['hands'][over['winner']] == ''
        assert view['to_move'] is None
        assert view['legal'] == []
        game = records.parse((await ann.get(f'{table}/record')).body)
        assert list(game.payoffs) == over['payoffs']
        assert [list(move) for move in game.trace] == view['log']
        assert game.seats[0] == {'name': 'Ann', 'kind': 'person'}
        assert game.extra['id'] == over['record']
        assert records.read(tmp_path / 'games.big2.jsonl') == [game]
        deal = over['deal']
        assert records.hands_of_code(deal['code']) == game.hands
        assert sha256((deal['code'] + deal['nonce']).encode()).hexdigest() == deal['commitment']
        assert view['deal'] == {'commitment': deal['commitment']}
        listed = (await ann.get('/api/records')).json()['records']
        assert [one['id'] for one in listed] == [over['record']]
        assert listed[0]['people'] == [0]
        assert records.parse((await ann.get(f'/api/records/{over["record"]}')).body) == game
        (group,) = (await ann.get('/api/score')).json()['groups']
        assert group['opponents'] == ['rule', 'greedy', 'random']
        assert group['payoff'] == {'mean': over['payoffs'][0], 'margin': None}


@in_loop
async def test_moves_are_made_once_and_in_turn(tmp_path):
    async with serving(tmp_path) as (_, app):
        ann = Client(app)
        table, _ = await ann.begin()
        view = await ann.turn(table)
        move = {'ply': view['ply'], 'move': view['legal'][0]}
        answers = await asyncio.gather(*(ann.post(f'{table}/moves', move) for _ in range(5)))
        assert sorted(answer.status for answer in answers) == [200, 409, 409, 409, 409]
        view = await ann.turn(table)
        assert view['log'][move['ply']] == [0, move['move']]
        for body, status, words in (
            ({'ply': view['ply'] + 1, 'move': 'pass'}, 409, 'has not come yet'),
            ({'ply': 0, 'move': 'pass'}, 409, 'has passed'),
            ({'ply': view['ply'], 'move': '3x'}, 422, "'3x'"),
            ({'ply': view['ply'], 'move': 7}, 422, 'it must be text'),
            ({'ply': '1', 'move': 'pass'}, 422, 'whole number'),
            ({'ply': True, 'move': 'pass'}, 422, 'whole number'),
            ({'move': 'pass'}, 422, 'ply is missing'),
            ({'ply': view['ply'], 'move': 'pass', 'seat': 1}, 422, "'seat' is unknown"),
        ):
            answer = await ann.post(f'{table}/moves', body)
            assert answer.status == status, (body, answer.body)
            assert words in answer.error
        assert (await Client(app).post(f'{table}/moves', move)).status == 403
        assert (await ann.view(table))['log'] == view['log']


@in_loop
async def test_practice_has_advice_and_take_back_and_strict_has_not(tmp_path):
    async with serving(tmp_path) as (_, app):
        ann = Client(app)
        table, _ = await ann.begin(practice=True)
        before = await ann.turn(table)
        advice = (await ann.get(f'{table}/advice')).json()
        assert advice['ply'] == before['ply']
        told = [move for one in advice['moves'] for move in (one['move'], *one['alike'])]
        assert sorted(told) == sorted(before['legal'])
        assert advice['calibrated']
        assert all(0 <= one['win'] <= 1 and 'gap' not in one for one in advice['moves'])
        await ann.post(f'{table}/moves', {'ply': before['ply'], 'move': before['legal'][0]})
        later = await ann.turn(table)
        back = (await ann.post(f'{table}/takeback', {'ply': later['ply']})).json()
        assert [back[key] for key in ('ply', 'hand', 'legal')] == [before[key] for key in ('ply', 'hand', 'legal')]
        assert (await ann.post(f'{table}/takeback', {'ply': back['ply']})).status == 409
        view = await ann.play_out(table, Random(2))
        assert view['advice_at'] == [before['ply']]
        game = records.parse((await ann.get(f'{table}/record')).body)
        assert game.extra['help'] == {'takebacks': [later['ply']], 'advice': [before['ply']], 'practice': True}

        table, _ = await ann.begin(practice=False)
        view = await ann.turn(table)
        for answer in (await ann.get(f'{table}/advice'), await ann.post(f'{table}/takeback', {'ply': view['ply']})):
            assert answer.status == 403
            assert 'strict' in answer.error
        await ann.play_out(table, Random(2))
        assert 'help' not in (await ann.get(f'{table}/record')).json()


@in_loop
async def test_people_take_open_seats_and_others_watch(tmp_path):
    async with serving(tmp_path) as (_, app):
        ann, bob, eve = Client(app), Client(app), Client(app)
        table, view = await ann.begin(['me', 'open', 'rule', 'open'])
        assert [seat['open'] for seat in view['seats']] == [False, True, False, True]
        answer = await bob.post(f'{table}/seat', {'seat': 3, 'name': 'Bob'})
        assert answer.status == 200
        assert answer.json()['seat'] == 3
        assert (await eve.post(f'{table}/seat', {'seat': 3})).status == 409
        assert (await bob.post(f'{table}/seat')).status == 409
        assert (await eve.post(f'{table}/seat')).json()['seat'] == 1
        for client, seat in ((ann, 0), (eve, 1), (bob, 3), (Client(app), None)):
            assert (await client.view(table))['you'] == seat
        watched = await Client(app).view(table)
        assert watched['hand'] is watched['legal'] is watched['kinds'] is None
        assert (await ann.post(f'{table}/takeback', {'ply': watched['ply']})).status == 403
        left = (await eve.post(f'{table}/leave')).json()
        assert left['you'] is None
        assert left['seats'][1]['agent'] == 'big2-dmc'
        ends = await asyncio.gather(ann.play_out(table, Random(1)), bob.play_out(table, Random(2)))
        assert ends[0]['log'] == ends[1]['log']


@in_loop
async def test_a_stream_sends_views_as_they_change(tmp_path):
    async with serving(tmp_path) as (_, app):
        ann = Client(app)
        table, _ = await ann.begin()
        async with ann.listening(table) as mine, Client(app).listening(table) as theirs:
            end = await ann.play_out(table, Random(1))
            while not views(mine)[-1]['over'] or not views(theirs)[-1]['over']:
                await asyncio.sleep(TICK)
        versions = [view['version'] for view in views(mine)]
        assert versions == sorted(set(versions))
        assert views(mine)[-1]['log'] == views(theirs)[-1]['log'] == end['log']


@pytest.mark.parametrize('deal', ['7/12', 'Edfrw0ajpP-GrkdAYQ'])
@in_loop
async def test_deals_that_are_given_make_practice_tables(tmp_path, deal):
    async with serving(tmp_path) as (_, app):
        ann = Client(app)
        table, first = await ann.begin(deal=deal)
        assert first['practice']
        assert first['first_time']
        await ann.play_out(table, Random(1))
        table, second = await ann.begin(['rule', 'me', 'rule', 'rule'], deal=deal)
        assert not second['first_time']
        assert second['hand'] != first['hand']
        refused = await ann.post('/api/tables', {'seats': ['me', *['rule'] * 3], 'deal': deal, 'practice': False})
        assert refused.status == 422
