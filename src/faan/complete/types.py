"""What a completer gives: suggestions, and explanations of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from faan.complete.drawing import Edge, EvidenceGraph, Node

_NEIGHBOURS, _EXAMPLES, _PATHS = 4, 3, 3  # how many of each are drawn


@dataclass(frozen=True)
class Extended:
    """A relation of the graph by its name, and pairs of it that the graph lacks: what a reviewer accepted."""

    relation: str
    pairs: tuple[tuple[str, str], ...]


Examples: TypeAlias = str | Extended | tuple[tuple[str, str], ...]
"""A relation of the graph by its name, or (head, tail) pairs of any relation by the names of entities, or both."""

Known: TypeAlias = Literal["skip", "show"]
"""What to do with facts that are known already: leave them out, or show them among the others."""


@dataclass(frozen=True)
class Suggestion:
    """A fact that may be missing; head and tail by their names in the graph."""

    head: str
    tail: str
    score: float  # the method's own; higher is more plausible
    probability: float  # that it is true, given that the head has such a fact at all; calibrated on relations held out
    rank: int  # 1 is the best of its head (of its tail, where heads were asked for)
    low_evidence: bool  # one or two examples are little to go by
    because: tuple[str, ...]  # short sentences, most important first
    warnings: tuple[str, ...]  # what speaks against it: types, a second value where others have one


@dataclass(frozen=True)
class WeightedExample:
    """An example, and how much the pair resembles it; the weights of all examples sum to 1."""

    head: str
    tail: str
    weight: float


@dataclass(frozen=True)
class WeightedNeighbour:
    """A fact about the head or the tail, and how much it counted; `forward` where that entity is the fact's head."""

    relation: str
    entity: str
    forward: bool
    weight: float


@dataclass(frozen=True)
class Hop:
    """One step of a path; `forward` where it goes from head to tail of the relation."""

    relation: str
    forward: bool


@dataclass(frozen=True)
class ExplainedPath:
    """A walk from the head to the tail: `entities[i]` -`hops[i]`-> `entities[i + 1]`."""

    hops: tuple[Hop, ...]
    entities: tuple[str, ...]
    confidence: float  # how far an end of such a path is trusted, from 0 to 1; not how often it is right
    support: int  # how many examples such a path connects,
    of: int  # and how many examples there are


@dataclass(frozen=True)
class Contribution:
    """One piece of evidence: what it says, its value, and what it adds to the score."""

    name: str
    sentence: str
    value: float
    contribution: float


@dataclass(frozen=True)
class Explanation:
    """All that speaks for and against one fact."""

    suggestion: Suggestion
    relation: str  # what to call the relation in question
    labels: dict[str, str]  # what to show a person for each entity and relation named here, where it differs
    examples: tuple[WeightedExample, ...]
    head_neighbours: tuple[WeightedNeighbour, ...]
    tail_neighbours: tuple[WeightedNeighbour, ...]
    paths: tuple[ExplainedPath, ...]
    evidence: tuple[Contribution, ...]

    def label(self, name: str) -> str:
        """What to show a person for a name."""
        return self.labels.get(name, name)

    def draw(self) -> EvidenceGraph:
        """The same as a graph: the pair, the paths between the two, what matters around them, similar examples."""
        return _draw(self)


def _draw(explanation: Explanation) -> EvidenceGraph:
    """The pair, paths between the two, the facts around them that mattered, and the examples they resemble."""
    suggestion, label = explanation.suggestion, explanation.label
    nodes = {
        suggestion.head: Node(suggestion.head, label(suggestion.head), "head"),
        suggestion.tail: Node(suggestion.tail, label(suggestion.tail), "tail"),
    }
    edges: dict[tuple[str, str, str], Edge] = {}

    def add(edge: Edge) -> None:
        edges.setdefault((edge.source, edge.target, edge.label), edge)

    add(Edge(suggestion.head, suggestion.tail, explanation.relation, "suggested", suggestion.probability))
    for path in explanation.paths[:_PATHS]:
        for entity in path.entities:
            nodes.setdefault(entity, Node(entity, label(entity), "path"))
        for hop, (one, two) in zip(path.hops, zip(path.entities, path.entities[1:], strict=False), strict=True):
            source, target = (one, two) if hop.forward else (two, one)
            add(Edge(source, target, label(hop.relation), "path", path.confidence))
    for example in explanation.examples[:_EXAMPLES]:
        for entity in (example.head, example.tail):
            nodes.setdefault(entity, Node(entity, label(entity), "example"))
        add(Edge(example.head, example.tail, explanation.relation, "example", example.weight))
        if example == explanation.examples[0] and example.head != suggestion.head:
            add(Edge(suggestion.head, example.head, "", "resembles", example.weight))
    for centre, around in (
        (suggestion.head, explanation.head_neighbours),
        (suggestion.tail, explanation.tail_neighbours),
    ):
        for neighbour in around[:_NEIGHBOURS]:
            nodes.setdefault(neighbour.entity, Node(neighbour.entity, label(neighbour.entity), "neighbour"))
            add(_fact(centre, neighbour, label(neighbour.relation)))
    return EvidenceGraph(tuple(nodes.values()), tuple(edges.values()))


def _fact(centre: str, neighbour: WeightedNeighbour, relation: str) -> Edge:
    source, target = (centre, neighbour.entity) if neighbour.forward else (neighbour.entity, centre)
    return Edge(source, target, relation, "neighbour", neighbour.weight)
