"""Views as they change: Server-Sent Events."""

import asyncio

import anyio
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from rlcard_big2.web.lobby import Hall
from rlcard_big2.web.rate_limits import RefusedError, retry_header
from rlcard_big2.web.requests import JsonResponse
from rlcard_big2.web.tables import SharedTable, Stream

HEADERS = [
    (b'content-type', b'text/event-stream; charset=utf-8'),
    (b'x-accel-buffering', b'no'),
]


class EventStream(Response):
    """An answer that lasts: every event is a whole view, and a client that reads slowly gets the newest only.

    Args:
        hall: of the tables.
        table: whose views are sent.
        seat: that sees them; None for a spectator.
    """

    def __init__(self, hall: Hall, table: SharedTable, seat: int | None) -> None:
        self.hall = hall
        self.table = table
        self.seat = seat

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send views until the client has gone."""
        try:
            with self.hall.listening(self.table, self.seat) as stream:
                await self._stream(stream, receive, send)
        except RefusedError as refusal:
            await JsonResponse({'error': str(refusal)}, refusal.status, retry_header(refusal))(scope, receive, send)

    async def _stream(self, stream: Stream, receive: Receive, send: Send) -> None:
        await send({'type': 'http.response.start', 'status': 200, 'headers': HEADERS})
        gone = asyncio.ensure_future(_gone(receive))
        sending = asyncio.ensure_future(self._send_views(stream, send))
        try:
            await asyncio.wait((gone, sending), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (gone, sending):
                task.cancel()
            await asyncio.gather(gone, sending, return_exceptions=True)
        await send({'type': 'http.response.body', 'body': b'', 'more_body': False})

    async def _send_views(self, stream: Stream, send: Send) -> None:
        stream.changed.set()
        while not stream.is_over:
            text = ': still here\n\n'
            with anyio.move_on_after(self.hall.limits.comment):
                await stream.changed.wait()
                stream.changed.clear()
                text = f'id: {self.table.version}\ndata: {self.hall.view(self.table, stream.seat)}\n\n'
            await send({'type': 'http.response.body', 'body': text.encode('utf-8', 'replace'), 'more_body': True})


async def _gone(receive: Receive) -> None:
    while (await receive())['type'] != 'http.disconnect':
        pass
