"""The peak memory of this process: all of it, and the part that belongs to no file."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

GIB = 1 << 30


@dataclass
class Peak:
    """The largest values that were seen, in GiB."""

    resident: float = 0.0  # with the pages of mapped files, which the system takes back when it needs them
    anonymous: float = 0.0  # without

    def look(self) -> None:
        """Look at what the process has now."""
        status = Path("/proc/self/status").read_text()
        sizes = {name: int(rest.split()[0]) * 1024 / GIB for name, _, rest in _lines(status) if name.startswith("Rss")}
        self.resident = max(self.resident, sum(sizes.values()))
        self.anonymous = max(self.anonymous, sizes["RssAnon"])


@contextmanager
def peak_memory(every: float = 0.02) -> Iterator[Peak]:
    """Look at the memory every so many seconds while a block runs."""
    peak, ended = Peak(), threading.Event()

    def watch() -> None:
        while not ended.wait(every):
            peak.look()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield peak
    finally:
        peak.look()
        ended.set()
        watcher.join()


def _lines(text: str) -> list[tuple[str, str, str]]:
    return [line.partition(":") for line in text.splitlines()]
