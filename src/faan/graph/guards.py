"""Checks before RDF parsing: refuses input that would crash the parser or exhaust memory.

Parsers keep a stack of what is open, and some of them recurse over it: triples inside triples end the process, objects
inside objects take time that grows with the cube of the depth, entities of XML multiply. A guard looks at each block of
the file as it passes by. Where a block is plain, no Python runs for each of its tags.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from faan.base import InputError
from faan.graph.limits import LINE_BYTES, NAME_BYTES

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_BLOCK = 1 << 20  # bytes in one block
JSON_DEPTH = 100
XML_DEPTH = 2000  # lists may be written as elements inside elements
TRIPLE_DEPTH = 100

# A guard must not be slow itself. So no text matches a part of these expressions in two ways, and what begins often and
# never ends is looked for once, not from each beginning.
# Triples inside triples: between the beginnings of two there are only names and comments.
_CHAIN = re.compile(rb"<<\((?:[^<#()\"'\\]+|\\.|<[^<>]*>|#[^\n]*)*", re.DOTALL)
_ESCAPED = re.compile(rb"\\.", re.DOTALL)
_XML_DECLARATION = rb"<![A-Za-z](?:[^<>\"']|\"[^\"<>]*\"|'[^'<>]*')*>"
_XML_DOCTYPE = re.compile(
    rb"<!(?i:DOCTYPE)(?:[^\[<>\"']|\"[^\"<>]*\"|'[^'<>]*')*"
    rb"(?:\[(?:\s|<!--[^<>]*-->|" + _XML_DECLARATION + rb")*\]\s*)?>"
)
_XML_ASIDE = re.compile(rb"<[!?]")  # begins a comment, an instruction or a declaration
_XML_ASIDES = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}  # how those begin and end that may be long
_XML_TAG = re.compile(rb"<[^<>\"']*(?:\"[^\"<]*\"[^<>\"']*|'[^'<]*'[^<>\"']*)*>")
_XML_ENTITY = re.compile(rb'<!ENTITY\s*(?:%\s*)?([^\s"]+)\s+"([^"]*)"')
_XML_REFERENCE = re.compile(rb"&([^&;\s<>]+);")
_ENTITIES_ADD = 20  # times the bytes of the file itself


class Readable(Protocol):
    """A file, or the answer of a server."""

    def read(self, size: int, /) -> bytes:
        """The next bytes."""
        ...


def guarded(stream: Readable, name: str, format: str) -> io.BufferedReader:
    """A stream of checked blocks; parsers read it in thousands of small pieces."""
    return io.BufferedReader(_Guarded(stream, name, _GUARDS[format]()), _BLOCK)


class _Guarded(io.RawIOBase):
    """Blocks of a stream that a guard has checked."""

    def __init__(self, stream: Readable, name: str, look: Callable[[bytes], None]) -> None:
        self._stream, self._name, self._look = stream, name, look

    def readable(self) -> bool:
        """Always true."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """The next block; none at the end."""
        place = memoryview(buffer)
        block = self._stream.read(len(place))
        try:
            self._look(block)
        except InputError as error:
            raise InputError(str(error), source=self._name) from None
        place[: len(block)] = block
        return len(block)


class _Guard:
    """What guards share: the part of the last block that belongs to the next one, and the current depth."""

    def __init__(self) -> None:
        self._rest = b""
        self._depth = 0

    def _keep(self, rest: bytes) -> None:
        if len(rest) > LINE_BYTES:
            raise InputError(f"a text or tag is longer than {LINE_BYTES:,} bytes")
        self._rest = rest

    def _seems_above(self, steps: NDArray[np.int8], limit: int) -> bool:
        return self._depth + int(np.cumsum(steps, dtype=np.int64).max(initial=0)) > limit

    def _step(self, steps: NDArray[np.int8], limit: int) -> None:
        """Apply the steps to the depth; refuses depths above the limit."""
        depths = self._depth + np.cumsum(steps, dtype=np.int64)
        if len(depths):
            self._depth = int(depths[-1])
            if depths.max() > limit:
                raise InputError(f"nested more than {limit:,} deep")


class _TurtleGuard(_Guard):
    """Turtle and TriG: triples inside triples."""

    def __call__(self, block: bytes) -> None:
        text = self._rest + block
        if b"<<" not in text and not self._depth:  # nearly all files
            self._rest = text[-1:]
            return
        _chain_depth(text, self._depth)
        cut = text.rfind(b"\n") + 1  # names and comments end there
        self._keep(text[cut:])
        self._depth = _chain_depth(text[:cut], self._depth)


def check_nesting(line: str | bytes) -> None:
    """Refuse a line of N-Triples with too many triples inside each other."""
    text = line.encode(errors="replace") if isinstance(line, str) and "<<(" in line else line
    if isinstance(text, bytes):
        _chain_depth(text)


def _chain_depth(text: bytes, depth: int = 0) -> int:
    """How many triples are open at the end of a text, given those open at its beginning; refuses too many."""
    end = 0
    if depth and (match := _CHAIN.match(b"<<(" + text)):
        end = match.end() - len("<<(")
    for match in _CHAIN.finditer(text, end):
        depth = depth + 1 if match.start() == end else 1
        end = match.end()
        if depth > TRIPLE_DEPTH:
            raise InputError(f"triples are nested more than {TRIPLE_DEPTH} deep; reduce the nesting")
    return depth if end == len(text) else 0


def _bits(mask: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """The mask as words of 64 bits, the first is the lowest."""
    packed = np.packbits(mask, bitorder="little")
    bits = np.zeros(-(-len(packed) // 8), "<u8")
    bits.view(np.uint8)[: len(packed)] = packed
    return bits


def _shifted(bits: NDArray[np.uint64], places: Literal[-1, 1]) -> NDArray[np.uint64]:
    """The bits one place further or one place back."""
    one, most = np.uint64(1), np.uint64(63)
    if places == 1:
        moved = bits << one
        moved[1:] |= bits[:-1] >> most
    else:
        moved = bits >> one
        moved[:-1] |= bits[1:] << most
    return moved


def _odd_so_far(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Of each place, whether an odd number of bits is set up to there, its own among them."""
    for shift in (1, 2, 4, 8, 16, 32):
        bits = bits ^ (bits << np.uint64(shift))
    odd = np.bitwise_xor.accumulate(bits >> np.uint64(63))  # up to the end of each word
    bits[1:] ^= -odd[:-1]  # all bits of a word before which it is odd
    return bits


def _word_steps(up: NDArray[np.uint64], down: NDArray[np.uint64]) -> NDArray[np.int8]:
    """Of each word first all steps up, then all steps down: never lower than one by one, by a few steps higher."""
    counts = [np.bitwise_count(up).astype(np.int8), -np.bitwise_count(down).astype(np.int8)]
    return np.stack(counts, axis=1).ravel()


class _JsonGuard(_Guard):
    """JSON-LD: objects and lists inside each other."""

    _in_string = False

    def __call__(self, block: bytes) -> None:
        text = self._rest + block
        if b"\\" in text:
            text = _ESCAPED.sub(b"", text)
        self._rest = text[-1:] if text.endswith(b"\\") else b""  # what it escapes is in the next block
        letters = np.frombuffer(text, np.uint8)
        quotes = letters == ord('"')
        strings = _odd_so_far(_bits(quotes))
        strings = ~strings if self._in_string else strings
        self._in_string ^= bool(np.count_nonzero(quotes) % 2)
        kinds = letters | 32  # of [ and {, of ] and }
        opening, closing = _bits(kinds == ord("{")) & ~strings, _bits(kinds == ord("}")) & ~strings
        steps = _word_steps(opening, closing)
        if self._seems_above(steps, JSON_DEPTH):
            up, down = (
                np.unpackbits(bits.view(np.uint8), bitorder="little").view(np.int8) for bits in (opening, closing)
            )
            steps = up - down
        self._step(steps, JSON_DEPTH)


class _XmlGuard(_Guard):
    """RDF/XML: elements inside each other, and entities that expand to long texts."""

    def __init__(self) -> None:
        super().__init__()
        self._entities: dict[bytes, int] = {}  # name -> length of what it stands for
        self._read = self._added = 0

    def __call__(self, block: bytes) -> None:
        text = self._rest + block
        self._read += len(block)
        text, place = self._without_asides(text)
        cut = text.rfind(b">", 0, place) + 1
        steps, cut = self._steps(text[:cut])
        self._keep(text[cut:])
        self._step(steps, XML_DEPTH)
        if self._entities:
            self._count(text[:cut])

    def _without_asides(self, text: bytes) -> tuple[bytes, int]:
        """The text without comments, instructions and declarations, and where one begins that ends in a later block.

        They must not stand inside tags.
        """
        if b"!" not in text and b"?" not in text:  # one letter is found faster than two
            return text, len(text)
        parts, end = [], 0
        while begun := _XML_ASIDE.search(text, end):
            parts.append(text[end : begun.start()])
            tag = parts[-1].rfind(b"<")
            if tag >= 0 and not _XML_TAG.match(parts[-1], tag):
                raise self._wrong("a tag has a < in it")
            ends = self._end_of_aside(text, begun.start())
            if ends is None:
                return b"".join([*parts, text[begun.start() :]]), sum(map(len, parts))
            end = ends
        whole = b"".join([*parts, text[end:]])
        return whole, len(whole)

    def _end_of_aside(self, text: bytes, place: int) -> int | None:
        """The end of a comment, instruction or declaration that begins at a place; None if it is in a later block."""
        begun = text[place : place + 9]
        for begin, end in _XML_ASIDES.items():
            if begun.startswith(begin[: len(begun)]) and begun[:3] != b"<?>":
                found = text.find(end, place + len(begin))
                return found + len(end) if found >= 0 else None
        match = _XML_DOCTYPE.match(text, place)
        if match is None:
            problem = 'a declaration is not plain; expected only <!ENTITY name "value"> in <!DOCTYPE ... [...]>'
            raise self._wrong(problem)
        self._declare(match[0])
        return match.end()

    def _declare(self, text: bytes) -> None:
        for name, value in _XML_ENTITY.findall(text):
            inner = sum(self._entities.get(name, 0) for name in _XML_REFERENCE.findall(value))
            self._entities[name] = len(value) + inner
            if self._entities[name] > NAME_BYTES:
                shown = name[:50].decode(errors="replace")
                raise InputError(f"the entity {shown!r} expands to more than {NAME_BYTES:,} bytes; expected a name")

    def _count(self, text: bytes) -> None:
        """Refuse entities that expand to many times the size of the file."""
        most = int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord("&"))) * max(self._entities.values())
        allowed = _BLOCK + _ENTITIES_ADD * self._read
        if self._added + most > allowed:
            most = sum(self._entities.get(name, 0) for name in _XML_REFERENCE.findall(text))
        self._added += most
        if self._added > allowed:
            raise InputError("its entities expand to far more than the size of the file")

    def _steps(self, text: bytes) -> tuple[NDArray[np.int8], int]:
        """Steps up and down, one for each tag or more in one, and where the last tag ends.

        In a plain text < and > take turns, and the quotes in tags are double and closed. Then a letter is a bit, and
        64 of them are looked at together: first all that open count, then all that close.
        """
        letters = np.frombuffer(text, np.uint8)
        starts, ends, slashes, quotes = (_bits(letters == ord(letter)) for letter in '<>/"')
        inside = _odd_so_far(starts | ends)
        odd = (starts & ~inside) | (ends & (inside | _odd_so_far(quotes & inside)))
        if b"'" in text:
            odd |= _bits(letters == ord("'")) & inside
        if odd.any():
            return self._steps_of_each(text)
        closing, empty = starts & _shifted(slashes, -1), ends & _shifted(slashes, 1)
        steps = _word_steps(starts & ~closing, closing | empty)
        return self._steps_of_each(text) if self._seems_above(steps, XML_DEPTH) else (steps, len(text))

    def _steps_of_each(self, text: bytes) -> tuple[NDArray[np.int8], int]:
        """+1 for each tag that opens, -1 for each that closes, and where the last one ends, for any text."""
        steps, end = [], 0
        for match in _XML_TAG.finditer(text):
            if text.find(b"<", end, match.start()) >= 0:
                raise self._wrong("a tag has a < in it")
            end, tag = match.end(), match[0]
            steps.append(-1 if tag.startswith(b"</") else 0 if tag.endswith(b"/>") else 1)
        return np.array(steps, np.int8), end

    def _wrong(self, problem: str) -> InputError:
        return InputError(f"not rdf/xml: {problem}")


_GUARDS: dict[str, Callable[[], Callable[[bytes], None]]] = {
    "turtle": _TurtleGuard,
    "trig": _TurtleGuard,
    "json-ld": _JsonGuard,
    "rdf/xml": _XmlGuard,
}
