"""Starting the service."""

from __future__ import annotations

import contextlib
import ctypes
import ipaddress
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import uvicorn
from fastapi import FastAPI

from faan.base import InputError, OnProgress, ignore_progress
from faan.complete import SEARCH_FILE, Completer
from faan.web.connections import Connection
from faan.web.decisions import DECISIONS_FILE, Decisions
from faan.web.limits import IDLE_SECONDS
from faan.web.link import LinkTemplate
from faan.web.naming import Naming
from faan.web.preparing import prepared_search
from faan.web.service import Service
from faan.web.sites import is_loopback

MIN_TOKEN = 16  # letters
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # of malloc.h


def check_access(host: str, token: str | None) -> None:
    """Refuse to be reachable from other machines without a token."""
    if token is not None and (len(token) < MIN_TOKEN or not token.isascii() or not token.isprintable()):
        raise InputError(f"a token needs {MIN_TOKEN} or more plain characters: try `openssl rand -hex 16`")
    if token is None and not is_loopback(host):
        raise InputError(f"with --host {host} other machines can reach the page: protect it with --token or FAAN_TOKEN")


def addresses(host: str, port: int, token: str | None) -> list[str]:
    """What to open in a browser: on this machine, then from elsewhere where others can reach it.

    0.0.0.0 means all addresses of the machine and cannot be opened itself.
    """
    try:
        is_all = ipaddress.ip_address(host).is_unspecified
    except ValueError:
        is_all = False
    names = ["localhost", _name_for_others()] if is_all else [host]
    query = f"?{urlencode({'token': token})}" if token else ""
    return [f"http://{f'[{name}]' if ':' in name else name}:{port}/{query}" for name in names]


def _name_for_others() -> str:
    """The address that this machine has in its network, or its name where it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: only selects the network interface
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()


@contextmanager
def service_of(
    folder: Path,
    decisions: Path | None = None,
    link: LinkTemplate | None = None,
    on_progress: OnProgress = ignore_progress,
    built: Callable[[], None] = lambda: None,
) -> Iterator[Service]:
    """The service for a model folder; the index of entities is built the first time.

    That of a large graph is built while the service answers, and `built` is called at the end.
    """
    completer = Completer.load(folder)
    stored = Decisions(folder / DECISIONS_FILE if decisions is None else decisions.resolve())
    with (
        contextlib.closing(stored),
        prepared_search(completer.graph, folder / SEARCH_FILE, on_progress, built) as search,
    ):
        yield Service(completer, Naming(completer.graph, search, link), stored, folder.resolve().name)


def listen(host: str, port: int) -> socket.socket:
    """A socket at an address; taken before anything slow is done, so that a port in use is known at once."""
    try:
        family, kind, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        bound = socket.socket(family, kind, socket.IPPROTO_TCP)  # explicitly, else asyncio delays answers by 40 ms
        try:
            if os.name != "nt":  # a restart need not wait for a minute; on Windows it would share a port in use
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
            bound.listen()
        except BaseException:
            bound.close()
            raise
        return bound
    except socket.gaierror as error:
        raise InputError(f"no such host ({error.strerror})", source=host) from None
    except OSError as error:
        raise InputError(
            f"cannot listen here ({error.strerror}); choose another port with --port, 0 for any that is free",
            source=f"{host}:{port}",
        ) from None


class _Server(uvicorn.Server):
    """Calls `started` once requests are answered and Ctrl+C ends the server in good order."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._started()


def config_of(app: FastAPI) -> uvicorn.Config:
    """How an application is served."""
    return uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
        timeout_keep_alive=IDLE_SECONDS,
        proxy_headers=False,
    )


def give_memory_back() -> None:
    """Let memory of freed arrays go back to the system at once; glibc would keep it, for each thread apart."""
    with contextlib.suppress(OSError, AttributeError, TypeError):  # other C libraries have no such setting
        library = ctypes.CDLL(None)
        library.mallopt(_M_ARENA_MAX, 2)
        library.mallopt(_M_MMAP_THRESHOLD, 1 << 20)


def run(app: FastAPI, bound: socket.socket, started: Callable[[], None] = lambda: None) -> None:
    """Serve until interrupted; calls `started` when the server is up."""
    give_memory_back()
    with contextlib.suppress(KeyboardInterrupt):
        _Server(config_of(app), started).run(sockets=[bound])
