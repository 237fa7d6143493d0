"""Explains a score in sentences: the parts that moved it most, for and against the answer.

Parts come from the method itself (`ExplainingScorer`: tree SHAP for the evidence ranker, sums for path rules), from
types that never occur together and from decisions. Related parts (such as all evidence from paths) are one topic, and
`Because._tell_TOPIC` words it: its sentence names what it rests on, such as walks, shared neighbours or examples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

import numpy as np

from faan.base import Ints, counted
from faan.complete.lessons import Kind as Decided
from faan.complete.reasons import FoundPath, Reasons
from faan.complete.scoring import Adjusted
from faan.complete.types import Fact, Reason, ToldPath
from faan.models import EvidenceScorer, ExplainingScorer, ScorePart

_TOLD = 5  # at most so many reasons for an answer
_CARRIES = 0.05  # a reason with a smaller share of the total contribution is not shown
_PATHS = 50  # at most so many paths for one reason
_NAMED = 3  # at most so many paths, neighbours, relations or examples named in a sentence
_FACTS = 100  # at most so many walks along a path, or facts, for one reason

_TOPICS = {  # of parts, by name or kind; any other part is a topic of its own
    "common neighbours": "neighbours",
    "rare common neighbours": "neighbours",
    "tail in references": "tail",
    "tail of similar heads": "tail",
    "tail of the nearest heads": "nearest",
    "tail of heads with the same fact": "shared",
    "tail of heads with the same facts": "shared",
    "type": "types",
    "direct links": "links",
    "edges of the tail": "edges",
    "tail of a head with a similar name": "names",
    "paths": "paths",
    "embeddings": "vectors",
    "profiles": "roles",
    "learnt": "learnt",
}
_NAMESAKES = {  # where no two entities have the same name, these are the evidence that they are named after
    "paths among namesakes": "paths",
    "best path among namesakes": "paths",
    "direct links among namesakes": "links",
    "rare common neighbours among namesakes": "neighbours",
}
_DECIDED: dict[Decided, str] = {
    "tail": "decisions about the same tail",
    "tail type": "decisions about tails of this type",
    "head type": "decisions about heads like this",
    "path": "decisions about facts with the same paths",
}
_OVERALL = ScorePart("score", "the method finds that the pair fits the examples", "learnt", 1.0, 1.0)
"""The only part of a score that cannot be taken apart."""


class Because:
    """Explains the scores of answers to one question."""

    def __init__(self, reasons: Reasons, scorer: Adjusted) -> None:
        self._reasons, self._scorer = reasons, scorer
        self._question, self._graph, self._label = reasons.question, reasons.graph, reasons.label
        self._query = scorer.scorer.question if isinstance(scorer.scorer, EvidenceScorer) else None

    def tell(self, head: int, tails: Ints) -> list[tuple[Reason, ...]]:
        """Give the reasons for each tail, those that moved the score most first."""
        plain = self._scorer.scorer
        if isinstance(plain, ExplainingScorer):
            parts = [found.contributions for found in plain.explain(head, tails)]
        else:
            parts = [(_OVERALL,)] * len(tails)
        return [self._told(head, tail, own) for tail, own in zip(tails.tolist(), parts, strict=True)]

    def _told(self, head: int, tail: int, parts: Sequence[ScorePart]) -> tuple[Reason, ...]:
        ordered = sorted((part for part in parts if part.kind != "context"), key=self._topic)
        least = _CARRIES * sum(abs(part.contribution) for part in ordered)
        found: list[Reason | None] = []
        for topic, group in groupby(ordered, key=self._topic):
            related = list(group)
            added = sum(part.contribution for part in related)
            if abs(added) > least:
                found.append(self._tell(topic, head, tail, added, related))
        told = [one for one in (*found, *self._adjustments(head, tail)) if one and abs(one.contribution) > least]
        return tuple(sorted(told, key=lambda one: -abs(one.contribution))[:_TOLD])

    def _topic(self, part: ScorePart) -> str:
        """What a part of a score is about; the parts of one topic are one reason."""
        if part.name in _NAMESAKES and self._query is not None and not self._query.sources.names.has_namesakes:
            return _NAMESAKES[part.name]
        return _TOPICS.get(part.name) or _TOPICS.get(part.kind) or part.name

    def _tell(self, topic: str, head: int, tail: int, added: float, parts: Sequence[ScorePart]) -> Reason | None:
        """The reason of a topic, whose parts added so much to the score; None if there is nothing to say of it."""
        tell: Callable[[int, int, float], Reason | None] | None = getattr(self, f"_tell_{topic}", None)
        if tell is not None:
            return tell(head, tail, added)
        strongest = max(parts, key=lambda part: abs(part.contribution))
        lacking = "it is not so that " if strongest.value == 0 else ""
        return _reason(lacking + strongest.meaning, added)

    def _tell_paths(self, head: int, tail: int, added: float) -> Reason | None:
        """All paths to the tail as one reason: of several equally good paths, none would matter alone."""
        paths = self._reasons.paths(head, np.array([tail]), _PATHS)[tail]
        told = list(self._distinct(paths).values())
        one, other = self._label(head), self._label(tail)
        if not told:
            return _lack(f"no path that examples have leads from {one} to {other}", added)
        if added < 0:
            return _lack(f"paths from {one} to {other} are few or often wrong", added)
        walks = [self._reasons.walks(path, head, tail, _FACTS) for path in paths]
        facts = dict.fromkeys(fact for own in walks for walk in own for fact in self._reasons.facts_of(walk))
        named, more = [self._path(path, head, tail) for path in told[:_NAMED]], max(len(told) - _NAMED, 0)
        sentences = [sentence for sentence, _ in named] + ([f"and {counted(more, 'more path')}"] if more else [])
        return Reason("; ".join(sentences), added, tuple(facts), tuple(path for _, path in named), more)

    def _path(self, path: FoundPath, head: int, tail: int) -> tuple[str, ToldPath]:
        """A path with how often it is right, as `Peru — borders → Chile: right for 4 of 9 that it reaches`."""
        walks = self._reasons.walks(path, head, tail, _FACTS)
        more = f" (and {counted(len(walks) - 1, 'more way')})" if len(walks) > 1 else ""
        entities = tuple(self._label(entity) for entity in walks[0].entities)
        told = ToldPath(self._reasons.hops(walks[0]), entities, len(walks) - 1, path.support, path.reached)
        right = f"right for {path.support} of {path.reached} that it reaches"
        return f"{self._reasons.in_words(walks[0])}{more}: {right}", told

    def _distinct(self, paths: Iterable[FoundPath]) -> dict[tuple[tuple[int, ...], tuple[int, ...]], FoundPath]:
        """The paths that look different to a reader: by their entities, and their relations in either direction."""
        found: dict[tuple[tuple[int, ...], tuple[int, ...]], FoundPath] = {}
        for path in paths:
            relations = tuple(relation % self._graph.num_relations for relation in path.walk.relations)
            found.setdefault((relations, path.walk.entities), path)
        return found

    def _tell_links(self, head: int, tail: int, added: float) -> Reason | None:
        relations, facts = self._reasons.direct_links(head, tail)
        one, other = self._label(head), self._label(tail)
        if not relations:
            return _lack(f"nothing links {one} and {other} directly", added)
        return _reason(f"{one} and {other} are linked directly: {', '.join(relations[:_NAMED])}", added, facts)

    def _tell_edges(self, head: int, tail: int, added: float) -> Reason:
        edges = counted(int(self._graph.neighbours.degrees_of(np.array([tail]))[0]), "edge")
        return _reason(f"{self._label(tail)} has {edges} in the graph", added)

    def _tell_neighbours(self, head: int, tail: int, added: float) -> Reason | None:
        shared, facts = self._reasons.shared_neighbours(head, tail)
        one, other = self._label(head), self._label(tail)
        if not len(shared):
            return _lack(f"{one} and {other} have no neighbour in common", added)
        few = "few " if added < 0 else ""
        return _reason(f"{few}neighbours of both {one} and {other}: {self._listed(shared.tolist())}", added, facts)

    def _tell_tail(self, head: int, tail: int, added: float) -> Reason | None:
        pairs, name = self._question.references, self._label(tail)
        others = pairs[pairs[:, 0] != head]
        having = others[others[:, 1] == tail]
        if not len(having):
            return _lack(f"{name} is the tail of no example", added)
        of = counted(len(others), "example")
        return _reason(f"{name} is the tail of {len(having)} of {of}", added, self._reasons.examples(having))

    def _tell_nearest(self, head: int, tail: int, added: float) -> Reason | None:
        """Known heads like this one that have the tail."""
        assert self._query is not None  # no other method has such a part
        nearest, one, other = self._query.nearest(head), self._label(head), self._label(tail)
        having = nearest[nearest[:, 1] == tail]
        of = f"{counted(len(np.unique(nearest[:, 0])), self._known_head)} most like {one}"
        if not len(having):
            return _lack(f"none of {of} has {other}", added) if len(nearest) else None
        heads = list(dict.fromkeys(having[:, 0].tolist()))
        said = f"{len(heads)} of {of} {_has(len(heads))} {other}: {self._listed(heads)}"
        return _reason(said, added, self._reasons.examples(having))

    def _tell_names(self, head: int, tail: int, added: float) -> Reason | None:
        """The known head with the tail whose name is most like the head's."""
        assert self._query is not None  # no other method has such a part
        known, likeness = self._query.alike_names(head)
        having, one, other = known[:, 1] == tail, self._label(head), self._label(tail)
        if not having.any():
            return _lack(f"no other {self._known_head} has {other}", added)
        best = known[having][[int(np.argmax(likeness[having]))]]
        near = self._label(int(best[0, 0]))
        said = (
            f"{near} has {other}, and its name is spelt like {one}"
            if added > 0
            else f"of the {self._known_head}s that have {other}, none has a name more like {one} than {near}"
        )
        return _reason(said, added, self._reasons.examples(best))

    def _tell_shared(self, head: int, tail: int, added: float) -> Reason | None:
        """What the head has in common with known heads that have the tail."""
        assert self._query is not None  # no other method has such a part
        one, other = self._label(head), self._label(tail)
        shared = self._query.shared_facts.supporting(head, tail)
        if not shared:
            return _lack(f"no fact that {one} shares with others speaks for {other}", added)
        told = [self._reasons.fact_of(head, fact.relation, fact.entity) for fact in shared[:_FACTS]]
        of = f"{counted(shared[0].heads, f'other {self._known_head}')} with this fact"
        more = f" (and {counted(len(shared) - 1, 'more shared fact')})" if len(shared) > 1 else ""
        said = f"{one} {told[0][0]}: {shared[0].right} of {of} {_has(shared[0].right)} {other}{more}"
        return _reason(said, added, tuple(fact for _, fact in told))

    def _listed(self, entities: Sequence[int]) -> str:
        """The labels of the first few entities, and how many more there are."""
        names = ", ".join(map(self._label, entities[:_NAMED]))
        return f"{names} and {len(entities) - _NAMED} more" if len(entities) > _NAMED else names

    @property
    def _known_head(self) -> str:
        """What to call heads of references: of a new relation only the examples are known."""
        return "known head" if self._question.hidden is not None else "example"

    def _tell_types(self, head: int, tail: int, added: float) -> Reason | None:
        kind, share = self._reasons.type_share(tail)
        said = f"{self._label(tail)} is of type {kind}, as {share:.0%} of the examples' tails"
        return _reason(said, added) if kind else None

    def _tell_roles(self, head: int, tail: int, added: float) -> Reason | None:
        name = self._label(tail)
        if added < 0:
            return _lack(f"{name} takes part in other relations than the examples' tails", added)
        relations, facts = self._reasons.shared_roles(tail, _NAMED)
        said = f"{name} takes part in relations of the examples' tails: {', '.join(relations)}"
        return _reason(said, added, facts) if relations else None

    def _tell_vectors(self, head: int, tail: int, added: float) -> Reason | None:
        one, other = self._label(head), self._label(tail)
        if added < 0:
            return _lack(f"the vectors of {one} and {other} do not fit the examples", added)
        pairs = self._nearest(head, tail)
        named = ", ".join(f"{self._label(a)} → {self._label(b)}" for a, b in pairs[:1].tolist())
        shared = self._reasons.in_common(head, int(pairs[0, 0]))
        common = f" (both {shared})" if shared else ""
        said = f"the vectors of {one} and {other} fit the examples, most like {named}{common}"
        return _reason(said, added, self._reasons.examples(pairs))

    def _tell_learnt(self, head: int, tail: int, added: float) -> Reason:
        weights = self._reasons.resemblance(head, tail)
        best = self._question.references[[int(np.argmax(weights))]]
        named = f"{self._label(int(best[0, 0]))} → {self._label(int(best[0, 1]))}"
        return Reason(f"most like the example {named}", added, self._reasons.examples(best))

    def _nearest(self, head: int, tail: int) -> Ints:
        """The examples whose way from head to tail is most like that of a pair in the vectors, (n, 2)."""
        scorer, pairs = self._scorer.scorer, self._question.references
        if isinstance(scorer, EvidenceScorer):
            pairs, likeness = scorer.ways(head, tail)
        else:
            likeness = self._reasons.resemblance(head, tail)
        keep = ~((pairs[:, 0] == head) & (pairs[:, 1] == tail))
        order = np.argsort(-likeness[keep], kind="stable")
        return np.asarray(pairs[keep][order[:_NAMED]] if keep.any() else pairs[:1])

    def _adjustments(self, head: int, tail: int) -> Iterable[Reason]:
        added = self._scorer.parts(head, tail)
        if added.types:
            one, other = (self._reasons.warnings.type_of(entity) for entity in (head, tail))
            yield _reason(f"no known fact of this relation links a {one} with a {other}", added.types)
        if added.schema:
            yield _reason(self._reasons.warnings.broken_rule(head, tail), added.schema)
        if added.follows:
            said, fact = self._reasons.follows_from(head, tail)
            yield _reason(said, added.follows, (fact,))
        for kind, amount in added.decided.items():
            if amount:
                yield _reason(_DECIDED[kind], amount)


def _reason(said: str, added: float, facts: Sequence[Fact] = ()) -> Reason:
    """A reason for the answer or against it, with the first facts that it names."""
    return Reason(f"against: {said}" if added < 0 else said, added, tuple(facts[:_FACTS]))


def _lack(said: str, added: float) -> Reason | None:
    """A reason against an answer: what it lacks; None if the lack did not lower the score."""
    return _reason(said, added) if added < 0 else None


def _has(count: int) -> str:
    return "has" if count == 1 else "have"
