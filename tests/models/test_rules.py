"""Path rules for relations of the graph: their facts are edges, and no fact speaks for itself."""

from __future__ import annotations

import numpy as np
import pytest

from faan.complete import ask
from faan.graph import Graph, read_graph
from faan.models import PathRules

GROUPS, SIZE = 4, 8


@pytest.fixture(scope="module")
def groups() -> Graph:
    """People who follow each other within their group only."""
    return read_graph(
        [
            (f"p{group}-{i}", "follows", f"p{group}-{j}")
            for group in range(GROUPS)
            for i in range(SIZE)
            for j in range(SIZE)
            if i != j and (i * 3 + j * 5) % 4
        ]
    )


def test_facts_of_the_relation_itself_are_walked_along(groups: Graph) -> None:
    task = ask(groups, "follows").task
    scorer = PathRules(groups).prepare(task, task.pairs)
    for name in ("p0-1", "p3-2"):
        head = groups.entity(name)
        others = np.setdiff1d(task.candidates, [head, *groups.tails[groups.heads == head]])
        scores = scorer.score(np.array([head]), others)[0]
        first = groups.entity_names[int(others[np.argmax(scores)])]
        assert first.split("-")[0] == name.split("-")[0]


def test_no_fact_speaks_for_itself() -> None:
    rows = [(f"a{i}", "speaks", f"tongue{(i + more) % 3}") for i in range(12) for more in (0, 1)]
    graph = read_graph([*rows, ("lonely", "speaks", "tongue0")])
    task = ask(graph, "speaks").task
    scorer = PathRules(graph).prepare(task, task.pairs)
    head, tail = np.array([graph.entity("lonely")]), np.array([graph.entity("tongue0")])
    assert scorer.paths.evidence(head, tail).weight > 0  # to the tongue, to somebody who speaks it, and back
    (why,) = scorer.explain(int(head[0]), tail)
    assert {part.kind: part.value for part in why.contributions}["paths"] == 0
    assert scorer.score(head, tail)[0] == pytest.approx(why.score)


def test_all_known_facts_of_a_relation_are_counted() -> None:
    rows = [(f"a{i}", "speaks", "English" if i % 4 else "French") for i in range(200)]
    graph = read_graph(rows)
    question = ask(graph, "speaks")
    scorer = PathRules(graph).prepare(question.task, question.references)
    head, tails = np.array([graph.entity("a0")]), np.array([graph.entity("English"), graph.entity("French")])
    assert len(question.references) < 200
    assert scorer.score(head, tails)[0] == pytest.approx(-np.log1p([-150 / 202, -50 / 202]), abs=1e-5)
