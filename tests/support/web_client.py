"""A client of a server in the same process; it keeps every byte received."""

import asyncio
import contextlib
import itertools
import json
from dataclasses import replace
from http.cookies import SimpleCookie
from types import SimpleNamespace

import numpy as np

from rlcard_play.games import GAMES
from rlcard_play.web.lobby import Lobby
from rlcard_play.web.rate_limits import Limits
from rlcard_play.web.routes import new_app
from tests.support.same_deal import seeded

FREE = {'delay': 0, 'moves_per_second': 1e9, 'tables_per_minute': 1e9, 'tables': 10_000, 'studies': 1000}
SEATS = ['me', 'rule', 'greedy', 'random']
TICK = 0.0002  # seconds between polls


@contextlib.asynccontextmanager
async def serving(folder, hosts=(), key=None, public=None, **limits):
    """Open a lobby with the given limits only, whose deals are the same each time; yield it and its application."""
    games = {
        key: replace(game, agents=tuple(agent for agent in game.agents if not agent.startswith('search')))
        for key, game in GAMES.items()
    }  # search takes seconds
    np.random.seed(1)  # random agents seed themselves from it
    lobby = Lobby(folder, games, Limits(**{**FREE, **limits}))
    await lobby.open()
    try:
        with seeded(itertools.count(1)):
            yield lobby, new_app(lobby, hosts, key, public)
    finally:
        await lobby.close()


class Client:
    """A browser of one person."""

    def __init__(self, app, address='127.0.0.1'):
        self.app = app
        self.address = address
        self.cookies = {}  # path to cookies
        self.received = []  # bytes, headers and bodies

    async def get(self, path, **headers):
        return await self.request('GET', path, headers=headers)

    async def post(self, path, body=None, **headers):
        """Post a JSON object, bytes, or an iterator of the parts of a body without an end."""
        data = json.dumps(body or {}).encode() if body is None or isinstance(body, dict) else body
        return await self.request('POST', path, data, {'content_type': 'application/json', **headers})

    async def request(self, method, path, body=b'', headers=None, leaving=None):
        """Make a request, until an event if one is given; return its status, headers, body, JSON and error."""
        sent, parts, done = [], iter([body]) if isinstance(body, bytes) else body, leaving or asyncio.Event()

        async def receive():
            for part in parts:
                return {'type': 'http.request', 'body': part, 'more_body': parts is body}
            await done.wait()
            return {'type': 'http.disconnect'}

        async def send(message):
            sent.append(message)
            self._keep(message, path)

        await self.app(self.scope(method, path, headers or {}), receive, send)
        done.set()
        pairs = [(name.decode(), value.decode()) for name, value in sent[0]['headers']]
        fields = dict(reversed(pairs))  # of several cookies, the first
        for cookie in (SimpleCookie(value) for name, value in pairs if name == 'set-cookie'):
            for name, morsel in cookie.items():
                self.cookies[morsel['path']] = [(name, morsel.value)] if morsel.value else []
        found = b''.join(message.get('body', b'') for message in sent[1:])
        answer = SimpleNamespace(status=sent[0]['status'], headers=fields, body=found, json=lambda: json.loads(found))
        answer.error = answer.json()['error'] if answer.status >= 400 and method != 'HEAD' else None
        return answer

    def scope(self, method, path, headers):
        """Return the ASGI scope of a request; headers that are None are omitted."""
        raw, _, query = path.partition('?')
        cookies = [known for at, found in self.cookies.items() if raw.startswith(at) for known in found]
        cookie = '; '.join(f'{name}={value}' for name, value in cookies) or None
        known = {'host': '127.0.0.1:8402', 'cookie': cookie, **headers}
        return {
            'type': 'http', 'asgi': {'version': '3.0', 'spec_version': '2.3'}, 'http_version': '1.1',
            'method': method, 'scheme': 'http', 'path': raw, 'raw_path': raw.encode(), 'root_path': '',
            'query_string': query.encode(), 'client': (self.address, 1), 'server': ('127.0.0.1', 8402),
            'headers': [(name.replace('_', '-').encode(), value.encode('latin-1', 'replace'))
                        for name, value in known.items() if value is not None],
        }  # fmt: skip

    def _keep(self, message, asked=''):
        """Keep what was sent; `asked` is the path of the request, unless it is a stream."""
        self.received += parts_of(message)

    async def begin(self, seats=SEATS, **settings):
        """Start a table; return its address and the view."""
        answer = await self.post('/api/tables', {'seats': list(seats), **settings})
        assert answer.status == 201, answer.body
        made = answer.json()
        return f'/api/tables/{made["table"]}', made['view']

    async def view(self, table):
        return (await self.get(f'{table}/view')).json()

    async def turn(self, table):
        """Wait until the client is to move, or the game is over and archived; return the view."""
        while True:
            view = await self.view(table)
            if (view['over'] or {}).get('record') or (view['to_move'] == view['you'] and view['auto'] is None):
                return view
            await asyncio.sleep(TICK)

    async def play_out(self, table, random):
        """Make random moves until the game is over; return the last view."""
        while not (view := await self.turn(table))['over']:
            answer = await self.post(f'{table}/moves', {'ply': view['ply'], 'move': random.choice(view['legal'])})
            assert answer.status == 200, answer.body
        return view

    @contextlib.asynccontextmanager
    async def listening(self, table):
        """Keep a stream open; yield the list of the events so far."""
        events, gone = [], asyncio.Event()

        async def receive():
            await gone.wait()
            return {'type': 'http.disconnect'}

        async def send(message):
            self._keep(message)
            events.append(message)

        task = asyncio.ensure_future(self.app(self.scope('GET', f'{table}/events', {}), receive, send))
        try:
            while len(events) < 2 and not task.done():
                await asyncio.sleep(TICK)
            yield events
        finally:
            gone.set()
            await task


def parts_of(message):
    """Return the bytes of the headers or the body of a response."""
    if message['type'] == 'http.response.start':
        return [part for header in message['headers'] for part in header]
    return [message.get('body', b'')]


def views(events):
    """Return the views of a stream's events."""
    texts = [message.get('body', b'').decode() for message in events]
    return [json.loads(text.partition('\ndata: ')[2]) for text in texts if '\ndata: ' in text]
