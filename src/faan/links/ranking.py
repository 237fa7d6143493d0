"""Link prediction: the rank of each fact's tail and of its head among all entities, by any method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints, OnProgress
from faan.complete import Question, ask
from faan.embed import Embeddings, answer_ranks
from faan.graph import Graph
from faan.links.hiding import LinkSplit
from faan.rank import rank_task
from faan.tasks import Method, PairSet, Scorer, Task

ScorerOf: TypeAlias = Callable[[int, bool], Scorer]
"""Gives the scorer of a relation by its id: of tails for heads or, if inverse, of heads for tails."""


@dataclass(frozen=True, eq=False)
class LinkRanks:
    """The ranks of the facts that are asked for; other true answers do not compete, ties count half."""

    split: LinkSplit
    tails: NDArray[np.float64]  # (m,) of each fact's tail, given head and relation
    heads: NDArray[np.float64]  # (m,) of its head, given relation and tail

    @property
    def both(self) -> NDArray[np.float64]:
        """All ranks, tails first."""
        return np.concatenate([self.tails, self.heads])

    @cached_property
    def by_relation(self) -> dict[int, NDArray[np.float64]]:
        """The ranks of each relation, tails first."""
        relations = self.split.test[:, 1]
        chosen = ((relation, relations == relation) for relation in self.split.asked_relations)
        return {relation: np.concatenate([self.tails[rows], self.heads[rows]]) for relation, rows in chosen}


def rank_embeddings(embeddings: Embeddings, split: LinkSplit) -> LinkRanks:
    """Rank with vectors."""
    tails = answer_ranks(embeddings, split.test, split.known, asks_for="tail")
    return LinkRanks(split, tails, answer_ranks(embeddings, split.test, split.known, asks_for="head"))


def rank_questions(
    method: Method, split: LinkSplit, on_progress: OnProgress, *, all_references: bool = False
) -> LinkRanks:
    """Rank by asking as a user does, by the relation's name: for tails, and for heads by the inverse question.

    References are those of the question, or with `all_references` all known facts.
    """
    scorer_of = question_scorers(method, split.graph, all_references=all_references, asked=split.test)
    return rank_scorers(scorer_of, split, on_progress)


def question_scorers(
    method: Method, graph: Graph, *, all_references: bool = False, asked: Ints | None = None
) -> ScorerOf:
    """How a method scores a relation of its graph, and its inverse, when it is asked by the relation's name.

    Entities that do not fit the question share the last places, as they are never suggested. If it is said which facts
    (n, 3) are asked for, other known facts share these places too: they do not compete, and a hub has thousands.
    """
    question_of = lru_cache(maxsize=1)(lambda relation: ask(graph, graph.relation_names[relation]))

    def scorer_of(relation: int, inverse: bool) -> Scorer:
        question: Question = question_of(relation)
        if inverse:
            question = question.inverse()
        known = question.known.pairs
        scorer = method.prepare(question.task, known if all_references else question.references)
        if asked is None:
            return _Offered(scorer, question.candidates, PairSet.of(known[:0], graph.num_entities))
        wanted = PairSet.of(asked[asked[:, 1] == relation][:, [2, 0] if inverse else [0, 2]], graph.num_entities)
        idle = known[~wanted.contains(known[:, 0], known[:, 1])]
        return _Offered(scorer, question.candidates, PairSet.of(idle, graph.num_entities))

    return scorer_of


def rank_scorers(scorer_of: ScorerOf, split: LinkSplit, on_progress: OnProgress) -> LinkRanks:
    """Rank the tails and the heads that are asked for among all entities."""
    graph = split.graph
    tails, heads = np.empty(len(split.test)), np.empty(len(split.test))
    known_relations = split.known[:, 1]
    everyone = np.arange(graph.num_entities)
    done = 0
    for relation in split.asked_relations:
        rows = np.flatnonzero(split.test[:, 1] == relation)
        true = split.known[known_relations == relation]
        for found, inverse, columns in ((tails, False, [0, 2]), (heads, True, [2, 0])):
            truths, queries = true[:, columns], split.test[rows][:, columns]
            pairs = PairSet.of(truths, graph.num_entities)
            task = Task(graph.relation_names[relation], queries, everyone, pairs)
            found[rows] = rank_task(scorer_of(relation, inverse), task, queries)
        done += len(rows)
        on_progress("ranking", done / len(split.test))
    return LinkRanks(split, tails, heads)


class _Offered:
    """Scores the candidates of a question except some pairs; all other entities share the last place."""

    def __init__(self, scorer: Scorer, candidates: Ints, skipped: PairSet) -> None:
        self._scorer, self._candidates, self._skipped = scorer, candidates, skipped

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        scores = np.full((len(heads), len(candidates)), -np.inf)
        offered = np.isin(candidates, self._candidates)
        for row, head in enumerate(heads[:, None]):
            places = np.flatnonzero(offered & ~np.isin(candidates, self._skipped.tails_of(int(head[0]))))
            scores[row, places] = self._scorer.score(head, candidates[places])[0]
        return scores
