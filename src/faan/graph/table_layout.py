"""Detects the layout of a text table: its delimiter, its header, and the columns of head, relation and tail."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from faan.base import InputError, shorten
from faan.graph.builder import GraphBuilder
from faan.graph.packed import SNIFF
from faan.graph.sources import Source

Columns = tuple[str, str, str]  # names, or numbers from 1 as text

# Header names by which (head, relation, tail) are found, in any letter case.
KNOWN_HEADERS: tuple[Columns, ...] = (
    ("head", "relation", "tail"),
    ("subject", "predicate", "object"),  # RDF tools, KGX
    ("subject", "relation", "object"),
    ("source", "type", "target"),
    ("source", "relation", "target"),
    ("source", "label", "target"),
    ("source", "metaedge", "target"),  # Hetionet
    ("node1", "label", "node2"),  # KGTK
    ("start", "type", "end"),
    ("from", "relation", "to"),
    ("from", "label", "to"),
    ("src", "rel", "dst"),
    ("head", "rel", "tail"),
    ("h", "r", "t"),
    ("s", "p", "o"),
    ("x_id", "relation", "y_id"),  # PrimeKG
    ("x_index", "relation", "y_index"),
)
TRIPLE = ("head", "relation", "tail")
TYPE_COLUMNS = ("category", "type", "kind", "node_type")  # of a table of nodes
LABEL_COLUMNS = ("name", "label", "title", "node_name")
BLANK = " \t\r\n"
KGX = ("subject", "predicate", "object")


@dataclass(frozen=True)
class TableLayout:
    """The layout of a text table, and the columns to read."""

    delimiter: str
    width: int  # columns of its first line
    header_lines: int  # lines to skip at the top
    columns: Mapping[str, int]  # the columns to read, by what they hold
    rows: tuple[tuple[str, ...], ...]  # the kinds of rows, by the cells that must not be empty

    @property
    def quoting(self) -> bool:
        """Quotes are quotes in CSV; in TSV they are ordinary characters."""
        return self.delimiter != "\t"


def find_columns(header: Sequence[str], columns: Columns | None, source: str) -> tuple[int, int, int] | None:
    """The columns of head, relation and tail; None if the header has no known names."""
    lowered = [name.strip().lower() for name in header]
    if columns and len({column.lower() for column in columns}) < 3:
        raise InputError(f"expected three different columns, found {', '.join(columns)}", source=source)
    if columns and _are_numbers(columns):
        numbers = [int(c) - 1 for c in columns]
        if any(not 0 <= n < len(header) for n in numbers):
            raise InputError(f"expected columns {', '.join(columns)}, found only {len(header)}", source=source)
        return (numbers[0], numbers[1], numbers[2])
    for names in [columns] if columns else KNOWN_HEADERS:
        head, relation, tail = (index_of(lowered, name.lower()) for name in names)
        if head is not None and relation is not None and tail is not None:
            return head, relation, tail
    if columns:
        missing = [c for c in columns if c.lower() not in lowered]
        raise InputError(
            f"no column is called {' or '.join(missing)}; the columns are {shorten(', '.join(header))}", source=source
        )
    return None


def pair_columns(header: Sequence[str]) -> tuple[int, int] | None:
    """The columns of head and tail in a table of pairs; None if the header has no known names."""
    lowered = [name.strip().lower() for name in header]
    for head, _, tail in KNOWN_HEADERS:
        if head in lowered and tail in lowered:
            return lowered.index(head), lowered.index(tail)
    return None


def _are_numbers(columns: Columns) -> bool:
    return all(c.isdecimal() for c in columns)


def index_of(header: Sequence[str], *names: str) -> int | None:
    """The column of the first of some names that a header has."""
    return next((header.index(name) for name in names if name in header), None)


class FirstLine(NamedTuple):
    """The first line of a table that is not blank."""

    cells: list[str]  # in lower case
    delimiter: str
    number: int  # from 1


def first_line(start: bytes) -> FirstLine:
    """The first line of a table, which may be its header, from the first bytes of its file."""
    lines = enumerate(start.decode(errors="replace").split("\n"), start=1)
    number, line = next(((number, line) for number, line in lines if line.strip(BLANK)), (1, ""))
    delimiter = max("\t,;", key=line.count)
    cells = [cell.strip().strip('"').lower() for cell in split_line(line.strip(BLANK), delimiter)]
    return FirstLine(cells, delimiter, number)


def layout_of(source: Source, builder: GraphBuilder, columns: Columns | None) -> tuple[TableLayout, list[str]]:
    """Find delimiter, header and columns from the first lines; the header is in lower case, empty if there is none."""
    sample = source.peek()
    if b"\n" not in sample and b"\r" in sample:
        raise InputError("lines end in CR alone, as on old Macs; save the file with LF or CR LF", source=source.name)
    lines = sample.decode(errors="replace").replace("\r\n", "\n").split("\n")
    if len(sample) == SNIFF and len(lines) > 1:
        lines.pop()  # it may be cut
    blank_lines = next((i for i, line in enumerate(lines) if line.strip(BLANK)), len(lines))
    lines = [line for line in lines if line.strip(BLANK)][:50]
    if not lines:
        raise InputError("the file is empty; expected lines of head, relation, tail", source=source.name)

    def wide_lines(delimiter: str) -> int:
        return sum(len(split_line(line, delimiter)) >= 3 for line in lines)

    delimiter = max("\t,;", key=wide_lines)  # the first of equals: tab
    if not wide_lines(delimiter):
        raise _too_narrow(source, lines[0], blank_lines + 1)
    first = split_line(lines[0], delimiter)
    places = find_columns(first, columns, source.name)
    lowered = [name.strip().lower() for name in first]
    if places is None:
        _refuse_other_header(lowered, source.name, blank_lines + 1)
        shown = shorten(", ".join(cell.strip(BLANK) for cell in first[:3]))
        is_odd = _stands_alone([split_line(line, delimiter) for line in lines])
        advice = "; if this is the header, name its columns: --columns HEAD,RELATION,TAIL" if is_odd else ""
        builder.note(f"no header with known names; the first triple is: {shown}{advice}")
    has_header = places is not None and not (columns and _are_numbers(columns))
    wanted = dict(zip(TRIPLE, places or (0, 1, 2), strict=True))
    if has_header:
        wanted |= _ends(lowered, wanted)
    header_lines = blank_lines + 1 if has_header else 0
    table = TableLayout(delimiter, max(3, len(first)), header_lines, wanted, rows=(TRIPLE,))
    return table, lowered if has_header else []


def _stands_alone(rows: Sequence[Sequence[str]]) -> bool:
    """Whether none of the first row's triple is in the other rows: then it is probably a header."""
    others = {cell for row in rows[1:] for cell in row[:3]}
    return others.isdisjoint(rows[0][:3])


def _too_narrow(source: Source, first: str, line: int) -> InputError:
    with source.errors():
        first_line = source.stream.readline(SNIFF + 1)
    if len(first_line) > SNIFF:
        return InputError(f"the line is too long: expected less than {SNIFF:,} bytes", source=source.name, line=1)
    is_pair = sum(map(first.count, "\t,;")) == 1
    hint = "; pass tables of labels or types with --labels or --types" if is_pair else ""
    return InputError(
        "expected at least 3 columns (head, relation, tail) separated by tabs, commas or semicolons, "
        f"found {shorten(first)!r}{hint}",
        source=source.name,
        line=line,
    )


def _refuse_other_header(header: Sequence[str], name: str, line: int) -> None:
    """Refuse the header of a table without triples: one of nodes, or of KGX edges that lacks columns."""
    if {"id", "category"} <= set(header):
        raise InputError("this is a nodes file; give the edges file as the graph and this one as nodes", source=name)
    missing = [column for column in KGX if column not in header]
    if len(missing) == 1 or (len(missing) == 2 and "edges" in Path(name).name):
        found = f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
        raise InputError(
            f"KGX edges need the columns {', '.join(KGX)}; {found} among {shorten(', '.join(header))}",
            source=name,
            line=line,
        )


def _ends(header: Sequence[str], places: Mapping[str, int]) -> dict[str, int]:
    """Columns that say what heads and tails are: `subject_category`, `subject_label`, `x_type`, `source_name` ..."""
    found: dict[str, int | None] = {}
    for end in ("head", "tail"):
        start = header[places[end]].removesuffix("_id").removesuffix("_index")
        found[f"{end}_type"] = index_of(header, f"{start}_category", f"{start}_type", f"{start}_kind")
        found[f"{end}_label"] = index_of(header, f"{start}_label", f"{start}_name")
        if header[places[end]] == f"{start}_id":
            found[f"{end}_source"] = index_of(header, f"{start}_source")
    return {part: place for part, place in found.items() if place is not None and place not in places.values()}


def split_line(line: str, delimiter: str) -> list[str]:
    """The cells of one line."""
    if delimiter == "\t" or '"' not in line:
        return line.split(delimiter)
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return line.split(delimiter)
