"""Explains one pair: examples, neighbours, paths, evidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints
from faan.complete.question import Question
from faan.complete.ranking import Ranking
from faan.complete.reasons import FoundPath, Reasons
from faan.complete.types import (
    Contribution,
    ExplainedPath,
    Explanation,
    Hop,
    Suggestion,
    WeightedExample,
    WeightedNeighbour,
)
from faan.graph import Graph
from faan.models import ExplainingScorer, Faan, NeighbourWeights
from faan.tasks import Method, Scorer

_NEIGHBOURS = 8
_PATHS = 8


def explain(ranking: Ranking, method: Method, suggestion: Suggestion, rests_on: str) -> Explanation:
    """Explain a suggestion for a head and a tail: examples, neighbours, paths, evidence."""
    question, reasons = ranking.question, ranking.reasons
    graph = question.graph
    head, tail = graph.entity(suggestion.head), graph.entity(suggestion.tail)
    if isinstance(method, Faan):
        found = method.attentions(question.references, head, tail, question.hidden)
        weights: NDArray[np.floating] = found.references
        sides = _neighbours(graph, found.head), _neighbours(graph, found.tail)
    else:
        weights = reasons.resemblance(head, tail)
        sides = _alike(reasons, head, question.references[:, 0]), _alike(reasons, tail, question.references[:, 1])
    paths = reasons.paths(head, np.array([tail]), _PATHS)[tail]
    explanation = Explanation(
        suggestion=suggestion,
        relation=question.relation,
        labels={},
        examples=_examples(question, weights),
        head_neighbours=sides[0],
        tail_neighbours=sides[1],
        paths=tuple(_path(graph, path, len(question.references)) for path in paths),
        evidence=_evidence(ranking.scorer.scorer, head, tail),
        reasons=ranking.because.tell(head, np.array([tail]))[0],
        rests_on=rests_on,
    )
    return replace(explanation, labels=_labels(graph, explanation))


def _evidence(scorer: Scorer, head: int, tail: int) -> tuple[Contribution, ...]:
    """The contribution of each piece of evidence to the score, if the method uses evidence."""
    if not isinstance(scorer, ExplainingScorer):
        return ()
    [found] = scorer.explain(head, np.array([tail]))
    return tuple(
        Contribution(one.name, one.meaning, one.value, one.contribution)
        for one in found.contributions
        if one.contribution != 0
    )


def _examples(question: Question, weights: NDArray[np.floating]) -> tuple[WeightedExample, ...]:
    names = question.graph.entity_names
    order = np.argsort(-weights, kind="stable").tolist()
    pairs = question.references.tolist()
    return tuple(WeightedExample(names[pairs[i][0]], names[pairs[i][1]], float(weights[i])) for i in order)


def _alike(reasons: Reasons, entity: int, likes: Ints) -> tuple[WeightedNeighbour, ...]:
    """The facts that make an entity look like those of the examples."""
    facts, weights = reasons.likeness.facts(entity), reasons.likeness.weights(entity, likes)
    return _neighbours(reasons.graph, NeighbourWeights(facts.relations, facts.entities, weights.astype(np.float32)))


def _neighbours(graph: Graph, found: NeighbourWeights) -> tuple[WeightedNeighbour, ...]:
    best = [i for i in np.argsort(-found.weights, kind="stable")[:_NEIGHBOURS].tolist() if found.weights[i] > 0]
    return tuple(
        WeightedNeighbour(
            graph.relation_names[int(found.relations[i]) % graph.num_relations],
            graph.entity_names[int(found.entities[i])],
            bool(found.relations[i] < graph.num_relations),
            float(found.weights[i]),
        )
        for i in best
    )


def _path(graph: Graph, path: FoundPath, examples: int) -> ExplainedPath:
    hops = tuple(
        Hop(graph.relation_names[relation % graph.num_relations], relation < graph.num_relations)
        for relation in path.walk.relations
    )
    entities = tuple(graph.entity_names[entity] for entity in path.walk.entities)
    return ExplainedPath(hops, entities, path.confidence, path.support, examples, path.reached)


def _labels(graph: Graph, explanation: Explanation) -> dict[str, str]:
    """Labels of all that an explanation names, where they differ from the names."""
    entities = {explanation.suggestion.head, explanation.suggestion.tail}
    relations = set()
    for example in explanation.examples:
        entities |= {example.head, example.tail}
    for neighbour in (*explanation.head_neighbours, *explanation.tail_neighbours):
        entities.add(neighbour.entity)
        relations.add(neighbour.relation)
    for path in explanation.paths:
        entities |= set(path.entities)
        relations |= {hop.relation for hop in path.hops}
    for fact in (fact for reason in explanation.reasons for fact in reason.facts):
        entities |= {fact.head, fact.tail}
        relations |= {fact.relation} if fact.relation in graph.relation_names else set()
    labels = {name: graph.relation_label(graph.relation(name)) for name in relations}
    labels |= {name: graph.entity_label(graph.entity(name)) for name in entities}
    return {name: label for name, label in labels.items() if label != name}
