"""Security: refused requests, limits, headers, hidden cards, and fuzzing."""

import asyncio
import gc
import json
import re
import sys
import time
from contextlib import closing
from pathlib import Path
from random import Random

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.routing import Mount

from rlcard_big2.cards import parse_cards
from rlcard_big2.records import deal_code
from rlcard_big2.rules import Rules
from rlcard_big2.study.views import seat_view
from rlcard_big2.web import lobby as lobby_module
from rlcard_big2.web import rate_limits, routes, tables
from rlcard_big2.web.middleware import POLICY
from rlcard_big2.web.rate_limits import Limits
from tests.support.web_client import TICK, Client, serving, views
from tests.support.web_fuzz import fuzz
from tests.support.web_wire import LeakError, play_games

pytestmark = pytest.mark.anyio

SEATS = ['me', 'rule', 'greedy', 'random']
WEB = Path(routes.__file__).parent


@pytest.mark.parametrize('host', ['evil.example', '127.0.0.1.evil.example:8402', '', None, '127.0.0.1:x', '10.0.0.1'])
@pytest.mark.parametrize('limits', [{'hosts': ['big2.lan']}])
async def test_other_hosts_are_refused(ann, app, host):
    for known in ('localhost:1', '127.0.0.1', '[::1]:8402', 'BIG2.lan:8402'):
        assert (await ann.get('/api/options', host=known)).status == 200
    for path in ('/api/options', '/', '/static/app.js', '/nothing'):
        assert (await ann.get(path, host=host)).status == 400


async def test_other_sites_cannot_act_for_a_person(ann):
    table, view = await ann.begin()
    for origin in ('http://evil.example', 'null', '', 'https://127.0.0.1:8402', 'http://127.0.0.1:1'):
        answer = await ann.post('/api/tables', {'seats': SEATS}, origin=origin)
        assert answer.status == 403
    for content in ('text/plain', 'application/x-www-form-urlencoded', '', None, 'application/jsonp'):
        answer = await ann.request('POST', f'{table}/leave', b'{}', {'content-type': content})
        assert answer.status == 415
    for site in ('cross-site', 'same-site'):
        assert (await ann.get(f'{table}/advice', sec_fetch_site=site)).status == 403
    assert (await ann.view(table))['seats'] == view['seats']
    assert (await ann.post('/api/tables', {'seats': SEATS}, origin='http://127.0.0.1:8402')).status == 201
    answer = await ann.request('OPTIONS', '/api/tables', b'', {'origin': 'http://evil.example'})
    assert answer.status == 405
    assert not any(name.startswith('access-control') for name in answer.headers)


async def test_cookies_are_for_one_table_and_for_the_server_alone(app, tmp_path):
    answer = await Client(app).post('/api/tables', {'seats': SEATS})
    cookie, name = answer.headers['set-cookie'], answer.json()['table']
    assert re.fullmatch(r'[A-Za-z0-9_-]{22}', name)
    token, *attributes = cookie.split('; ')
    assert re.fullmatch(r'seat=[A-Za-z0-9_-]{22}', token)
    assert {'HttpOnly', 'SameSite=strict', f'Path=/api/tables/{name}'} <= set(attributes)
    (file,) = (tmp_path / 'tables').iterdir()
    assert token.removeprefix('seat=') not in file.read_text()


async def test_a_seat_is_whose_token_it_is(ann, app):
    eve = Client(app)
    first, _ = await ann.begin()
    second, _ = await ann.begin()
    other = ann.cookies[second][0][1]
    for cookie in (f'seat={other}', 'seat=', 'seat', 'seat=A', f'seat={other[:-1]}', 'seat=é', None):
        assert (await eve.get(f'{first}/view', cookie=cookie)).json()['hand'] is None
        for name in ('moves', 'takeback', 'leave', 'settings'):
            assert (await eve.post(f'{first}/{name}', {'ply': 0}, cookie=cookie)).status == 403
    own = ann.cookies[first][0][1]
    assert (await eve.get(f'{first}/view', cookie=f'a=b; seat={other}; seat={own}')).json()['hand']


async def test_advice_tells_no_more_than_the_seat_sees(tmp_path):
    mine = '3d 5d 5c 6h 8d 8c 9h Td Jc Qs Kd Ad 2d'
    hidden = [card for rank in '3456789TJQKA2' for suit in 'dchs' if (card := rank + suit) not in mine.split()]
    async with serving(tmp_path) as (_, app):
        received = []
        for seed in range(3):
            Random(seed).shuffle(hidden)
            hands = [mine, *(' '.join(hidden[i : i + 13]) for i in (0, 13, 26))]
            code = deal_code([parse_cards(hand) for hand in hands])
            ann = Client(app)
            table, view = await ann.begin(rules='hkust', deal=code)
            assert view['to_move'] == 0
            received.append((await ann.get(f'{table}/advice')).body)
        assert received[0] == received[1] == received[2]


@pytest.mark.parametrize('limits', [{'body_seconds': 0.05}])
async def test_bodies_are_limited_in_size_depth_and_time(ann):
    table, view = await ann.begin()
    for data, status in ((b'{"ply":' + b' ' * 5000 + b'0}', 413), (b'[' * 1000, 400), (b'[]', 400), (b'', 400)):
        assert (await ann.post(f'{table}/moves', data)).status == status
    assert (await ann.post('/api/tables', b' ' * 80_000)).status == 413
    assert (await ann.post('/api/analyse', b' ' * (1 << 20) + b'{}')).status == 413
    assert await _send_in_parts(ann, f'{table}/moves', [b' ' * 3000] * 100) == (413, 2), 'parts that were read'
    assert await _send_in_parts(ann, f'{table}/moves', [b'{']) == (408, 1)
    assert (await ann.view(table))['ply'] == view['ply'] or view['to_move'] != 0


async def _send_in_parts(client, path, parts):
    """Send a body in parts, and no end; return the status and how many parts were read."""
    read, sent = [], []

    async def receive():
        if len(read) == len(parts):
            await asyncio.Event().wait()
        read.append(1)
        return {'type': 'http.request', 'body': parts[len(read) - 1], 'more_body': True}

    async def send(message):
        sent.append(message)

    await client.app(client.scope('POST', path, {'content-type': 'application/json'}), receive, send)
    return sent[0]['status'], len(read)


@pytest.mark.parametrize('limits', [{'moves_per_second': 3, 'tables_per_minute': 4, 'tables': 3, 'streams': 2}])
async def test_too_much_is_refused_until_later(ann, app, lobby, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(rate_limits, 'monotonic', lambda: now[0])
    bob = Client(app, '10.0.0.2')
    table, _ = await ann.begin()
    answers = [await ann.post(f'{table}/takeback', {'ply': 999}) for _ in range(5)]
    assert [answer.status for answer in answers] == [409, 409, 409, 429, 429]
    assert int(answers[-1].headers['retry-after']) >= 1
    assert (await ann.get(f'{table}/view')).status == 200
    async with ann.listening(table), bob.listening(table):
        third = await bob.get(f'{table}/events')
        assert third.status == 429
        assert int(third.headers['retry-after']) >= 1
    async with bob.listening(table) as events:
        assert views(events)
    await ann.begin()
    await ann.begin()
    assert (await ann.post('/api/tables', {'seats': SEATS})).status == 429, 'tables'
    assert (await ann.post('/api/tables', {'seats': SEATS})).status == 429, 'tables a minute'
    lobby.tables.clear()
    assert (await ann.post('/api/tables', {'seats': SEATS})).status == 429
    assert (await bob.post('/api/tables', {'seats': SEATS})).status == 201
    now[0] += 15
    assert (await ann.post('/api/tables', {'seats': SEATS})).status == 201
    assert (await ann.post('/api/tables', {'seats': SEATS})).status == 429


@pytest.mark.parametrize('limits', [{'tables': 2, 'away': 0.1}])
async def test_games_that_ended_make_room_and_idle_tables_go(ann, lobby, tmp_path, monkeypatch):
    for _ in range(4):
        table, _ = await ann.begin()
        await ann.play_out(table, Random(1))
    kept = list((tmp_path / 'tables').iterdir())
    assert len(lobby.tables) == len(kept) == 2
    monkeypatch.setattr(lobby_module, 'monotonic', lambda: time.monotonic() + 86_500)
    while lobby.tables:
        await asyncio.sleep(TICK)
    assert not list((tmp_path / 'tables').iterdir())
    assert (await ann.get(f'{table}/view')).status == 404
    assert len((await ann.get('/api/records')).json()['records']) == 4


ANY = st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
                   lambda inner: st.lists(inner, max_size=3), max_leaves=5)  # fmt: skip


@pytest.fixture(scope='module')
def ask_for_a_table(tmp_path_factory):
    """Ask one server for tables by some rules, in turn."""
    loop = asyncio.new_event_loop()
    with closing(loop):
        context = serving(tmp_path_factory.mktemp('data'))
        _, app = loop.run_until_complete(context.__aenter__())
        client = Client(app)
        yield lambda rules: loop.run_until_complete(client.post('/api/tables', {'seats': SEATS, 'rules': rules}))
        loop.run_until_complete(context.__aexit__(None, None, None))


@settings(max_examples=60, deadline=None)
@given(changes=st.dictionaries(st.sampled_from([*Rules().fields(), 'x', '__init__']), ANY, max_size=3), missing=ANY)
def test_rules_are_checked_field_by_field(ask_for_a_table, changes, missing):
    fields = {**Rules().fields(), **changes}
    if isinstance(missing, str):
        fields.pop(missing, None)
    answer = ask_for_a_table(fields)
    try:
        Rules.from_json(json.loads(json.dumps(fields)))
    except ValueError:
        assert answer.status in (400, 413, 422)  # 400: an infinite number is no JSON
        assert answer.error
    else:
        assert answer.status == 201


@pytest.mark.parametrize('name', ['python:os:system', 'dmc:/etc', 'big2-ppo', 'rule,epsilon=0.1', '', 'me ', None, 7])
async def test_agents_are_of_the_list_alone(app, name):
    answer = await Client(app).post('/api/tables', {'seats': ['me', 'rule', name, 'rule']})
    assert answer.status == 422
    assert repr(name) in answer.error


@pytest.mark.parametrize('rules', ['rules.json', '/etc/passwd', 'python:os:environ', '{"suits":"dchs"}', [], 7, {}])
async def test_rules_are_presets_or_objects(app, rules):
    assert (await Client(app).post('/api/tables', {'seats': SEATS, 'rules': rules})).status == 422


async def test_paths_lead_nowhere_else(ann, tmp_path):
    (tmp_path / 'secret').write_text('secret')
    for path in (
        '/static/../server.py', '/static//etc/passwd', '/static/strings/../../server.py', '/static/..\\server.py',
        '/static/', '/static', '/static/\x00', '/api/records/../secret', '/api/records/..', '/api/records/secret',
        '/api/tables/../view', '/api/tables/secret/view', '/api/tables/AAAAAAAAAAAAAAAAAAAAAA/view', '/server.py',
    ):  # fmt: skip
        answer = await ann.get(path)
        assert answer.status in (404, 307), path
        assert b'import' not in answer.body
        assert b'secret' not in answer.body


async def test_a_link_out_of_the_page_is_not_followed(tmp_path):
    static = tmp_path / 'static'
    static.mkdir()
    (static / 'a.js').write_text('a')
    (tmp_path / 'secret.js').write_text('secret')
    (static / 'b.js').symlink_to(tmp_path / 'secret.js')
    client = Client(Starlette(routes=[Mount('/static', routes.static_files(static))]))
    assert (await client.get('/static/a.js')).body == b'a'
    for name in ('b.js', '../secret.js', '%2e%2e/secret.js'):
        assert (await client.get(f'/static/{name}')).status == 404


def test_nothing_is_unpickled_or_evaluated_and_nobody_is_called():
    for folder in ('web', 'study', 'terminal', 'records'):
        for path in (WEB.parent / folder).rglob('*.py'):
            text = path.read_text()
            assert not re.search(r'pickle|\beval\(|\bexec\(|urllib|http\.client|import requests|httpx', text), path


async def test_every_answer_has_the_headers(ann):
    table, _ = await ann.begin(name='<img src=x onerror=alert(1)>')
    asked = [await ann.get(path) for path in ('/', '/api/options', f'{table}/view', '/nothing', '/static/x')]
    asked += [await ann.get('/', host='evil'), await ann.post(f'{table}/moves'), await ann.post('/api/score')]
    for answer in asked:
        assert answer.headers['content-security-policy'] == POLICY
        assert answer.headers['x-content-type-options'] == 'nosniff'
        assert answer.headers['referrer-policy'] == 'no-referrer'
        assert 'access-control-allow-origin' not in answer.headers
    assert asked[2].headers['content-type'] == 'application/json'
    assert asked[2].headers['cache-control'] == 'no-store'
    assert asked[2].json()['seats'][0]['name'] == '<img src=x onerror=alert(1)>'
    assert "'unsafe" not in POLICY
    assert "default-src 'none'" in POLICY


async def test_who_reads_slowly_gets_the_newest_view_and_holds_nobody_up(ann, app):
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


async def test_a_failure_tells_nothing(ann, lobby, monkeypatch):
    monkeypatch.setattr(Limits, 'secret', 'seed 7', raising=False)
    table, _ = await ann.begin()
    monkeypatch.setattr(lobby, 'view', lambda *_: 1 / 0)
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
    assert (answer.status, answer.headers['location']) == (303, '/')
    assert 'HttpOnly' in answer.headers['set-cookie']
    table, _ = await ann.begin(['me', 'open', 'rule', 'rule'])
    for path in ('/api/score', '/api/records', '/api/records/x'):
        assert (await eve.get(path)).status == 403
        assert (await eve.get(path, cookie='key=other')).status == 403
        assert (await ann.get(path)).status != 403
    assert (await eve.get('/?key=other')).headers.get('set-cookie') is None
    assert (await eve.post('/api/tables', {'seats': SEATS})).status == 403
    assert (await eve.post('/api/analyse', {'text': '7/12'})).status == 403
    assert (await eve.get('/api/options')).status == 200
    assert (await eve.post(f'{table}/seat')).status == 200
    assert (await eve.view(table))['you'] == 1


@pytest.mark.parametrize('limits', [{'tables': 20, 'looks': 0, 'streams': 4}])  # rollouts take seconds
async def test_no_request_breaks_the_server(ann, app, lobby):
    random = Random(1)
    lobby.thread.warm_up()  # compiling takes memory
    _, wrong = await fuzz(ann, random, 300)
    gc.collect()
    before = psutil.Process().memory_info().rss
    _, more = await fuzz(ann, random, 1500)
    gc.collect()
    assert wrong + more == []
    assert psutil.Process().memory_info().rss - before < 60 << 20
    lobby.tables.clear()
    bob = Client(app)
    table, _ = await bob.begin()
    assert (await bob.play_out(table, random))['over']


@pytest.mark.parametrize(('games', 'seed'), [(15, 1), pytest.param(300, 2, marks=pytest.mark.slow)])
async def test_no_hidden_card_is_sent(lobby, app, games, seed):
    assert await play_games(lobby, app, games, seed) > games * 10_000


def next_hand(game, seat):
    """Leak the next seat's hand, or one to a spectator."""
    other = 0 if seat is None else (seat + 1) % 4
    return {**seat_view(game, seat), 'note': game.env.game.players[other].current_hand}


def legal_of_all(game, seat):
    """Leak the legal moves of the seat to move."""
    return {**seat_view(game, seat), 'legal': game.legal}


def lowest_card(game, seat):
    """Leak one card of the seat across, in words, late in the game."""
    hand = game.env.game.players[((seat or 0) + 2) % 4].current_hand
    return {**seat_view(game, seat), 'title': f'somebody holds {hand[:2].lower()}' if game.ply > 30 else ''}


@pytest.mark.parametrize('leak', [next_hand, legal_of_all, lowest_card])
async def test_leaks_are_caught(lobby, app, monkeypatch, leak):
    monkeypatch.setattr(tables, 'seat_view', leak)
    with pytest.raises(LeakError):
        await play_games(lobby, app, 20, 1)
