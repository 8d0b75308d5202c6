"""Finished games and pasted positions: analysis, records, scores and puzzles."""

import asyncio
import json
from dataclasses import replace
from random import Random
from threading import Event, current_thread
from unittest.mock import AsyncMock
from urllib.parse import urlencode

import pytest

from rlcard_big2 import records
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.rules import PRESETS, Rules
from rlcard_play.big2.advice import LOOKED_AT, make_advisor
from rlcard_play.big2.review import review
from rlcard_play.games import GAMES
from rlcard_play.study.puzzles import read_puzzles
from rlcard_play.web import analysis
from rlcard_play.web.routes import new_app
from tests.big2.records.test_records import BEFORE
from tests.support.web_client import SEATS, TICK, Client, serving
from tests.support.web_wire import OPAQUE, cards_in

pytestmark = pytest.mark.anyio

HAND = '3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Ah 2h'
POSITION = {
    'big2': 1, 'rules': 'taiwan', 'hands': [None, None, HAND, None], 'view': 2, 'moves': None, 'before': BEFORE,
}  # fmt: skip


async def play_one(client, **settings):
    """Play a game; return its table and its record as JSON."""
    table, _ = await client.begin(**settings)
    await client.play_out(table, Random(3))
    return table, (await client.get(f'{table}/record')).json()


async def test_every_form_of_a_game_is_analysed_alike_and_each_seat_sees_its_hand(ann):
    table, record = await play_one(ann)
    line = json.dumps(record)
    forms = [
        record,
        {'record': record},
        {'text': line},
        {'text': json.dumps(record, indent=1)},
        {'text': f'http://127.0.0.1:8402/?table={table.rpartition("/")[2]}'},
        {'text': f'http://127.0.0.1:8402/?record={record["id"]}&ply=3'},
        {'text': f'{json.dumps(POSITION)}\n{line}\n', 'game': 2},
    ]
    first, *others = [(await ann.post('/api/analyse', form)).json() for form in forms]
    assert all(other == first for other in others)
    game = records.parse(record)
    judged = list(review(game, make_advisor('big2-dmc', Rules())))
    assert first['choices'] == json.loads(json.dumps([one.to_json() for one in judged]))
    assert first['record'] == record
    assert first['plies'] == first['ply'] == len(game.moves)
    assert first['moves'] == []
    for ply in range(0, len(game.moves), 5):
        whole = (await ann.post('/api/analyse', {'record': record, 'ply': ply})).json()
        position = game.at(ply)
        assert whole['to_move'] == position.player
        assert None not in whole['position']['hands']
        assert {one['move'] for one in whole['moves']} <= set(whole['position']['legal'])
        for seat in range(4):
            seen = (await ann.post('/api/analyse', {'record': record, 'ply': ply, 'seat': seat})).json()
            hands = seen['position']['hands']
            assert [hand is not None for hand in hands] == [seat == other for other in range(4)]
            assert hands[seat] == whole['position']['hands'][seat]
            assert seen['moves'] == (whole['moves'] if seat == whole['to_move'] else [])


async def test_grades_that_rollouts_refute_are_withdrawn(ann):
    table, whole = await play_one(ann)
    while (worst := (await ann.view(table))['over']['choices']) is None:
        await asyncio.sleep(TICK)
    game, advisor = records.parse(whole), make_advisor('big2-dmc', Rules())
    assert worst == json.loads(json.dumps(GAMES['big2'].confirmed_worst(advisor, game, [0])[0]))
    begun = records.parse(whole).at(16)
    record = records.FORMAT.to_dict(begun)
    before = (await ann.post('/api/analyse', {'record': record})).json()['choices']
    refuted = GAMES['big2'].refuted(make_advisor('big2-dmc', Rules()), begun)
    assert refuted
    after = (await ann.post('/api/analyse', {'record': record, 'confirm': True})).json()['choices']
    assert after == [{**one, 'mark': '' if one['ply'] in refuted else one['mark']} for one in before]
    ply = min(refuted)
    later = (await ann.post('/api/analyse', {'record': record, 'ply': ply})).json()
    assert later['choices'] == after
    made = begun.trace[ply][1]
    assert [one['mark'] for one in later['moves'] if made in (one['move'], *one['alike'])] == ['']


async def test_deals_and_positions_are_analysed(ann):
    found = (await ann.post('/api/analyse', {'text': '7/12'})).json()
    hands = tuple(deals_from_seed(7, 13)[12].tolist())
    assert records.parse(found['record']).hands == hands
    assert (await ann.post('/api/analyse', {'text': records.deal_code(hands)})).json() == found
    found = (await ann.post('/api/analyse', {'position': POSITION})).json()
    assert found['to_move'] == 2
    assert found['position']['table_hand'] == {'cards': '9d', 'kind': 'singles', 'by': 0, 'passes': 1}
    assert found['calibrated']
    own = replace(Rules.preset(POSITION['rules']), penalty_thresholds=(9,)).fields()
    found = (await ann.post('/api/analyse', {'position': {**POSITION, 'rules': own}})).json()
    assert found['calibrated']
    assert None not in {one['win'] for one in found['moves']}


async def test_what_cannot_be_analysed_gets_a_sentence(ann):
    table, _ = await ann.begin()
    few = [rules for rules in PRESETS.values() if rules.players < 4]
    lacked = [(GAMES['big2'].find_deal('7/1', rules), seat) for rules in few for seat in range(rules.players, 4)]
    assert len(lacked) > 4
    for body, status, datum in (
        *(({'record': records.to_dict(one), 'seat': seat}, 422, f'seat is {seat}') for one, seat in lacked),
        ({}, 422, 'text'),
        ({'text': 'nonsense'}, 422, 'nonsense'),
        ({'text': '{"big2":1}'}, 422, "'rules'"),
        ({'text': '7/12', 'record': POSITION}, 422, 'record'),
        ({'text': '7/12', 'ply': 1}, 422, 'ply 1'),
        ({'text': '7/12', 'seat': 4}, 422, 'seat is 4'),
        ({'text': '{"big2":1}\n' * 3}, 422, '3 games'),
        ({'position': POSITION, 'seat': 0}, 422, 'seat 0'),
        ({'text': f'/?table={table.rpartition("/")[2]}'}, 404, 'record'),
        ({'text': '/?record=AAAAAAAAAAAAAAAAAAAAAA'}, 404, 'game'),
        ({'text': 'x' * (1 << 20)}, 413, ''),
    ):
        answer = await ann.post('/api/analyse', body)
        assert answer.status == status, (body, answer.body)
        assert datum in answer.error


async def test_an_agent_plays_a_deal_among_advisors(ann, lobby):
    own = {'game': 'big2', 'rules': 'hong-kong', 'deal': '5/0', 'agent': 'rule'}
    found = await ann.get(f'/api/result?{urlencode(own)}')
    deal = GAMES['big2'].find_deal('5/0', Rules.preset('hong-kong'))
    assert found.json() == {'payoff': lobby.judges['big2'].payoff_of('rule', deal)}
    for wrong, datum in (
        ({'game': 'x'}, "game is 'x'"),
        ({'rules': 'nothing'}, "'nothing'"),
        ({'agent': 'python:os:system'}, 'agent is'),
        ({'rules': 'two', 'agent': 'big2-ppo'}, 'agent is'),
        ({'deal': 'x'}, "'x' is not a deal"),
        ({'deal': '4294967296/0'}, 'too large'),
    ):
        answer = await ann.get(f'/api/result?{urlencode({**own, **wrong})}')
        assert answer.status == 422
        assert datum in answer.error


@pytest.mark.parametrize('limits', [{'studies': 1}])
async def test_who_leaves_makes_room_for_others(ann, lobby):
    go, leaving = Event(), asyncio.Event()
    running = asyncio.ensure_future(lobby.thread.study(go.wait))
    first = asyncio.ensure_future(ann.request('GET', '/api/score', leaving=leaving))
    while not lobby.studies._taken:
        await asyncio.sleep(TICK)
    assert (await ann.get('/api/score')).status == 429
    leaving.set()
    await first
    second = asyncio.ensure_future(ann.get('/api/score'))
    go.set()
    await running
    assert (await second).status == 200


@pytest.mark.parametrize('limits', [{'looks': 2}])
async def test_deep_looks_are_given_to_the_seat_to_move_and_two_at_once(ann):
    table, _ = await ann.begin(('me', 'greedy', 'greedy', 'greedy'), deal='7/3')
    view = await ann.turn(table)
    assert len(view['legal']) > 2
    answers = await asyncio.gather(*(ann.get(f'{table}/advice?deep=1') for _ in range(3)))
    assert sorted(answer.status for answer in answers) == [200, 200, 429]
    assert {'1', '2'} >= {answer.headers['retry-after'] for answer in answers if answer.status == 429}
    first, second = (answer.json()['deep'] for answer in answers if answer.status == 200)
    assert first == second, 'the same deals'
    assert first['deals'] == 200
    assert {one['move'] for one in first['moves']} <= set(view['legal'])
    assert all(one['margin'] > 0 for one in first['moves'])
    assert first['guessed']
    assert 'guessed from the play' in first['note']
    refused = await ann.post('/api/analyse', {'record': {**POSITION, 'moves': ['Th']}, 'deep': True})
    assert refused.status == 422


async def test_the_move_that_was_played_or_is_selected_is_looked_at(ann):
    _, record = await play_one(ann)
    judged = review(records.parse(record), make_advisor('big2-dmc', Rules()))
    ply, advice = next((one.ply, one.advice.moves) for one in judged if len(one.advice.moves) > LOOKED_AT)
    record |= {'moves': [*record['moves'][:ply], advice[-1].move], 'payoffs': None}
    found = (await ann.post('/api/analyse', {'record': record, 'ply': ply, 'deep': True})).json()
    looked_at = {one.move for one in (*advice[:LOOKED_AT], advice[-1])}
    assert {one['move'] for one in found['deep']['moves']} == looked_at
    table, _ = await ann.begin(('me', 'greedy', 'greedy', 'greedy'), deal='7/3')
    await ann.turn(table)
    selected = (await ann.get(f'{table}/advice')).json()['moves'][-1]['move']
    found = (await ann.get(f'{table}/advice?deep=1&move={selected}')).json()['deep']['moves']
    assert len(found) == LOOKED_AT + 1
    assert selected in {one['move'] for one in found}


async def ids_of(client, kind):
    """Return the ids on all pages of a list."""
    found, cursor = [], ''
    while cursor is not None:
        page = (await client.get(f'/api/{kind}{cursor}')).json()
        found += [one['id'] for one in page[kind]]
        cursor = page['cursor'] and f'?cursor={page["cursor"]}'
    return found


async def test_records_come_in_pages_the_newest_first(tmp_path):
    file = tmp_path / 'games.big2.jsonl'
    games = [{'big2': 1, 'id': f'game{i}', 'rules': 'charlesworth', 'moves': [], 'hands': deal(i)} for i in range(120)]
    file.write_text(''.join(json.dumps(game) + '\n' for game in games) + '{"big2":1,"id":"half')
    async with serving(tmp_path) as (_, app):
        ann = Client(app)
        assert await ids_of(ann, 'records') == [f'game{i}' for i in reversed(range(120))]
        assert (await ann.get('/api/records/game7')).json()['hands'] == deal(7)
        assert (await ann.get('/api/records?cursor=x')).status == 422
        await play_one(ann)
        first, second = (await ann.get('/api/records')).json()['records'][:2]
        assert (first['people'], second['id']) == ([0], 'game119')
        records.write(file, records.parse({**games[0], 'id': 'from another program'}))
        assert (await ann.get('/api/records')).json()['records'][0]['id'] == 'from another program'


def deal(number):
    """Return the hands of a deal as a record has them."""
    return records.to_dict(records.from_deals(deals_from_seed(1, number + 1)[number:])[0])['hands']


async def test_the_score_is_kept_and_counts_a_deal_once(tmp_path):
    async with serving(tmp_path) as (_, app):
        ann = Client(app)
        for order in [{'practice': False}] * 2 + [{'deal': '7/1'}] * 2:
            await play_one(ann, **order)
        score = (await ann.get('/api/score')).json()
    groups = {group['aided']: group for group in score['groups']}
    assert {aided: group['games'] for aided, group in groups.items()} == {False: 2, True: 1}
    assert groups[False]['payoff']['margin'] is None, 'two games are too few'
    (_, first, _), (count, *sums) = groups[False]['curve']
    assert (count, sums) == (2, [2 * groups[False][name]['mean'] for name in ('payoff', 'agent')])
    assert first != sums[0]
    assert groups[False]['given_away']['mean'] > 0
    file = tmp_path / 'games.values.jsonl'
    kept = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(kept) == 3
    file.write_text(''.join(json.dumps({**one, 'agent': one['agent'] + 10}) + '\n' for one in kept))
    async with serving(tmp_path) as (_, app):
        ann.app = app
        again = (await ann.get('/api/score')).json()
    assert again['groups'][0]['agent']['mean'] == score['groups'][0]['agent']['mean'] + 10, 'it was not computed again'


@pytest.mark.parametrize(
    'rules',
    [
        'hkust',
        'hong-kong-3',
        'mini',
        *(pytest.param(name, marks=pytest.mark.slow) for name in ('charlesworth', 'game-sofa')),
    ],
)
async def test_one_begins_again_from_a_position(ann, rules):
    players = PRESETS[rules].players
    _, record = await play_one(ann, rules=rules, seats=SEATS[:players])
    ply = len(record['moves']) // 2
    seats = ['rule'] * players
    seats[records.parse(record).at(ply).player] = 'me'
    table, view = await ann.begin(seats, deal={'record': record, 'ply': ply})
    assert view['log'] == [list(move) for move in records.parse(record).trace[:ply]]
    assert not view['first_time']
    assert (await ann.post(f'{table}/takeback', {'ply': ply})).status == 409
    await ann.play_out(table, Random(1))
    assert (await ann.get('/api/score')).json()['groups'][0]['games'] == 1
    assert (await ann.post('/api/tables', {'seats': seats, 'deal': {'record': record}})).status == 422, 'it is over'
    other = await ann.post('/api/tables', {'seats': seats, 'rules': 'hkust', 'deal': {'record': record, 'ply': 1}})
    assert other.status == (201 if rules == 'hkust' else 422)


async def test_puzzles_are_read_at_the_start_in_the_thread(lobby, monkeypatch):
    threads, read = [], analysis.read_puzzles
    monkeypatch.setattr(analysis, 'read_puzzles', lambda *file: threads.append(current_thread().name) or read(*file))
    monkeypatch.setattr(lobby, 'open', AsyncMock())
    monkeypatch.setattr(lobby, 'close', AsyncMock())
    app = new_app(lobby)
    async with app.app.router.lifespan_context(app.app):
        while len(threads) < len(GAMES):
            await asyncio.sleep(TICK)
        assert (await Client(app).get('/api/puzzles/x')).status == 404
    assert {name.partition('_')[0] for name in threads} == {'studies'}


async def test_puzzles_are_asked_without_their_answers_and_judged(ann):
    known = {key: read_puzzles(game.puzzles, game.records) for key, game in GAMES.items()}
    names = await ids_of(ann, 'puzzles')
    assert names == [name for puzzles in known.values() for name in puzzles]
    listed = (await ann.get('/api/puzzles')).json()['puzzles'][0]
    assert set(listed) == {'id', 'game', 'rules', 'themes', 'difficulty'}
    assert (await ann.get('/api/puzzles?game=catch5')).json()['puzzles'][0]['id'] == next(iter(known['catch5']))
    assert (await ann.get('/api/puzzles?game=whist')).status == 422
    for game, name in [(key, name) for key, puzzles in known.items() for name in list(puzzles)[::100]]:
        asked, puzzle = (await ann.get(f'/api/puzzles/{name}')).json(), known[game][name]
        assert set(asked) == {'id', 'game', 'position'}
        assert not set(asked['position']) & {'best', 'gap', 'deep', 'deal', 'record'}
        assert [hand is not None for hand in asked['position']['hands']] == [puzzle.player == i for i in range(4)]
        shown = {*asked['position']['hands'][puzzle.player].split(), *cards_in(json.dumps(asked['position']['log']))}
        shown |= cards_in(json.dumps(asked['position'].get('refill')))
        assert cards_in(OPAQUE.sub('', json.dumps(asked['position']))) <= shown
        right = (await ann.post(f'/api/puzzles/{name}', {'move': puzzle.extra['best']})).json()
        assert (right['right'], right['best']) == (True, puzzle.extra['best'])
        moves = right['deep']['moves'] if right['deep'] else right['moves']
        wrong = next(one for one in reversed(moves) if one.get('grade', 'worse') == 'worse')
        assert not (await ann.post(f'/api/puzzles/{name}', {'move': wrong['move']})).json()['right']
        refused = await ann.post(f'/api/puzzles/{name}', {'move': '3d 4d'})
        assert (refused.status, refused.error) == (422, "'3d 4d' is not legal in this position")
    assert (await ann.get('/api/puzzles/x')).status == 404


async def test_what_waits_for_a_thread_is_answered_when_the_server_stops(ann, lobby):
    held = Event()
    running = asyncio.ensure_future(lobby.thread.study(held.wait))
    waiting = asyncio.ensure_future(ann.post('/api/analyse', {'position': POSITION}))
    while len(lobby.thread._awaited) < 2 or not lobby.thread.is_busy:
        await asyncio.sleep(TICK)
    await lobby.close()
    assert ((await waiting).status, (await waiting).error) == (503, 'the server was stopped')
    assert (await ann.post('/api/analyse', {'position': POSITION})).status == 503
    assert running.cancelled()
    assert lobby.thread.is_busy
    held.set()


@pytest.mark.parametrize('kind', [KeyboardInterrupt, SystemExit])
async def test_an_agent_cannot_end_the_server(lobby, kind):
    def choose():
        raise kind('of this test')

    with pytest.raises(RuntimeError, match=f'{kind.__name__}: of this test'):
        await lobby.thread.study(choose)
