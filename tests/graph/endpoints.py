"""SPARQL servers for tests: Oxigraph's own, a proxy before it that makes trouble, and one that answers nonsense."""

from __future__ import annotations

import socket
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Oxigraph:
    """A running Oxigraph server."""

    url: str  # without the path

    @property
    def query(self) -> str:
        return f"sparql+{self.url}/query"

    @property
    def update(self) -> str:
        return f"sparql+{self.url}/update"

    def load(self, content: str, graph: str | None = None) -> None:
        """Add N-Triples to the default graph or a named one."""
        where = "default" if graph is None else f"graph={urllib.parse.quote(graph, safe='')}"
        headers = {"Content-Type": "application/n-triples"}
        request = urllib.request.Request(f"{self.url}/store?{where}", content.encode(), headers, method="POST")
        urllib.request.urlopen(request).close()

    def clear(self) -> None:
        body = urllib.parse.urlencode({"update": "DROP ALL"}).encode()
        urllib.request.urlopen(f"{self.url}/update", body).close()


@contextmanager
def oxigraph(command: str) -> Iterator[Oxigraph]:
    """Start a server and wait until it answers."""
    process, server = _started(command)
    try:
        yield server
    finally:
        process.terminate()
        process.wait()


def _started(command: str) -> tuple[subprocess.Popen[bytes], Oxigraph]:
    """A server that answers; another program may take a free port before it does, so several are tried."""
    for _ in range(5):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        process = subprocess.Popen(
            [command, "serve", "--bind", address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while process.poll() is None:
            try:
                urllib.request.urlopen(f"http://{address}").close()
            except urllib.error.URLError:
                time.sleep(0.05)
            else:
                return process, Oxigraph(f"http://{address}")
    raise AssertionError("the server did not start")


@dataclass
class Asked:
    """A request as a server saw it, and its answer: change what comes back, or cut it off."""

    form: dict[str, str]
    headers: dict[str, str]
    status: int = 200
    kind: str = "application/sparql-results+json"
    body: bytes = b""
    more_headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None  # bytes after which the connection is closed


@contextmanager
def serving(answer: Callable[[Asked], None]) -> Iterator[str]:
    """A server whose answers a function makes; gives its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            asked = Asked(dict(urllib.parse.parse_qsl(body)), dict(self.headers))
            answer(asked)
            self.send_response(asked.status)
            self.send_header("Content-Type", asked.kind)
            for name, value in asked.more_headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(asked.body)))
            self.end_headers()
            self.wfile.write(asked.body if asked.cut is None else asked.body[: asked.cut])
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"sparql+http://127.0.0.1:{server.server_port}/sparql"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def pass_on(asked: Asked, server: Oxigraph) -> None:
    """Let a real server answer."""
    what = "update" if "update" in asked.form else "query"
    request = urllib.request.Request(
        f"{server.url}/{what}", urllib.parse.urlencode(asked.form).encode(), {"Accept": asked.headers["Accept"]}
    )
    with urllib.request.urlopen(request) as answer:
        asked.body, asked.status = answer.read(), answer.status
        asked.kind = answer.headers.get("Content-Type") or ""
