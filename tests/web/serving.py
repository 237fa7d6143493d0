"""A server: in a process of its own, as a person starts it, or in this one."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from faan.web.app import create_app
from faan.web.server import config_of, listen, service_of


@dataclass(frozen=True)
class Server:
    """A running server."""

    process: subprocess.Popen[str]
    address: str  # without a slash at the end


@contextmanager
def served(model: Path, *arguments: str) -> Iterator[Server]:
    """Start `faan serve` at a free port, and end it."""
    command = [
        sys.executable,
        "-c",
        "from faan.cli import main; main()",
        "serve",
        str(model),
        "--port",
        "0",
        *arguments,
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            said = ""
            for line in process.stderr:
                said += line
                found = re.search(r"open (http://\S+?)/", line)
                if found:
                    yield Server(process, found[1])
                    return
            raise AssertionError(f"the server did not start: {said}")
        finally:
            process.kill()


@contextmanager
def served_here(model: Path) -> Iterator[str]:
    """Serve a model folder in a thread of this process, which starts at once; gives the address, without a slash."""
    with service_of(model) as service, listen("127.0.0.1", 0) as bound:
        server = uvicorn.Server(config_of(create_app(service)))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{bound.getsockname()[1]}"  # it listens already
        finally:
            server.should_exit = True
            thread.join()
