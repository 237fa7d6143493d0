"""Remembers which files were checked on this machine, so that gigabytes are read once and not at every start.

A file counts as checked while its name, size, inode and the time of its last change (ctime) stay the same. Neither an
archive nor a program can set that time: a file that was written again, copied or unpacked has another one. The note of
what was checked is in the user's cache, never in the folder itself, which may come from a stranger.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from faan.base.files import write_text

_TICK = 20_000_000  # nanoseconds; clocks of file systems go in steps of up to ten milliseconds
_COARSE = 1_000_000  # a file system whose times are all multiples of this cannot tell changes apart


class Checked:
    """Which files and folders (`parts`) of a folder were checked."""

    def __init__(self, folder: Path, parts: Iterable[str]) -> None:
        self._folder, self._parts = folder.absolute(), tuple(parts)
        self._begun = self._state()

    @property
    def is_known(self) -> bool:
        """Whether the files are as they were when they were checked."""
        if self._begun is None:
            return False
        try:
            return self._note.read_text(encoding="utf-8") == self._begun
        except (OSError, ValueError, RuntimeError):  # RuntimeError: the user has no home
            return False

    def remember(self) -> None:
        """Note that the files were checked, unless one has changed since this object was made."""
        if self._begun is None or self._begun != self._state():
            return
        with suppress(OSError, RuntimeError):  # if nothing can be saved, files are checked each time
            self._note.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_text(self._note, self._begun)

    @property
    def _note(self) -> Path:
        name = hashlib.sha256(os.fsencode("\n".join([str(self._folder), *self._parts]))).hexdigest()[:32]
        own, shared = os.environ.get("FAAN_CACHE"), os.environ.get("XDG_CACHE_HOME")
        return (Path(own) if own else Path(shared or "~/.cache", "faan").expanduser()) / "checked" / name

    def _state(self) -> str | None:
        """The state of the files as a line of text; None if times cannot tell whether a file has changed."""
        if os.name != "posix":  # elsewhere the time of a change can be set
            return None
        try:
            found = {str(path.relative_to(self._folder)): path.stat() for path in self._files()}
        except OSError:
            return None
        files = {
            name: (one.st_dev, one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns) for name, one in found.items()
        }
        times = [one.st_ctime_ns for one in found.values()]
        if not times or all(time % _COARSE == 0 for time in times):
            return None
        wait = max(times) + _TICK - time.time_ns()
        if wait > _TICK:
            return None  # the clock was changed
        time.sleep(max(wait, 0) / 1e9)  # from here on a change gets a later time
        return json.dumps([version("faan"), files], sort_keys=True)

    def _files(self) -> list[Path]:
        found: list[Path] = []
        for part in self._parts:
            path = self._folder / part
            found += [path] if path.is_file() else sorted(one for one in path.rglob("*") if not one.is_dir())
        return found
