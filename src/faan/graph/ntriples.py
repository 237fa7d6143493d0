"""N-Triples and N-Quads: plain lines by polars, all others by the RDF parser.

A line is plain when it is `<iri> <iri> <iri> .` or `<iri> <iri> "text" .` with single blanks and no escapes, which is
what programs write: its meaning is beyond doubt. The parser judges every other line. Both kinds come out in file order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import polars as pl
import pyoxigraph as ox

from faan.base import InputError, shorten
from faan.graph.builder import GraphBuilder
from faan.graph.guards import check_nesting
from faan.graph.labels import TEXT_RELATIONS, label_rank
from faan.graph.limits import NAME_BYTES, is_too_long, too_long
from faan.graph.packed import is_changed_by_polars
from faan.graph.rdf import Statements, reason
from faan.graph.schema import SCHEMA_VALUES
from faan.graph.sources import Source

FORMATS = {"n-triples": ox.RdfFormat.N_TRIPLES, "n-quads": ox.RdfFormat.N_QUADS}

_BLOCK = 1 << 23  # bytes in one block
_PART = r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/\x{A0}-\x{D7FF}\x{F900}-\x{FDCF}\x{FDF0}-\x{FFEF}-]|%[0-9A-Fa-f]{2})*"
_IRI = rf"<[A-Za-z][A-Za-z0-9+.-]*://[A-Za-z0-9.-]+(?:/{_PART})?(?:\?{_PART})?(?:#{_PART})?>"
_TEXT = r'"([^"\\\x00-\x1F]+)"(?:@([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)|\^\^' + _IRI + ")?"
_VALUE = f" <(?:{'|'.join(SCHEMA_VALUES)})> ".replace(".", r"\.")  # whose literals are statements of a schema
_FACTS = {"line": pl.Int64, "head": pl.String, "relation": pl.String, "tail": pl.String}
_LABELS = {"line": pl.Int64, "name": pl.String, "label": pl.String, "rank": pl.Int64}
_LABEL = f"<(?:{'|'.join(TEXT_RELATIONS)})>".replace(".", r"\.")


def read_ntriples(source: Source, builder: GraphBuilder, format: str, languages: Sequence[str]) -> None:
    """Read N-Triples or N-Quads (whose graph names are ignored)."""
    for facts, labels in blocks_of(source, builder, format, languages):
        builder.add(facts["head"], facts["relation"], facts["tail"])
        builder.add_labels(labels["name"], labels["label"], labels["rank"])


def blocks_of(
    source: Source, builder: GraphBuilder, format: str, languages: Sequence[str]
) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """The facts (head, relation, tail) and labels (name, label, rank) of each block, in the order of their lines.

    The builder counts literals and bad lines.
    """
    for block in source.blocks(_BLOCK):
        line, numbered = source.line, _lines(block)
        if numbered is None:  # the parser judges each line
            lines: Iterable[tuple[int, str | bytes]] = enumerate(block.split(b"\n"), start=line)
            facts, labels = pl.DataFrame(schema=_FACTS), pl.DataFrame(schema=_LABELS)
        else:
            facts, values, rest = _plain(numbered.with_columns(pl.col("line") + line).drop_nulls("text"), format)
            lines, labels = rest.iter_rows(), _labels(values, languages)
            builder.count(literals=len(values) - len(labels))
        others = _parse(lines, source, builder, format, languages)
        if others.heads:
            more = pl.DataFrame([others.lines, others.heads, others.relations, others.tails], _FACTS, orient="col")
            facts = pl.concat([facts, more]).sort("line")
        if others.names:
            more = pl.DataFrame([others.label_lines, others.names, others.labels, others.ranks], _LABELS, orient="col")
            labels = pl.concat([labels, more]).sort("line")
        builder.count(literals=others.literals)
        yield facts, labels


def _plain(numbered: pl.DataFrame, format: str) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The facts of plain lines, the plain lines with a literal, and all other lines."""
    graph = f"(?: {_IRI})?" if format == "n-quads" else ""
    is_fact = _matches(numbered["text"], f"^{_IRI} {_IRI} {_IRI}{graph} \\.$")
    facts, rest = _facts(numbered.filter(is_fact)), numbered.filter(~is_fact)
    is_value = _matches(rest["text"], f"^{_IRI} {_IRI} {_TEXT}{graph} \\.$") & ~rest["text"].str.contains(_VALUE)
    return facts, rest.filter(is_value), rest.filter(~is_value)


def _matches(lines: pl.Series, pattern: str) -> pl.Series:
    """Which lines match a pattern and are too short for a name over the limit."""
    return lines.str.contains(pattern) & (lines.str.len_bytes() <= NAME_BYTES)


def _lines(block: bytes) -> pl.DataFrame | None:
    """The lines of a block with their number from 0, null for an empty one; None where it is not clean text."""
    if b"\x01" in block or is_changed_by_polars(block):
        return None
    try:
        return pl.read_csv(
            block,
            has_header=False,
            separator="\x01",
            quote_char=None,
            schema={"text": pl.String},
            row_index_name="line",
        ).cast({"line": pl.Int64})
    except pl.exceptions.PolarsError:
        return None


def _facts(plain: pl.DataFrame) -> pl.DataFrame:
    parts = pl.col("text").str.splitn(" ", 4).struct
    return plain.select("line", *(parts.field(f"field_{i}").str.strip_chars("<>") for i in range(3))).rename(
        {"field_0": "head", "field_1": "relation", "field_2": "tail"}
    )


def _labels(plain: pl.DataFrame, languages: Sequence[str]) -> pl.DataFrame:
    fields = pl.col("text").str.extract_groups(f"^<([^>]*)> <([^>]*)> {_TEXT}").struct
    labels = plain.filter(pl.col("text").str.contains(f"^<[^>]*> {_LABEL} ")).select(
        "line",
        fields.field("1").alias("name"),
        fields.field("3").alias("label"),
        pl.struct(relation=fields.field("2"), language=fields.field("4")).alias("kind"),
    )
    kinds = labels.select("kind").unique().unnest("kind")
    ranks = [label_rank(relation, language, languages) for relation, language in kinds.iter_rows()]
    kinds = kinds.select(kind=pl.struct("relation", "language"), rank=pl.Series(ranks, dtype=pl.Int64))
    return labels.join(kinds, on="kind", how="left", maintain_order="left", nulls_equal=True).drop("kind")


def _parse(
    lines: Iterable[tuple[int, str | bytes]],
    source: Source,
    builder: GraphBuilder,
    format: str,
    languages: Sequence[str],
) -> Statements:
    statements = Statements(languages, part=builder.part)
    for number, text in lines:
        try:
            check_nesting(text)
            for quad in ox.parse(text, FORMATS[format]):
                if len(text) > NAME_BYTES // 4:
                    _check_lengths(quad, languages)
                statements.add(quad, number)
        except (InputError, MemoryError) as error:
            builder.bad_line(InputError(str(error), source=source.name, line=number))
        except SyntaxError as error:
            shown = text.decode(errors="replace") if isinstance(text, bytes) else text
            problem = f"not {format}: {reason(error)}: {shorten(shown.strip())!r}"
            builder.bad_line(InputError(problem, source=source.name, line=number))
    return statements


def _check_lengths(quad: ox.Quad, languages: Sequence[str]) -> None:
    """Refuse a statement with a name that is too long; literals may be as long as a line."""
    one = Statements(languages)
    one.add(quad)
    for name in (*one.heads, *one.relations, *one.tails, *one.names):
        if is_too_long(name):
            raise InputError(too_long(name))
