"""A server in a process of its own, as a person starts it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


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
