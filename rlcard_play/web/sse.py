"""Server-Sent Events: views of a table as they change."""

from collections.abc import AsyncIterator
from time import monotonic

import anyio
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from rlcard_play.web.lobby import Lobby
from rlcard_play.web.tables import SharedTable, Stream


class EventStream(StreamingResponse):
    """A stream of whole views; a slow client gets the newest one only.

    Args:
        lobby: of the tables.
        table: to send views of.
        seat: of the viewer; None for a spectator.
    """

    def __init__(self, lobby: Lobby, table: SharedTable, seat: int | None) -> None:
        super().__init__((), media_type='text/event-stream', headers={'X-Accel-Buffering': 'no'})
        self.lobby = lobby
        self.table = table
        self.stream = Stream(seat)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send views until the client disconnects; RefusedError if there are too many streams."""
        stream, people = self.stream, self.table.people
        person = people.get(-1 if stream.seat is None else stream.seat)
        with self.lobby.streams.taken(scope['client'][0] if scope.get('client') else ''):
            self.table.streams.add(stream)
            if person is not None:
                person.streams += 1
            try:
                self.body_iterator = self._events()
                await super().__call__({**scope, 'asgi': {}}, receive, send)  # so that it watches for the disconnect
            finally:
                self.table.streams.discard(stream)
                if person is not None:
                    person.streams -= 1
                    person.seen = monotonic()

    async def _events(self) -> AsyncIterator[bytes]:
        stream, limits = self.stream, self.lobby.limits
        stream.changed.set()
        while not self.lobby.is_closing:
            event = ': still here\n\n'
            with anyio.move_on_after(limits.comment):
                await stream.changed.wait()
                stream.changed.clear()
                event = f'id: {self.table.version}\ndata: {self.table.view(stream.seat, limits)}\n\n'
            yield event.encode('utf-8', 'replace')
