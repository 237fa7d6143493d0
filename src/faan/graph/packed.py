"""Compressed streams: the first bytes say how a file is compressed; its content must be in proportion to its size."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import re
import sys
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from faan.graph.limits import unpacked_limit, unpacks_too_far

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from typing_extensions import Buffer

SNIFF = 1 << 20  # first bytes that detect a format
COMPRESSIONS = (".gz", ".xz", ".bz2", ".zst")
# What decompressors raise about damaged files, besides EOFError about those that were cut off.
DAMAGED = (zlib.error, lzma.LZMAError, zstd.ZstdError, gzip.BadGzipFile)

_DECOMPRESSORS: dict[re.Pattern[bytes], Callable[..., Any]] = {
    re.compile(rb"\x1f\x8b"): lambda raw: gzip.GzipFile(fileobj=raw),
    re.compile(rb"\xfd7zXZ\x00"): lzma.LZMAFile,
    re.compile(rb"BZh[1-9]1AY&SY"): bz2.BZ2File,
    re.compile(rb"\x28\xb5\x2f\xfd"): zstd.ZstdFile,
}

# What polars unpacks by itself, without a bound (gzip, zstd, zlib), and the byte order mark, which it drops.
_CHANGED_BY_POLARS = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"x\x01", b"x\x5e", b"x\x9c", b"x\xda", codecs.BOM_UTF8)


def is_changed_by_polars(block: bytes) -> bool:
    """Whether polars would change these bytes: it unpacks some formats by itself and drops a byte order mark."""
    return block.startswith(_CHANGED_BY_POLARS)


class Counted(io.RawIOBase):
    """Standard input, which is never closed; counts its bytes."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.count = 0

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: Buffer) -> int:
        """Read as much as is there, up to the buffer's size."""
        count: int = self._stream.readinto(buffer)
        self.count += count
        return count


class _Unpacked(io.RawIOBase):
    """The output of a decompressor, with a limit in proportion to its input."""

    def __init__(self, stream: io.BufferedIOBase, size: Callable[[], int], name: str) -> None:
        self._stream, self._size, self._name = stream, size, name

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._stream.seekable()

    def readinto(self, buffer: Buffer) -> int:
        count = self._stream.readinto(buffer)
        self._check(self._stream.tell())
        return count

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_SET:
            self._check(offset)
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def _check(self, place: int) -> None:
        if place > (limit := unpacked_limit(self._size())):
            raise unpacks_too_far(limit, self._name)


def buffered(raw: object) -> io.BufferedReader:
    """A stream that can look ahead far enough to detect the format."""
    return io.BufferedReader(cast(io.RawIOBase, raw), buffer_size=SNIFF)


def uncompressed(stream: io.BufferedReader, size: Callable[[], int], name: str) -> io.BufferedReader:
    """The decompressed stream; its first bytes say how it is compressed."""
    start = stream.peek(SNIFF)
    opener = next((opener for magic, opener in _DECOMPRESSORS.items() if magic.match(start)), None)
    return stream if opener is None else buffered(_Unpacked(opener(stream), size, name))
