"""Random requests, near to valid ones."""

import json

from rlcard_big2.rules import Rules
from tests.support.web_client import SEATS

METHODS = ('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH')
PATHS = (
    '/', '/?key=1', '/api/options', '/api/rules', '/api/tables', '/api/analyse', '/api/score', '/api/records',
    '/api/records?cursor=1', '/api/records/{id}', '/static/', '/static/%2e%2e/server.py', '/static/../server.py',
    '/api/puzzles', '/static//etc/passwd', '/api/tables/..%2f..%2fetc/view', '/api/tables/%00/view', '/api', '//',
    '/api/records/../x', '/api/result', '/api/result?game=big2&rules=taiwan&deal=99999999999/3&agent=rule',
)  # fmt: skip
TEXTS = (
    '', 'me', 'open', 'rule', 'pass', '3d', '3d 3c', 'python:os:system', 'dmc:/etc', '7/12', '99999999999/3', 'A' * 18,
    '1/99999', 'A' * 22, '\ud800', '\x00', '<img src=x onerror=alert(1)>', '../../etc/passwd', '{}', '[', 'NaN',
    '😀' * 9, 'catch5', 'bid 4', 'trump H', '{"catch5":1}', '0-' + 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJ',
    '/?table=' + 'A' * 22, '{"big2":1}', '{"big2":1}\n{"big2":1}', 'charlesworth', 'taiwan', '3x', 'Q' * 3000,
)  # fmt: skip
KEYS = (
    'ply', 'move', 'seats', 'rules', 'deal', 'practice', 'name', 'seat', 'text', 'record', 'position', 'game', 'deep',
    'press', 'big2', 'catch5', 'dealer', 'match', 'hands', 'moves', 'view', 'before', 'opener', '__class__',
    'straights',
)  # fmt: skip
NUMBERS = (0, 1, -1, 3, 4, 51, 2**31, 2**63, 10**400, 0.5, -0.0, 1e308)
CONTENT = ('application/json', 'application/json; charset=utf-8', 'text/plain', '', 'APPLICATION/JSON', None)
ORIGINS = ('http://127.0.0.1:8402', 'http://evil.example', 'null', '')
COOKIES = ('seat=x', 'seat', ';;;=', 'seat=' + 'é' * 40, 'seat="; key=\x01', 'a' * 5000)
HOSTS = ('127.0.0.1:8402', 'localhost', 'evil.example', '127.0.0.1.evil.example', '', '[::1]:8402', 'x' * 300, None)
RECORD = {
    'big2': 1, 'rules': 'charlesworth', 'moves': ['3d'], 'opener': 0,
    'hands': ['3d 3c 4d 4c 5d 5c 6d 6c 7d 7c 8d 8c 9d', None, None, None],
}  # fmt: skip
CATCH5 = {
    'catch5': 1, 'rules': 'paper', 'moves': ['bid 4', 'pass'],
    'deal': {'dealer': 3, 'hands': [list(range(seat, 36, 4)) for seat in range(4)]},
    'match': {'hand': 2, 'totals': [3, -4], 'target': 31},
}  # fmt: skip


def value(random, depth=0):
    """Return any JSON."""
    kind = random.randrange(3 if depth > 3 else 7)
    if kind < 4:
        return random.choice((TEXTS, NUMBERS, (True, False, None), (SEATS, ['me'] * 4, SEATS[1:]))[kind])
    if kind == 4:
        record = random.choice((RECORD, CATCH5))
        return {**record, random.choice(list(record)): value(random, depth + 1)}
    inner = [value(random, depth + 1) for _ in range(random.randint(0, 5))]
    return inner if kind == 5 else {random.choice(KEYS): one for one in inner}


ROUTES = (  # valid requests; {table} is a started one
    ('POST', '/api/tables', {'seats': SEATS}),
    ('POST', '/api/tables', {'seats': ['open', 'me', 'greedy', 'open'], 'deal': '7/12', 'rules': 'taiwan'}),
    ('POST', '/api/tables', {'seats': SEATS, 'deal': {'record': RECORD, 'ply': 1}}),
    ('POST', '/api/tables', {'seats': SEATS, 'rules': Rules.preset('hkust').fields(), 'practice': False, 'name': 'x'}),
    ('POST', '/api/tables', {'game': 'catch5', 'seats': ['rule', 'me', 'catch5-ppo', 'open'], 'rules': 'table'}),
    ('POST', '/api/tables', {'game': 'catch5', 'seats': ['me', 'rule', 'rule', 'rule'], 'deal': {'record': CATCH5}}),
    ('GET', '{table}/view', None),
    ('GET', '{table}/advice', None),
    ('GET', '{table}/why?move=3d+3c', None),
    ('GET', '{table}/record', None),
    ('POST', '{table}/moves', {'ply': 0, 'move': '3d'}),
    ('POST', '{table}/moves', None),  # a legal one
    ('POST', '{table}/moves', None),
    ('POST', '{table}/takeback', {'ply': 0}),
    ('POST', '{table}/seat', {'seat': 3, 'name': 'x'}),
    ('POST', '{table}/settings', {'press': True}),
    ('POST', '/api/tables', {'seats': ['open', 'me', 'rule', 'open'], 'wait': True, 'clock': 3, 'deals': 1}),
    ('POST', '{table}/say', {'phrase': 'hello'}),
    ('POST', '{table}/start', {'fill': True}),
    ('GET', '/api/codes/ABCDEF', None),
    ('GET', '{table}/qr', None),
    ('POST', '{table}/leave', {}),
    ('POST', '/api/analyse', {'text': '7/12'}),
    ('POST', '/api/analyse', {'record': RECORD, 'seat': 0, 'ply': 1}),
    ('POST', '/api/analyse', {'position': RECORD}),
    ('POST', '/api/analyse', RECORD),
    ('POST', '/api/analyse', {'record': CATCH5, 'seat': 0, 'ply': 1}),
)


def body(random, data):
    """Return a body near to valid JSON data."""
    kind = random.random()
    if kind < 0.03:
        return random.randbytes(random.randint(0, 300))
    if kind < 0.06:
        return b'[' * random.choice((10, 1000, 4000))
    if kind < 0.08:
        return b'{"move":"' + b'3d ' * random.choice((100, 2000, 60_000)) + b'"}'
    data = dict(data or {})
    if kind < 0.6:
        data[random.choice([*KEYS, *data])] = value(random)
    if kind < 0.2 and data:
        del data[random.choice(list(data))]
    return json.dumps(data).encode('utf-8', 'replace')


def request(random, tables):
    """Return method, path, body and headers of a request, often to one of the tables."""
    method, path, data = random.choice(ROUTES)
    chance = random.random()
    if chance < 0.2:
        path = random.choice(PATHS).replace('{id}', random.choice(('A' * 22, '..', 'x', '%2e%2e')))
    table = random.choice([*tables, 'A' * 22])
    path = path.replace('{table}', f'/api/tables/{table}')
    if 0.2 < chance < 0.25:
        path += random.choice(('?', '&', '%', '%ff', '\x7f', '?cursor=-1', '?cursor=1e9', '?move=%ff%00', '/'))
    if 0.25 < chance < 0.3:
        method = random.choice(METHODS)
    headers = {'content-type': 'application/json'}
    for name, values in {'content-type': CONTENT, 'host': HOSTS, 'origin': ORIGINS, 'cookie': COOKIES}.items():
        if random.random() < 0.04:
            headers[name] = random.choice(values)
    return method, path, body(random, data), headers


async def fuzz(client, random, count):
    """Make requests; AssertionError if one breaks the server."""
    tables = []
    for _ in range(count):
        method, path, data, headers = request(random, tables)
        if path.endswith('/moves') and random.random() < 0.5:  # a legal move, if the client is to move
            view = (await client.get(path.replace('/moves', '/view'))).json()
            move = random.choice(view.get('legal') or ['pass'])
            data = json.dumps({'ply': view.get('ply', 0), 'move': move}).encode()
        answer = await client.request(method, path, data, headers)
        client.received.clear()
        assert answer.status < 500, (method, path, data[:200], headers, answer.body[:200])
        if answer.status == 201:
            tables = [*tables, answer.json()['table']][-20:]
