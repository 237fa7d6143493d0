"""RDF that would hurt its parser is refused before the parser sees it.

Parsers keep a stack of what is open, and some of them recurse over it: triples inside triples end the process, objects
inside objects take time that grows with the cube of the depth, entities of XML multiply. A guard looks at each block of
the file as it passes by. Where a block is plain, no Python runs for each of its tags.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from faan.base import InputError
from faan.graph.limits import LINE_BYTES, NAME_BYTES
from faan.graph.sources import Source

_BLOCK = 1 << 20  # bytes looked at together
JSON_DEPTH = 100
XML_DEPTH = 2000  # lists may be written as elements inside elements
TRIPLE_DEPTH = 100

# Triples inside triples: between the beginnings of two there are only names and comments.
_CHAIN = re.compile(rb"<<\((?:[^<#()\"'\\]+|\\.|<[^<>]*>|#[^\n]*\n)*", re.DOTALL)
_JSON_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_XML_DECLARATION = rb"<![A-Za-z]+(?:[^<>\"']|\"[^\"<>]*\"|'[^'<>]*')*>"
_XML_DOCTYPE = (
    rb"<!(?i:DOCTYPE)(?:[^\[<>\"']|\"[^\"<>]*\"|'[^'<>]*')*"
    rb"(?:\[(?:\s|<!--[^<>]*-->|" + _XML_DECLARATION + rb")*\]\s*)?>"
)
_XML_ASIDE = re.compile(rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|" + _XML_DOCTYPE, re.DOTALL)
_XML_ASIDES = (b"<!--", b"<![CDATA[", b"<?")  # how those begin that may be longer than a block
_XML_TAG = re.compile(rb"<[^<>\"']*(?:\"[^\"<]*\"[^<>\"']*|'[^'<]*'[^<>\"']*)*>")
_XML_ENTITY = re.compile(rb'<!ENTITY\s*%?\s*([^\s"]+)\s+"([^"]*)"')
_XML_REFERENCE = re.compile(rb"&([^&;\s<>]+);")
_XML_MARKS = bytes(letter in b"<>\"'" for letter in range(256))  # of each letter: whether it is one of these
_ENTITIES_ADD = 20  # times the bytes of the file itself


class Guarded:
    """A stream that lets through what a guard has looked at."""

    def __init__(self, source: Source, format: str) -> None:
        self._stream = source.stream
        self._name = source.name
        self._look: Callable[[bytes], None] = _GUARDS[format]()
        self._block, self._place = b"", 0

    def read(self, size: int) -> bytes:
        """The next bytes, at most so many; none at the end."""
        if self._place == len(self._block):
            self._block, self._place = self._stream.read(_BLOCK), 0
            try:
                self._look(self._block)
            except InputError as error:
                raise InputError(str(error), source=self._name) from None
        start, self._place = self._place, min(self._place + size, len(self._block))
        return self._block[start : self._place]


class _Guard:
    """What guards have in common: what of the last block belongs to the next one, and how deep it went."""

    def __init__(self) -> None:
        self._rest = b""
        self._depth = 0

    def _keep(self, rest: bytes) -> None:
        if len(rest) > LINE_BYTES:
            raise InputError(f"a text or tag is longer than {LINE_BYTES:,} bytes")
        self._rest = rest

    def _step(self, steps: NDArray[np.int8], limit: int) -> None:
        """Go up and down by the steps; no higher than the limit."""
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
    """How many triples are open at the end of a text, where so many were at its beginning; refuses too many."""
    end = 0
    if depth and (match := _CHAIN.match(b"<<(" + text)):
        end = match.end() - len("<<(")
    for match in _CHAIN.finditer(text, end):
        depth = depth + 1 if match.start() == end else 1
        end = match.end()
        if depth > TRIPLE_DEPTH:
            raise InputError(f"triples inside triples more than {TRIPLE_DEPTH} deep; expected no such thing in a graph")
    return depth if end == len(text) else 0


class _JsonGuard(_Guard):
    """JSON-LD: objects and lists inside each other."""

    def __call__(self, block: bytes) -> None:
        bare, quote, unfinished = _JSON_STRING.sub(b"", self._rest + block).partition(b'"')
        escape = b"\\" * ((len(unfinished) - len(unfinished.rstrip(b"\\"))) % 2)
        self._rest = quote + escape  # of a string that goes on, only what decides where it ends
        brackets = np.frombuffer(bare.translate(None, _NO_BRACKETS), np.uint8)
        self._step(np.where((brackets | 32) == ord("{"), 1, -1).astype(np.int8), JSON_DEPTH)


class _XmlGuard(_Guard):
    """RDF/XML: elements inside each other, and entities that stand for more than they look."""

    def __init__(self) -> None:
        super().__init__()
        self._entities: dict[bytes, int] = {}  # name -> length of what it stands for
        self._read = self._added = 0

    def __call__(self, block: bytes) -> None:
        text = self._rest + block
        self._read += len(block)
        text = self._without_asides(text)
        cut = text.rfind(b">", 0, self._begun_aside(text)) + 1
        steps, cut = self._steps(text[:cut])
        self._keep(text[cut:])
        self._step(steps, XML_DEPTH)
        if self._entities:
            self._count(text[:cut])

    def _without_asides(self, text: bytes) -> bytes:
        """The text without comments, instructions and declarations; these must not stand inside tags."""
        if b"!" not in text and b"?" not in text:  # one letter is found faster than two
            return text
        parts, end = [], 0
        for match in _XML_ASIDE.finditer(text):
            between = text[end : match.start()]
            tag = between.rfind(b"<")
            if tag >= 0 and not _XML_TAG.match(between, tag):
                raise self._wrong("a tag has a < in it")
            parts.append(between)
            end = match.end()
            if match[0].startswith(b"<!") and match[0][2:3] in b"Dd":
                self._declare(match[0])
        return b"".join([*parts, text[end:]])

    def _begun_aside(self, text: bytes) -> int:
        """Where a comment or the like begins that ends in a later block, or the end of the text."""
        if b"!" not in text and b"?" not in text:
            return len(text)
        place = min((place for place in (text.find(b"<!"), text.find(b"<?")) if place >= 0), default=len(text))
        begun = text[place : place + 9]
        if begun.startswith(b"<?>") or not any(begun.startswith(aside[: len(begun)]) for aside in _XML_ASIDES):
            raise self._wrong(
                'a declaration is not plain; expected only <!ENTITY name "value"> in <!DOCTYPE ... [...]>'
            )
        return place

    def _declare(self, text: bytes) -> None:
        for name, value in _XML_ENTITY.findall(text):
            inner = sum(self._entities.get(name, 0) for name in _XML_REFERENCE.findall(value))
            self._entities[name] = len(value) + inner
            if self._entities[name] > NAME_BYTES:
                shown = name[:50].decode(errors="replace")
                raise InputError(f"the entity {shown!r} stands for more than {NAME_BYTES:,} bytes; expected a name")

    def _count(self, text: bytes) -> None:
        """Refuse entities that add many times more than there is to read."""
        most = text.count(b"&") * max(self._entities.values())
        allowed = _BLOCK + _ENTITIES_ADD * self._read
        if self._added + most > allowed:
            most = sum(self._entities.get(name, 0) for name in _XML_REFERENCE.findall(text))
        self._added += most
        if self._added > allowed:
            raise InputError("its entities stand for far more than the file holds")

    def _steps(self, text: bytes) -> tuple[NDArray[np.int8], int]:
        """+1 for each tag that opens, -1 for each that closes, and where the last one ends.

        In a plain text < and > take turns, and the quotes in tags are double and closed.
        """
        letters = np.frombuffer(text, np.uint8)
        places = np.flatnonzero(np.frombuffer(text.translate(_XML_MARKS), np.bool_))
        marks = letters[places]  # only < > and quotes
        angles = np.flatnonzero((marks == ord("<")) | (marks == ord(">")))
        starts, ends = angles[::2], angles[1::2]
        plain = len(starts) == len(ends) and (marks[starts] == ord("<")).all() and (marks[ends] == ord(">")).all()
        single = np.cumsum(marks == ord("'"))
        if not plain or ((ends - starts) % 2 == 0).any() or (single[ends] != single[starts]).any():
            return self._steps_of_each(text)
        closing = letters[places[starts] + 1] == ord("/")
        return 1 - closing.astype(np.int8) - (closing | (letters[places[ends] - 1] == ord("/"))), len(text)

    def _steps_of_each(self, text: bytes) -> tuple[NDArray[np.int8], int]:
        """As `_steps`, for any text."""
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
