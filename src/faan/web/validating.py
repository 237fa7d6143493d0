"""Validates accepted facts against SHACL shapes with pySHACL before export, together with the facts around them."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyoxigraph as ox

from faan.base import InputError
from faan.graph import SHACL, SUBCLASS, Graph, Terms, read_shapes
from faan.web.decision import Decision

if TYPE_CHECKING:
    import rdflib

_MOST = 500_000  # statements around the accepted facts that are looked at
_RUNS = ("select", "ask", "construct", "update", "jsFunctionName")  # constraints that run programs or call servers
_RESULT = ("focusNode", "resultPath", "value", "resultMessage")
_LOGGERS = ("pyshacl-validate", "rdflib.term")  # which print to the terminal
_STRANGE = (
    "the shapes name no relation, type or entity of these facts: nothing was checked; do --base and --relation-base "
    "make the IRIs that the shapes use?"
)
_TYPE = ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")


@dataclass(frozen=True)
class Violation:
    """A violation at a node, with the message of the shape or of pySHACL."""

    node: str
    path: str  # the relation, "" where the shape names none
    value: str  # "" where it is not about one
    message: str


@dataclass(frozen=True)
class Validated:
    """Violations that the accepted facts cause, and the number that the same nodes had before."""

    new: tuple[Violation, ...]
    old: int
    notes: tuple[str, ...] = ()  # about the shapes: that pySHACL skips a constraint, that they are about other things


def validate(facts: Sequence[Decision], shapes: Path, terms: Terms, graph: Graph | None) -> Validated:
    """Check facts against shapes; facts of the graph about the same entities are included."""
    try:
        import pyshacl  # noqa: F401, so that its absence is reported before anything is read
    except ModuleNotFoundError:
        raise InputError("checking facts against shapes needs pySHACL: pip install 'faan[shacl]'") from None
    stated = read_shapes(shapes)
    _refuse_programs(stated, str(shapes))
    if not facts:
        return Validated((), 0)
    before = set() if graph is None else set(_around(facts, graph, terms, stated))
    accepted = {terms.triple(fact.head, fact.relation, fact.tail) for fact in facts}
    strange = not _named(stated) & {term for triple in before | accepted for term in triple}
    before |= {triple for triple in stated if triple.predicate.value == SUBCLASS}
    after = before | accepted
    with _overheard() as said:
        broken = _broken(after, stated, str(shapes))
        was = _broken(before, stated, str(shapes)) if broken else set()
    found = sorted(broken - was, key=lambda one: (one.node, one.path, one.value, one.message))
    notes = [*(f"pySHACL says: {one}" for one in dict.fromkeys(said)), *[_STRANGE] * strange]
    return Validated(tuple(found), len(broken & was), tuple(notes))


@contextmanager
def _overheard() -> Iterator[list[str]]:
    """Collect the first lines of the messages of pySHACL and rdflib, which would print them."""
    said: list[str] = []

    def take(text: str) -> bool:
        said.extend(text.splitlines()[:1])
        return False

    def take_record(record: logging.LogRecord) -> bool:
        return take(record.getMessage())

    loggers = [logging.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.addFilter(take_record)
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            yield said
        for one in warned:
            take(str(one.message))
    finally:
        for logger in loggers:
            logger.removeFilter(take_record)


def _refuse_programs(shapes: Iterable[ox.Triple], source: str) -> None:
    for triple in shapes:
        if triple.predicate.value.removeprefix(SHACL) in _RUNS:
            raise InputError(
                "holds constraints in SPARQL or JavaScript, which faan does not run, because they can reach other "
                "servers; check the exported file with pySHACL itself",
                source=source,
            )


def _around(facts: Sequence[Decision], graph: Graph, terms: Terms, shapes: Sequence[ox.Triple]) -> Iterator[ox.Triple]:
    """What the graph says about the entities of facts: types, classes, and facts of relations that shapes name."""
    named = {fact for decision in facts for fact in (decision.head, decision.tail)}
    numbers = [graph.entity_names.find(name) for name in sorted(named)]
    entities = np.array([number for number in numbers if number is not None], dtype=np.int64)
    rows = np.flatnonzero(np.isin(graph.heads, entities) | np.isin(graph.tails, entities))
    rows = rows[np.isin(graph.relations[rows], _relations(graph, terms, shapes))]
    if len(rows) > _MOST:
        raise InputError(
            f"the graph has {len(rows):,} facts around the accepted ones; at most {_MOST:,} can be checked"
        )
    names, relations = graph.entity_names, graph.relation_names
    for head, relation, tail in zip(graph.heads[rows], graph.relations[rows], graph.tails[rows], strict=True):
        yield terms.triple(names[int(head)], relations[int(relation)], names[int(tail)])
    if graph.types is not None:
        for entity in np.unique(np.concatenate([entities, graph.heads[rows], graph.tails[rows]])).tolist():
            for kind in graph.types.of(entity).tolist():
                yield ox.Triple(terms.of(names[entity]), _TYPE, terms.of(graph.types.names[kind]))
    if graph.schema is not None:
        for below, relation_name, above in graph.schema.rows().iter_rows():
            if relation_name == SUBCLASS and not below.startswith("_:") and not above.startswith("_:"):
                yield ox.Triple(terms.of(below), ox.NamedNode(SUBCLASS), terms.of(above))


def _relations(graph: Graph, terms: Terms, shapes: Sequence[ox.Triple]) -> list[int]:
    """The relations of the graph that shapes name; all of them where a shape allows no others."""
    named = _named(shapes)
    closed = any(triple.predicate.value == f"{SHACL}closed" for triple in shapes)
    return [number for number, name in enumerate(graph.relation_names) if closed or terms.relation(name) in named]


def _named(shapes: Sequence[ox.Triple]) -> set[object]:
    """All that shapes name."""
    return {term for triple in shapes for term in (triple.subject, triple.object)}


def _broken(data: Iterable[ox.Triple], shapes: Iterable[ox.Triple], source: str) -> set[Violation]:
    import pyshacl
    import rdflib

    try:
        _, report, said = pyshacl.validate(_rdflib(data), shacl_graph=_rdflib(shapes))
    except Exception as error:  # pySHACL raises any kind of error on wrong patterns, lists or numbers
        first = str(error).strip().splitlines() or ["no reason given"]
        raise InputError(f"pySHACL cannot use the shapes: {first[0]}", source=source) from None
    if not isinstance(report, rdflib.Graph):
        raise InputError(f"pySHACL cannot use the shapes: {said.strip().splitlines()[0]}", source=source)
    found = set()
    for result in report.subjects(rdflib.RDF.type, rdflib.SH.ValidationResult):
        terms = [report.value(result, rdflib.SH[name]) for name in _RESULT]
        node, path, value, message = ("" if term is None else str(term) for term in terms)
        found.add(Violation(node, path, value, message))
    return found


def _rdflib(triples: Iterable[ox.Triple]) -> rdflib.Graph:
    import rdflib

    return rdflib.Graph().parse(data="".join(f"{triple} .\n" for triple in triples), format="nt")
