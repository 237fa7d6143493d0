"""How long the parts of a run took."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from faan.base import OnProgress, write_text

SECONDS_FILE = "seconds.json"


class Stopwatch:
    """The seconds that the parts of a run took, in a file, so that they add up over interruptions."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seconds: dict[str, float] = {}
        with suppress(OSError, ValueError, TypeError, AttributeError):  # lost times are no reason to lose a run
            self.seconds = {part: float(time) for part, time in json.loads(path.read_text(encoding="utf-8")).items()}

    @contextmanager
    def timing(self, part: str) -> Iterator[Callable[[], None]]:
        """Time a part; what it yields is to be called now and then, and saves the time every ten seconds."""
        last = time.perf_counter()

        def tick(after: float = 10.0) -> None:
            nonlocal last
            now = time.perf_counter()
            if now - last >= after:
                self.seconds[part] = self.seconds.get(part, 0.0) + now - last
                last = now
                write_text(self.path, json.dumps(self.seconds) + "\n")

        try:
            yield tick
        finally:
            tick(0.0)


def ticking(tick: Callable[[], None], on_progress: OnProgress) -> OnProgress:
    """Tick whenever there is progress, and pass it on."""

    def both(what: str, share: float) -> None:
        tick()
        on_progress(what, share)

    return both
