"""What is checked of every request before it is looked at, and the headers of every answer."""

from collections.abc import Iterable
from secrets import compare_digest

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rlcard_big2.web.rate_limits import RefusedError
from rlcard_big2.web.requests import JsonResponse

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
KEY = 'key'  # the cookie and the parameter that hold the server's key
OWN = ('/api/analyse', '/api/score', '/api/records', '/api/puzzles')  # what needs the key, beside new tables


class Guard:
    """Refuses requests to other hosts, from other sites, and without the key if there is one.

    Args:
        app: answers the others.
        hosts: names under which the server is known, beside those of this machine.
        key: that starting tables and reading records takes; None if only this machine can reach the server.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = (), key: str | None = None) -> None:
        self.app = app
        self.hosts = {*LOOPBACK, *(host.lower() for host in hosts)}
        self.key = key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope['type'] != 'http':
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message['type'] == 'http.response.start':
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers['Cache-Control'] = 'no-store' if scope['path'].startswith(API) else 'no-cache'
            await send(message)

        try:
            self._check(scope)
        except RefusedError as refusal:
            answer = JsonResponse({'error': str(refusal)}, refusal.status)
            await answer(scope, receive, send_guarded)
            return
        await self.app(scope, receive, send_guarded)

    def _check(self, scope: Scope) -> None:
        headers, path, method = Headers(scope=scope), scope['path'], scope['method']
        if host_name(headers.get('host', '')) not in self.hosts:
            raise RefusedError(400, 'this server does not go by that name: start it with --allow-host NAME')
        if method not in ('GET', 'POST') and (method != 'HEAD' or path.startswith(API)):
            raise RefusedError(405, 'only GET and POST are answered')
        if method == 'POST':
            _check_post(headers)
        if path.startswith(API) and headers.get('sec-fetch-site', 'none') not in ('same-origin', 'none'):
            raise RefusedError(403, 'requests from other sites are refused')
        if self.key is not None and _needs_key(path, method) and not self._knows_key(headers):
            raise RefusedError(403, 'open the server by the link that it printed when it was started')

    def _knows_key(self, headers: Headers) -> bool:
        given = [part.strip().partition('=')[2] for part in headers.get('cookie', '').split(';') if _is_key(part)]
        return any(compare_digest(one.encode(), (self.key or '').encode()) for one in given)


def host_name(host: str) -> str:
    """Return the name in a Host header, without the port."""
    host = host.lower()
    name = host.partition(']')[0] + ']' if host.startswith('[') else host.partition(':')[0]
    rest = host[len(name) :]
    return name if not rest or (rest[0] == ':' and rest[1:].isdecimal()) else ''


def _check_post(headers: Headers) -> None:
    origin = headers.get('origin')  # browsers send it with every POST
    if origin is not None and origin.lower() != f'http://{headers["host"].lower()}':
        raise RefusedError(403, 'requests from other sites are refused')
    if headers.get('content-type', '').partition(';')[0].strip().lower() != 'application/json':
        raise RefusedError(415, 'a body must be of Content-Type: application/json')


def _is_key(part: str) -> bool:
    return part.strip().partition('=')[0] == KEY


def _needs_key(path: str, method: str) -> bool:
    return path.startswith(OWN) or (method == 'POST' and path == '/api/tables')
