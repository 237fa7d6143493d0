"""Relation paths against their definition: all walks, one at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faan.base.ragged import Ints
from faan.evidence import find_paths, path_instances, paths
from faan.graph import Graph, Names, open_graph, save_graph

ENTITIES, RELATIONS = 7, 3
Walk = tuple[tuple[int, ...], tuple[int, ...]]  # relations, entities

entity = st.integers(0, ENTITIES - 1)
triples = st.lists(st.tuples(entity, st.integers(0, RELATIONS - 1), entity), max_size=14, unique=True)
pairs = st.lists(st.tuples(entity, entity), min_size=1, max_size=4)
candidates = st.lists(entity, unique=True)


def graph_of(rows: list[tuple[int, int, int]], num_entities: int = ENTITIES) -> Graph:
    array = np.array(rows, np.int32).reshape(-1, 3)
    names = Names.from_strings([f"e{i}" for i in range(num_entities)])
    return Graph(names, Names.from_strings(["a", "b", "c"]), array[:, 0], array[:, 1], array[:, 2])


def ints(values: list[int] | list[tuple[int, int]]) -> Ints:
    return np.array(values, np.int32)


def walks_from(graph: Graph, head: int) -> list[Walk]:
    """All walks of one to three hops that do not end where they began."""
    edges = list(zip(graph.heads.tolist(), graph.relations.tolist(), graph.tails.tolist(), strict=True))
    edges += [(t, r + RELATIONS, h) for h, r, t in edges]
    level: list[Walk] = [((), (head,))]
    found: list[Walk] = []
    for _ in range(3):
        level = [((*rs, r), (*es, t)) for rs, es in level for h, r, t in edges if h == es[-1]]
        found += level
    return [walk for walk in found if walk[1][-1] != head]


def given_up(graph: Graph, head: int, relations: tuple[int, ...], limit: int) -> bool:
    """Whether the entities after a hop have too many edges of the next relation."""
    level = {head}
    for relation in relations:
        spans = [graph.neighbours.of(e) for e in level]
        after = [e for kinds, ends in spans for e in ends[kinds == relation].tolist()]
        if len(after) > limit:
            return True
        level = set(after)
    return False


@given(triples, pairs, candidates, st.sampled_from([1, 2, 3, 10_000]), st.none() | st.integers(0, RELATIONS - 1))
def test_paths_and_what_they_are_worth_are_those_of_the_definition(
    rows: list[tuple[int, int, int]],
    pairs: list[tuple[int, int]],
    candidates: list[int],
    limit: int,
    hidden: int | None,
) -> None:
    graph = graph_of(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "MAX_EDGES", limit)
        found = find_paths(graph, ints(pairs), ints(candidates), hidden)
        fired = list(found.fire(np.arange(ENTITIES), np.arange(ENTITIES)))

    support: Counter[tuple[int, ...]] = Counter()
    endpoints: Counter[tuple[int, ...]] = Counter()
    walks: Counter[tuple[int, tuple[int, ...], int]] = Counter()
    for head in range(ENTITIES):
        for relations, entities in walks_from(graph, head):
            if not given_up(graph, head, relations, limit) and not {hidden} & {r % RELATIONS for r in relations}:
                walks[head, relations, entities[-1]] += 1
    choices = {*candidates, *(tail for _, tail in pairs)}
    for head, relations, tail in walks:
        support[relations] += (head, tail) in pairs
        endpoints[relations] += head in {h for h, _ in pairs} and tail in choices
    expected = sorted(relations for relations in support if support[relations])

    assert [found.path(i) for i in range(len(found))] == expected
    assert found.support.tolist() == [support[path] for path in expected]
    assert found.endpoints.tolist() == [endpoints[path] for path in expected]
    assert found.confidence.tolist() == [
        support[path] / (endpoints[path] + 2) * (0.5 if len(path) == 3 else 1) for path in expected
    ]
    counted = {
        (head, found.path(path), tail): number
        for head, firings in enumerate(fired)
        for path, tail, number in zip(firings.paths, firings.candidates, firings.walks, strict=True)
    }
    assert counted == {key: number for key, number in walks.items() if key[1] in expected}


def without_edge(rows: list[tuple[int, int, int]], edge: tuple[int, int, int]) -> Graph:
    return graph_of([row for row in rows if row != edge])


@given(triples, candidates, st.integers(0, 2 * RELATIONS - 1))
def test_a_fact_of_the_graph_does_not_speak_for_its_own_paths(
    rows: list[tuple[int, int, int]], candidates: list[int], own: int
) -> None:
    """For each reference, paths are those of the graph without its own edge."""
    facts = [(h, t) if own < RELATIONS else (t, h) for h, r, t in rows if r == own % RELATIONS]
    if not facts:
        return
    found = find_paths(graph_of(rows), ints(facts), ints(candidates), own, in_graph=True)
    support: Counter[tuple[int, ...]] = Counter()
    endpoints: Counter[tuple[int, ...]] = Counter()
    choices = {*candidates, *(tail for _, tail in facts)}
    for head, tail in facts:
        edge = (head, own, tail) if own < RELATIONS else (tail, own - RELATIONS, head)
        ends = {(relations, es[-1]) for relations, es in walks_from(without_edge(rows, edge), head)}
        for relations, end in ends:
            support[relations] += end == tail
            endpoints[relations] += end in choices and (end == tail or (head, end) not in facts)
    expected = sorted(relations for relations in support if support[relations])
    assert [found.path(i) for i in range(len(found))] == expected
    assert found.support.tolist() == [support[path] for path in expected]
    assert found.endpoints.tolist() == [endpoints[path] for path in expected]


@given(triples, pairs, entity, st.integers(0, 2 * RELATIONS - 1))
def test_paths_to_a_known_tail_are_those_without_its_own_edge(
    rows: list[tuple[int, int, int]], pairs: list[tuple[int, int]], head: int, own: int
) -> None:
    found = find_paths(graph_of(rows), ints(pairs), np.arange(ENTITIES))
    tails = np.array([entity for entity in range(ENTITIES) if entity != head])
    (every,) = found.fire(np.array([head]), tails)
    firings = found.fire_without(every, head, own, tails)
    for place, tail in enumerate(tails.tolist()):
        edge = (head, own, tail) if own < RELATIONS else (tail, own - RELATIONS, head)
        walks = walks_from(without_edge(rows, edge), head)
        expected = Counter(relations for relations, entities in walks if entities[-1] == tail)
        hit = firings.candidates == place
        counted = {found.path(p): n for p, n in zip(firings.paths[hit], firings.walks[hit], strict=True)}
        assert counted == {path: expected[path] for path in map(found.path, range(len(found))) if expected[path]}


@given(triples, pairs, entity, st.integers(0, 2 * RELATIONS - 1), st.integers(1, 6))
def test_paths_that_fan_out_too_far_only_with_the_own_edge_lead_to_a_known_tail(
    rows: list[tuple[int, int, int]], pairs: list[tuple[int, int]], head: int, own: int, most: int
) -> None:
    found = find_paths(graph_of(rows), ints(pairs), np.arange(ENTITIES))
    tails = np.array([entity for entity in range(ENTITIES) if entity != head])
    with patch.object(paths, "MAX_EDGES", most):
        found = replace(found, neighbours=graph_of(rows).neighbours)  # whose scratch arrays have the new size
        (every,) = found.fire(np.array([head]), tails)
        firings = found.fire_without(every, head, own, tails)
        with paths._walking(found.neighbours, RELATIONS, found.paths, tails) as walk:
            for place, tail in enumerate(tails.tolist()):
                expected, hit = walk(head, own, tail), firings.candidates == place
                same = expected.candidates == place
                assert firings.paths[hit].tolist() == expected.paths[same].tolist()
                assert firings.walks[hit].tolist() == expected.walks[same].tolist()


@given(triples, pairs, candidates, st.lists(entity), st.lists(entity))
def test_evidence_sums_up_what_fires(
    rows: list[tuple[int, int, int]],
    pairs: list[tuple[int, int]],
    candidates: list[int],
    heads: list[int],
    asked: list[int],
) -> None:
    found = find_paths(graph_of(rows), ints(pairs), ints(candidates))
    evidence = found.evidence(ints(heads), ints(asked))
    assert evidence.weight.shape == (len(heads), len(asked))
    for row, (head, firings) in enumerate(zip(heads, found.fire(ints(heads), np.arange(ENTITIES)), strict=True)):
        for column, tail in enumerate(asked):
            sure = found.confidence[firings.paths[firings.candidates == tail]]
            assert evidence.fired[row, column] == len(sure), (head, tail)
            assert evidence.best[row, column] == max(sure, default=0)
            assert np.isclose(evidence.weight[row, column], -np.log1p(-sure).sum())


@given(triples, entity)
def test_instances_are_the_walks_behind_a_path(rows: list[tuple[int, int, int]], head: int) -> None:
    graph = graph_of(rows)
    expected: dict[tuple[tuple[int, ...], int], set[tuple[int, ...]]] = {}
    for relations, entities in walks_from(graph, head):
        expected.setdefault((relations, entities[-1]), set()).add(entities)
    for (relations, tail), walks in expected.items():
        found = path_instances(graph, head, relations, tail, limit=100)
        assert [one.relations for one in found] == [relations] * len(walks)
        assert {one.entities for one in found} == walks
        repeats = [len(one.entities) - len(set(one.entities)) for one in found]
        assert repeats == sorted(repeats)
        assert path_instances(graph, head, relations, tail, limit=2) == found[:2]


@given(triples, pairs, candidates)
def test_order_does_not_matter(
    rows: list[tuple[int, int, int]], pairs: list[tuple[int, int]], candidates: list[int]
) -> None:
    one = find_paths(graph_of(rows), ints(pairs), ints(candidates))
    other = find_paths(graph_of(rows[::-1]), ints(pairs[::-1]), ints(candidates[::-1]))
    for a, b in ((one.paths, other.paths), (one.confidence, other.confidence)):
        assert np.array_equal(a, b)
    heads, asked = np.arange(ENTITIES), np.arange(ENTITIES)
    assert np.array_equal(one.evidence(heads, asked).weight, other.evidence(heads, asked).weight)


def test_an_entity_without_edges_has_no_paths() -> None:
    graph = graph_of([(0, 0, 1)])
    assert len(find_paths(graph, ints([(5, 6)]), np.arange(ENTITIES))) == 0
    found = find_paths(graph, ints([(0, 1)]), np.arange(ENTITIES))
    assert not found.evidence(ints([5]), np.arange(ENTITIES)).fired.any()
    assert path_instances(graph, 5, (0, 1), 6, limit=3) == []


def test_entities_that_do_not_exist_are_refused() -> None:
    graph = graph_of([(0, 0, 1)])
    found = find_paths(graph, ints([(0, 1)]), np.arange(ENTITIES))
    for wrong in (-1, ENTITIES):
        with pytest.raises(IndexError, match="entities are numbered 0 to 6"):
            found.evidence(ints([wrong]), ints([0]))
        with pytest.raises(IndexError, match="entities are numbered 0 to 6"):
            find_paths(graph, ints([(wrong, 1)]), ints([0]))


def test_a_hub_is_passed_over_and_other_paths_still_found() -> None:
    """0 leads to 1 by a hub with 20,000 neighbours (2) and by a quiet entity (3)."""
    size = 20_000
    rows = [(0, 0, 2), (2, 0, 1), (0, 1, 3), (3, 1, 1), *((2, 0, 4 + i) for i in range(size))]
    found = find_paths(graph_of(rows, size + 4), ints([(0, 1)]), np.arange(size + 4))
    assert (1, 1) in [found.path(i) for i in range(len(found))]
    assert (0, 0) not in [found.path(i) for i in range(len(found))]
    assert found.endpoints.max() <= paths.MAX_EDGES


def test_a_search_that_takes_too_long_gives_short_paths_only(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graph_of([(0, 0, 1), (0, 1, 2), (2, 1, 1), (2, 2, 3), (3, 2, 1)])
    whole = find_paths(graph, ints([(0, 1)]), np.arange(ENTITIES))
    monkeypatch.setattr(paths, "MAX_SEARCH", 2)
    found = find_paths(graph, ints([(0, 1)]), np.arange(ENTITIES))
    every = [whole.path(i) for i in range(len(whole))]
    assert (1, 2, 2) in every
    assert [found.path(i) for i in range(len(found))] == [path for path in every if len(path) < 3]


def test_of_too_many_paths_shared_and_short_ones_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(0, 0, 1), (2, 0, 3), (0, 1, 1), (0, 2, 4), (4, 2, 1)]
    monkeypatch.setattr(paths, "MAX_PATHS", 2)
    found = find_paths(graph_of(rows), ints([(0, 1), (2, 3)]), np.arange(ENTITIES))
    assert [found.path(i) for i in range(len(found))] == [(0,), (0, RELATIONS, 0)]


def test_a_graph_on_disk_has_the_same_paths(tmp_path: Path, countries: Graph) -> None:
    save_graph(countries, tmp_path / "graph")
    opened = open_graph(tmp_path / "graph")
    reference = ints([(countries.entity("Lima"), countries.entity("Sol"))])
    asked = np.arange(countries.num_entities)
    one, other = (find_paths(graph, reference, asked) for graph in (countries, opened))
    assert len(one) > 0
    assert np.array_equal(one.paths, other.paths)
    head = ints([countries.entity("Tokyo")])
    best = other.evidence(head, asked).weight[0].argmax()
    assert countries.entity_names[int(best)] == "Yen"
