"""Reading a graph from a SPARQL endpoint: one query a predicate, in pages where the server does not give all at once.

A page begins behind the last row of the one before (`FILTER(STR(?s) > last)`), so each row that arrived counts, even
where an answer breaks off. The end is an empty page or the number of rows that the server counted beforehand: a server
that silently cuts answers off is noticed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pyoxigraph as ox

from faan.base import InputError, OnProgress, counted, shorten
from faan.graph.builder import GraphBuilder
from faan.graph.endpoint import Client, Endpoint, OverburdenedError, Row, TransientError, retried
from faan.graph.labels import LABEL_RELATIONS, label_rank
from faan.graph.selection import WIKIDATA_DIRECT, WIKIDATA_ENTITY, iri

_ATTEMPTS = 5  # without a single row, before faan stops
_SMALLEST = 100  # the smallest page, for a slow server
_DESCRIBED = 500  # entities whose labels and types are asked for at once
_EDGE = "isIRI(?s) && isIRI(?o)"
_COUNTS = f"(COUNT(*) AS ?n) (SUM(IF({_EDGE}, 1, 0)) AS ?edges) (SUM(IF(isLiteral(?o), 1, 0)) AS ?literals)"


@dataclass
class _Predicate:
    """A predicate and how many of its triples link two IRIs; None where the server could not count them."""

    name: str
    edges: int | None = None
    literals: int = 0
    blank: int = 0


def read_endpoint(
    address: str, builder: GraphBuilder, endpoint: Endpoint, languages: Sequence[str], on_progress: OnProgress
) -> None:
    """Read the facts of an endpoint, then the labels and types of their entities and relations."""
    client = Client(address, endpoint)
    builder.begin(client.name)
    builder.of_format("sparql")
    if client.sends_password_in_the_clear:
        builder.note("the password went over the network unencrypted; use https if the server can")
    _Reader(client, builder, endpoint, languages, on_progress).read()


class _Reader:
    def __init__(
        self, client: Client, builder: GraphBuilder, endpoint: Endpoint, languages: Sequence[str], tell: OnProgress
    ) -> None:
        self._client, self._builder, self._endpoint, self._tell = client, builder, endpoint, tell
        self._languages = languages
        self._page = endpoint.page
        self._from = " ".join(f"FROM {iri(graph, 'graph')}" for graph in endpoint.graphs)
        self._type_relations = [iri(name, "relation") for name in builder.type_relations if "://" in name]
        kinds = " ".join(str(iri(name, "class")) for name in builder.classes)
        path = "|".join(map(str, self._type_relations))
        self._member = f"FILTER EXISTS {{ VALUES ?class {{ {kinds} }} ?s {path} ?class }}" if kinds else ""

    def read(self) -> None:
        wanted = [iri(name, "predicate").value for name in self._builder.predicates]
        everything = not (wanted or self._member or self._endpoint.limit)
        predicates = self._count(wanted) if wanted else self._list()
        if not any(one.edges != 0 for one in predicates):
            raise self._nothing(wanted)
        described = {*LABEL_RELATIONS, *(node.value for node in self._type_relations)}
        facts = [one for one in predicates if one.edges != 0 and (one.name not in described or everything)]
        known = [one.edges for one in facts if one.edges is not None]
        total = sum(known) if len(known) == len(facts) else None
        done = 0
        for number, one in enumerate(facts):
            for rows in self._rows(one):
                self._builder.add([s for s, _ in rows], [one.name] * len(rows), [o for _, o in rows])
                done += len(rows)
                share = done / total if total else number / len(facts)
                self._tell(f"reading {self._client.name}", min(share, 1.0))
        there = {one.name for one in predicates} if everything else None
        self._builder.count(literals=sum(one.literals for one in predicates if one.name not in LABEL_RELATIONS))
        if blank := sum(one.blank for one in predicates):
            self._builder.note(
                f"{counted(blank, 'triple')} with blank nodes skipped: a query cannot name them; export the data to a "
                "file to read them"
            )
        self._describe(there, everything)

    def _list(self) -> list[_Predicate]:
        """All predicates with their numbers of triples, or without if counting takes the server too long."""
        query = f"SELECT ?p {_COUNTS} {self._from} WHERE {{ ?s ?p ?o {self._member} }} GROUP BY ?p"
        try:
            rows = self._ask(query, 4, attempts=2)
            return [self._counted(row[0].value, row[1:]) for row in rows if isinstance(row[0], ox.NamedNode)]
        except InputError:
            try:
                rows = self._ask(f"SELECT DISTINCT ?p {self._from} WHERE {{ ?s ?p ?o {self._member} }}", 1, attempts=2)
            except OverburdenedError as error:
                raise InputError(f"{error}. Name the predicates to read: --predicate") from None
            return [_Predicate(row[0].value) for row in rows if isinstance(row[0], ox.NamedNode)]

    def _count(self, names: Sequence[str]) -> list[_Predicate]:
        found = []
        for name in dict.fromkeys(names):
            query = f"SELECT {_COUNTS} {self._from} WHERE {{ ?s <{name}> ?o {self._member} }}"
            try:
                rows = self._ask(query, 3, attempts=2)
                found.append(self._counted(name, rows[0]) if rows else _Predicate(name))
            except InputError:
                found.append(_Predicate(name))
        for one in found:
            if one.edges == 0:
                why = f"; it has {counted(one.literals, 'literal')}" if one.literals else ""
                self._builder.note(f"{one.name}: no triple links two entities{why}")
        return found

    def _rows(self, one: _Predicate) -> Iterator[list[tuple[str, str]]]:
        """The (head, tail) pairs of a predicate: all in one answer if the server gives that, otherwise page by page."""
        limit = self._endpoint.limit
        wanted = one.edges if limit is None else min(one.edges, limit) if one.edges is not None else None
        if wanted is not None and wanted <= self._page:
            most = f"LIMIT {wanted}" if limit is not None else ""
            try:
                pairs = _pairs(self._client.select(self._query(one.name, _EDGE, most), 2))
                if len(pairs) >= wanted:
                    yield pairs
                    return
                came = len(pairs)
            except TransientError as failure:
                came = len(failure.rows)
            self._page = max(min(self._page, came or wanted // 2), _SMALLEST if came == 0 else 1)
        yield from map(_pairs, self._pages(one.name, wanted))

    def _pages(self, predicate: str, wanted: int | None, condition: str = _EDGE) -> Iterator[list[Row]]:
        """The rows of a predicate in the order of their texts, up to an empty page or the wanted number."""
        limit, read, after = self._endpoint.limit, 0, ""
        last: Row | None = None
        while limit is None or read < limit:
            size = self._page if limit is None else min(self._page, limit - read)
            rows = self._ask_for_page(predicate, f"{condition} {after}", size)
            if not rows:
                break
            yield rows
            read += len(rows)
            if read == wanted:
                return
            if rows[-1] == last:
                raise InputError(f"the server repeats the same rows of {predicate}", source=self._client.name)
            last = rows[-1]
            head, tail = (str(ox.Literal(_text(cell))) for cell in rows[-1])
            after = f"&& (STR(?s) > {head} || (STR(?s) = {head} && STR(?o) > {tail}))"
        if wanted is not None and read < wanted:
            self._builder.note(f"{predicate}: the server counted {wanted:,} triples, but gave {read:,}")

    def _ask_for_page(self, predicate: str, condition: str, size: int) -> list[Row]:
        """A page, or the part of it that arrived; after a failure the next page is smaller."""

        def select() -> list[Row]:
            query = self._query(predicate, condition, f"ORDER BY STR(?s) STR(?o) LIMIT {min(size, self._page)}")
            try:
                return self._client.select(query, 2)
            except TransientError as failure:
                if failure.wait is None:  # if the server asks for a delay, the size is not the cause
                    self._page = max(min(size, self._page) // 4, min(size, _SMALLEST))
                if failure.rows:
                    return failure.rows
                raise

        return self._retried(select)

    def _query(self, predicate: str, condition: str, end: str) -> str:
        return f"SELECT ?s ?o {self._from} WHERE {{ ?s <{predicate}> ?o FILTER({condition}) {self._member} }} {end}"

    def _ask(self, query: str, width: int, attempts: int = _ATTEMPTS) -> list[Row]:
        """The answer to a query."""
        return self._retried(lambda: self._client.select(query, width), attempts)

    def _retried(self, select: Callable[[], list[Row]], attempts: int = _ATTEMPTS) -> list[Row]:
        return retried(select, self._client.name, attempts, lambda why: self._tell(f"waiting: {shorten(why)}", 0.0))

    def _describe(self, there: set[str] | None, everything: bool) -> None:
        """Read labels and types: of everything, or only of what the chosen facts name."""
        languages = " || ".join(f"LANGMATCHES(LANG(?o), {ox.Literal(one)})" for one in self._languages)
        is_label = f'isLiteral(?o) && (LANG(?o) = "" || {languages})' if languages else "isLiteral(?o)"
        names = _nodes(self._builder.names_in_triples())
        kinds: dict[str, None] = {}
        for node in self._type_relations:
            if not everything and (there is None or node.value in there):  # otherwise they came with the facts
                for rows in self._about(names, node.value, "isIRI(?o)"):
                    pairs = _pairs(rows)
                    self._builder.add_types([s for s, _ in pairs], [o for _, o in pairs])
                    kinds |= dict.fromkeys(o for _, o in pairs)
        names = list(dict.fromkeys([*names, *_nodes(list(kinds))]))
        for relation in LABEL_RELATIONS:
            if there is None or relation in there:
                pages = self._pages(relation, None, is_label) if everything else self._about(names, relation, is_label)
                for rows in pages:
                    self._add_labels(relation, rows)

    def _add_labels(self, relation: str, rows: Sequence[Row]) -> None:
        labels = [
            (_text(s), o) for s, o in rows if isinstance(s, ox.NamedNode) and isinstance(o, ox.Literal) and o.value
        ]
        ranks = [label_rank(relation, label.language, self._languages) for _, label in labels]
        self._builder.add_labels([name for name, _ in labels], [label.value for _, label in labels], ranks)

    def _about(self, names: Sequence[str], relation: str, condition: str) -> Iterator[list[Row]]:
        """The rows of a relation for some names, a few hundred at a time."""
        for start in range(0, len(names), _DESCRIBED):
            nodes = " ".join(names[start : start + _DESCRIBED])
            query = (
                f"SELECT ?s ?o {self._from} WHERE {{ VALUES ?s {{ {nodes} }} ?s <{relation}> ?o FILTER({condition}) }}"
            )
            yield self._ask(query, 2)
            self._tell("reading labels and types", min((start + _DESCRIBED) / len(names), 1.0))

    def _counted(self, name: str, row: Row) -> _Predicate:
        try:
            total, edges, literals = (int(float(_text(cell) or 0)) for cell in row)
        except (ValueError, OverflowError):
            raise InputError(f"{name}: the server's counts are not numbers", source=self._client.name) from None
        return _Predicate(name, edges, literals, total - edges - literals)

    def _nothing(self, wanted: Sequence[str]) -> InputError:
        if wanted:
            return InputError(f"no triple of {', '.join(wanted)} links two entities", source=self._client.name)
        if self._member:
            return InputError("no entity of these classes is in a triple", source=self._client.name)
        named = self._ask("SELECT DISTINCT ?g WHERE { GRAPH ?g { ?s ?p ?o } } LIMIT 5", 1, attempts=1)
        there = ", ".join(_text(row[0]) for row in named)
        hint = f"; choose from its named graphs with --graph: {there}" if there and not self._from else ""
        what = "these graphs are" if self._from else "its default graph is"
        return InputError(f"{what} empty{hint}", source=self._client.name)


def _nodes(names: Sequence[str]) -> list[str]:
    """Names that are IRIs, as they stand in a query; the label of Wikidata's `wdt:P36` is at `wd:P36`."""
    properties = [
        WIKIDATA_ENTITY + name.removeprefix(WIKIDATA_DIRECT) for name in names if name.startswith(WIKIDATA_DIRECT)
    ]
    nodes = []
    for name in (*names, *properties):
        try:
            nodes.append(str(ox.NamedNode(name)))
        except ValueError:
            continue  # a name of another file
    return nodes


def _text(cell: object) -> str:
    return getattr(cell, "value", "") or ""


def _pairs(rows: Sequence[Row]) -> list[tuple[str, str]]:
    return [(s.value, o.value) for s, o in rows if isinstance(s, ox.NamedNode) and isinstance(o, ox.NamedNode)]
