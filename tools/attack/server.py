"""A server in a process of its own, as a person starts it; its memory and open files can be watched."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from tools.attack.campaign import ROOT


@dataclass(frozen=True)
class Served:
    """A running server."""

    process: subprocess.Popen[str]
    port: int
    log: Path

    @property
    def mib(self) -> float:
        """The memory that it holds."""
        return float(psutil.Process(self.process.pid).memory_info().rss / 2**20)

    @property
    def busy(self) -> float:
        """The seconds of processor time that it has had: other programs do not make it slow."""
        times = psutil.Process(self.process.pid).cpu_times()
        return float(times.user + times.system)

    @property
    def files(self) -> int:
        """How many files and sockets it has open."""
        return psutil.Process(self.process.pid).num_fds()


@contextmanager
def served(model: Path, scratch: Path, first: str = "") -> Iterator[Served]:
    """Serve a model at a free port, after a first statement; it is killed, so nothing is closed in good order."""
    log = scratch / "server.log"
    program = f"{first}\nfrom faan.cli import main; main()"
    command = [sys.executable, "-c", program, "serve", str(model), "--port", "0"]
    with log.open("w") as said, subprocess.Popen(command, stderr=said, text=True, cwd=ROOT) as process:
        try:
            yield Served(process, _port(process, log), log)
        finally:
            process.kill()


def _port(process: subprocess.Popen[str], log: Path) -> int:
    while True:
        if found := re.search(r"open http://[^:]+:(\d+)/", log.read_text()):
            return int(found[1])
        try:
            process.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
        raise RuntimeError(f"the server did not start: {log.read_text()[-500:]}")
