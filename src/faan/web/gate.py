"""One ranking step at a time: a completer is not thread-safe, and two steps at once would not be faster."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from faan.web.limits import MAX_WAIT, MAX_WAITING


class BusyError(Exception):
    """Too many requests wait, or this one waited too long."""


class Gate:
    """Lets callers in one at a time, in order of arrival; refuses them if too many wait."""

    def __init__(self, waiting: int = MAX_WAITING, patience: float = MAX_WAIT) -> None:
        self._waiting = waiting
        self._patience = patience
        self._lock = threading.Lock()
        self._queue: deque[threading.Event] = deque()  # the first one holds the turn

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for this caller's turn and hold it."""
        mine = threading.Event()
        with self._lock:
            if len(self._queue) >= self._waiting:
                raise BusyError("too many requests wait for suggestions; try again in a moment")
            self._queue.append(mine)
            self._queue[0].set()
        try:
            if not mine.wait(self._patience):
                raise BusyError(f"no turn within {self._patience:g} seconds; try again in a moment")
            yield
        finally:
            with self._lock:
                self._queue.remove(mine)
                if self._queue:
                    self._queue[0].set()
