"""Decided facts sent to a SPARQL endpoint as updates, after a look at what they would change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import pyoxigraph as ox

from faan.graph import Client, Terms, retried
from faan.web.decision import Decision

_BATCH = 1000  # facts in one operation: endpoints limit the size of a request
_HEADS = 300  # in one query
_ATTEMPTS = 4


@dataclass(frozen=True)
class Update:
    """Accepted facts that the endpoint lacks, and rejected facts that it has."""

    insert: tuple[ox.Triple, ...]
    delete: tuple[ox.Triple, ...]
    unchanged: int  # accepted facts that are there, rejected ones that are not

    @property
    def count(self) -> int:
        """How many facts change."""
        return len(self.insert) + len(self.delete)


def query_address(update: str) -> str:
    """Where an endpoint answers queries, by the usual names of addresses for updates."""
    address, mark, parameters = update.partition("?")
    if address.endswith("/update"):
        address = f"{address.removesuffix('/update')}/query"
    return address.removesuffix("/statements") + mark + parameters


def plan(decisions: Sequence[Decision], terms: Terms, endpoint: Client, graph: ox.NamedNode | None) -> Update:
    """Look up which of the decided facts the endpoint has."""
    facts = {terms.triple(one.head, one.relation, one.tail): one.verdict == "accepted" for one in decisions}
    there = set(_present(list(facts), endpoint, graph))
    insert = tuple(fact for fact, accepted in facts.items() if accepted and fact not in there)
    delete = tuple(fact for fact, accepted in facts.items() if not accepted and fact in there)
    return Update(insert, delete, len(facts) - len(insert) - len(delete))


def send(changes: Update, endpoint: Client, graph: ox.NamedNode | None) -> None:
    """Insert and delete; both may be repeated without harm, so an update that failed is sent again."""
    for update in sparql_updates(changes.insert, changes.delete, graph):
        retried(partial(endpoint.update, update), endpoint.name, _ATTEMPTS)


def sparql_updates(
    insert: Sequence[ox.Triple], delete: Sequence[ox.Triple], graph: ox.NamedNode | None = None
) -> Iterator[str]:
    """Operations of SPARQL UPDATE that insert and delete facts."""
    for operation, facts in (("INSERT DATA", insert), ("DELETE DATA", delete)):
        for start in range(0, len(facts), _BATCH):
            lines = "".join(f"  {fact} .\n" for fact in facts[start : start + _BATCH])
            inside = f"{{\n{lines}}}" if graph is None else f"{{ GRAPH {graph} {{\n{lines}}} }}"
            yield f"{operation} {inside}"


def _present(facts: Sequence[ox.Triple], endpoint: Client, graph: ox.NamedNode | None) -> Iterator[ox.Triple]:
    heads: dict[ox.NamedNode, dict[str, None]] = {}
    for fact in facts:
        heads.setdefault(fact.predicate, {})[str(fact.subject)] = None
    for relation, nodes in heads.items():
        for start in range(0, len(nodes), _HEADS):
            pattern = f"VALUES ?s {{ {' '.join(list(nodes)[start : start + _HEADS])} }} ?s {relation} ?o"
            query = f"SELECT ?s ?o WHERE {{ {pattern if graph is None else f'GRAPH {graph} {{ {pattern} }}'} }}"
            for head, tail in retried(partial(endpoint.select, query, 2), endpoint.name, _ATTEMPTS):
                if isinstance(head, ox.NamedNode) and isinstance(tail, ox.NamedNode):
                    yield ox.Triple(head, relation, tail)
