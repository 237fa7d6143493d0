"""Trees for relations of the graph: they learn how to weigh evidence when facts of the relation itself are known.

About a relation of the graph there is more evidence than about a new one: its facts are edges, vectors know it, and
counts over thousands of references say much. How much, the trees learn from facts that were held out of the graph, of
all relations and in both directions. What evidence is taken from must not know these facts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from faan.base import Ints, OnProgress, Purpose, Stream, ignore_progress
from faan.evidence import Kind, Measure, RelationQuery, Sources, evidence_of
from faan.graph import Graph
from faan.models.evidence_rows import Group, Rows, Wrong, draw_groups
from faan.models.evidence_training import train_trees
from faan.models.known_config import KnownConfig
from faan.models.threads import map_in_threads
from faan.models.trees import Trees
from faan.tasks import PairSet, Task, find_candidates

OWN = "own relation"  # the score of the vectors that know the relation
_MOST_GROUPS = 12_000  # heads with their tails that are learnt from, about: each takes 100 KB and more
_FEWEST = 400  # questions that are learnt from, however many candidates they have
MIN_FACTS = 100  # from so many held-out facts on there is something to learn
_HARD = (
    "all paths",
    "tail in references",
    "tail of heads with the same fact",
    "fitted relation",
    OWN,
)


def fit_known(
    sources: Sources,
    facts: Ints,
    config: KnownConfig | None = None,
    *,
    seed: int = 0,
    on_progress: OnProgress = ignore_progress,
    without: Collection[Kind] = (),
) -> Trees:
    """Train trees on facts (n, 3) that the graph and the vectors of the sources do not know; leave some kinds out."""
    config = config or KnownConfig()
    questions = _bounded(sources.graph, facts, config.pairs, seed)
    evidence = evidence_of(sources, in_graph=True, without=without)
    candidates = sum(len(task.candidates) for task, _ in questions)
    heads = max(2, min(config.heads, config.pairs // max(candidates, 1), _MOST_GROUPS // max(len(questions), 1)))

    def draw(number: int) -> list[Group]:
        (task, asked), stream = questions[number], Stream(seed, Purpose.KNOWN_ROWS, number)
        assert task.facts is not None
        measure = Measure(RelationQuery(sources, task, task.facts), evidence)
        return draw_groups(measure, asked, heads, Wrong(_HARD, config.hard, config.random), stream)

    groups: list[Group] = []
    for number, found in enumerate(map_in_threads(draw, range(len(questions)))):
        groups += found
        on_progress("learning from facts", (number + 1) / len(questions))
    rows = Rows(groups)
    trees = train_trees(rows, evidence, config, seed)
    names = [one.name for one in evidence]
    if OWN in names and config.own_weight:
        trees = trees.adding(OWN, config.own_weight, rows.mean(names.index(OWN)))
    return trees


def known_questions(graph: Graph, facts: Ints) -> Iterator[tuple[Task, Ints]]:
    """For each relation of the facts (n, 3) and each direction a task, and the pairs (m, 2) that it asks for."""
    questions = _Questions(graph, facts)
    return (questions.question(number) for number in range(len(questions)))


def _bounded(graph: Graph, facts: Ints, pairs: int, seed: int) -> list[tuple[Task, Ints]]:
    """All questions, or some of them where two heads of each would have more pairs with candidates than wanted.

    To find candidates takes time on a large graph, so that is done for these only.
    """
    questions, found, candidates = _Questions(graph, facts), dict[int, tuple[Task, Ints]](), 0
    for number in Stream(seed, Purpose.KNOWN_ROWS, len(questions)).permutation(len(questions)).tolist():
        question = questions.question(number)
        candidates += len(question[0].candidates)
        if len(found) >= _FEWEST and 2 * candidates > pairs:
            break
        found[number] = question
    return [found[number] for number in sorted(found)]


class _Questions:
    """What facts (n, 3) can be asked for: two questions, one for each direction, for each relation that has others."""

    def __init__(self, graph: Graph, facts: Ints) -> None:
        self._graph, self._facts = graph, facts
        self._relations = [one for one in np.unique(facts[:, 1]).tolist() if graph.relation_counts[one]]
        self._rows = np.argsort(graph.relations, kind="stable")  # by relation
        self._ends = np.cumsum(graph.relation_counts)

    def __len__(self) -> int:
        return 2 * len(self._relations)

    def question(self, number: int) -> tuple[Task, Ints]:
        """A task, and the pairs (m, 2) that it asks for."""
        graph, relation = self._graph, self._relations[number // 2]
        rows = self._rows[self._ends[relation] - graph.relation_counts[relation] : self._ends[relation]]
        hidden, sides = ((relation, [0, 1]), (relation + graph.num_relations, [1, 0]))[number % 2]
        own = np.stack([graph.heads[rows], graph.tails[rows]], axis=1)[:, sides]
        asked = self._facts[self._facts[:, 1] == relation][:, [0, 2]][:, sides]
        true = np.concatenate([own, asked])
        candidates = find_candidates(graph, own[:, 1]).entities
        truths = PairSet(true[:, 0], true[:, 1], graph.num_entities)
        return Task(graph.relation_names[relation], own, candidates, truths, hidden, True, own), asked
