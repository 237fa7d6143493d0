"""Locks: one process at a time in a folder. A lock goes with its process, whatever ends that."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from faan.graph.errors import InputError


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Refuse to work in a folder in which another process does."""
    number = os.open(folder, os.O_RDONLY)
    try:
        if try_lock(number) is False:
            raise InputError("another process is at work in it; wait for that, or stop it", source=str(folder))
        yield
    finally:
        os.close(number)


def try_lock(number: int) -> bool | None:
    """Lock an open file or folder: whether nobody else has the lock, or None where the file system has no locks."""
    import fcntl  # not at the top: graphs can be read where there is none

    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
