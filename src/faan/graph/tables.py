"""Delimited text: TSV, CSV, semicolons, and the nodes file that may stand beside it.

The slow reader (`_read_lines`) defines what a table means and words its errors. Blocks that polars can prove harmless
take the fast way; the first sign of trouble sends a block to the slow one, which names the line that is wrong.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain
from operator import and_, or_

import polars as pl

from faan.base import InputError, shorten
from faan.graph.builder import DESCRIPTION, GraphBuilder
from faan.graph.labels import language_rank
from faan.graph.limits import LINE_BYTES, NAME_BYTES, is_too_long, too_long
from faan.graph.packed import is_changed_by_polars
from faan.graph.sources import Source
from faan.graph.table_layout import (
    BLANK,
    LABEL_COLUMNS,
    TRIPLE,
    TYPE_COLUMNS,
    Columns,
    TableLayout,
    first_line,
    index_of,
    layout_of,
)

_KGTK = ("node1", "label", "node2")
_KGTK_LITERAL = r"""^(?:["'^@!]|[+-]?\.?[0-9])"""  # strings, language strings, dates, coordinates, symbols, numbers
_KGTK_TEXT = r"""^["'](?<text>.*)["'](?:@(?<language>[A-Za-z-]+))?$"""
_ROWS = 1 << 18  # rows in one chunk of the slow reader


def read_triples(source: Source, builder: GraphBuilder) -> None:
    """Read lines of `head<TAB>relation<TAB>tail`, without a header and without detection."""
    plain = TableLayout("\t", width=3, header_lines=0, columns={"head": 0, "relation": 1, "tail": 2}, rows=(TRIPLE,))
    for triples in read_frames(source, builder, plain):
        builder.add(triples["head"], triples["relation"], triples["tail"])


def read_table(source: Source, builder: GraphBuilder, columns: Columns | None, languages: Sequence[str]) -> None:
    """Read delimited text; delimiter, header and columns are detected."""
    table, header = layout_of(source, builder, columns)
    found = tuple(header[table.columns[part]] for part in TRIPLE) if header else ()
    both_ways = found in (("x_id", "relation", "y_id"), ("x_index", "relation", "y_index"))  # PrimeKG
    for frame in read_frames(source, builder, table):
        rows = _set_kgtk_literals_apart(frame, languages, builder) if found == _KGTK else frame
        triples = _describe_ends(rows, builder)
        builder.add(triples["head"], triples["relation"], triples["tail"], both_ways=both_ways)


def read_frames(source: Source, builder: GraphBuilder, table: TableLayout) -> Iterator[pl.DataFrame]:
    """The wanted columns of a table, block by block, as text; bad lines are raised or skipped."""
    blocks = source.blocks()
    header_lines = table.header_lines
    for block in blocks:
        if table.quoting and b'"' in block:  # a quoted field may span blocks
            yield from _read_lines(chain([block], blocks), source, table, builder, header_lines)
            return
        frame = _read_fast(block, table, header_lines)
        if frame is not None:
            yield frame
        else:
            yield from _read_lines([block], source, table, builder, header_lines)
        header_lines = 0


def read_nodes(source: Source, builder: GraphBuilder) -> None:
    """Read a nodes file such as KGX's: `id`, `category` (or `type`; apart by `|`), `name` or `label`, `description`."""
    header, delimiter, number = first_line(source.peek())
    found = {
        "id": index_of(header, "id", "node_index"),
        "type": index_of(header, *TYPE_COLUMNS),
        "label": index_of(header, *LABEL_COLUMNS),
        "description": index_of(header, "description"),
    }
    columns = {part: place for part, place in found.items() if place is not None}
    if "id" not in columns or not columns.keys() & {"type", "label"}:
        raise InputError(
            "expected a nodes file with the columns id and category and/or name, "
            f"found {shorten(', '.join(header)) or 'nothing'}",
            source=source.name,
            line=number,
        )
    table = TableLayout(delimiter, len(header), header_lines=number, columns=columns, rows=(("id",),))
    for nodes in read_frames(source, builder, table):
        add_nodes(nodes, builder)


def add_nodes(nodes: pl.DataFrame, builder: GraphBuilder) -> None:
    """Add the nodes (`id`) of a table: `type` (several apart by `|`), `label`, `description`; "" for none."""
    if "type" in nodes.columns:
        types = nodes.select("id", pl.col("type").str.split("|")).explode("type")
        types = types.filter(pl.col("type") != "")
        builder.add_types(types["id"], types["type"])
    for column, rank in (("label", 0), ("description", DESCRIPTION)):
        if column in nodes.columns:
            given = nodes.filter(pl.col(column) != "")
            builder.add_labels(given["id"], given[column], [rank] * len(given))


def _describe_ends(triples: pl.DataFrame, builder: GraphBuilder) -> pl.DataFrame:
    """Add the types and labels that a table of triples has beside heads and tails."""
    for end in ("head", "tail"):
        if f"{end}_source" in triples.columns:  # ids are unique in their source
            triples = triples.with_columns(pl.concat_str([f"{end}_source", end], separator=":").alias(end))
        described = {"id": end, "type": f"{end}_type", "label": f"{end}_label"}
        known = {part: column for part, column in described.items() if column in triples.columns}
        if len(known) > 1:
            add_nodes(triples.select(**known).unique(maintain_order=True), builder)
    return triples


def _read_fast(block: bytes, table: TableLayout, header_lines: int) -> pl.DataFrame | None:
    """The columns of a block by polars, or None if anything looks wrong."""
    if b"\x00" in block or (b"\r" in block and block.count(b"\r") != block.count(b"\r\n")):
        return None
    if is_changed_by_polars(block):
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
    frame = frame.select(**{part: pl.col(str(place)).fill_null("") for part, place in table.columns.items()})
    long = pl.max_horizontal(pl.all().str.len_bytes().max()) > NAME_BYTES
    fine = _has_rows(table).all() & ~long.fill_null(False)
    return frame if frame.select(fine).item() else None


def _has_rows(table: TableLayout) -> pl.Expr:
    """Whether a row is of one of the table's kinds."""
    kinds = [
        reduce(and_, [pl.col(part).str.strip_chars(BLANK).str.len_bytes() > 0 for part in kind]) for kind in table.rows
    ]
    return reduce(or_, kinds)


def _set_kgtk_literals_apart(triple: pl.DataFrame, languages: Sequence[str], builder: GraphBuilder) -> pl.DataFrame:
    """KGTK marks values by their first character; those of the relation `label` are labels ('Peru'@en)."""
    is_literal = pl.col("head", "tail").str.contains(_KGTK_LITERAL)
    values = triple.filter(pl.any_horizontal(is_literal))
    labels = values.filter((pl.col("relation") == "label") & ~pl.col("head").str.contains(_KGTK_LITERAL)).select(
        pl.col("head").alias("name"), pl.col("tail").str.extract_groups(_KGTK_TEXT).alias("parts")
    )
    labels = labels.unnest("parts").drop_nulls("text")
    ranks = [language_rank(language, languages) for language in labels["language"]]
    builder.add_labels(labels["name"], labels["text"], ranks)
    builder.count(literals=len(values) - len(labels))
    return triple.filter(~pl.any_horizontal(is_literal))


def _read_lines(
    blocks: Iterable[bytes], source: Source, table: TableLayout, builder: GraphBuilder, header_lines: int
) -> Iterator[pl.DataFrame]:
    """Read a table line by line: defines which tables are right, and words the errors."""
    chunk: list[tuple[str, ...]] = []
    start = source.line
    for number, row in rows_of(blocks, source.name, table.delimiter, builder, start):
        if number < start + header_lines:
            continue
        if problem := _problem(row, table):
            builder.bad_line(InputError(problem, source=source.name, line=number))
            continue
        chunk.append(tuple(row[place] if place < len(row) else "" for place in table.columns.values()))
        if len(chunk) == _ROWS:
            yield _frame(chunk, table)
            chunk.clear()
    yield _frame(chunk, table)


def _frame(rows: list[tuple[str, ...]], table: TableLayout) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(table.columns, pl.String), orient="row")


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
    """Rows of CSV by the number of their first line; after a bad row it continues with the next line."""
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


def _problem(row: list[str], table: TableLayout) -> str | None:
    needed = min(max(table.columns[part] for part in kind) for kind in table.rows) + 1
    shown = shorten(table.delimiter.join(row))
    if not needed <= len(row) <= table.width:
        wanted = str(table.width) if needed == table.width else f"{needed} to {table.width}"
        parts = ", ".join(table.rows[0][:-1]) + " and " * (len(table.rows[0]) > 1) + table.rows[0][-1]
        return f"expected {wanted} columns with {parts}, found {len(row)}: {shown!r}"
    cells = {part: row[place] for part, place in table.columns.items() if place < len(row)}
    missing = [[part for part in kind if not cells.get(part, "").strip(BLANK)] for kind in table.rows]
    if all(missing):
        what = missing[0][0] if len(table.rows) == 1 else " or ".join(kind[0] for kind in table.rows)
        return f"the {what} is empty; expected a name: {shown!r}"
    for part, cell in cells.items():
        if "\x00" in cell:
            return f"the {part} has a NUL character in it; expected text: {shown!r}"
        if is_too_long(cell):
            return too_long(cell)
    return None
