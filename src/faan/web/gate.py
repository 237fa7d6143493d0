"""One ranking step at a time: a completer is not made for two threads, and two at once would not be faster."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from faan.web.limits import MAX_WAIT, MAX_WAITING


class BusyError(Exception):
    """Too many are waiting, or one has waited too long."""


class Gate:
    """Lets callers through one by one and turns some away where too many wait."""

    def __init__(self, waiting: int = MAX_WAITING, patience: float = MAX_WAIT) -> None:
        self._places = threading.BoundedSemaphore(waiting)
        self._turn = threading.Lock()
        self._patience = patience

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for one's turn, and have it."""
        if not self._places.acquire(blocking=False):
            raise BusyError("too many requests wait for suggestions; try again in a moment")
        try:
            if not self._turn.acquire(timeout=self._patience):
                raise BusyError(f"no turn within {self._patience:g} seconds; try again in a moment")
            try:
                yield
            finally:
                self._turn.release()
        finally:
            self._places.release()
