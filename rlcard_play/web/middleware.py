"""Security middleware: checks of every request, and headers of every response."""

import re
from asyncio import CancelledError
from collections.abc import Iterable
from secrets import compare_digest
from typing import NamedTuple

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rlcard_kit.errors import ConfigError
from rlcard_play.web.rate_limits import RefusedError, client_of
from rlcard_play.web.requests import JsonResponse, cookies

LOOPBACK = ('127.0.0.1', 'localhost', '[::1]')
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
)
HEADERS = {
    'Content-Security-Policy': POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
}
API = '/api/'
PUBLIC = re.compile(r'(https?)://([A-Za-z0-9.-]+)(:[0-9]{1,5})?((?:/[A-Za-z0-9._~-]+)*/?)')
STOPPING = 'the server was stopped'
KEY = 'key'  # name of the cookie and of the parameter with the server's key
PRIVATE_PATHS = ('/api/analyse', '/api/score', '/api/records', '/api/puzzles')  # they need the key, as do new tables


class Public(NamedTuple):
    """The address at which a proxy shows the page."""

    scheme: str  # http or https
    host: str  # without a port
    port: str  # with a colon, or empty
    path: str  # without a slash at its end

    @classmethod
    def parse(cls, url: str) -> 'Public':
        """Return the address of a URL; ConfigError if it is none."""
        parts = PUBLIC.fullmatch(url)
        if parts is None:
            raise ConfigError(f'--public {url!r:.80}: give an address such as https://cards.example.org/big2')
        return cls(parts[1], parts[2].lower(), parts[3] or '', parts[4].rstrip('/'))

    @property
    def origin(self) -> str:
        """The origin that browsers send."""
        return f'{self.scheme}://{self.host}{self.port}'

    @property
    def home(self) -> str:
        """The address of the page."""
        return f'{self.origin}{self.path}/'


class SecurityMiddleware:
    """Refuses requests for other hosts, from other sites, or without the key if there is one.

    Args:
        app: handles the accepted requests.
        hosts: host names of the server, besides those of the loopback interface.
        key: required to start tables and read records; None if only this machine can reach the server.
        public: the address at which a proxy shows the page, if one does.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str], key: str | None, public: Public | None) -> None:
        self.app = app
        self.hosts = {*LOOPBACK, *(host.lower() for host in hosts)}
        self.key = key
        self.public = public
        if public is not None:
            self.hosts.add(public.host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope['type'] != 'http':
            await self.app(scope, receive, send)
            return
        forwarded = Headers(scope=scope).get('x-forwarded-for')
        address = scope['client'][0] if scope.get('client') else ''
        if self.public is not None and forwarded:  # the proxy adds the address of its client at the end
            address = forwarded.rpartition(',')[2].strip()[:64]
        scope = {**scope, 'client': (client_of(address), 0)}

        has_started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal has_started
            if message['type'] == 'http.response.start':
                has_started = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers['Cache-Control'] = 'no-store' if scope['path'].startswith(API) else 'no-cache'
            await send(message)

        try:
            self._check(scope)
        except RefusedError as refusal:
            answer = JsonResponse({'error': str(refusal)}, refusal.status)
            await answer(scope, receive, send_with_headers)
            return
        try:
            await self.app(scope, receive, send_with_headers)
        except CancelledError:  # the server stops
            if not has_started:
                await JsonResponse({'error': STOPPING}, 503)(scope, receive, send_with_headers)

    def _check(self, scope: Scope) -> None:
        headers, path, method = Headers(scope=scope), scope['path'], scope['method']
        if host_name(headers.get('host', '')) not in self.hosts:
            raise RefusedError(400, 'unknown host name: start the server with --allow-host NAME')
        if method not in ('GET', 'POST') and (method != 'HEAD' or path.startswith(API)):
            raise RefusedError(405, 'use GET or POST')
        if method == 'POST':
            self._check_post(headers)
        if path.startswith(API) and headers.get('sec-fetch-site', 'none') not in ('same-origin', 'none'):
            raise RefusedError(403, 'requests from other sites are refused')
        needs_key = path.startswith(PRIVATE_PATHS) or (method == 'POST' and path == '/api/tables')
        if self.key is not None and needs_key and not any(is_same(value, self.key) for value in cookies(headers, KEY)):
            raise RefusedError(403, 'open the server by the link it printed at the start')

    def _check_post(self, headers: Headers) -> None:
        origin = headers.get('origin')  # browsers send it with every POST
        own = (f'http://{headers["host"].lower()}', None if self.public is None else self.public.origin)
        if origin is not None and origin.lower() not in own:
            raise RefusedError(403, 'requests from other sites are refused')
        if headers.get('content-type', '').partition(';')[0].strip().lower() != 'application/json':
            raise RefusedError(415, 'the body must have Content-Type: application/json')


def host_name(host: str) -> str:
    """Return the name in a Host header, without the port."""
    host = host.lower()
    name = host.partition(']')[0] + ']' if host.startswith('[') else host.partition(':')[0]
    rest = host[len(name) :]
    return name if not rest or (rest[0] == ':' and rest[1:].isdecimal()) else ''


def is_same(given: str, key: str) -> bool:
    """Return whether a text is the key, in constant time."""
    return compare_digest(given.encode('utf-8', 'replace'), key.encode())
