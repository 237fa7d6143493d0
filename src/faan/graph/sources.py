"""Opening what a user points at: files, standard input, folders and archives, compressed or not."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import re
import sys
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from faan.base import InputError, OnProgress, ignore_progress

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

SNIFF = 1 << 20  # bytes looked at to tell formats apart

_DECOMPRESSORS: dict[re.Pattern[bytes], Callable[..., object]] = {
    re.compile(rb"\x1f\x8b"): lambda raw: gzip.GzipFile(fileobj=raw),
    re.compile(rb"\xfd7zXZ\x00"): lzma.LZMAFile,
    re.compile(rb"BZh[1-9]1AY&SY"): bz2.BZ2File,
    re.compile(rb"\x28\xb5\x2f\xfd"): zstd.ZstdFile,
}
COMPRESSIONS = (".gz", ".xz", ".bz2", ".zst")


@dataclass
class Source:
    """An open stream of decompressed bytes and what to call it in messages."""

    name: str
    stream: io.BufferedReader
    on_block: Callable[[], None] | None = None  # called after each block that `blocks` gives

    @property
    def extension(self) -> str:
        """The ending of its name."""
        return extension_of(self.name)

    def peek(self) -> bytes:
        """The first bytes, without reading past them."""
        with self.errors():
            return self.stream.peek(SNIFF)[:SNIFF]

    def blocks(self, size: int = 1 << 26) -> Iterator[bytes]:
        """The bytes in large pieces that end at line ends (a last line may lack its own)."""
        rest: list[bytes] = []
        while True:
            with self.errors():
                piece = self.stream.read(size)
            if not piece:
                break
            if self.on_block:
                self.on_block()
            cut = piece.rfind(b"\n") + 1
            if cut:
                yield b"".join([*rest, piece[:cut]])
                rest = []
            rest.append(piece[cut:])
        if last := b"".join(rest):
            yield last

    def read(self) -> bytes:
        """All bytes."""
        with self.errors():
            return self.stream.read()

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn what decompressors and disks raise into an error that names the file."""
        try:
            yield
        except EOFError:
            raise InputError("the compressed file ends too early; it seems to be cut off", source=self.name) from None
        except (zlib.error, lzma.LZMAError, zstd.ZstdError, gzip.BadGzipFile) as error:
            raise InputError(f"the compressed file is damaged ({error})", source=self.name) from None
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror or error})", source=self.name) from None


@contextmanager
def open_source(path: str | Path, on_progress: OnProgress = ignore_progress) -> Iterator[Source]:
    """Open a file or, for `-`, standard input; compression is told by the first bytes, not by the name.

    `on_progress` is told which share of the file has been read.
    """
    if str(path) == "-":
        buffered = _buffered(sys.stdin.buffer)
        try:
            yield _decompressed(Source("standard input", buffered))
        finally:
            buffered.detach()  # standard input is not ours to close
        return
    try:
        raw = Path(path).open("rb")  # noqa: SIM115, closed below
        size = Path(path).stat().st_size
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be opened ({getattr(error, 'strerror', error)})", source=str(path)) from None
    with raw:
        source = _decompressed(Source(str(path), _buffered(raw)))
        if size:
            source.on_block = lambda: on_progress(f"reading {path}", min(raw.tell() / size, 1.0))
        yield source


def _buffered(raw: object) -> io.BufferedReader:
    return io.BufferedReader(cast(io.RawIOBase, raw), buffer_size=SNIFF)


def _uncompressed(stream: io.BufferedReader) -> io.BufferedReader:
    """What a stream holds; compression is told by its first bytes."""
    start = stream.peek(SNIFF)
    opener = next((opener for magic, opener in _DECOMPRESSORS.items() if magic.match(start)), None)
    return stream if opener is None else _buffered(opener(stream))


def _decompressed(source: Source) -> Source:
    """The same source without compression and without a byte order mark."""
    with source.errors():
        source.stream = _uncompressed(source.stream)
    if source.peek().startswith(codecs.BOM_UTF8):
        source.stream.read(len(codecs.BOM_UTF8))
    return source


class Folder:
    """Files by name in a folder or in a tar archive (compressed or not); nothing is ever unpacked to disk."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._members: dict[str, str] | None = None  # file name -> path inside the archive
        if not self.path.is_dir():
            with self._open_archive() as archive:
                files = [m.name for m in archive if m.isfile() and not Path(m.name).name.startswith(".")]
            parents = {Path(name).parent for name in files}
            depth = min((len(parent.parts) for parent in parents), default=0)
            tops = [parent for parent in parents if len(parent.parts) == depth]
            if len(tops) != 1:
                raise InputError(f"expected an archive of one folder, found {len(tops)}", source=str(path))
            self._members = {Path(name).name: name for name in files if Path(name).parent == tops[0]}

    def names(self) -> set[str]:
        """The file names in it."""
        if self._members is not None:
            return set(self._members)
        return {entry.name for entry in self.path.iterdir() if entry.is_file()}

    def require(self, kind: str, *names: str) -> None:
        """Complain about files that ought to be there."""
        missing = [name for name in names if name not in self.names()]
        if missing:
            raise InputError(
                f"expected {kind} with the files {', '.join(names)}; missing: {', '.join(missing)}",
                source=str(self.path),
            )

    @contextmanager
    def open(self, name: str) -> Iterator[Source]:
        """Open one file, as it is: what lies in such a folder is neither compressed nor guessed at."""
        place = f"{self.path}/{name}"
        if self._members is None:
            with (self.path / name).open("rb") as raw:
                yield Source(place, _buffered(raw))
        else:
            with self._open_archive() as archive:
                yield Source(place, _buffered(archive.extractfile(self._members[name])))

    @contextmanager
    def _open_archive(self) -> Iterator[tarfile.TarFile]:
        try:
            with (
                self.path.open("rb") as raw,
                _buffered(raw) as packed,
                _uncompressed(packed) as stream,
                tarfile.open(fileobj=stream, mode="r:") as archive,
            ):
                yield archive
        except tarfile.ReadError:
            raise InputError("expected a folder or a tar archive of one", source=str(self.path)) from None
        except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, zstd.ZstdError, OSError) as error:
            raise InputError(f"the archive cannot be read ({error})", source=str(self.path)) from None


def extension_of(name: str) -> str:
    """A file's ending without that of its compression, in lower case: `.nt` of `graph.NT.gz`."""
    path = Path(name.lower())
    return Path(path.stem).suffix if path.suffix in COMPRESSIONS else path.suffix


def is_tar(head: bytes) -> bool:
    """Whether decompressed bytes begin like a tar archive."""
    return head[257:262] == b"ustar"
