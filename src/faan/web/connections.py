"""Time limits and a maximum number of connections, so that slow clients cannot block others."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

from faan.web.limits import MAX_CONNECTIONS, READ_SECONDS, REQUEST_SECONDS

_FULL = b'{"error":"too many connections are open; try again in a moment","nearest":[],"standing":null}'
_REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 5\r\n"
    b"content-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(_FULL), _FULL)
)


class Connection(H11Protocol):
    """A connection with time limits: for a whole request to arrive, and for the client to take an answer."""

    _refused = False
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Refuse the connection if too many are open, else wait for a request."""
        if len(self.connections) >= MAX_CONNECTIONS:
            self._refused, self.transport = True, transport
            transport.write(_REFUSAL)
            transport.close()
            return
        super().connection_made(transport)
        self._end_in(REQUEST_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the time limit."""
        self._end_in(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Receive data, unless the connection was refused."""
        if not self._refused:
            super().data_received(data)

    def handle_events(self) -> None:
        """Cancel the time limit once a whole request has arrived."""
        super().handle_events()
        if self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete:
            self._end_in(READ_SECONDS if self.flow.write_paused else None)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._end_in(REQUEST_SECONDS)
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Wait for the client to take what was sent."""
        super().pause_writing()
        self._end_in(READ_SECONDS)

    def resume_writing(self) -> None:
        """Cancel the time limit: the client took enough data."""
        super().resume_writing()
        is_answering = self.cycle is not None and not self.cycle.response_complete
        self._end_in(None if is_answering else REQUEST_SECONDS)

    def _end_in(self, seconds: float | None) -> None:
        """Close the connection after some seconds; replaces any other time limit."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self.transport.abort)
