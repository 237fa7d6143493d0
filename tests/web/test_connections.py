"""Clients that are slow or many do not keep others out."""

from __future__ import annotations

import asyncio
import http.client
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from faan.web.server import listen

from .serving import served_here

HEADER = b"POST /api/suggest HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
PATIENCE = 60.0  # seconds until a test gives up; a machine may be busy


@contextmanager
def connected(address: str) -> Iterator[socket.socket]:
    place = urlsplit(address)
    with socket.create_connection((place.hostname, place.port), timeout=PATIENCE) as opened:
        yield opened


def answers(address: str) -> bool:
    """Whether somebody else is served, at once or a little later: a busy machine may take the test for slow, too."""
    place, until = urlsplit(address), time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with (
            closing(http.client.HTTPConnection(place.hostname or "", place.port, timeout=PATIENCE)) as connection,
            suppress(OSError, http.client.HTTPException),
        ):
            connection.request("GET", "/healthz")
            if connection.getresponse().status == 200:
                return True
    return False


def rest(opened: socket.socket) -> bytes:
    """All that still comes until the server cuts the connection."""
    found = b""
    try:
        while block := opened.recv(65536):
            found += block
    except ConnectionResetError:
        pass
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HT",
        HEADER,
        HEADER + b"Content-Length: 100\r\n\r\n{",
    ],
)
@pytest.mark.parametrize("before", [b"", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"])
def test_a_request_that_does_not_arrive_in_time_is_cut_off(
    model: Path, monkeypatch: pytest.MonkeyPatch, before: bytes, sent: bytes
) -> None:
    monkeypatch.setattr("faan.web.connections.REQUEST_SECONDS", 1.0)
    with served_here(model) as address, connected(address) as opened:
        if before:
            opened.sendall(before)
            assert opened.recv(15) == b"HTTP/1.1 200 OK"
        opened.sendall(sent)
        rest(opened)  # ends
        assert answers(address)


@pytest.mark.slow
def test_headers_that_trickle_in_gain_no_time(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faan.web.connections.REQUEST_SECONDS", 0.5)
    with served_here(model) as address, connected(address) as opened:
        opened.sendall(HEADER)
        until = time.monotonic() + PATIENCE
        with pytest.raises(OSError):
            while time.monotonic() < until:
                opened.sendall(b"X-Slow: 1\r\n")
                time.sleep(0.05)


@pytest.mark.slow
def test_a_client_that_takes_no_answer_is_cut_off(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faan.web.connections.READ_SECONDS", 0.3)
    monkeypatch.setattr("faan.web.connections.MAX_CONNECTIONS", 1)
    ask = b"GET /static/vendor/cytoscape.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with served_here(model) as address, socket.socket() as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        place = urlsplit(address)
        opened.connect((place.hostname, place.port))
        opened.sendall(ask * 100)  # more than all buffers on the way hold
        assert answers(address)  # once the only place is free


@pytest.mark.slow
def test_one_connection_too_many_is_refused_and_the_others_go_on(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faan.web.connections.MAX_CONNECTIONS", 5)
    with served_here(model) as address, ExitStack() as stack:
        kept = [stack.enter_context(connected(address)) for _ in range(5)]
        for opened in kept:
            opened.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert opened.recv(15) == b"HTTP/1.1 200 OK"
        with connected(address) as refused:
            refused.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert rest(refused).startswith(b"HTTP/1.1 503")
        kept.pop().close()
        assert answers(address)  # once the server has seen that one is gone


def test_answers_are_sent_at_once() -> None:
    """Without this option each answer but the first of a connection waits 40 ms for the client's word."""

    async def connected() -> int:
        options: list[int] = []
        over = asyncio.Event()

        class Looking(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                own = transport.get_extra_info("socket")
                options.append(own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
                transport.close()
                over.set()

        with listen("127.0.0.1", 0) as bound:
            server = await asyncio.get_running_loop().create_server(Looking, sock=bound)
            async with server:
                _, writer = await asyncio.open_connection(*bound.getsockname())
                await over.wait()
                writer.close()
        return options[0]

    assert asyncio.run(connected())
