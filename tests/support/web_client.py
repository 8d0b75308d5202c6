"""A client of a server in the same process; it keeps every byte received."""

import asyncio
import contextlib
import json
from dataclasses import dataclass, field
from http.cookies import SimpleCookie

from rlcard_big2.web.lobby import Lobby
from rlcard_big2.web.rate_limits import Limits
from rlcard_big2.web.routes import new_app

FREE = {'moves_per_second': 1e9, 'tables_per_minute': 1e9, 'tables': 10_000, 'studies': 1000}
AGENTS = ['rule', 'greedy', 'random']
TICK = 0.0002  # seconds between polls


@contextlib.asynccontextmanager
async def serving(folder, agents=AGENTS, hosts=(), key=None, **limits):
    """Open a lobby with the given limits only; yield it and its application."""
    lobby = Lobby(folder, list(agents), Limits(**{'delay': 0, **FREE, **limits}))
    await lobby.open()
    try:
        yield lobby, new_app(lobby, hosts, key)
    finally:
        await lobby.close()


@dataclass
class Answer:
    """A response."""

    status: int
    headers: dict
    body: bytes

    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json()['error']


@dataclass
class Client:
    """A browser of one person."""

    app: object
    address: str = '127.0.0.1'
    cookies: dict = field(default_factory=dict)  # path to cookies
    received: list = field(default_factory=list)  # bytes, headers and bodies

    async def get(self, path, **headers):
        return await self.request('GET', path, headers=headers)

    async def post(self, path, body=None, **headers):
        data = body if isinstance(body, bytes) else json.dumps({} if body is None else body).encode()
        return await self.request('POST', path, data, {'content-type': 'application/json', **headers})

    async def request(self, method, path, body=b'', headers=None):
        """Make a request; return the answer."""
        sent, parts = [], iter([body])
        done = asyncio.Event()

        async def receive():
            try:
                return {'type': 'http.request', 'body': next(parts), 'more_body': False}
            except StopIteration:
                await done.wait()
                return {'type': 'http.disconnect'}

        async def send(message):
            sent.append(message)
            self._keep(message, path)

        await self.app(self.scope(method, path, headers or {}), receive, send)
        done.set()
        fields = {name.decode(): value.decode() for name, value in sent[0]['headers']}
        self._take_cookies(fields.get('set-cookie'))
        return Answer(sent[0]['status'], fields, b''.join(message.get('body', b'') for message in sent[1:]))

    def scope(self, method, path, headers):
        """Return the ASGI scope of a request; headers that are None are omitted."""
        raw, _, query = path.partition('?')
        known = {'host': '127.0.0.1:8402', 'cookie': self._cookie(raw), **headers}
        return {
            'type': 'http',
            'asgi': {'version': '3.0', 'spec_version': '2.3'},
            'http_version': '1.1',
            'method': method,
            'scheme': 'http',
            'path': raw,
            'raw_path': raw.encode(),
            'root_path': '',
            'query_string': query.encode(),
            'headers': [
                (name.replace('_', '-').lower().encode(), value.encode('latin-1', 'replace'))
                for name, value in known.items()
                if value is not None
            ],
            'client': (self.address, 1),
            'server': ('127.0.0.1', 8402),
        }

    def _keep(self, message, asked=''):
        """Keep what was sent; `asked` is the path of the request, unless it is a stream."""
        if message['type'] == 'http.response.start':
            self.received += [part for header in message['headers'] for part in header]
        else:
            self.received.append(message.get('body', b''))

    def _cookie(self, path):
        found = [
            f'{name}={value}' for at, known in self.cookies.items() if path.startswith(at) for name, value in known
        ]
        return '; '.join(found) or None

    def _take_cookies(self, text):
        for name, morsel in SimpleCookie(text or '').items():
            self.cookies[morsel['path']] = [(name, morsel.value)] if morsel.value else []

    async def begin(self, seats=('me', 'rule', 'greedy', 'random'), **settings):
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


def views(events):
    """Return the views of a stream's events."""
    texts = [message.get('body', b'').decode() for message in events]
    return [json.loads(text.partition('\ndata: ')[2]) for text in texts if '\ndata: ' in text]
