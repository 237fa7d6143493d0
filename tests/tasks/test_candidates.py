from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from faan.graph import read_graph, types_from_pattern
from faan.tasks import Benchmark, find_candidates


def test_by_type_all_entities_with_a_tails_type_are_candidates() -> None:
    rows = [("city:lima", "in", "country:peru"), ("city:cusco", "near", "river:x"), ("odd", "in", "country:chile")]
    graph = read_graph(rows, type_pattern="^([a-z]+):")
    found = find_candidates(graph, np.array([graph.entity("city:lima"), graph.entity("odd")]))
    assert found.rule == "types and ranges"  # "odd" has no type, so what plays the roles of the tails comes in too
    assert {graph.entity_names[i] for i in found.entities} == {"city:lima", "city:cusco", "odd"}
    typed = find_candidates(graph, np.array([graph.entity("city:lima")]))
    assert (typed.rule, typed.recall) == ("types", 1.0)
    assert {graph.entity_names[i] for i in typed.entities} == {"city:lima", "city:cusco"}


def test_one_typed_entity_does_not_decide_for_the_others() -> None:
    rows = [(f"city{i}", "in", "country") for i in range(10)] + [("country", "rdf:type", "state")]
    graph = read_graph(rows)
    found = find_candidates(graph, np.array([graph.entity("city1"), graph.entity("city2")]))
    assert (found.rule, found.recall) == ("ranges", 1.0)
    assert len(found.entities) == 10


def test_by_range_entities_that_play_the_same_roles_are_candidates() -> None:
    rows = [(f"city{i}", "in", "country") for i in range(10)] + [("a", "likes", "b"), ("city0", "likes", "b")]
    graph = read_graph(rows)
    tails = np.array([graph.entity(f"city{i}") for i in range(6)])
    found = find_candidates(graph, tails, cutoff=0.2)
    assert found.rule == "ranges"
    assert {graph.entity_names[i] for i in found.entities} == {f"city{i}" for i in range(10)}
    assert found.recall == 1.0
    wide = find_candidates(graph, tails, cutoff=0.1)  # a sixth of the tails like something
    assert "a" in {graph.entity_names[i] for i in wide.entities}


@pytest.mark.nell
def test_the_type_rule_gives_back_nell_ones_candidates_exactly(nell: Benchmark) -> None:
    graph = replace(nell.graph, types=types_from_pattern(nell.graph.entity_names, "^concept:([^:]+):"))
    for task in nell.tasks:
        found = find_candidates(graph, task.pairs[:, 1])
        assert np.array_equal(found.entities, np.sort(task.candidates)), task.relation
        assert found.recall == 1.0


@pytest.mark.nell
def test_the_range_rule_finds_nearly_all_tails_of_nell_one(nell: Benchmark) -> None:
    recalls = [find_candidates(nell.graph, task.pairs[:, 1]).recall for task in nell.tasks]
    assert np.mean(recalls) > 0.98
