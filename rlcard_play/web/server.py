"""Run the server."""

import ipaddress
import os
import signal
import socket
import sys
import webbrowser
from argparse import Namespace
from asyncio import TimerHandle
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from secrets import token_urlsafe
from threading import Thread
from types import FrameType
from typing import Any, NoReturn

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from rlcard_kit.errors import ConfigError
from rlcard_kit.files import locked
from rlcard_kit.process import limit_threads
from rlcard_kit.signals import handle, handled
from rlcard_play.study.played import PlayedGame
from rlcard_play.terminal.commands import interrupt, say, status_of
from rlcard_play.web.advisor_thread import deal
from rlcard_play.web.lobby import Lobby
from rlcard_play.web.middleware import KEY, Public, host_name
from rlcard_play.web.rate_limits import Limits, client_of
from rlcard_play.web.routes import new_app
from rlcard_play.web.store import PRIVATE

MAX_CONNECTIONS = 512
MAX_EACH = 64  # of one address
HEAD_SECONDS = 10.0  # until the head of a request must have arrived
MAX_HEAD = 16_384  # bytes of a request before its body
SHUTDOWN_SECONDS = 2  # for streams to end


def limited_protocol(each: int) -> type[H11Protocol]:
    """Return a protocol that closes silent connections.

    A new connection beyond `each` of its address, or beyond MAX_CONNECTIONS, closes the one of these that has been
    silent for longest. A connection that does not send the head of a request in HEAD_SECONDS is closed, too.
    """

    class Protocol(H11Protocol):
        """The protocol of one connection."""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._timer: TimerHandle | None = None
            self._client = client_of((transport.get_extra_info('peername') or ('',))[0])
            self._silent_since = self.loop.time()
            self._watch()
            known: list[Any] = list(self.connections)
            own = [other for other in known if other._client == self._client]
            if len(own) > each or len(known) > MAX_CONNECTIONS:
                silent = filter(Protocol._is_silent, own if len(own) > each else known)
                longest = min(silent, key=lambda other: other._silent_since)
                longest._silent_since = inf  # it goes; the next one closes another
                longest.transport.abort()

        def _is_silent(self) -> bool:
            """Return whether the server waits for a request, or for its body."""
            is_between = self.cycle is None or self.cycle.response_complete
            return is_between or self.conn.their_state is h11.SEND_BODY

        def on_response_complete(self) -> None:
            self._silent_since = self.loop.time()
            super().on_response_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._unwatch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:
                self._unwatch()
            elif self._timer is None:
                self._watch()

        def send_400_response(self, msg: str) -> None:
            """Refuse a broken request and drop what the application answers; close if an answer has begun."""
            if self.cycle is not None:
                self.cycle.disconnected = True
            if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
                super().send_400_response(msg)
            else:
                self.transport.close()

        def _watch(self) -> None:
            self._timer = self.loop.call_later(HEAD_SECONDS, self.transport.close)

        def _unwatch(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    return Protocol


class Server(uvicorn.Server):
    """A uvicorn server of a lobby.

    Args:
        config: of uvicorn.
        lobby: its streams are closed at shutdown.
        announce: called once the server is ready.
    """

    def __init__(self, config: uvicorn.Config, lobby: Lobby, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self.lobby = lobby
        self.announce = announce
        self.ended_by = int(signal.SIGINT)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and announce it."""
        await super().startup(sockets)
        if self.started:
            self.announce()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End in order at a signal, unless it is ignored."""
        with handled(self._end):
            yield

    def _end(self, number: int, frame: FrameType | None) -> None:
        self.ended_by = number
        self.handle_exit(number, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close the lobby first, because uvicorn would wait for streams and analyses."""
        await self.lobby.close()
        await super().shutdown(sockets)


def serve(options: Namespace, games: Mapping[str, PlayedGame]) -> NoReturn:
    """Serve until a signal, which raises KeyboardInterrupt with its number.

    Args:
        options: of the command; its `game` is the one that the printed address shows.
        games: by key, the first as the default.

    Raises:
        ConfigError: if the options contradict each other, or an agent is unknown.
        FolderInUseError: if another server uses the folder.
        OSError: if the address or the folder cannot be used.
    """
    limit_threads()
    public = None if options.public is None else Public.parse(options.public)
    key = _key(options)
    handle(interrupt)
    shown, folder, files = games[options.game], options.data, None
    if folder is None:
        files = {key: game.games_file() for key, game in games.items()}
        folder = files[next(iter(games))].parent
    for made in {folder, *(file.parent for file in (files or {}).values())}:
        made.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
    try:
        with locked(folder), _listen(options.host, options.port) as listener:
            sys.stderr.write('Starting.\n')
            agents = tuple(dict.fromkeys((*shown.agents, *options.agent)))
            games = {**games, shown.key: replace(shown, agents=agents)}
            lobby = Lobby(folder, games, Limits(delay=options.delay, away=options.away), files)
            deal(games[shown.key])
            address = _address(options, listener.getsockname()[1], public) + ('' if key is None else f'?{KEY}={key}')
            address += '' if shown.key == next(iter(games)) else f'#{shown.key}'  # the game that the page shows
            browse = not options.no_browser and sys.stdout.isatty()
            app = new_app(lobby, options.allow_host, key, public)
            protocol = limited_protocol(MAX_CONNECTIONS if public else MAX_EACH)  # a proxy has one address

            def announce() -> None:
                say(f'{shown.title}: {address}')
                lobby.thread.warm_up_aside()
                if browse:
                    Thread(target=_open_browser, args=(address,), daemon=True).start()

            server = Server(_configure(app, protocol), lobby, announce)
            server.run(sockets=[listener])
            end, is_busy = KeyboardInterrupt(server.ended_by), lobby.thread.is_busy
    except KeyboardInterrupt as interrupted:
        end, is_busy = interrupted, False
    sys.stderr.write('\nStopped; all games are saved.\n')
    if is_busy:
        os._exit(status_of(end))  # the interpreter would wait for an analysis whose result nobody gets
    raise end


def _configure(app: ASGIApp, protocol: type[H11Protocol]) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=protocol,
        log_level='warning',
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws='none',
        lifespan='on',
        h11_max_incomplete_event_size=MAX_HEAD,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )


def _key(options: Namespace) -> str | None:
    """Return the key that clients need; None if only this machine can reach the server."""
    wrong = [name for name in options.allow_host if not name or host_name(name) != name.lower()]
    if wrong:
        raise ConfigError(f'--allow-host {wrong[0]!r:.60}: give a name or an address without a port')
    if _is_loopback(options.host) and not options.public:
        return None
    if not options.allow_host and not options.public:
        raise ConfigError(
            f'--host {options.host}: add the name by which others reach this machine, such as --allow-host 192.168.0.7'
        )
    sys.stderr.write(
        f'Others can reach this server{"" if options.public else ", without encryption"}. Anyone with the link can '
        'start tables; anyone with the address of a table can watch it or take an open seat.\n'
    )
    return token_urlsafe(16)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == 'localhost'


def _listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; ConfigError if the address cannot be used."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address, family=family)
    except OSError as error:
        reason = str(error.strerror).partition(' (while')[0]  # which repeats the address
        raise ConfigError(f'{host}, port {port}, cannot be used: {reason}; choose another --port') from error


def _address(options: Namespace, port: int, public: Public | None) -> str:
    if public is not None:
        return public.home
    host = options.allow_host[0] if options.allow_host and not _is_loopback(options.host) else options.host
    host = f'[{host}]' if ':' in host and not host.startswith('[') else host
    return f'http://{host}:{port}/'


def _open_browser(address: str) -> None:
    """Open a graphical browser, if there is one."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    if type(browser) is not webbrowser.GenericBrowser:
        browser.open(address)
