"""Decided facts as files: N-Triples, TSV, Turtle with provenance, SPARQL UPDATE, QuickStatements, KGX, Cypher."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias, get_args

import pyoxigraph as ox

from faan.base import InputError, UnknownNameError, visible
from faan.graph import (
    EDGE_COLUMNS,
    NODE_COLUMNS,
    Graph,
    Names,
    Row,
    Terms,
    checked_source,
    kgx_edge,
    kgx_json,
    kgx_line,
    kgx_nodes,
    tsv_line,
)
from faan.web.cypher import NodeKey, cypher_file
from faan.web.decision import Decision
from faan.web.decisions import Decisions
from faan.web.provenance import trig, trig_with_reifiers, turtle
from faan.web.sending import sparql_updates

Chosen: TypeAlias = Literal["accepted", "rejected", "all"]
CHOSEN: tuple[Chosen, ...] = get_args(Chosen)
FormatName: TypeAlias = Literal[
    "nt",
    "tsv",
    "ttl",
    "trig",
    "trig12",
    "sparql",
    "quickstatements",
    "kgx",
    "kgx-nodes",
    "kgx-jsonl",
    "kgx-jsonl-nodes",
    "cypher",
]
_TSV, _JSONL = "text/tab-separated-values", "application/x-ndjson"
_WIKIDATA = re.compile(
    r"(?:https?://www\.wikidata\.org/(?:entity|wiki|prop/direct|prop)/|wdt?:)?(?:Property:)?([PQ][1-9][0-9]*)"
)
_COLUMNS = (
    *("head", "relation", "tail", "decision", "probability", "score", "rank"),
    *("reviewer", "time", "model", "examples", "reasons"),
)


@dataclass(frozen=True)
class Facts:
    """Decided facts, and what formats need to write them."""

    decisions: Sequence[Decision]
    terms: Terms
    origin: str  # the id of the file of decisions
    graph: Graph | None
    references: str  # cells of QuickStatements
    knowledge_source: str | None
    node_key: NodeKey


Write: TypeAlias = Callable[[Facts], Iterator[str]]


@dataclass(frozen=True)
class Format:
    """A format: its name, and how decisions are written in it."""

    name: str
    media_type: str
    ending: str
    write: Write
    marks_rejected: bool = True  # whether a reader of the file can tell rejected facts from accepted ones
    only_known: bool = False  # whether rejected facts are deletions: written only if the graph has them
    beside: str | None = None  # the format of its second file


@dataclass(frozen=True)
class Exported:
    """The text of a file in pieces, the number of facts in it, and of rejected ones left out."""

    count: int
    left_out: int
    pieces: Iterable[str]


def export(
    stored: Decisions,
    format: str,
    chosen: Chosen,
    terms: Terms | None = None,
    relation: str | None = None,
    graph: Graph | None = None,
    references: Mapping[str, str] | None = None,
    knowledge_source: str | None = None,
    node_key: NodeKey | None = None,
) -> Exported:
    """Write accepted or rejected facts as text, or both. Skipped facts are not decided.

    QuickStatements take `references`, KGX a primary `knowledge_source`, Cypher a `node_key` to find nodes by.
    """
    form = FORMATS[format]
    for given, fits, what in (
        (references, format == "quickstatements", "references can be given in QuickStatements only"),
        (knowledge_source, format.startswith("kgx"), "a knowledge source can be given in KGX only"),
        (node_key, format == "cypher", "the label and the key of nodes can be given in Cypher only"),
    ):
        if given and not fits:
            raise InputError(what)
    cells, source = _references(references or {}), checked_source(knowledge_source)
    if chosen == "all" and not form.marks_rejected:
        raise InputError(
            f"{form.name} cannot mark rejected facts. Export accepted and rejected ones separately, or choose "
            "TSV, Turtle or SPARQL."
        )
    decided = stored.current(relation, ("accepted", "rejected") if chosen == "all" else (chosen,))
    kept = decided
    if form.only_known:
        kept = [fact for fact in decided if fact.verdict == "accepted" or _is_known(fact, graph)]
    facts = Facts(kept, terms or Terms(), stored.identity, graph, cells, source, node_key or NodeKey())
    return Exported(len(kept), len(decided) - len(kept), list(form.write(facts)))


def _is_known(fact: Decision, graph: Graph | None) -> bool:
    """Whether the graph states a fact."""
    if graph is None:
        return False
    head, tail = graph.entity_names.find(fact.head), graph.entity_names.find(fact.tail)
    relation = graph.relation_names.find(fact.relation)
    if head is None or tail is None or relation is None:
        return False
    return tail in graph.neighbours.along(head, relation)


def decided_relation(stored: Decisions, graph: Graph | None, name: str) -> str:
    """The name of a relation given by name or label: one with decisions, or one of the graph."""
    decided, near = stored.relations(), []
    if name in decided:
        return name
    try:
        if graph is not None:
            return graph.relation_names[graph.relation(name)]
    except UnknownNameError as error:
        near = error.nearest
    near = Names.from_strings(decided).nearest(name) + near
    raise UnknownNameError("relation", name, list(dict.fromkeys(near))[:3])


def _ntriples(facts: Facts) -> Iterator[str]:
    """The facts, each with a comment: probability, reviewer, date, and the reasons that the reviewer saw."""
    return (f"{_triple(decision, facts.terms)} . # {_comment(decision)}\n" for decision in facts.decisions)


def _comment(decision: Decision) -> str:
    likely = "" if decision.probability is None else f"{decision.probability:.3f}: "
    decided = f"{decision.verdict} by {decision.reviewer} on {decision.time[:10]}"
    return visible(likely + "; ".join([decided, *decision.reasons]))


def _tsv(facts: Facts) -> Iterator[str]:
    yield tsv_line(_COLUMNS)
    for decision in facts.decisions:
        cells = asdict(decision) | {"decision": decision.verdict, "reasons": "; ".join(decision.reasons)}
        yield tsv_line("" if cells[name] is None else str(cells[name]) for name in _COLUMNS)


def _sparql(facts: Facts) -> Iterator[str]:
    """Accepted facts are inserted, rejected ones deleted."""
    accepted, rejected = (
        [_triple(decision, facts.terms) for decision in facts.decisions if decision.verdict == verdict]
        for verdict in ("accepted", "rejected")
    )
    yield " ;\n".join(sparql_updates(accepted, rejected)) + "\n" if facts.decisions else "# there are no decisions\n"


def _references(given: Mapping[str, str]) -> str:
    """Cells that say where statements come from: `S248` and an item, `S854` and an address in quotes."""
    cells = []
    for name, value in given.items():
        number = wikidata_id(name)
        if not number.startswith("P") or not value or any(sign in value for sign in '\t\n\r"'):
            raise InputError(f"expected a property and its value, such as P248=Q5188229, found {name}={value}")
        found = _WIKIDATA.fullmatch(value)
        cells.append(f"\tS{number[1:]}\t" + (found[1] if found else f'"{value}"'))
    return "".join(cells)


def _quickstatements(facts: Facts) -> Iterator[str]:
    """A line that begins with a minus deletes a statement; rejected suggestions that the graph lacks get none."""
    for decision in facts.decisions:
        head, relation, tail = (wikidata_id(name) for name in (decision.head, decision.relation, decision.tail))
        if not relation.startswith("P"):
            raise InputError(f"the relation {relation} is a Wikidata item, not a property. Choose another format.")
        if decision.verdict == "rejected":
            yield f"-{head}\t{relation}\t{tail}\n"
        else:
            retrieved = f"\tS813\t+{decision.time[:10]}T00:00:00Z/11" if facts.references else ""  # to the day
            yield f"{head}\t{relation}\t{tail}{facts.references}{retrieved}\n"


def wikidata_id(name: str) -> str:
    """The Q or P number that a name stands for."""
    found = _WIKIDATA.fullmatch(name)
    if found is None:
        raise InputError(
            f"QuickStatements are for Wikidata, and {name!r} is not a Wikidata item or property. Choose another format."
        )
    return found[1]


def _edges(facts: Facts) -> Iterator[Row]:
    """Facts that a model suggested and a person judged; rejected ones are negated."""
    for one in facts.decisions:
        yield kgx_edge(
            one.head,
            one.relation,
            one.tail,
            agent="manual_validation_of_automated_agent",
            probability=one.probability,
            negated=one.verdict == "rejected",
            date=one.time[:10],
            source=facts.knowledge_source,
        )


def _nodes(facts: Facts) -> Iterator[Row]:
    names = dict.fromkeys(name for one in facts.decisions for name in (one.head, one.tail))
    return kgx_nodes(names, facts.graph)


def _kgx(rows: Callable[[Facts], Iterator[Row]], columns: Sequence[str] = ()) -> Write:
    """A writer of KGX: as TSV with these columns, or as JSON Lines without columns."""

    def write(facts: Facts) -> Iterator[str]:
        if columns:
            yield tsv_line(columns)
        yield from map(kgx_line if columns else kgx_json, rows(facts))

    return write


def _cypher(facts: Facts) -> Iterator[str]:
    return cypher_file(facts.decisions, facts.node_key)


def _rdf(serialize: Callable[[Sequence[Decision], Terms, str], str]) -> Write:
    """A writer of RDF with provenance."""
    return lambda facts: iter([serialize(facts.decisions, facts.terms, facts.origin)])


def _triple(decision: Decision, terms: Terms) -> ox.Triple:
    return terms.triple(decision.head, decision.relation, decision.tail)


FORMATS = {
    "nt": Format("N-Triples", "application/n-triples", ".nt", _ntriples, marks_rejected=False),
    "tsv": Format("TSV", _TSV, ".tsv", _tsv),
    "ttl": Format("Turtle with provenance", "text/turtle", ".ttl", _rdf(turtle)),
    "trig": Format("TriG with provenance", "application/trig", ".trig", _rdf(trig)),
    "trig12": Format("TriG with RDF 1.2 reifiers", "application/trig", ".trig12", _rdf(trig_with_reifiers)),
    "sparql": Format("SPARQL UPDATE", "application/sparql-update", ".ru", _sparql),
    "quickstatements": Format("QuickStatements", "text/plain", ".txt", _quickstatements, only_known=True),
    "kgx": Format("KGX edges, TSV", _TSV, "_edges.tsv", _kgx(_edges, EDGE_COLUMNS), beside="kgx-nodes"),
    "kgx-nodes": Format("KGX nodes, TSV", _TSV, "_nodes.tsv", _kgx(_nodes, NODE_COLUMNS)),
    "kgx-jsonl": Format("KGX edges, JSON Lines", _JSONL, "_edges.jsonl", _kgx(_edges), beside="kgx-jsonl-nodes"),
    "kgx-jsonl-nodes": Format("KGX nodes, JSON Lines", _JSONL, "_nodes.jsonl", _kgx(_nodes)),
    "cypher": Format("Cypher", "text/plain", ".cypher", _cypher),
}
