"""Limits on input: how long a name or line may be, and how much a file may unpack to."""

from __future__ import annotations

import os

from faan.base import InputError, shorten

NAME_BYTES = 1 << 16  # of a name, a label or a type, in UTF-8
LINE_BYTES = 1 << 24  # of a line, or of one text or tag of RDF; RDF parsers have the same bound
ARCHIVE_FILES = 10_000  # in a tar archive
UNPACK = "FAAN_UNPACK_MIB"  # the environment variable that sets how many MiB a file may unpack to
_UNPACKED_BYTES = 1 << 28  # a compressed file may always unpack to so much
_TIMES = 200  # and to so many times its own size: graphs as text shrink to a twentieth, hardly ever to a hundredth


def unpacked_limit(size: int) -> int:
    """How many bytes a compressed file of a size may unpack to."""
    wanted = os.environ.get(UNPACK)
    if wanted is None:
        return max(_UNPACKED_BYTES, _TIMES * size)
    if not (wanted.isascii() and wanted.isdecimal() and len(wanted) < 12):
        raise InputError(f"{UNPACK} is {shorten(wanted)!r}; expected a whole number of MiB")
    return int(wanted) << 20


def unpacks_too_far(limit: int, source: str) -> InputError:
    """The error for a file that unpacks to too much."""
    return InputError(
        f"unpacks to more than {limit >> 20:,} MiB; if you trust it, set the environment variable {UNPACK} to more",
        source=source,
    )


def is_too_long(name: str) -> bool:
    """Whether a name is too long."""
    return len(name) > NAME_BYTES // 4 and len(name.encode(errors="replace")) > NAME_BYTES


def too_long(name: str) -> str:
    """The error text for a name that is too long."""
    size = len(name.encode(errors="replace"))
    return f"a name of {size:,} bytes is too long; expected at most {NAME_BYTES:,}: {shorten(name)!r}"
