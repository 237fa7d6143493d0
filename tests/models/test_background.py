"""What a few-shot model knows of the graph."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from faan.embed import EmbedConfig, Embeddings
from faan.graph import Neighbours, read_graph
from faan.models import Background, sample_neighbours

EDGES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=60)


def _edges(neighbours: Neighbours, entity: int) -> list[tuple[int, int]]:
    relations, entities = neighbours.of(entity)
    return list(zip(relations.tolist(), entities.tolist(), strict=True))


@given(EDGES, st.integers(1, 6), st.integers(0, 3))
def test_as_many_relations_as_possible_survive_and_the_numbers_left_of_each_are_even(
    edges: list[tuple[int, int, int]], limit: int, seed: int
) -> None:
    heads, relations, tails = np.array(sorted(set(edges)), dtype=np.int32).T
    every = Neighbours.build(heads, relations, tails, num_entities=6, num_relations=4)
    cut = sample_neighbours(every, limit, seed)
    for entity in range(6):
        before, after = _edges(every, entity), _edges(cut, entity)
        assert len(after) == min(limit, len(before))
        assert [edge for edge in before if edge in after] == after  # a part of what was there, in the same order
        had = {r: sum(1 for x, _ in before if x == r) for r, _ in before}
        left = {r: sum(1 for x, _ in after if x == r) for r in had}
        assert all(left[r] >= min(had[r], max(left.values()) - 1) for r in had)


def test_the_sample_is_fixed_by_the_seed() -> None:
    rng = np.random.default_rng(0)
    heads, relations, tails = rng.integers(0, [20, 3, 20], (400, 3), dtype=np.int32).T
    every = Neighbours.build(heads, relations, tails, 20, 3)
    first, again, other = (sample_neighbours(every, 5, seed) for seed in (0, 0, 1))
    assert np.array_equal(first.entities, again.entities)
    assert not np.array_equal(first.entities, other.entities)


def test_vectors_of_relations_outside_the_graph_are_left_out() -> None:
    graph = read_graph([("a", "r", "b"), ("b", "s", "c")])
    vectors = Embeddings.first(3, 4, EmbedConfig(dimension=2))
    known = Background.of(graph, vectors)
    assert known.relations.tolist() == [*vectors.relations[:2].tolist(), *(-vectors.relations[:2]).tolist()]
    assert known.dimension == 2
