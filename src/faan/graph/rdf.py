"""RDF by pyoxigraph: IRIs and blank nodes are entities, literals are not; some are labels or descriptions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyoxigraph as ox

from faan.base import InputError
from faan.graph.builder import GraphBuilder
from faan.graph.collected import CHUNK
from faan.graph.guards import guarded
from faan.graph.labels import TEXT_RELATIONS, label_rank
from faan.graph.limits import is_too_long
from faan.graph.schema import SCHEMA_VALUES
from faan.graph.sources import Source

FORMATS = {
    "turtle": ox.RdfFormat.TURTLE,
    "trig": ox.RdfFormat.TRIG,
    "rdf/xml": ox.RdfFormat.RDF_XML,
    "json-ld": ox.RdfFormat.JSON_LD,
}
_VALUE = 20  # letters of a number or truth value
_BASE = "urn:graph:"  # what relative IRIs are relative to


class Statements:
    """Sorts RDF statements into edges, labels and other literals; `lines` and `label_lines` say where they stood."""

    def __init__(self, languages: Sequence[str], rename_blank_nodes: bool = False, part: int = 0) -> None:
        self._languages = languages
        self._blank = f"_:f{part + 1}." if part else "_:"  # blank nodes of different files differ
        # The parser gives anonymous nodes random names; here they are numbered by first use.
        self._blank_nodes: dict[str, str] | None = {} if rename_blank_nodes else None
        self.clear()

    def clear(self) -> None:
        """Start an empty chunk."""
        self.lines: list[int] = []
        self.heads: list[str] = []
        self.relations: list[str] = []
        self.tails: list[str] = []
        self.label_lines: list[int] = []
        self.names: list[str] = []
        self.labels: list[str] = []
        self.ranks: list[int] = []
        self.literals = 0

    def add(self, quad: ox.Quad, line: int = 0) -> None:
        """Take one statement."""
        head, relation, tail = quad.subject, quad.predicate.value, quad.object
        if isinstance(head, ox.Triple) or isinstance(tail, ox.Triple):  # a statement about a statement
            self.literals += 1
        elif not isinstance(tail, ox.Literal):
            self._add(self._name(head), relation, self._name(tail), line)
        elif relation in TEXT_RELATIONS and tail.value and not is_too_long(tail.value):
            self.label_lines.append(line)
            self.names.append(self._name(head))
            self.labels.append(tail.value)
            self.ranks.append(label_rank(relation, tail.language, self._languages))
        elif relation in SCHEMA_VALUES and tail.value and len(tail.value) <= _VALUE:
            self._add(self._name(head), relation, tail.value, line)
        else:
            self.literals += 1

    def _add(self, head: str, relation: str, tail: str, line: int) -> None:
        self.lines.append(line)
        self.heads.append(head)
        self.relations.append(relation)
        self.tails.append(tail)

    def _name(self, node: ox.NamedNode | ox.BlankNode) -> str:
        if isinstance(node, ox.NamedNode):
            return node.value
        if self._blank_nodes is None:
            return f"{self._blank}{node.value}"
        return self._blank_nodes.setdefault(node.value, f"{self._blank}b{len(self._blank_nodes)}")

    def flush(self, builder: GraphBuilder) -> None:
        """Add what was collected to the builder."""
        builder.add(self.heads, self.relations, self.tails)
        builder.add_labels(self.names, self.labels, self.ranks)
        builder.count(literals=self.literals)
        self.clear()


def read_rdf(source: Source, builder: GraphBuilder, format: str, languages: Sequence[str]) -> None:
    """Read Turtle, TriG, RDF/XML or JSON-LD; of an entity's labels the one in the most preferred language is kept."""
    if builder.skip_bad_lines:
        raise InputError(
            f"bad lines can be skipped in tables, JSON Lines, N-Triples and N-Quads, not in {format}",
            source=source.name,
        )
    statements = Statements(languages, rename_blank_nodes=True, part=builder.part)
    for quad in quads_of(source, format):
        statements.add(quad)
        if len(statements.heads) + len(statements.names) >= CHUNK:
            statements.flush(builder)
    statements.flush(builder)


def quads_of(source: Source, format: str) -> Iterator[ox.Quad]:
    """The statements of Turtle, TriG, RDF/XML or JSON-LD, one after the other."""
    with source.errors():
        try:
            yield from ox.parse(guarded(source.stream, source.name, format), FORMATS[format], base_iri=_BASE)
        except MemoryError as error:  # the parser's bound on the length of a name or text
            raise InputError(f"a name or text is too long ({error})", source=source.name) from None
        except SyntaxError as error:
            raise InputError(f"not {format}: {reason(error)}", source=source.name, line=error.lineno) from None


def reason(error: SyntaxError) -> str:
    """The parser's message without its own position."""
    message = str(error.msg)
    if "LoadDocumentCallback" in message:
        return "it refers to a remote context, which faan does not fetch; put the context into the file"
    return message.split(": ", 1)[1] if message.startswith("Parser error") and ": " in message else message
