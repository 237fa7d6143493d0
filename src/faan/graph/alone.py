"""One process at a time in a folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from faan.graph.errors import InputError


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Refuse to work in a folder in which another process does; the lock goes with the process, whatever ends it."""
    if sys.platform == "win32":  # folders cannot be locked there
        yield
        return
    import fcntl

    number = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError("another process is at work in it; wait for that, or stop it", source=str(folder)) from None
    except OSError:
        pass  # a file system without locks
    try:
        yield
    finally:
        os.close(number)
