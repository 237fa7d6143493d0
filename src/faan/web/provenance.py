"""Decided facts in Turtle, each with its provenance in PROV.

Accepted facts are stated. Every decided fact, accepted or not, is also described as an `rdf:Statement`: who decided
what and when, which model suggested it from which examples, with which probability and reasons.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import pyoxigraph as ox
from pydantic import BaseModel, ValidationError

from faan.base import InputError
from faan.graph import Terms
from faan.web.decision import Decision

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_PROV = "http://www.w3.org/ns/prov#"
_FAAN = "urn:faan:vocabulary#"
_PREFIXES = {"rdf": _RDF, "rdfs": _RDFS, "xsd": _XSD, "prov": _PROV, "faan": _FAAN}

_TYPE = ox.NamedNode(f"{_RDF}type")
_LABEL = ox.NamedNode(f"{_RDFS}label")


def turtle(decisions: Sequence[Decision], terms: Terms, origin: str) -> str:
    """The accepted facts, and the provenance of all decisions."""
    return _serialized(_Provenance(terms, origin).triples(decisions), ox.RdfFormat.TURTLE)


def trig(decisions: Sequence[Decision], terms: Terms, origin: str) -> str:
    """The same, with the accepted facts in a named graph and their provenance in the default graph."""
    return _serialized(_Provenance(terms, origin).quads(decisions), ox.RdfFormat.TRIG)


def trig_with_reifiers(decisions: Sequence[Decision], terms: Terms, origin: str) -> str:
    """The same in RDF 1.2: a decision reifies its fact as a triple term."""
    return _serialized(_Provenance(terms, origin, reifiers=True).quads(decisions), ox.RdfFormat.TRIG)


def _serialized(statements: Iterable[ox.Triple] | Iterable[ox.Quad], format: ox.RdfFormat) -> str:
    return (ox.serialize(statements, format=format, prefixes=_PREFIXES) or b"").decode()


class _Given(BaseModel):
    """What a suggestion was asked with: pairs, or a relation; and the event up to which accepted facts counted."""

    relation: str | None = None
    examples: list[tuple[str, str]] = []
    accepted_until: int | None = None


class _Provenance:
    """The triples about decisions; reviewers, models and examples are described once each."""

    def __init__(self, terms: Terms, origin: str, reifiers: bool = False) -> None:
        self._terms = terms
        self._origin = origin
        self._reifiers = reifiers
        self._described: set[ox.NamedNode] = set()

    def triples(self, decisions: Sequence[Decision]) -> Iterator[ox.Triple]:
        for decision in decisions:
            if decision.verdict == "accepted":
                yield self._fact(decision)
            yield from self._decision(decision)

    def quads(self, decisions: Sequence[Decision]) -> Iterator[ox.Quad]:
        graph = self._terms.under("accepted/", self._origin)
        accepted = [decision for decision in decisions if decision.verdict == "accepted"]
        for decision in accepted:
            fact = self._fact(decision)
            yield ox.Quad(fact.subject, fact.predicate, fact.object, graph)
        for triple in self._graph(graph, accepted):
            yield ox.Quad(*triple)
        for decision in decisions:
            for triple in self._decision(decision):
                yield ox.Quad(*triple)

    def _graph(self, graph: ox.NamedNode, accepted: Sequence[Decision]) -> Iterator[ox.Triple]:
        """What the named graph of accepted facts is, who made it and when."""
        if not accepted:
            return
        yield from self._once(graph, "facts that were accepted in review", f"{_PROV}Entity", f"{_PROV}Collection")
        latest = max(decision.time for decision in accepted)
        yield ox.Triple(graph, _prov("generatedAtTime"), _time(latest))
        for name in dict.fromkeys(decision.reviewer for decision in accepted):
            yield ox.Triple(graph, _prov("wasAttributedTo"), self._terms.under("reviewer/", name))
        for decision in accepted:
            yield ox.Triple(graph, _prov("hadMember"), self._statement(decision))
            yield ox.Triple(graph, _prov("wasGeneratedBy"), self._review(decision))

    def _fact(self, decision: Decision) -> ox.Triple:
        return self._terms.triple(decision.head, decision.relation, decision.tail)

    def _statement(self, decision: Decision) -> ox.NamedNode:
        return self._terms.under("decision/", f"{self._origin}-{decision.id}")

    def _review(self, decision: Decision) -> ox.NamedNode:
        return self._terms.under("review/", f"{self._origin}-{decision.id}")

    def _reified(self, node: ox.NamedNode, fact: ox.Triple) -> Iterator[ox.Triple]:
        """Describe the fact of a decision, accepted or not."""
        if self._reifiers:
            yield ox.Triple(node, ox.NamedNode(f"{_RDF}reifies"), fact)
            return
        yield from _types(node, f"{_RDF}Statement")
        for part, term in zip(("subject", "predicate", "object"), fact, strict=True):
            yield ox.Triple(node, ox.NamedNode(f"{_RDF}{part}"), term)

    def _decision(self, decision: Decision) -> Iterator[ox.Triple]:
        statement, review = self._statement(decision), self._review(decision)
        reviewer = self._terms.under("reviewer/", decision.reviewer)
        time = _time(decision.time)
        yield from self._reified(statement, self._fact(decision))
        yield from _types(statement, f"{_PROV}Entity")
        yield ox.Triple(statement, _faan("decision"), ox.Literal(decision.verdict))
        for name in ("probability", "score", "rank"):
            if (value := getattr(decision, name)) is not None:
                yield ox.Triple(statement, _faan(name), ox.Literal(value))
        for reason in decision.reasons:
            yield ox.Triple(statement, _faan("reason"), ox.Literal(reason))
        yield ox.Triple(statement, _prov("wasAttributedTo"), reviewer)
        yield ox.Triple(statement, _prov("generatedAtTime"), time)
        yield ox.Triple(statement, _prov("wasGeneratedBy"), review)
        yield from _types(review, f"{_PROV}Activity")
        yield ox.Triple(review, _prov("endedAtTime"), time)
        yield ox.Triple(review, _prov("wasAssociatedWith"), reviewer)
        yield from self._once(reviewer, decision.reviewer, f"{_PROV}Person")
        if decision.model:
            model = self._terms.under("model/", decision.model)
            yield ox.Triple(review, _prov("used"), model)
            yield from self._once(model, decision.model, f"{_PROV}Entity")
        yield from self._examples(decision, statement)

    def _examples(self, decision: Decision, statement: ox.NamedNode) -> Iterator[ox.Triple]:
        """What the suggestion was derived from: the relation's own facts, pairs that were given, or both."""
        given = _given(decision)
        if not given.model_fields_set:
            return
        examples = self._terms.under("examples/", hashlib.sha256(decision.examples.encode()).hexdigest()[:16])
        yield ox.Triple(statement, _prov("wasDerivedFrom"), examples)
        if examples in self._described:
            return
        kinds = ["known facts"] * (given.relation is not None) + ["examples"] * bool(given.examples)
        label = f"{' and '.join(kinds) or 'accepted facts'} of {decision.relation}"
        yield from self._once(examples, label, f"{_PROV}Collection")
        if given.accepted_until:
            yield ox.Triple(examples, _faan("acceptedUntil"), ox.Literal(given.accepted_until))
        for number, (head, tail) in enumerate(given.examples, 1):
            member = ox.NamedNode(f"{examples.value}-{number}")
            yield ox.Triple(examples, _prov("hadMember"), member)
            yield from self._reified(member, self._terms.triple(head, decision.relation, tail))

    def _once(self, node: ox.NamedNode, label: str, *kinds: str) -> Iterator[ox.Triple]:
        if node not in self._described:
            self._described.add(node)
            yield from _types(node, *kinds)
            yield ox.Triple(node, _LABEL, ox.Literal(label))


def _given(decision: Decision) -> _Given:
    try:
        return _Given.model_validate_json(decision.examples)
    except ValidationError:
        raise InputError(
            f"the examples of decision {decision.id} are not as the review page wrote them; export as another format"
        ) from None


def _types(node: ox.NamedNode, *kinds: str) -> Iterator[ox.Triple]:
    return (ox.Triple(node, _TYPE, ox.NamedNode(kind)) for kind in kinds)


def _time(text: str) -> ox.Literal:
    return ox.Literal(text, datatype=ox.NamedNode(f"{_XSD}dateTime"))


def _prov(name: str) -> ox.NamedNode:
    return ox.NamedNode(f"{_PROV}{name}")


def _faan(name: str) -> ox.NamedNode:
    return ox.NamedNode(f"{_FAAN}{name}")
