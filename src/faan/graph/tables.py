"""Delimited text: TSV, CSV, semicolons, and the nodes file that may stand beside it.

The slow reader (`_read_lines`) defines what a table means and words its errors. Blocks that polars can prove harmless
take the fast way; the first sign of trouble sends a block to the slow one, which names the line that is wrong.
"""

from __future__ import annotations

import codecs
import csv
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import polars as pl

from faan.base import InputError, shorten
from faan.graph.builder import DESCRIPTION, GraphBuilder
from faan.graph.labels import language_rank
from faan.graph.limits import LINE_BYTES, NAME_BYTES, is_too_long, too_long
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
    ("node1", "label", "node2"),  # KGTK
    (":start_id", ":type", ":end_id"),  # Neo4j
    ("start", "type", "end"),
    ("from", "relation", "to"),
    ("from", "label", "to"),
    ("src", "rel", "dst"),
    ("head", "rel", "tail"),
    ("h", "r", "t"),
    ("s", "p", "o"),
)
BLANK = " \t\r\n"
_KGTK = ("node1", "label", "node2")
_KGTK_LITERAL = r"""^(?:["'^@!]|[+-]?\.?[0-9])"""  # strings, language strings, dates, coordinates, symbols, numbers
_KGTK_TEXT = r"""^["'](?<text>.*)["'](?:@(?<language>[A-Za-z-]+))?$"""
_ROWS = 1 << 18  # rows that the slow reader hands on at once


@dataclass(frozen=True)
class _Table:
    """How a text table is laid out."""

    delimiter: str
    width: int  # columns of its first line
    header_lines: int  # lines to pass over at the top
    places: tuple[int, int, int]  # the columns of head, relation and tail
    kgtk_languages: tuple[str, ...] | None = None  # of a KGTK file: preferred for labels

    @property
    def quoting(self) -> bool:
        """Quotes are quotes in CSV; in TSV they are ordinary characters."""
        return self.delimiter != "\t"


def read_triples(source: Source, builder: GraphBuilder) -> None:
    """Read lines of `head<TAB>relation<TAB>tail` and nothing else: no header, nothing is detected."""
    _read(source, builder, _Table("\t", width=3, header_lines=0, places=(0, 1, 2)))


def read_table(
    source: Source, builder: GraphBuilder, columns: Columns | None = None, languages: Sequence[str] = ("en",)
) -> None:
    """Read delimited text; delimiter, header and columns are detected."""
    _read(source, builder, _layout(source, builder, columns, languages))


def _read(source: Source, builder: GraphBuilder, table: _Table) -> None:
    blocks = source.blocks()
    for block in blocks:
        line = source.line
        header_lines = table.header_lines if line == 1 else 0
        if table.quoting and b'"' in block:  # a quoted field may span blocks
            _read_lines(chain([block], blocks), source.name, table, builder, line, header_lines)
            return
        frame = _read_fast(block, table, header_lines)
        if frame is not None:
            _add(frame, table, builder)
        else:
            _read_lines([block], source.name, table, builder, line, header_lines)


def read_nodes(source: Source, builder: GraphBuilder) -> None:
    """Read a nodes file such as KGX's: `id`, `category` (or `type`; apart by `|`), `name` or `label`, `description`."""
    first_line = source.peek().split(b"\n", 1)[0]
    delimiter = max("\t,;", key=lambda mark: first_line.count(mark.encode()))
    rows = rows_of(source.blocks(), source.name, delimiter, builder, 1)
    header = [name.strip().lower() for name in next(rows, (1, []))[1]]
    node_at = _index(header, "id")
    type_at, label_at = _index(header, "category", "type"), _index(header, "name", "label")
    text_at = _index(header, "description")
    if node_at is None or (type_at is None and label_at is None):
        raise InputError(
            "expected a nodes file with the columns id and category and/or name, "
            f"found {shorten(', '.join(header)) or 'nothing'}",
            source=source.name,
            line=1,
        )
    types: list[tuple[str, str]] = []
    labels: list[tuple[str, str, int]] = []
    for number, row in rows:
        cells = row + [""] * (len(header) - len(row))
        if not (node := cells[node_at]).strip(BLANK):
            builder.bad_line(InputError("the id is empty; expected a name", source=source.name, line=number))
            continue
        if type_at is not None:
            types += [(node, kind) for kind in cells[type_at].split("|") if kind]
        if label_at is not None and cells[label_at]:
            labels.append((node, cells[label_at], 0))
        if text_at is not None and cells[text_at]:
            labels.append((node, cells[text_at], DESCRIPTION))
    builder.add_types([node for node, _ in types], [kind for _, kind in types])
    nodes, texts, ranks = zip(*labels, strict=True) if labels else ((), (), ())
    builder.add_labels(nodes, texts, ranks)


def find_columns(header: Sequence[str], columns: Columns | None, source: str) -> tuple[int, int, int] | None:
    """Where head, relation and tail stand; None where the header has no names that we know."""
    lowered = [name.strip().lower() for name in header]
    if columns and len({column.lower() for column in columns}) < 3:
        raise InputError(f"expected three different columns, found {', '.join(columns)}", source=source)
    if columns and _are_numbers(columns):
        numbers = [int(c) - 1 for c in columns]
        if any(not 0 <= n < len(header) for n in numbers):
            raise InputError(f"columns {', '.join(columns)} were asked for, but there are {len(header)}", source=source)
        return (numbers[0], numbers[1], numbers[2])
    for names in [columns] if columns else KNOWN_HEADERS:
        places = [_index(lowered, name.lower()) for name in names]
        if None not in places:
            return (places[0], places[1], places[2])  # type: ignore[return-value]
    if columns:
        missing = [c for c in columns if c.lower() not in lowered]
        raise InputError(
            f"no column is called {' or '.join(missing)}; the columns are {shorten(', '.join(header))}", source=source
        )
    return None


def pair_columns(header: Sequence[str]) -> tuple[int, int] | None:
    """Where head and tail stand in a table of pairs; None where the header has no names that we know."""
    lowered = [name.strip().lower() for name in header]
    for head, _, tail in KNOWN_HEADERS:
        if head in lowered and tail in lowered:
            return lowered.index(head), lowered.index(tail)
    return None


def _are_numbers(columns: Columns) -> bool:
    return all(c.isdecimal() for c in columns)


def _index(header: Sequence[str], *names: str) -> int | None:
    return next((header.index(name) for name in names if name in header), None)


def _layout(source: Source, builder: GraphBuilder, columns: Columns | None, languages: Sequence[str]) -> _Table:
    """Find delimiter, header and columns from the first lines."""
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
        return sum(len(_split(line, delimiter)) >= 3 for line in lines)

    delimiter = max("\t,;", key=wide_lines)  # the first of equals: tab
    if not wide_lines(delimiter):
        with source.errors():
            first_line = source.stream.readline(SNIFF + 1)
        if len(first_line) > SNIFF:
            raise InputError(f"the line is too long: expected less than {SNIFF:,} bytes", source=source.name, line=1)
        raise InputError(
            "expected at least 3 columns (head, relation, tail) separated by tabs, commas or semicolons, "
            f"found {shorten(lines[0])!r}",
            source=source.name,
            line=blank_lines + 1,
        )
    first = _split(lines[0], delimiter)
    places = find_columns(first, columns, source.name)
    if places is None and {"id", "category"} <= {name.lower() for name in first}:
        raise InputError(
            "this is a nodes file; give the edges file as the graph and this one as nodes", source=source.name
        )
    has_header = places is not None and not (columns and _are_numbers(columns))
    if places is None:
        shown = shorten(", ".join(cell.strip(BLANK) for cell in first[:3]))
        builder.note(f"no header with names that are known; the first triple is: {shown}")
    found = tuple(first[p].strip().lower() for p in places or ())
    return _Table(
        delimiter,
        width=max(3, len(first)),
        header_lines=blank_lines + 1 if has_header else 0,
        places=places or (0, 1, 2),
        kgtk_languages=tuple(languages) if found == _KGTK else None,
    )


def _split(line: str, delimiter: str) -> list[str]:
    if delimiter == "\t" or '"' not in line:
        return line.split(delimiter)
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return line.split(delimiter)


def _read_fast(block: bytes, table: _Table, header_lines: int) -> pl.DataFrame | None:
    """The triples of a block by polars, or None where something is not plainly right."""
    if b"\x00" in block or (b"\r" in block and block.count(b"\r") != block.count(b"\r\n")):
        return None
    if block.startswith(codecs.BOM_UTF8):  # polars would drop it; here it is the beginning of a name
        return None
    schema = {str(i): pl.String for i in range(table.width)}
    try:
        frame = pl.read_csv(
            block,
            has_header=False,
            skip_lines=header_lines,
            separator=table.delimiter,
            quote_char=None,
            schema=schema,
        )
    except pl.exceptions.NoDataError:
        frame = pl.DataFrame(schema=schema)
    except pl.exceptions.PolarsError:
        return None
    triple = frame.select([pl.col(str(place)).alias(str(i)) for i, place in enumerate(table.places)])
    empty = pl.any_horizontal(pl.all().is_null() | (pl.all().str.strip_chars(BLANK).str.len_bytes() == 0))
    long = pl.max_horizontal(pl.all().str.len_bytes().max()) > NAME_BYTES
    return None if triple.select((empty.any() | long).fill_null(False)).item() else triple


def _add(triple: pl.DataFrame, table: _Table, builder: GraphBuilder) -> None:
    if table.kgtk_languages is not None:
        triple = _set_kgtk_literals_apart(triple, table.kgtk_languages, builder)
    builder.add(triple["0"], triple["1"], triple["2"])


def _set_kgtk_literals_apart(triple: pl.DataFrame, languages: Sequence[str], builder: GraphBuilder) -> pl.DataFrame:
    """KGTK marks values by their first character; those of the relation `label` are labels ('Peru'@en)."""
    is_literal = pl.col("0", "2").str.contains(_KGTK_LITERAL)
    values = triple.filter(pl.any_horizontal(is_literal))
    labels = values.filter((pl.col("1") == "label") & ~pl.col("0").str.contains(_KGTK_LITERAL)).select(
        pl.col("0").alias("name"), pl.col("2").str.extract_groups(_KGTK_TEXT).alias("parts")
    )
    labels = labels.unnest("parts").drop_nulls("text")
    ranks = [language_rank(language, languages) for language in labels["language"]]
    builder.add_labels(labels["name"], labels["text"], ranks)
    builder.count(literals=len(values) - len(labels))
    return triple.filter(~pl.any_horizontal(is_literal))


def _read_lines(
    blocks: Iterable[bytes], name: str, table: _Table, builder: GraphBuilder, line: int, header_lines: int
) -> None:
    """Read a table line by line: the definition of what is right, and of the message where something is wrong."""
    chunk: list[tuple[str, ...]] = []
    for number, row in rows_of(blocks, name, table.delimiter, builder, line):
        if line == 1 and number <= header_lines:
            continue
        if problem := _problem(row, table):
            builder.bad_line(InputError(problem, source=name, line=number))
            continue
        chunk.append(tuple(row[place] for place in table.places))
        if len(chunk) == _ROWS:
            _add_rows(chunk, table, builder)
            chunk.clear()
    _add_rows(chunk, table, builder)


def _add_rows(rows: list[tuple[str, ...]], table: _Table, builder: GraphBuilder) -> None:
    _add(pl.DataFrame(rows, schema=dict.fromkeys("012", pl.String), orient="row"), table, builder)


def rows_of(
    blocks: Iterable[bytes], name: str, delimiter: str, builder: GraphBuilder, line: int
) -> Iterator[tuple[int, list[str]]]:
    """(line number, fields) of all lines that are not blank."""
    text = _numbered_lines(blocks, name, builder, line)
    if delimiter == "\t":
        yield from ((number, content.split(delimiter)) for number, content in text if content.strip(BLANK))
        return
    yield from _csv_rows(text, name, delimiter, builder)


def _csv_rows(
    text: Iterator[tuple[int, str]], name: str, delimiter: str, builder: GraphBuilder
) -> Iterator[tuple[int, list[str]]]:
    """Rows of CSV by the number of their first line; after a bad one it goes on with the line below."""
    record: list[tuple[int, str]] = []  # the lines of the row that is being read
    again: deque[tuple[int, str]] = deque()  # lines that were read before a mistake was found above them

    def lines() -> Iterator[str]:
        size = 0
        while numbered := again.popleft() if again else next(text, None):
            size = len(numbered[1]) + 1 + (size if record else 0)
            if size > LINE_BYTES:
                raise InputError(f"the row is longer than {LINE_BYTES:,} characters", source=name, line=record[0][0])
            record.append(numbered)
            yield f"{numbered[1]}\n"

    limit = csv.field_size_limit(LINE_BYTES)
    try:
        reader = csv.reader(lines(), delimiter=delimiter, strict=True)
        while True:
            record.clear()
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                first = record[0][0]
                builder.bad_line(InputError(f"not CSV from here on ({error})", source=name, line=first))
                again.extendleft(reversed(record[1:]))
                reader = csv.reader(lines(), delimiter=delimiter, strict=True)
                continue
            if any(cell.strip(BLANK) for cell in row):
                yield record[0][0], row
    finally:
        csv.field_size_limit(limit)


def _numbered_lines(blocks: Iterable[bytes], name: str, builder: GraphBuilder, line: int) -> Iterator[tuple[int, str]]:
    for block in blocks:
        pieces = block.split(b"\n")
        for number, piece in enumerate(pieces if pieces[-1] else pieces[:-1], start=line):
            try:
                yield number, piece.removesuffix(b"\r").decode()
            except UnicodeDecodeError as error:
                problem = f"not UTF-8 at byte {error.start + 1} (0x{piece[error.start]:02x}); save the file as UTF-8"
                builder.bad_line(InputError(problem, source=name, line=number))
        line += block.count(b"\n")


def _problem(row: list[str], table: _Table) -> str | None:
    needed = max(table.places) + 1
    shown = shorten(table.delimiter.join(row))
    if not needed <= len(row) <= table.width:
        wanted = str(table.width) if needed == table.width else f"{needed} to {table.width}"
        return f"expected {wanted} columns with head, relation and tail, found {len(row)}: {shown!r}"
    for place, part in zip(table.places, ("head", "relation", "tail"), strict=True):
        if not row[place].strip(BLANK):
            return f"the {part} is empty; expected a name: {shown!r}"
        if "\x00" in row[place]:
            return f"the {part} has a NUL character in it; expected text: {shown!r}"
        if is_too_long(row[place]):
            return too_long(row[place])
    return None
