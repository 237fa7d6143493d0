"""What a completer gives: suggestions, and explanations of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from faan.base import as_path, check_kind, html_text, visible
from faan.complete.drawing import Edge, EvidenceGraph, Node, to_svg, write_drawing

_NEIGHBOURS, _EXAMPLES, _PATHS = 4, 3, 3  # how many of each are drawn


@dataclass(frozen=True)
class Extended:
    """A relation of the graph by its name, with accepted pairs that the graph lacks."""

    relation: str
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Described:
    """A relation that the graph lacks, by its name, with its known pairs: none, or a few.

    Relations of the graph with a similar name lend pairs, but for those that it is `not_like`.
    """

    relation: str
    pairs: tuple[tuple[str, str], ...] = ()
    not_like: tuple[str, ...] = ()


Examples: TypeAlias = str | Extended | Described | tuple[tuple[str, str], ...]
"""A relation by its name, or (head, tail) pairs of any relation by the names of entities, or both."""

Known: TypeAlias = Literal["skip", "show"]
"""Whether known facts are skipped, or shown too."""


@dataclass(frozen=True)
class Suggestion:
    """A fact that may be missing; `Completer.suggest` and `Completer.score` give them.

    Attributes:
        head: The head, by its name in the graph.
        tail: The tail, by its name in the graph.
        score: The method's own score; higher is more plausible.
        probability: How likely the fact would be found true, for a head that has such a fact.
        rank: 1 is the best of its head (of its tail, if heads are suggested).
        low_evidence: Whether there are two examples or fewer, which say little.
        because: What moved the score most, as short sentences, by size; those that begin with 'against' lowered it.
        warnings: What speaks against it: types, a second value where others have one, or a rule of the schema.

    >>> import faan
    >>> faan.Suggestion("Peru", "Lima", 1.5, 0.8, 1, False, ("right for 3 of 5 that it reaches",), ()).tail
    'Lima'
    """

    head: str
    tail: str
    score: float
    probability: float
    rank: int
    low_evidence: bool
    because: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Fact:
    """A fact, by names."""

    head: str
    relation: str
    tail: str


@dataclass(frozen=True)
class Hop:
    """One step of a path; `forward` if it goes from head to tail of the relation."""

    relation: str
    forward: bool


@dataclass(frozen=True)
class ToldPath:
    """A path in a reason, in labels: `entities[i]` -`hops[i]`-> `entities[i + 1]`."""

    hops: tuple[Hop, ...]
    entities: tuple[str, ...]
    more_ways: int  # along the same relations, over other entities
    right: int  # right answers to which it leads from the heads of examples
    reached: int  # all answers to which it leads from these heads


@dataclass(frozen=True)
class Reason:
    """A reason for a score: a sentence, its contribution, and the facts that it names."""

    sentence: str
    contribution: float  # negative if it speaks against the fact
    facts: tuple[Fact, ...]
    paths: tuple[ToldPath, ...] = ()  # the paths that the sentence tells
    more_paths: int = 0  # how many more paths there are


@dataclass(frozen=True)
class WeightedExample:
    """An example, and how much the pair resembles it; the weights of all examples sum to 1."""

    head: str
    tail: str
    weight: float


@dataclass(frozen=True)
class WeightedNeighbour:
    """A fact about the head or the tail, and how much it counted; `forward` if that entity is the fact's head."""

    relation: str
    entity: str
    forward: bool
    weight: float


@dataclass(frozen=True)
class ExplainedPath:
    """A walk from the head to the tail: `entities[i]` -`hops[i]`-> `entities[i + 1]`."""

    hops: tuple[Hop, ...]
    entities: tuple[str, ...]
    confidence: float  # from 0 to 1, as the ranker uses it; not how often the path is right
    support: int  # the number of examples that such a path connects
    of: int  # the number of examples
    reached: int  # the number of answers that it reaches from the heads of examples, right and wrong


@dataclass(frozen=True)
class Contribution:
    """One piece of evidence: its sentence, its value, and its contribution to the score."""

    name: str
    sentence: str
    value: float
    contribution: float


@dataclass(frozen=True, repr=False)
class Explanation:
    """The evidence for and against one fact; a notebook draws it.

    Attributes:
        suggestion: The fact, with its probability, rank and reasons.
        relation: The name of the relation in question.
        labels: The label of each entity and relation named here, if it differs from the name.
        examples: The examples that the fact resembles, most similar first.
        head_neighbours: The facts about the head that count.
        tail_neighbours: The facts about the tail that count.
        paths: Paths from head to tail, the most trusted first.
        evidence: What each piece of evidence adds to the score, for methods that are made of evidence.
        reasons: What moved the score most, by size, each with the facts that it rests on.
        rests_on: What the probability rests on.

    >>> import faan
    >>> facts = [(f"land{i}", "next_to", f"land{i + 1}") for i in range(9)]
    >>> facts += [(f"town{i}", "lies_in", f"land{i}") for i in range(9)]
    >>> completer = faan.fit(facts, method="rules", progress=False)
    >>> why = completer.explain("land6", "town6", [("land1", "town1"), ("land2", "town2")])
    >>> why
    land6 → town6 (the new relation): probability 0..., rank 1, low evidence
    - land6 ← lies_in — town6: right for 2 of 2 that it reaches
    """

    suggestion: Suggestion
    relation: str
    labels: dict[str, str]
    examples: tuple[WeightedExample, ...]
    head_neighbours: tuple[WeightedNeighbour, ...]
    tail_neighbours: tuple[WeightedNeighbour, ...]
    paths: tuple[ExplainedPath, ...]
    evidence: tuple[Contribution, ...]
    reasons: tuple[Reason, ...]
    rests_on: str

    def label(self, name: str) -> str:
        """The label of a name.

        Args:
            name: The name of an entity or relation.

        >>> why.label("land6")
        'land6'
        """
        check_kind("name", name, str, "the name of an entity or relation")
        return self.labels.get(name, name)

    def draw(self) -> EvidenceGraph:
        """The explanation as a graph: the pair, paths between the two, facts around them, similar examples.

        >>> why.draw().edges[0]
        Edge(source='land6', target='town6', label='the new relation', kind='suggested', weight=0...)
        """
        suggestion, label = self.suggestion, self.label
        nodes = {
            suggestion.head: Node(suggestion.head, label(suggestion.head), "head"),
            suggestion.tail: Node(suggestion.tail, label(suggestion.tail), "tail"),
        }
        edges: dict[tuple[str, str, str], Edge] = {}

        def add(edge: Edge) -> None:
            edges.setdefault((edge.source, edge.target, edge.label), edge)

        add(Edge(suggestion.head, suggestion.tail, self.relation, "suggested", suggestion.probability))
        for path in self.paths[:_PATHS]:
            for entity in path.entities:
                nodes.setdefault(entity, Node(entity, label(entity), "path"))
            for hop, (one, two) in zip(path.hops, zip(path.entities, path.entities[1:], strict=False), strict=True):
                add(Edge(*((one, two) if hop.forward else (two, one)), label(hop.relation), "path", path.confidence))
        for example in self.examples[:_EXAMPLES]:
            for entity in (example.head, example.tail):
                nodes.setdefault(entity, Node(entity, label(entity), "example"))
            add(Edge(example.head, example.tail, self.relation, "example", example.weight))
            if example == self.examples[0] and example.head != suggestion.head:
                add(Edge(suggestion.head, example.head, "", "resembles", example.weight))
        for centre, around in (
            (suggestion.head, self.head_neighbours),
            (suggestion.tail, self.tail_neighbours),
        ):
            for neighbour in around[:_NEIGHBOURS]:
                nodes.setdefault(neighbour.entity, Node(neighbour.entity, label(neighbour.entity), "neighbour"))
                ends = (centre, neighbour.entity) if neighbour.forward else (neighbour.entity, centre)
                add(Edge(*ends, label(neighbour.relation), "neighbour", neighbour.weight))
        return EvidenceGraph(tuple(nodes.values()), tuple(edges.values()))

    def save(self, path: str | Path) -> None:
        """Write the picture to a file; an older file is replaced.

        Args:
            path: A name that ends in .svg, or in .png, which needs matplotlib.

        >>> why.save("why.txt")
        Traceback (most recent call last):
        faan.base.errors.InputError: why.txt: expected a file name that ends in .svg or .png
        """
        write_drawing(self.draw(), as_path(path, "path"))

    def __repr__(self) -> str:
        fact = self.suggestion
        low = ", low evidence" if fact.low_evidence else ""
        title = f"{self.label(fact.head)} → {self.label(fact.tail)} ({self.relation})"
        first = f"{title}: probability {fact.probability:.3f}, rank {fact.rank:,}{low}"
        return "\n".join(
            map(visible, [first, *(f"- {why}" for why in fact.because), *(f"! {no}" for no in fact.warnings)])
        )

    def _repr_svg_(self) -> str:
        return to_svg(self.draw())

    def _repr_html_(self) -> str:
        lines = "<br>".join(html_text(line) for line in repr(self).split("\n"))
        return f"<div><p>{lines}</p>{self._repr_svg_()}</div>"
