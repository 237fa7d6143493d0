"""Opening what a user points at: files, standard input, folders and archives, compressed or not."""

from __future__ import annotations

import codecs
import io
import os
import sys
import tarfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from faan.base import InputError, OnProgress, ignore_progress
from faan.graph.limits import ARCHIVE_FILES, LINE_BYTES, unpacked_limit, unpacks_too_far
from faan.graph.packed import COMPRESSIONS, DAMAGED, SNIFF, Counted, buffered, uncompressed

if TYPE_CHECKING:
    from typing_extensions import Buffer

_BLOCK = 1 << 24  # bytes read at once by `Source.lines`


@dataclass
class Source:
    """An open stream of decompressed bytes and what to call it in messages."""

    name: str
    stream: io.BufferedReader
    on_block: Callable[[], None] | None = None  # called after each block that `blocks` gives
    line: int = 1  # where the block that `blocks` gave last begins
    ahead: bool = False  # whether `blocks` reads a piece while the one before is used

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
        for piece in self._pieces(size):
            if self.on_block:
                self.on_block()
            cut = piece.rfind(b"\n") + 1
            if cut:
                yield from self._checked(b"".join([*rest, piece[:cut]]))
                rest = []
            rest.append(piece[cut:])
            if sum(map(len, rest)) > LINE_BYTES:
                raise self._long_line(self.line)
        if last := b"".join(rest):
            yield from self._checked(last)

    def _pieces(self, size: int) -> Iterator[bytes]:
        """The bytes in pieces of a size; of a compressed file the next one is unpacked while one is used."""
        if not self.ahead:
            with self.errors():
                yield from iter(lambda: self.stream.read(size), b"")
            return
        with self.errors(), ThreadPoolExecutor(1) as reader:
            following = reader.submit(self.stream.read, size)
            while piece := following.result():
                following = reader.submit(self.stream.read, size)
                yield piece

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """The lines that are not blank, without their ends, by their numbers."""
        for block in self.blocks(_BLOCK):
            for number, line in enumerate(block.split(b"\n"), self.line):
                if line.strip():
                    yield number, line

    def _checked(self, block: bytes) -> Iterator[bytes]:
        """A block, if no line in it is too long: in each stretch of that length a line must end."""
        start = 0
        while len(block) - start > LINE_BYTES:
            end = block.rfind(b"\n", start, start + LINE_BYTES + 1)
            if end < 0:
                raise self._long_line(self.line + block.count(b"\n", 0, start))
            start = end + 1
        yield block
        self.line += block.count(b"\n")

    def _long_line(self, line: int) -> InputError:
        return InputError(f"the line is longer than {LINE_BYTES:,} bytes", source=self.name, line=line)

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
            raise InputError(
                "the compressed file ends too early; it seems to be cut off: copy it again", source=self.name
            ) from None
        except DAMAGED as error:
            raise InputError(f"the compressed file is damaged ({error}): copy it again", source=self.name) from None
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror or error})", source=self.name) from None


@contextmanager
def open_source(path: str | Path, on_progress: OnProgress = ignore_progress) -> Iterator[Source]:
    """Open a file or, for `-`, standard input; the first bytes say how it is compressed, not the name.

    `on_progress` is called with the share of the file that has been read.
    """
    if str(path) == "-":
        counted = Counted(sys.stdin.buffer)
        yield _decompressed(Source("standard input", buffered(counted)), lambda: counted.count)
        return
    try:
        raw = Path(path).open("rb")  # noqa: SIM115, closed below
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be opened ({getattr(error, 'strerror', error)})", source=str(path)) from None
    with raw:
        size = os.fstat(raw.fileno()).st_size
        packed = buffered(raw)
        source = _decompressed(Source(str(path), packed), lambda: size)
        source.ahead = source.stream is not packed
        if size:
            source.on_block = lambda: on_progress(f"reading {path}", min(raw.tell() / size, 1.0))
        yield source


def _decompressed(source: Source, size: Callable[[], int]) -> Source:
    """Take compression and a byte order mark off a source."""
    with source.errors():
        source.stream = uncompressed(source.stream, size, source.name)
    if source.peek().startswith(codecs.BOM_UTF8):
        source.stream.read(len(codecs.BOM_UTF8))
    return source


class _Prefixed(io.RawIOBase):
    """Some bytes, then a stream."""

    def __init__(self, start: bytes, stream: io.BufferedReader) -> None:
        self._start, self._stream = io.BytesIO(start), stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        return self._start.readinto(buffer) or self._stream.readinto(buffer)


def prefixed(source: Source, header: bytes) -> Source:
    """A source with a line before its first one, which has the number 0."""
    return Source(source.name, buffered(_Prefixed(header, source.stream)), source.on_block, 0, source.ahead)


class Folder:
    """Files by name in a folder or in a tar archive (compressed or not); nothing is ever unpacked to disk.

    An archive stays open, because going back in a compressed one means to unpack it from its beginning: files are best
    read in the archive's order. Use it in a `with` statement.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._opened = ExitStack()
        self._archive: tarfile.TarFile | None = None
        self._members: dict[str, tarfile.TarInfo] = {}  # by file name
        if not self.path.is_dir():
            with self._errors(), ExitStack() as opening:
                raw = opening.enter_context(self.path.open("rb"))
                packed = opening.enter_context(buffered(raw))
                stream = opening.enter_context(
                    uncompressed(packed, lambda: self.path.stat().st_size, str(self.path)),
                )
                self._archive = opening.enter_context(tarfile.open(fileobj=stream, mode="r:"))
                self._members = self._top_files(self._archive)
                self._opened = opening.pop_all()

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def _top_files(self, archive: tarfile.TarFile) -> dict[str, tarfile.TarInfo]:
        """The files of an archive's one folder, by their names."""
        members = list(islice(archive, ARCHIVE_FILES + 1))
        if len(members) > ARCHIVE_FILES:
            raise InputError(f"the archive holds more than {ARCHIVE_FILES:,} files; unpack it", source=str(self.path))
        files = [m for m in members if m.isfile() and not Path(m.name).name.startswith(".")]
        parents = {Path(file.name).parent for file in files}
        depth = min((len(parent.parts) for parent in parents), default=0)
        tops = [parent for parent in parents if len(parent.parts) == depth]
        if len(tops) != 1:
            raise InputError(f"expected an archive of one folder, found {len(tops)}", source=str(self.path))
        return {Path(file.name).name: file for file in files if Path(file.name).parent == tops[0]}

    def names(self) -> set[str]:
        """The names of its files, without hidden ones such as the `._graph.nt` that macOS puts beside files."""
        if self._archive is not None:
            return set(self._members)
        return {entry.name for entry in self.path.iterdir() if entry.is_file() and not entry.name.startswith(".")}

    def require(self, kind: str, *names: str) -> None:
        """Complain about files that ought to be there."""
        missing = [name for name in names if name not in self.names()]
        if missing:
            raise InputError(
                f"expected {kind} with the files {', '.join(names)}; missing: {', '.join(missing)}",
                source=str(self.path),
            )

    @contextmanager
    def open_part(self, name: str, on_progress: OnProgress = ignore_progress) -> Iterator[Source]:
        """Open one file that may be compressed."""
        if self._archive is None:
            with open_source(self.path / name, on_progress) as source:
                yield source
            return
        with self.open(name) as source:
            yield _decompressed(source, lambda: self.path.stat().st_size)

    @contextmanager
    def open(self, name: str) -> Iterator[Source]:
        """Open one file, as it is: what lies in such a folder is neither compressed nor guessed at."""
        place = f"{self.path}/{name}"
        if self._archive is None:
            with (self.path / name).open("rb") as raw:
                yield Source(place, buffered(raw))
            return
        member, limit = self._members[name], unpacked_limit(self.path.stat().st_size)
        if member.size > limit:  # a sparse file is larger than its archive
            raise unpacks_too_far(limit, place)
        with self._errors():
            yield Source(place, buffered(self._archive.extractfile(member)))

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn what archives raise into an error that names the archive."""
        try:
            yield
        except tarfile.ReadError:
            raise InputError("expected a folder or a tar archive of one", source=str(self.path)) from None
        except (tarfile.TarError, EOFError, *DAMAGED, OSError, RecursionError) as error:
            raise InputError(f"the archive cannot be read ({error})", source=str(self.path)) from None


def extension_of(name: str) -> str:
    """A file's ending without that of its compression, in lower case: `.nt` of `graph.NT.gz`."""
    path = Path(name.lower())
    return Path(path.stem).suffix if path.suffix in COMPRESSIONS else path.suffix


def is_tar(head: bytes) -> bool:
    """Whether decompressed bytes begin like a tar archive."""
    return head[257:262] == b"ustar"
