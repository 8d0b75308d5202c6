"""Server-Sent Events: views of a table as they change."""

from collections.abc import AsyncIterator

import anyio
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from rlcard_big2.web.lobby import Lobby
from rlcard_big2.web.tables import SharedTable, Stream


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
        self.seat = seat

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send views until the client disconnects; RefusedError if there are too many streams."""
        with self.lobby.listening(self.table, self.seat) as stream:
            self.body_iterator = self._events(stream)
            await super().__call__({**scope, 'asgi': {}}, receive, send)  # so that it watches for the disconnect

    async def _events(self, stream: Stream) -> AsyncIterator[bytes]:
        stream.changed.set()
        while not stream.is_over:
            event = ': still here\n\n'
            with anyio.move_on_after(self.lobby.limits.comment):
                await stream.changed.wait()
                stream.changed.clear()
                event = f'id: {self.table.version}\ndata: {self.lobby.view(self.table, stream.seat)}\n\n'
            yield event.encode('utf-8', 'replace')
