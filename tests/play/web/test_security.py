"""Security: refused requests, limits, headers, hidden cards, and fuzzing."""

import asyncio
import gc
import os
import re
import sys
import time
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path
from random import Random

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlcard_big2.cards import parse_cards
from rlcard_big2.records import deal_code
from rlcard_big2.rules import Rules
from rlcard_catch5.records import Record
from rlcard_kit.errors import ConfigError, KitError
from rlcard_play.catch5.played import GAME as CATCH5
from rlcard_play.web import lobby as lobby_module
from rlcard_play.web import rate_limits, routes, tables
from rlcard_play.web.middleware import POLICY, Public
from tests.support.web_client import SEATS, TICK, Client, serving, views
from tests.support.web_fuzz import fuzz
from tests.support.web_wire import LeakError, play_games

pytestmark = pytest.mark.anyio

WEB = Path(routes.__file__).parent
EVIL = 'http://evil.example'
NAME = '<img src=x onerror=alert(1)>'
WARM_UP, REQUESTS = 300, 1500  # of the fuzzing


@pytest.mark.parametrize('limits', [{'hosts': ['big2.lan']}])
async def test_other_hosts_are_refused(ann):
    for host in ('localhost:1', '127.0.0.1', '[::1]:8402', 'BIG2.lan:8402'):
        assert (await ann.get('/api/options', host=host)).status == 200
    for host in ('evil.example', '127.0.0.1.evil.example:8402', '', None, '127.0.0.1:x', '10.0.0.1'):
        for path in ('/api/options', '/', '/static/page.js', '/nothing'):
            assert (await ann.get(path, host=host)).status == 400


async def test_other_sites_cannot_act_for_a_person(ann):
    table, view = await ann.begin()
    for origin in (EVIL, 'null', '', 'https://127.0.0.1:8402', 'http://127.0.0.1:1'):
        assert (await ann.post('/api/tables', {'seats': SEATS}, origin=origin)).status == 403
    for content in ('text/plain', 'application/x-www-form-urlencoded', '', None, 'application/jsonp'):
        assert (await ann.post(f'{table}/leave', content_type=content)).status == 415
    for site in ('cross-site', 'same-site'):
        assert (await ann.get(f'{table}/advice', sec_fetch_site=site)).status == 403
    assert (await ann.view(table))['seats'] == view['seats']
    assert (await ann.post('/api/tables', {'seats': SEATS}, origin='http://127.0.0.1:8402')).status == 201
    answer = await ann.request('OPTIONS', '/api/tables', b'', {'origin': EVIL})
    assert answer.status == 405
    assert not any(name.startswith('access-control') for name in answer.headers)


async def answers_at(app, **order):
    """Return all that is sent to people at a table of a deal, without ids, tokens and commitments."""
    ann, eve, watcher = people = [Client(app) for _ in range(3)]
    table, _ = await ann.begin(['me', 'open', 'open', 'open'], **order)
    assert (await eve.post(f'{table}/seat', {'seat': 2})).status == 200
    async with ann.listening(table) as mine, eve.listening(table), watcher.listening(table) as theirs:
        view = await ann.view(table)
        for client in people:
            for path in ('view', 'advice', 'advice?deep=1', 'why?move=3d+3c', 'why?move=2s', 'record', 'nothing'):
                await client.get(f'{table}/{path}')
        for name, body in (
            ('moves', {'ply': 0, 'move': '3d 3c 3h 3s'}), ('moves', {'ply': 0, 'move': view['legal'][-1]}),
            ('settings', {'press': True}), ('takeback', {'ply': 1}), ('seat', {'seat': 1}), ('leave', {}),
        ):  # fmt: skip
            await ann.post(f'{table}/{name}', body)
            if name != 'seat':  # which it would get
                await watcher.post(f'{table}/{name}', body)
        assert views(mine)
        assert views(theirs)
    parts = [part for one in people for part in one.received if part != b': still here\n\n']  # as time passes
    return [re.sub(rb'[A-Za-z0-9_-]{18,}|expires=[^;]*', b'X', part) for part in parts]


def big2_code(hands):
    return deal_code([sum(1 << card for card in hand) for hand in hands])


def catch5_code(hands):
    return CATCH5.deal_code(Record({'dealer': 3, 'hands': hands}))


@pytest.mark.attack('hidden cards looked for in every byte')
@pytest.mark.parametrize(('game', 'size', 'code'), [('big2', 13, big2_code), ('catch5', 9, catch5_code)])
async def test_hidden_cards_change_no_byte(app, record_property, game, size, code):
    """The hands of seats 1 and 3, and the stock, differ; nobody sits there, and seat 2 has the same."""
    hands = [list(range(seat, 52, 4)) for seat in range(4)]
    found = []
    rest = sorted(card for i, hand in enumerate(hands) for card in (hand if i % 2 else hand[size:]))
    for hidden in (rest, rest[::-1], rest[1::2] + rest[::2]):
        dealt = [hands[0][:size], hidden[:size], hands[2][:size], hidden[-size:]]
        found.append(await answers_at(app, game=game, deal=code(dealt)))
    record_property('tries', len(found))
    assert found[0] == found[1] == found[2]
    assert sum(map(len, found[0])) > 10_000


PUBLIC = Public.parse('https://cards.example.org/big2/')


@pytest.mark.parametrize('limits', [{'public': PUBLIC, 'tables_per_minute': 1}])
async def test_behind_a_proxy_the_origin_is_its_own_and_cookies_are_of_its_path(ann):
    headers = {'host': 'cards.example.org', 'x_forwarded_for': '192.0.2.1, 192.0.2.7'}
    for origin in (EVIL, 'https://cards.example.org:444'):
        assert (await ann.post('/api/tables', {'seats': SEATS}, origin=origin, **headers)).status == 403
    answer = await ann.post('/api/tables', {'seats': SEATS}, origin='https://cards.example.org', **headers)
    assert answer.status == 201
    assert {'Secure', f'Path=/big2/api/tables/{answer.json()["table"]}'} <= {*answer.headers['set-cookie'].split('; ')}
    assert (await ann.post('/api/tables', {'seats': SEATS}, **headers)).status == 429
    headers['x_forwarded_for'] = '192.0.2.1, 192.0.2.8'
    assert (await ann.post('/api/tables', {'seats': SEATS}, **headers)).status == 201, 'rates are of clients'


@pytest.mark.parametrize('url', ['cards.example.org', 'ftp://x', 'https://x/?a', 'https://a@x', 'https://x:port', ''])
def test_public_addresses_that_are_none_are_named(url):
    with pytest.raises(ConfigError, match=re.escape(repr(url))):
        Public.parse(url)


@pytest.mark.parametrize('limits', [{'streams': 4, 'streams_each': 2}])
async def test_one_client_cannot_hold_all_streams(app, ann):
    table, _ = await ann.begin()
    async with AsyncExitStack() as stack:
        for address in ('192.0.2.1', '192.0.2.2'):
            for _ in range(2):
                await stack.enter_async_context(Client(app, address).listening(table))
            assert (await Client(app, address).get(f'{table}/events')).status == 429
        assert (await Client(app, '192.0.2.3').get(f'{table}/events')).status == 429, 'all are taken'
    async with Client(app).listening(table) as events:
        assert views(events), 'and free again'


async def test_a_cookie_is_for_one_seat_of_one_table(ann, app, tmp_path):
    answer = await ann.post('/api/tables', {'seats': SEATS})
    token, *attributes = answer.headers['set-cookie'].split('; ')
    name, eve = answer.json()['table'], Client(app)
    assert re.fullmatch(r'[A-Za-z0-9_-]{22}', name)
    assert re.fullmatch(r'seat=[A-Za-z0-9_-]{22}', token)
    assert {'HttpOnly', 'SameSite=strict', f'Path=/api/tables/{name}'} <= set(attributes)
    (file,) = (tmp_path / 'tables').iterdir()
    assert token.removeprefix('seat=') not in file.read_text()
    table, _ = await ann.begin()
    for cookie in (token, 'seat=', 'seat', 'seat=A', token[:-1], 'seat=é', None):
        assert (await eve.get(f'{table}/view', cookie=cookie)).json()['hand'] is None
        for action in ('moves', 'takeback', 'leave', 'settings'):
            assert (await eve.post(f'{table}/{action}', {'ply': 0}, cookie=cookie)).status == 403
    both = f'a=b; {token}; seat={ann.cookies[table][0][1]}'
    assert (await eve.get(f'{table}/view', cookie=both)).json()['hand']


async def test_advice_depends_only_on_what_the_seat_sees(ann):
    mine = '3d 5d 5c 6h 8d 8c 9h Td Jc Qs Kd Ad 2d'
    hidden = [card for rank in '3456789TJQKA2' for suit in 'dchs' if (card := rank + suit) not in mine.split()]
    received = set()
    for seed in range(3):
        Random(seed).shuffle(hidden)
        hands = [mine, *(' '.join(hidden[i : i + 13]) for i in (0, 13, 26))]
        table, view = await ann.begin(rules='hkust', deal=deal_code([parse_cards(hand) for hand in hands]))
        assert view['to_move'] == 0
        received.add((await ann.get(f'{table}/advice')).body)
    assert len(received) == 1


@pytest.mark.parametrize('limits', [{'body_seconds': 0.05}])
async def test_bodies_are_limited_in_size_depth_and_time(ann):
    table, _ = await ann.begin()
    for path, data, status in (
        (f'{table}/moves', b'{"ply":' + b' ' * 5000 + b'0}', 413),
        (f'{table}/moves', b'[' * 1000, 400),
        (f'{table}/moves', b'[]', 400),
        (f'{table}/moves', b'', 400),
        ('/api/tables', b' ' * 80_000, 413),
        ('/api/analyse', b' ' * (1 << 20) + b'{}', 413),
    ):
        assert (await ann.post(path, data)).status == status
    for parts, status, unread in (([b' ' * 3000] * 100, 413, 98), ([b'{'], 408, 0)):
        rest = iter(parts)
        assert (await ann.post(f'{table}/moves', rest)).status == status
        assert len(list(rest)) == unread


@pytest.mark.parametrize('limits', [{'moves_per_second': 3, 'tables_per_minute': 4, 'tables': 3, 'streams': 2}])
async def test_too_much_is_refused_until_later(ann, app, lobby, monkeypatch):
    async def new_table(client):
        return (await client.post('/api/tables', {'seats': SEATS})).status

    now = [0.0]
    monkeypatch.setattr(rate_limits, 'monotonic', lambda: now[0])
    bob = Client(app, '10.0.0.2')
    table, _ = await ann.begin()
    answers = [await ann.post(f'{table}/takeback', {'ply': 999}) for _ in range(5)]
    assert [answer.status for answer in answers] == [409, 409, 409, 429, 429]
    assert (await ann.get(f'{table}/view')).status == 200
    async with ann.listening(table), bob.listening(table):
        answers.append(await bob.get(f'{table}/events'))
        assert answers[-1].status == 429
    assert all(int(answer.headers['retry-after']) >= 1 for answer in answers[3:])
    async with bob.listening(table) as events:
        assert views(events)
    assert [await new_table(ann) for _ in range(4)] == [201, 201, 201, 429]
    lobby.tables.clear()
    assert [await new_table(client) for client in (ann, bob)] == [429, 201]
    now[0] += 15
    assert [await new_table(ann) for _ in range(2)] == [201, 429]


@pytest.mark.parametrize('limits', [{'tables': 2, 'away': 0.1}])
async def test_games_that_ended_make_room_and_idle_tables_go(ann, lobby, tmp_path, monkeypatch):
    for _ in range(4):
        table, _ = await ann.begin()
        await ann.play_out(table, Random(1))
    assert {path.name[:22] for path in (tmp_path / 'tables').iterdir()} == set(lobby.tables)
    assert len(lobby.tables) == 2
    monkeypatch.setattr(lobby_module, 'monotonic', lambda: time.monotonic() + 86_500)
    while lobby.tables:
        await asyncio.sleep(TICK)
    assert not list((tmp_path / 'tables').iterdir())
    assert (await ann.get(f'{table}/view')).status == 404
    assert len((await ann.get('/api/records')).json()['records']) == 4


@pytest.mark.attack('abandoned tables')
@pytest.mark.parametrize('limits', [{'tables': 4, 'tables_each': 2}])
async def test_abandoned_tables_keep_nobody_out(ann, app, lobby, tmp_path, monkeypatch, record_property):
    """The longest unused table goes, but none that is watched, or at which a person has just moved."""

    async def move(client, table):
        view = await client.turn(table)
        return (await client.post(f'{table}/moves', {'ply': view['ply'], 'move': view['legal'][0]})).status

    bob = Client(app, '192.0.2.2')
    (watched, _), (moved, _) = await ann.begin(), await bob.begin()
    assert await move(bob, moved) == 200
    record_property('tries', 20)
    async with ann.listening(watched):
        begun = [(await Client(app, f'2001:db8::{i}').begin())[0] for i in range(20)]
        assert [*lobby.tables] == [table.rpartition('/')[2] for table in (watched, moved, *begun[-2:])]
        assert {path.name[:22] for path in (tmp_path / 'tables').iterdir()} == set(lobby.tables)
        eve, dan = Client(app, '2001:db8::99'), Client(app, '2001:db8:0:1::1')
        used, _ = await eve.begin()
        assert await move(eve, used) == 200
        left = [table for table in begun if table.rpartition('/')[2] in lobby.tables]
        assert left == begun[-1:], 'a network has two tables'
        assert await move(dan, (await dan.begin())[0]) == 200
        refused = await bob.post('/api/tables', {'seats': SEATS})
        assert (refused.status, refused.headers['retry-after']) == (429, '60')
        monkeypatch.setattr(lobby_module, 'monotonic', lambda: time.monotonic() + 601)
        assert (await bob.post('/api/tables', {'seats': SEATS})).status == 201
        assert moved.rpartition('/')[2] not in lobby.tables
        assert watched.rpartition('/')[2] in lobby.tables


async def test_tables_unused_for_a_day_have_a_minute_after_a_restart(tmp_path, monkeypatch):
    async with serving(tmp_path) as (_, app):
        await Client(app).begin()
    (file,) = (tmp_path / 'tables').iterdir()
    os.utime(file, (0, 0))
    monkeypatch.setattr(lobby_module, 'monotonic', lambda: 1e9)
    async with serving(tmp_path) as (lobby, _):
        assert [1e9 - table.touched for table in lobby.tables.values()] == [86_400 - 60]


@pytest.mark.parametrize(('address', 'client'), [
    ('192.0.2.7', '192.0.2.7'), ('::ffff:192.0.2.7', '192.0.2.7'), ('2001:db8:1:2:3::4', '2001:db8:1:2::/64'),
    ('2001:DB8:1:2:ffff::', '2001:db8:1:2::/64'), ('2001:db8:1:3::4', '2001:db8:1:3::/64'), ('::1', '::/64'),
    ('fe80::1%eth0', 'fe80::/64'), ('unknown', 'unknown'), ('', ''),
])  # fmt: skip
def test_ipv6_counts_by_network(address, client):
    assert rate_limits.client_of(address) == client


ANY = st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
                   lambda inner: st.lists(inner, max_size=3), max_leaves=5)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(changes=st.dictionaries(st.sampled_from([*Rules().fields(), 'x', '__init__']), ANY, max_size=3))
def test_rules_are_checked_field_by_field(changes):
    with suppress(KitError):
        Rules.from_json({**Rules().fields(), **changes})


@pytest.mark.attack('odd requests')
@pytest.mark.parametrize('body', [
    *({'seats': ['me', 'rule', name, 'rule']} for name in
      ('python:os:system', 'dmc:/etc', 'big2-ppo', 'rule,epsilon=0.1', '', 'me ', None, 7)),
    *({'seats': SEATS, 'game': game} for game in ('big3', '', '../big2', 'rlcard_big2')),
    *({'seats': SEATS, 'rules': rules} for rules in
      ('rules.json', '/etc/passwd', 'python:os:environ', '{"suits":"dchs"}', [], 7, {}, {'suits': 'dchs'})),
], ids=repr)  # fmt: skip
async def test_agents_and_rules_are_of_the_lists_alone(ann, body):
    answer = await ann.post('/api/tables', body)
    assert answer.status == 422
    named = body.get('game', body['seats'][2])
    assert 'rules' in body or repr(named) in answer.error


async def test_paths_lead_nowhere_else(tmp_path, monkeypatch, ann, lobby):
    for path in (
        '/static/../server.py', '/static//etc/passwd', '/static/strings/../../server.py', '/static/..\\server.py',
        '/static/', '/static', '/static/\x00', '/api/records/../secret', '/api/records/..', '/api/records/secret',
        '/api/tables/../view', '/api/tables/secret/view', '/api/tables/AAAAAAAAAAAAAAAAAAAAAA/view', '/server.py',
    ):  # fmt: skip
        answer = await ann.get(path)
        assert answer.status in (404, 307), path
        assert b'import' not in answer.body
    static = tmp_path / 'static'
    static.mkdir()
    (static / 'a.js').write_text('a')
    (tmp_path / 'secret.js').write_text('secret')
    (static / 'b.js').symlink_to(tmp_path / 'secret.js')
    monkeypatch.setattr(routes, 'STATIC', static)
    ann.app = routes.new_app(lobby)
    assert (await ann.get('/static/a.js')).body == b'a'
    for name in ('b.js', '../secret.js', '%2e%2e/secret.js'):
        assert (await ann.get(f'/static/{name}')).status == 404


def test_nothing_is_unpickled_or_evaluated_and_nobody_is_called():
    play = WEB.parent
    rooms = play, play.parent / 'rlcard_big2/records', play.parent / 'rlcard_catch5/records'
    for path in (path for room in rooms for path in room.rglob('*.py')):
        text = path.read_text()
        assert not re.search(r'pickle|\beval\(|\bexec\(|urllib|http\.client|import requests|httpx', text), path


async def test_every_answer_has_the_headers(ann):
    table, view = await ann.begin(name=NAME)
    asked = [await ann.get(path) for path in ('/', '/api/options', f'{table}/view', '/nothing', '/static/x')]
    asked += [await ann.get('/', host='evil'), await ann.post(f'{table}/moves'), await ann.post('/api/score')]
    wanted = {'content-security-policy': POLICY, 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer'}
    for answer in asked:
        assert wanted.items() <= answer.headers.items()
        assert 'access-control-allow-origin' not in answer.headers
    assert asked[2].headers['content-type'] == 'application/json'
    assert asked[2].headers['cache-control'] == 'no-store'
    assert view['seats'][0]['name'] == NAME
    assert "'unsafe" not in POLICY
    assert "default-src 'none'" in POLICY


async def test_slow_readers_get_the_newest_view_and_delay_nobody(ann, app):
    table, _ = await ann.begin()
    ready, sent = asyncio.Event(), []

    async def send(message):
        sent.append(message)
        if len(sent) > 2:
            await ready.wait()

    stream = asyncio.ensure_future(app(ann.scope('GET', f'{table}/events', {}), asyncio.Event().wait, send))
    end = await ann.play_out(table, Random(1))
    assert len(sent) <= 3
    ready.set()
    while not (views(sent)[-1]['over'] or {}).get('record'):
        await asyncio.sleep(TICK)
    assert len(views(sent)) <= 5
    assert views(sent)[-1]['log'] == end['log']
    stream.cancel()


async def test_a_failure_reveals_nothing(ann, monkeypatch):
    table, _ = await ann.begin()
    monkeypatch.setattr(tables.SharedTable, 'view', lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):  # for the server's own log
        await ann.get(f'{table}/view')
    assert b'ZeroDivision' not in b''.join(ann.received)
    assert b'"error"' in b''.join(ann.received)


async def test_no_connection_is_made(ann):
    made = []
    sys.addaudithook(lambda event, _: made.append(event) if event == 'socket.connect' and watching else None)
    watching = True
    table, _ = await ann.begin()
    await ann.play_out(table, Random(1))
    await ann.get('/api/score')
    watching = False
    assert made == []


@pytest.mark.parametrize('limits', [{'hosts': ['big2.lan'], 'key': 'the-key'}])
async def test_strangers_need_the_key_except_for_tables_that_they_know(ann, app):
    eve = Client(app)
    answer = await ann.get('/?key=the-key', host='big2.lan')
    assert (answer.status, answer.headers['location']) == (303, '.')
    assert 'HttpOnly' in answer.headers['set-cookie']
    table, _ = await ann.begin(['me', 'open', 'rule', 'rule'])
    for path in ('/api/score', '/api/records', '/api/records/x', '/api/puzzles'):
        assert (await eve.get(path)).status == 403
        assert (await eve.get(path, cookie='key=other')).status == 403
        assert (await ann.get(path)).status != 403
    assert (await eve.get('/?key=other')).headers.get('set-cookie') is None
    assert (await eve.post('/api/tables', {'seats': SEATS})).status == 403
    assert (await eve.post('/api/analyse', {'text': '7/12'})).status == 403
    assert (await eve.get('/api/options')).status == 200
    assert (await eve.post(f'{table}/seat')).status == 200
    assert (await eve.view(table))['you'] == 1


@pytest.mark.attack('odd requests')
@pytest.mark.parametrize('limits', [{'tables': 20, 'looks': 0, 'streams': 4}])  # rollouts take seconds
async def test_no_request_breaks_the_server(ann, lobby, record_property):
    random = Random(1)
    lobby.thread.warm_up()  # compiling takes memory
    record_property('tries', WARM_UP + REQUESTS)
    await fuzz(ann, random, WARM_UP)
    gc.collect()
    before = psutil.Process().memory_info().rss
    await fuzz(ann, random, REQUESTS)
    gc.collect()
    assert psutil.Process().memory_info().rss - before < 60 << 20
    lobby.tables.clear()
    table, _ = await ann.begin()
    assert (await ann.play_out(table, random))['over']


@pytest.mark.attack('hidden cards looked for in every byte')
@pytest.mark.parametrize('game', ['big2', 'catch5'])
@pytest.mark.parametrize(('games', 'seed'), [(5, 1), pytest.param(300, 2, marks=pytest.mark.slow)])
async def test_no_hidden_card_is_sent(lobby, app, game, games, seed, record_property):
    record_property('tries', games)
    assert await play_games(lobby, app, games, seed, game) > games * 10_000


def hand_across(game, seat, beyond=2):
    return game.env.game.players[((seat or 0) + beyond) % 4].current_hand


@pytest.mark.parametrize(('key', 'leak'), [
    ('big2', lambda game, seat: {'note': hand_across(game, seat, 0 if seat is None else 1)}),
    ('big2', lambda game, seat: {'legal': game.legal}),
    ('big2', lambda game, seat: {'title': f'a card: {hand_across(game, seat)[:2].lower()}' if game.ply > 30 else ''}),
    ('catch5', lambda game, seat: {'note': game.env.game.players[((seat or 0) + 2) % 4].thrown_cards}),
], ids=['a hand', 'legal moves of all', 'a card, in words, late', "the partner's discards"])  # fmt: skip
async def test_leaks_are_caught(lobby, app, key, leak):
    played = lobby.games[key]
    lobby.games[key] = replace(
        played, seat_view=lambda game, seat: {**played.seat_view(game, seat), **leak(game, seat)}
    )
    with pytest.raises(LeakError):
        await play_games(lobby, app, 20, 1, key)
