"""Tables: seats, moves, advice, take-backs, and automatic moves."""

import asyncio
import re
import time
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from random import Random
from threading import Event
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
import segno

from rlcard_big2 import records
from rlcard_play.web.rate_limits import Limits
from rlcard_play.web.tables import Session, Terms
from tests.support.limits import PATIENCE
from tests.support.web_client import SEATS, TICK, Client, views

pytestmark = pytest.mark.anyio


async def test_a_game_from_the_first_move_to_the_score(ann, tmp_path):
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
    assert {key: game.seats[0][key] for key in ('name', 'kind')} == {'name': 'Ann', 'kind': 'person'}
    assert game.extra['id'] == over['record']
    assert records.read(tmp_path / 'games.big2.jsonl') == [game]
    deal = over['deal']
    assert records.hands_of_code(deal['code']) == game.hands
    assert sha256((deal['code'] + deal['nonce']).encode()).hexdigest() == deal['commitment']
    assert view['deal'] == {'commitment': deal['commitment']}
    listed = (await ann.get('/api/records')).json()['records']
    assert [one['id'] for one in listed] == [over['record']]
    assert listed[0]['people'] == [0]
    one = records.parse((await ann.get(f'/api/records/{over["record"]}')).body)
    assert one == replace(game, extra={**game.extra, 'you': 0})
    (group,) = (await ann.get('/api/score')).json()['groups']
    assert group['opponents'] == ['rule', 'greedy', 'random']
    assert group['payoff'] == {'mean': over['payoffs'][0], 'margin': None}


async def test_moves_are_made_once_and_in_turn(ann, app):
    table, _ = await ann.begin(('me', 'rule', 'rule', 'rule'), deal='7/1')  # here it has a second choice
    view = await ann.turn(table)
    move = {'ply': view['ply'], 'move': view['legal'][0]}
    answers = await asyncio.gather(*(ann.post(f'{table}/moves', move) for _ in range(5)))
    assert sorted(answer.status for answer in answers) == [200, 409, 409, 409, 409]
    view = await ann.turn(table)
    assert view['log'][move['ply']] == [0, move['move']]
    for body, status, datum in (
        ({'ply': view['ply'] + 1, 'move': 'pass'}, 409, 'ply'),
        ({'ply': 0, 'move': 'pass'}, 409, 'ply is 0'),
        ({'ply': view['ply'], 'move': '3x'}, 422, "'3x'"),
        ({'ply': view['ply'], 'move': 7}, 422, 'move is 7'),
        ({'ply': '1', 'move': 'pass'}, 422, "ply is '1'"),
        ({'ply': True, 'move': 'pass'}, 422, 'ply is True'),
        ({'move': 'pass'}, 422, 'ply'),
        ({'ply': view['ply'], 'move': 'pass', 'seat': 1}, 422, "'seat'"),
    ):
        answer = await ann.post(f'{table}/moves', body)
        assert answer.status == status, (body, answer.body)
        assert datum in answer.error
    assert (await Client(app).post(f'{table}/moves', move)).status == 403
    assert (await ann.view(table))['log'] == view['log']


async def test_practice_has_advice_and_take_back_and_strict_has_not(ann):
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


async def test_people_take_open_seats_and_others_watch(ann, app):
    bob, eve = Client(app), Client(app)
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


async def test_a_stream_sends_views_as_they_change(ann, app):
    table, _ = await ann.begin()
    async with ann.listening(table) as mine, Client(app).listening(table) as theirs:
        end = await ann.play_out(table, Random(1))
        while not views(mine)[-1]['over'] or not views(theirs)[-1]['over']:
            await asyncio.sleep(TICK)
    versions = [view['version'] for view in views(mine)]
    assert versions == sorted(set(versions))
    assert views(mine)[-1]['log'] == views(theirs)[-1]['log'] == end['log']


@pytest.mark.parametrize('deal', ['7/12', 'Edfrw0ajpP-GrkdAYQ'])
async def test_deals_that_are_given_make_practice_tables(ann, deal):
    table, first = await ann.begin(deal=deal)
    assert first['practice']
    assert first['first_time']
    await ann.play_out(table, Random(1))
    table, second = await ann.begin(['rule', 'me', 'rule', 'rule'], deal=deal)
    assert not second['first_time']
    assert second['hand'] != first['hand']
    refused = await ann.post('/api/tables', {'seats': ['me', *['rule'] * 3], 'deal': deal, 'practice': False})
    assert refused.status == 422


@pytest.mark.parametrize('limits', [{'away': 0.3}])
async def test_an_agent_stands_in_for_who_is_away_until_they_are_back(ann, app):
    bob = Client(app)
    table, _ = await ann.begin(['me', 'open', 'rule', 'rule'])
    await bob.post(f'{table}/seat', {'name': 'Bob'})
    async with ann.listening(table) as events:
        while views(events)[-1]['seats'][1]['stand_in'] is None:
            await asyncio.sleep(TICK)
        view = views(events)[-1]
        assert view['seats'][1] == {
            'name': 'Bob', 'agent': None, 'here': False, 'open': False, 'stand_in': 'big2-dmc',
        }  # fmt: skip
        while all(seat != 1 for seat, _ in view['log']):  # the game goes on without Bob
            view = await ann.turn(table)
            await ann.post(f'{table}/moves', {'ply': view['ply'], 'move': view['legal'][0]})
        back = await bob.view(table)
        assert back['seats'][1]['stand_in'] is None
        assert back['seats'][1]['here']


async def test_a_strict_game_in_which_a_person_saw_two_hands_counts_as_one_with_help(ann):
    table, _ = await ann.begin(['me', 'open', 'rule', 'rule'], practice=False)
    await ann.post(f'{table}/leave')
    assert (await ann.post(f'{table}/seat', {'seat': 1})).status == 200
    await ann.play_out(table, Random(1))
    game = records.parse((await ann.get(f'{table}/record')).body)
    assert [(event['seat'], event['event']) for event in game.extra['help']['seats']] == [(0, 'left'), (1, 'joined')]
    (group,) = (await ann.get('/api/score')).json()['groups']
    assert group['aided']


@pytest.mark.parametrize('limits', [{'absent': 0.3}])
async def test_the_others_soon_see_who_is_away_while_the_seat_is_kept(ann, app):
    bob = Client(app)
    table, _ = await ann.begin(['me', 'open', 'rule', 'rule'])
    await bob.post(f'{table}/seat', {'name': 'Bob'})
    while (await ann.get(f'{table}/view')).json()['seats'][1]['here']:
        await asyncio.sleep(TICK)
    assert (await ann.get(f'{table}/view')).json()['seats'][1]['stand_in'] is None
    await bob.get(f'{table}/view')
    assert (await ann.get(f'{table}/view')).json()['seats'][1]['here']


@pytest.mark.parametrize('limits', [{'away': 0.05}])
async def test_who_plays_alone_is_waited_for(ann, app):
    table, _ = await ann.begin()
    before = await ann.turn(table)
    await asyncio.sleep(0.4)
    watched = await Client(app).view(table)
    assert not watched['seats'][0]['here']
    assert watched['seats'][0]['stand_in'] is None
    assert watched['log'] == before['log']
    assert (await ann.view(table))['seats'][0]['here']


async def test_automatic_moves_are_quicker_until_a_person_has_chosen(ann, lobby):
    table, _ = await ann.begin(['rule', 'me', 'rule', 'rule'], deal='7/0')
    shared, limits = lobby.tables[table.rpartition('/')[2]], Limits(delay=4)
    is_choice = False
    while not is_choice:
        assert shared.delay(limits) == 1
        view = await ann.turn(table)
        is_choice = len(view['legal']) > 1
        await ann.post(f'{table}/moves', {'ply': view['ply'], 'move': view['legal'][0]})
    assert shared.delay(limits) == 4


@pytest.mark.parametrize('limits', [{'delay': 0.05}])
async def test_forced_passes_are_made_after_a_while_or_left_to_the_person(ann, app):
    for number in range(9):  # deals, until there is one with a forced pass
        table, _ = await ann.begin(['greedy', 'me', 'greedy', 'greedy'], deal=f'7/{number}')
        await ann.post(f'{table}/settings', {'press': True})
        while not (view := await ann.turn(table))['over'] and view['legal'] != ['pass']:
            await ann.post(f'{table}/moves', {'ply': view['ply'], 'move': view['legal'][0]})
        if not view['over']:
            break
    assert view['press']
    assert not (await Client(app).view(table))['press'], 'spectators press nothing'
    await asyncio.sleep(0.2)
    assert (await ann.view(table))['ply'] == view['ply'], 'it is left to her'
    view = (await ann.post(f'{table}/settings', {'press': False})).json()
    assert view['auto'] == 0.05
    while (await ann.view(table))['ply'] == view['ply']:
        await asyncio.sleep(TICK)
    assert (await ann.view(table))['log'][view['ply']] == [1, 'pass']


async def test_an_agent_that_fails_is_replaced(ann, lobby, capsys):
    lobby.thread.games['big2'].agents['rule'] = SimpleNamespace(use_raw=True, eval_step=lambda state: 1 / 0)
    lobby.thread.games['big2'].agents['greedy'] = SimpleNamespace(use_raw=True, eval_step=lambda state: ('3d 4d', {}))
    table, _ = await ann.begin()
    view = await ann.play_out(table, Random(1))
    assert [seat['stand_in'] for seat in view['seats']] == [None, 'big2-dmc', 'big2-dmc', None]
    assert 'agent rule failed' in capsys.readouterr().err


async def test_a_move_that_cannot_be_kept_is_not_made(ann, lobby, monkeypatch):
    table, _ = await ann.begin()
    view = await ann.turn(table)
    body = {'ply': view['ply'], 'move': view['legal'][0]}
    with monkeypatch.context() as patch:
        patch.setattr(lobby.store, 'save', Mock(side_effect=OSError(28, 'No space left on device')))
        answer = await ann.post(f'{table}/moves', body)
    assert answer.status == 503
    assert 'No space left' in answer.error
    assert (await ann.view(table))['log'] == view['log']
    assert (await ann.post(f'{table}/moves', body)).status == 200


@pytest.mark.attack('full disks, or no memory')
async def test_the_next_deal_begins_once_it_can_be_saved(ann, lobby, monkeypatch):
    table, _ = await ann.begin()
    await ann.play_out(table, Random(1))
    with monkeypatch.context() as patch:
        patch.setattr(lobby.store, 'save', Mock(side_effect=OSError(28, 'No space left on device')))
        assert (await ann.post(f'{table}/next')).status == 503
    assert (await ann.view(table))['over']['next'] is None
    following = (await ann.post(f'{table}/next')).json()['table']
    assert (await ann.view(table))['over']['next'] == following
    del lobby.tables[following]  # it gave way to another table
    assert (await ann.post(f'{table}/next')).status == 201


@pytest.mark.attack('finished games by the dozen')
async def test_finished_games_are_reviewed_last_and_the_watched_first(ann, lobby, monkeypatch, capsys, record_property):
    begun, asked, go = [], Event(), asyncio.Event()

    async def find_mistakes(game, record, seats):
        begun.append(record.extra['id'])
        await go.wait()
        return {seat: [] for seat in seats} if len(begun) > 1 else 1 / 0

    monkeypatch.setattr(lobby.thread, 'find_mistakes', find_mistakes)
    study = asyncio.ensure_future(lobby.thread.study(asked.wait))
    tables = [(await ann.begin(SEATS[:2], rules='mini'))[0] for _ in range(12)]
    record_property('tries', len(tables))
    ids = [(await ann.play_out(table, Random(1)))['over']['record'] for table in tables]
    assert begun == []
    async with ann.listening(tables[3]):
        asked.set()
        await study
        while not begun:
            await asyncio.sleep(TICK)
        assert begun == [ids[3]]
        assert lobby.thread._studies._work_queue.empty()
        go.set()
        while len(begun) < len(ids):
            await asyncio.sleep(TICK)
    assert begun == [ids.pop(3), *reversed(ids)]
    assert [(await ann.view(table))['over']['choices'] for table in tables] == [[]] * 3 + [None] + [[]] * 8
    assert 'cannot be reviewed: ZeroDivisionError' in capsys.readouterr().err


async def test_the_same_players_go_on_to_the_next_deal(ann, app):
    bob, eve = Client(app), Client(app)
    table, _ = await ann.begin(['me', 'open', 'rule', 'greedy'], practice=False)
    await bob.post(f'{table}/seat', {'name': 'Bob'})
    assert (await ann.post(f'{table}/next')).status == 409
    first, _ = await asyncio.gather(ann.play_out(table, Random(1)), bob.play_out(table, Random(2)))
    assert first['over']['next'] is None
    answers = [(await client.post(f'{table}/next')).json() for client in (bob, ann)]
    assert [answer['seat'] for answer in answers] == [1, 0]
    following = f'/api/tables/{answers[0]["table"]}'
    assert (await eve.view(table))['over']['next'] == answers[0]['table'] == answers[1]['table']
    assert (await eve.post(f'{table}/next')).status == 403
    view = await ann.view(following)
    assert [seat['name'] for seat in view['seats']] == [seat['name'] for seat in first['seats']]
    assert view['deal'] != first['deal']
    last, _ = await asyncio.gather(ann.play_out(following, Random(1)), bob.play_out(following, Random(2)))
    totals = [sum(payoffs) for payoffs in zip(first['over']['payoffs'], last['over']['payoffs'], strict=True)]
    assert last['over']['session'] == {'deals': 2, 'totals': totals, 'ended': False}
    noted = (await ann.get(f'{following}/record')).json()['help']['seats']
    assert noted == [{'ply': 0, 'seat': 1, 'event': 'joined'}]
    await bob.post(f'{following}/next')
    assert (await ann.post(f'{table}/next')).json()['table'] == answers[0]['table']


async def test_a_table_waits_for_its_host_and_shows_no_hand_before_the_start(app, tmp_path):
    ann, bob, eve = (Client(app) for _ in range(3))
    table, view = await ann.begin(['me', 'open', 'rule', 'open'], wait=True)
    code = view['waiting']['code']
    assert re.fullmatch('[A-Z]{6}', code)
    assert (await eve.view(table))['waiting']['code'] is None
    assert (await bob.get(f'/api/codes/{code.lower()}')).json() == {'table': view['table']}
    assert (await bob.get('/api/codes/AAAAAA')).status == 404
    await bob.post(f'{table}/seat', {'name': 'Bob'})
    await bob.post(f'{table}/settings', {'ready': True})
    for client in (ann, bob, eve):
        view = await client.view(table)
        assert (view['waiting']['host'], view['waiting']['ready']) == (0, [1])
        assert (view['hand'], view['legal'], view['to_move'], view['auto']) == (None, None, None, None)
    for client, body, status, datum in (
        (ann, {}, 409, 'open seats: 3'), (ann, {'fill': 1}, 422, 'fill is 1'), (bob, {'fill': True}, 403, 'host'),
        (eve, {'fill': True}, 403, 'sit'),
    ):  # fmt: skip
        answer = await client.post(f'{table}/start', body)
        assert (answer.status, datum in answer.error) == (status, True)
    for path, body in (('moves', {'ply': 0, 'move': '3d'}), ('start', {'fill': True})):
        assert (await ann.post(f'{table}/{path}', body)).status == {'moves': 409, 'start': 200}[path]
    assert (await ann.post(f'{table}/start')).status == 409
    assert (await ann.get(f'/api/codes/{code}')).status == 404, 'no seat is open'
    view, _ = await asyncio.gather(ann.play_out(table, Random(1)), bob.play_out(table, Random(2)))
    assert [seat['agent'] for seat in view['seats']] == [None, None, 'rule', 'big2-dmc']
    game = records.parse((await ann.get(f'{table}/record')).body)
    assert 'seats' not in game.extra['help'], 'nobody saw another hand'


async def test_who_leaves_before_the_start_leaves_an_open_seat_and_the_next_person_is_host(ann, app, lobby):
    bob = Client(app)
    table, _ = await ann.begin(['me', 'open', 'open', 'rule'], wait=True)
    await bob.post(f'{table}/seat', {'seat': 2})
    await ann.post(f'{table}/leave')
    view = await bob.view(table)
    assert view['waiting']['host'] == 2
    assert [seat['open'] for seat in view['seats']] == [True, True, False, False]
    (kept,) = lobby.store.load()
    assert (kept.waiting, kept.host, kept.join_code) == (True, 2, view['waiting']['code'])
    assert (await bob.post(f'{table}/start', {'fill': True})).json()['hand']


@pytest.mark.parametrize('limits', [{'codes_per_minute': 3}])
async def test_codes_cannot_be_guessed(ann):
    statuses = [(await ann.get(f'/api/codes/{code}')).status for code in ('ABCDEF', 'x', '3d', 'GHJKLM')]
    assert statuses == [404, 404, 404, 429]
    assert 'waiting' not in (await ann.begin(wait=True))[1], 'no seat is open'


async def test_the_qr_code_is_the_address_of_the_table(ann):
    table, view = await ann.begin(['me', 'open', 'rule', 'rule'])
    answer = await ann.get(f'{table}/qr', host='localhost:8402')
    expected = BytesIO()
    segno.make(f'http://localhost:8402/?table={view["table"]}', micro=False).save(expected, 'svg', light='#fff')
    assert (answer.status, answer.headers['content-type']) == (200, 'image/svg+xml')
    assert answer.body == expected.getvalue()
    assert (await ann.get(f'/api/tables/{"A" * 22}/qr')).status == 404


async def test_the_clock_moves_for_a_person_who_is_late(ann):
    table, _ = await ann.begin(deal='7/1', clock=1)
    before, start = await ann.turn(table), time.monotonic()
    assert before['terms'] == {'wait': False, 'clock': 1, 'deals': 0, 'points': 0}
    assert 0.5 < before['clock'] <= 1
    await asyncio.sleep(0.6)
    view = (await ann.post(f'{table}/settings', {'press': True})).json()  # which does not wind up the clock
    assert view['ply'] == before['ply']
    assert view['clock'] < 0.4
    while (await ann.view(table))['ply'] == before['ply']:
        await asyncio.sleep(TICK)
    assert time.monotonic() - start > 0.9
    view = await ann.turn(table)
    assert view['log'][before['ply']][0] == 0
    assert view['clock'] > 0.5, 'wound up again'
    assert (await ann.play_out(table, Random(1)))['clock'] is None
    game = records.parse((await ann.get(f'{table}/record')).body)
    assert game.extra['help']['seats'][0] == {'ply': before['ply'], 'seat': 0, 'event': 'late'}


async def test_a_session_ends_after_its_deals_or_with_its_points_and_another_begins(ann, app):
    for terms, ends in (({'deals': 2}, [False, True, False]), ({'points': 1}, [True, True, True])):
        table, _ = await ann.begin(deal='7/1', **terms)
        for number, ended in enumerate(ends):
            view = await ann.play_out(table, Random(number))
            session = view['over']['session']
            assert session['ended'] == ended
            assert session['deals'] == (1 + number % 2 if 'deals' in terms else 1)
            table = f'/api/tables/{(await ann.post(f"{table}/next")).json()["table"]}'
            assert (await ann.view(table))['terms'] == view['terms']


async def test_people_say_phrases_until_the_next_move(ann, app):
    bob, eve = Client(app), Client(app)
    table, _ = await ann.begin(['me', 'open', 'open', 'open'])
    await bob.post(f'{table}/seat', {'seat': 2})
    assert (await bob.post(f'{table}/say', {'phrase': 'hello'})).json()['said'] == {'2': 'hello'}
    await ann.post(f'{table}/say', {'phrase': 'oops'})
    assert (await eve.view(table))['said'] == {'0': 'oops', '2': 'hello'}
    assert (await eve.post(f'{table}/say', {'phrase': 'hello'})).status == 403
    answer = await ann.post(f'{table}/say', {'phrase': '<b>'})
    assert answer.status == 422
    assert answer.error == "phrase is '<b>': choose from hello, luck, well, oops, thanks, again"
    table, view = await ann.begin()
    view = await ann.turn(table)
    await ann.post(f'{table}/say', {'phrase': 'luck'})
    answer = await ann.post(f'{table}/moves', {'ply': view['ply'], 'move': view['legal'][0]})
    assert answer.json()['said'] == {}


@pytest.mark.parametrize('limits', [{'delay': 0.2, 'moves_per_second': 1e9}])
async def test_who_talks_all_the_time_does_not_hold_up_the_agents(ann):
    table, _ = await ann.begin(['rule', 'rule', 'rule', 'me'])
    view = await ann.turn(table)
    before = (await ann.post(f'{table}/moves', {'ply': view['ply'], 'move': view['legal'][0]})).json()
    end = time.monotonic() + PATIENCE
    while (view := (await ann.post(f'{table}/say', {'phrase': 'again'})).json())['ply'] == before['ply']:
        assert time.monotonic() < end
        await asyncio.sleep(0.01)


def test_terms_have_no_limits_unless_they_are_set():
    far = Session(99, (999, -999, 0, 0))
    assert not Terms().end(far)
    assert Terms(deals=99).end(far)
    assert Terms(points=999).end(far)
    assert not Terms(deals=100, points=1000).end(far)
