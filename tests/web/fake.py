"""A completer that answers at once, for tests of what is around it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from faan.complete import (
    About,
    Bin,
    Contribution,
    Described,
    Examples,
    ExplainedPath,
    Explanation,
    Extended,
    Fact,
    GraphSource,
    Hop,
    Measured,
    Point,
    Reason,
    Suggestion,
    Suggestions,
    ToldPath,
    Trust,
    WeightedExample,
    WeightedNeighbour,
)
from faan.complete.suggestions import Asked
from faan.graph import Graph


class FakeCompleter:
    """Suggests every tail of the examples for every head that has none, with made-up figures."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        source = GraphSource(
            name="test", entities=graph.num_entities, relations=graph.num_relations, triples=graph.num_triples
        )
        measured = Measured(
            relations=("a", "b"), shots=5, questions=100, mrr=0.5, hits_at_10=0.61, hits_at_1=0.4, missed=0.0
        )
        self.about = About(method="fake", source=source, measured=measured, date="2026-01-01")

    def suggest(
        self,
        examples: Examples,
        heads: Sequence[str] | None = None,
        tails: Sequence[str] | None = None,
        top: int = 10,
        known: str = "skip",
        *,
        rejected: Sequence[tuple[str, str]] = (),
        strict: bool = False,
    ) -> Suggestions:
        self.rejected, self.strict = rejected, strict
        asked = Asked(self.graph, "the new relation", self.graph.num_entities, heads is None and tails is not None)
        return Suggestions(lambda: self._suggest(examples, heads, tails, top, known), asked)

    def _suggest(
        self, examples: Examples, heads: Sequence[str] | None, tails: Sequence[str] | None, top: int, known: str
    ) -> Iterator[Suggestion]:
        pairs = self._pairs(examples)
        answers = list(tails or dict.fromkeys(tail for _, tail in pairs))
        having = {head for head, _ in pairs}
        asked = list(heads or (name for name in self.graph.entity_names if name not in having))
        for head in asked:
            found = [tail for tail in answers if known == "show" or (head, tail) not in pairs]
            found.sort(key=lambda tail: -_share(head, tail))
            for rank, tail in enumerate(found[:top], 1):
                yield self._suggestion(head, tail, rank, len(pairs))

    def score(
        self, pairs: Sequence[tuple[str, str]], examples: Examples, *, rejected: Sequence[tuple[str, str]] = ()
    ) -> list[Suggestion]:
        self.rejected = rejected
        return [self._suggestion(head, tail, 1, len(self._pairs(examples))) for head, tail in pairs]

    def explain(
        self, head: str, tail: str, examples: Examples, *, rejected: Sequence[tuple[str, str]] = ()
    ) -> Explanation:
        self.rejected = rejected
        pairs = self._pairs(examples)
        relation = "the new relation"
        neighbour = WeightedNeighbour("near", pairs[0][0], True, 0.7)
        path = ExplainedPath((Hop("near", True), Hop("has", False)), (head, pairs[0][0], tail), 0.8, 1, len(pairs), 3)
        return Explanation(
            self._suggestion(head, tail, 1, len(pairs)),
            relation,
            {},
            tuple(WeightedExample(a, b, 1 / len(pairs)) for a, b in pairs[:5]),
            (neighbour,),
            (neighbour,),
            (path,),
            (Contribution("paths", f"paths lead from {head} to {tail}", 0.8, 1.5),),
            (
                Reason(f"{head} looks like the others", 1.5, (Fact(head, "near", pairs[0][0]),)),
                Reason("a path", 1.0, (), (ToldPath(path.hops, path.entities, 2, 4, 9),), more_paths=1),
            ),
            "measured on 100 questions about this relation",
        )

    def trust(self, examples: Examples, *, rejected: Sequence[tuple[str, str]] = ()) -> Trust:
        bins = (Bin(count=40, said=0.3, true=0.25), Bin(count=20, said=0.9, true=0.88))
        points = (Point(threshold=0.5, answered=0.4, right=0.7), Point(threshold=0.9, answered=0.2, right=0.88))
        return Trust(60, 3, len(rejected), True, True, bins, points)

    def _pairs(self, examples: Examples) -> list[tuple[str, str]]:
        if isinstance(examples, Extended):
            return [*examples.pairs, *self._pairs(examples.relation)]
        if isinstance(examples, Described):
            return list(examples.pairs)
        if not isinstance(examples, str):
            return [(head, tail) for head, tail in examples]
        return [(head, tail) for head, relation, tail in self.graph.triples() if relation == examples]

    def _suggestion(self, head: str, tail: str, rank: int, count: int) -> Suggestion:
        because, warnings = (f"{head} looks like the others",), ("not sure",) if rank > 1 else ()
        return Suggestion(head, tail, 2 * _share(head, tail), _share(head, tail), rank, count <= 2, because, warnings)


def _share(head: str, tail: str) -> float:
    return hashlib.sha256(f"{head} {tail}".encode()).digest()[0] / 256
