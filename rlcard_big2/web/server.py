"""A server from its settings to its end."""

import ipaddress
import signal
import socket
import sys
import webbrowser
from pathlib import Path
from secrets import token_urlsafe
from threading import Thread
from typing import NamedTuple

import uvicorn

from rlcard_big2.web.lobby import Hall
from rlcard_big2.web.middleware import KEY, host_name
from rlcard_big2.web.rate_limits import Limits
from rlcard_big2.web.routes import new_app
from rlcard_big2.web.store import PRIVATE
from rlcard_kit.errors import ConfigError
from rlcard_kit.files import locked
from rlcard_kit.threads import limit_threads

INTERRUPTED = 130
MOST_CONNECTIONS = 512  # beyond which uvicorn answers 503
LARGEST_HEAD = 16_384  # bytes of a request before its body
END_SECONDS = 2  # for streams to end


class Settings(NamedTuple):
    """How to serve."""

    host: str
    port: int  # 0 takes a free one
    data: Path
    hosts: tuple[str, ...]  # by which others reach this machine
    agents: tuple[str, ...]  # that may be seated, beside the advisor
    delay: float  # seconds
    away: float  # seconds
    browse: bool  # open a browser if a person started this


class Server(uvicorn.Server):
    """Says its address once it can be used.

    Args:
        config: of uvicorn.
        hall: whose streams end before the server does.
        address: to say.
        browse: open a browser there.
    """

    def __init__(self, config: uvicorn.Config, hall: Hall, address: str, browse: bool) -> None:
        super().__init__(config)
        self.hall = hall
        self.address = address
        self.browse = browse

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        if self.started:
            sys.stdout.write(f'Big 2: {self.address}\n')
            sys.stdout.flush()
            if self.browse:
                Thread(target=_open_browser, args=(self.address,), daemon=True).start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End streams, which would be waited for, and then all else."""
        self.hall.hang_up()
        await super().shutdown(sockets)


def serve(settings: Settings) -> int:
    """Serve until Ctrl-C; return the exit status.

    Raises:
        ConfigError: if the settings contradict each other, or an agent is unknown.
        FolderInUseError: if another server uses the folder.
        OSError: if the address or the folder cannot be used.
    """
    limit_threads()
    key = _key(settings)
    for number in (signal.SIGTERM, signal.SIGHUP):  # the terminal was closed: as Ctrl-C
        signal.signal(number, signal.default_int_handler)
    settings.data.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
    try:
        with locked(settings.data), _listen(settings.host, settings.port) as listener:
            _run(settings, listener, key)
    except KeyboardInterrupt:
        pass
    sys.stderr.write('\nStopped; all games are kept.\n')
    return INTERRUPTED


def _run(settings: Settings, listener: socket.socket, key: str | None) -> None:
    sys.stderr.write('Getting ready.\n')
    hall = Hall(settings.data, list(settings.agents), Limits(delay=settings.delay, away=settings.away))
    hall.thinker.warm_up()
    config = uvicorn.Config(
        new_app(hall, settings.hosts, key),
        log_level='warning',
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws='none',
        lifespan='on',
        limit_concurrency=MOST_CONNECTIONS,
        h11_max_incomplete_event_size=LARGEST_HEAD,
        timeout_graceful_shutdown=END_SECONDS,
    )
    address = _address(settings, listener.getsockname()[1], key)
    Server(config, hall, address, settings.browse and sys.stdout.isatty()).run(sockets=[listener])


def _key(settings: Settings) -> str | None:
    """Return the key that strangers need; None if only this machine can reach the server."""
    wrong = [name for name in settings.hosts if not name or host_name(name) != name.lower()]
    if wrong:
        raise ConfigError(f'--allow-host {wrong[0]!r:.60}: give a name or an address without a port')
    if _is_loopback(settings.host):
        return None
    if not settings.hosts:
        raise ConfigError(
            f'--host {settings.host}: others could reach this; say by which name, such as --allow-host 192.168.0.7'
        )
    sys.stderr.write(
        'Others can reach this server, and what they send is not encrypted. Whoever has the link can start tables and '
        'see all games; whoever has the address of a table can watch it or take an open seat.\n'
    )
    return token_urlsafe(16)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == 'localhost'


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to an address; ConfigError says why that cannot be."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen()
        except OSError:
            listener.close()
            raise
    except OSError as error:
        raise ConfigError(f'{host}, port {port}, cannot be used: {error.strerror}; choose another --port') from error
    return listener


def _address(settings: Settings, port: int, key: str | None) -> str:
    host = settings.hosts[0] if key is not None else settings.host
    host = f'[{host}]' if ':' in host and not host.startswith('[') else host
    return f'http://{host}:{port}/' + (f'?{KEY}={key}' if key is not None else '')


def _open_browser(address: str) -> None:
    """Open a browser, unless the only one is in the terminal."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    if type(browser) is not webbrowser.GenericBrowser:
        browser.open(address)
