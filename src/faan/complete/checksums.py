"""Checksums of a folder's files, in a file beside them, to find damage."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

from faan.base import InputError, read_small, write_text

CHECKSUMS_FILE = "checksums.json"
_BLOCK = 1 << 20  # bytes read at once


def write_checksums(folder: Path) -> None:
    """Write the CRC-32 of every file of a folder."""
    sums = {name: _checksum(path) for name, path in sorted(_files(folder).items())}
    write_text(folder / CHECKSUMS_FILE, json.dumps(sums, indent=1) + "\n")


def fingerprint(folder: Path) -> int:
    """A number that identifies the contents of a folder, from its checksums."""
    path = folder / CHECKSUMS_FILE
    if not path.is_file():
        raise InputError(f"lacks {CHECKSUMS_FILE}, which tells it from other models; fit it again", source=str(folder))
    return zlib.crc32(read_small(path).encode())


def check_files(folder: Path) -> None:
    """Refuse a folder of which a file is missing or other than it was written; one without checksums is not checked.

    Files that were added later, such as decisions, are not checked.
    """
    if not (folder / CHECKSUMS_FILE).is_file():
        return
    there = _files(folder)
    for name, wanted in _read(folder / CHECKSUMS_FILE).items():
        if name not in there:
            raise InputError(f"{name} is missing")
        if _checksum(there[name]) != wanted:
            raise InputError(f"{name} is not what was written")


def _read(path: Path) -> dict[str, int]:
    try:
        sums = json.loads(read_small(path))
    except (ValueError, RecursionError):
        sums = None
    if not isinstance(sums, dict) or not all(isinstance(number, int) for number in sums.values()):
        raise InputError(f"{path.name} does not hold checksums")
    return sums


def _files(folder: Path) -> dict[str, Path]:
    """The files of a folder by their names in it."""
    return {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}


def _checksum(path: Path) -> int:
    found = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            found = zlib.crc32(block, found)
    return found
