from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faan.base import InputError, UnknownNameError
from faan.graph import Graph, read_graph

triples = st.lists(
    st.tuples(*[st.sampled_from("abcdef"), st.sampled_from("rs"), st.sampled_from("abcdef")]), min_size=1
)


def slow_neighbours(graph: Graph, entity: int) -> list[tuple[int, int]]:
    """The definition: both directions, one look at every triple."""
    edges = []
    for head, relation, tail in zip(graph.heads, graph.relations, graph.tails, strict=True):
        if head == entity:
            edges.append((int(relation), int(tail)))
        if tail == entity:
            edges.append((int(relation) + graph.num_relations, int(head)))
    return sorted(edges)


@given(triples)
def test_neighbours_are_all_edges_in_both_directions(rows: list[tuple[str, str, str]]) -> None:
    graph = read_graph(rows)
    for entity in range(graph.num_entities):
        relations, entities = graph.neighbours.of(entity)
        assert sorted(zip(relations.tolist(), entities.tolist(), strict=True)) == slow_neighbours(graph, entity)
        for relation in range(2 * graph.num_relations):
            assert graph.neighbours.along(entity, relation).tolist() == entities[relations == relation].tolist()


@given(triples, st.data())
def test_gathering_many_equals_asking_one_by_one(rows: list[tuple[str, str, str]], data: st.DataObject) -> None:
    graph = read_graph(rows)
    asked = data.draw(st.lists(st.integers(0, graph.num_entities - 1)))
    most = data.draw(st.none() | st.integers(1, 3))
    offsets, relations, entities = graph.neighbours.gather(np.array(asked, dtype=np.int64), most)
    assert len(offsets) == len(asked) + 1
    for i, entity in enumerate(asked):
        alone = graph.neighbours.of(entity)
        assert relations[offsets[i] : offsets[i + 1]].tolist() == alone[0][:most].tolist()
        assert entities[offsets[i] : offsets[i + 1]].tolist() == alone[1][:most].tolist()


@given(triples)
def test_hiding_leaves_out_the_target_edge_and_nothing_else(rows: list[tuple[str, str, str]]) -> None:
    graph = read_graph(rows)
    for relation in range(graph.num_relations):
        target = graph.relations == relation
        heads, tails = graph.heads[target], graph.tails[target]
        offsets, relations, entities = graph.neighbours.gather_hiding(heads, relation, tails)
        for i, (head, tail) in enumerate(zip(heads.tolist(), tails.tolist(), strict=True)):
            found = list(
                zip(relations[offsets[i] : offsets[i + 1]], entities[offsets[i] : offsets[i + 1]], strict=True)
            )
            assert sorted(found) == [edge for edge in slow_neighbours(graph, head) if edge != (relation, tail)]


@given(triples)
def test_ids_are_given_in_the_order_of_first_use(rows: list[tuple[str, str, str]]) -> None:
    graph = read_graph(rows)
    assert list(graph.entity_names) == list(dict.fromkeys(name for h, _, t in rows for name in (h, t)))
    assert list(graph.relation_names) == list(dict.fromkeys(r for _, r, _ in rows))
    assert list(graph.triples()) == list(dict.fromkeys(rows))
    assert graph.report.duplicates == len(rows) - len(set(rows))


def test_an_entity_is_found_by_name_and_by_label() -> None:
    graph = read_graph([("Q1", "P1", "Q2"), ("Q3", "P1", "Q2")])
    assert graph.entity("Q2") == 1
    with pytest.raises(UnknownNameError):
        graph.entity("Peru")


def test_an_unknown_name_comes_with_the_nearest_ones(countries: Graph) -> None:
    with pytest.raises(UnknownNameError, match=r"no entity is called 'Japn'. Did you mean 'Japan'\?"):
        countries.entity("Japn")
    with pytest.raises(UnknownNameError, match="capital"):
        countries.relation("capitol")


def test_a_label_that_several_share_asks_for_the_name(write: Callable[[str, str], Path]) -> None:
    nodes = write("nodes.tsv", "id\tname\nQ1\tParis\nQ3\tParis\nQ2\tFrance\n")
    graph = read_graph([("Q1", "in", "Q2"), ("Q3", "in", "Q2")], nodes=nodes)
    assert graph.entity("France") == graph.entity("Q2")
    assert graph.entity_label(graph.entity("Q1")) == "Paris"
    with pytest.raises(
        InputError, match=r"2 of the graph share the label 'Paris': 'Q1' \(1 fact\), 'Q3' \(1 fact\). Use"
    ):
        graph.entity("Paris")


def test_things_that_share_a_label_are_told_apart_by_type(write: Callable[[str, str], Path]) -> None:
    nodes = write("nodes.tsv", "id\tname\tcategory\nQ1\tTokyo\tcity\nQ3\tTokyo\tsong\nQ2\tJapan\tland\n")
    graph = read_graph([("Q1", "in", "Q2"), ("Q2", "has", "Q1"), ("Q3", "from", "Q2")], nodes=nodes)
    with pytest.raises(InputError, match=r"'Q1' \(city, 2 facts\), 'Q3' \(song, 1 fact\). Use the name"):
        graph.entity("Tokyo")


def test_a_name_that_is_a_part_of_others_names_them() -> None:
    graph = read_graph([("Tokyo, Japan", "in", "Japan"), ("Asia/Tokyo", "zone_of", "Japan"), ("Kyoto", "in", "Japan")])
    with pytest.raises(UnknownNameError, match="Did you mean 'Asia/Tokyo', 'Tokyo, Japan'"):
        graph.entity("Tokyo")


@pytest.mark.parametrize(
    "asked", ["original language", "Original-Language", "originalLanguage", "ORIGINAL__language", "http://x/a_name"]
)
def test_a_relation_is_found_in_another_spelling(asked: str) -> None:
    graph = read_graph([("Heidi", "http://x/a-name", "h"), ("Heidi", "original_language", "German")])
    assert graph.relation_names[graph.relation(asked)] == ("http://x/a-name" if "x" in asked else "original_language")
    with pytest.raises(UnknownNameError):
        graph.relation(asked, exact=True)


def test_a_relation_is_found_by_the_last_part_of_its_iri_and_by_its_label(write: Callable[[str, str], Path]) -> None:
    labels = write("labels.tsv", "http://x/P407\tlanguage of work\n")
    graph = read_graph([("a", "http://x/originalLanguage", "b"), ("a", "http://x/P407", "b")], labels=[labels])
    assert graph.relation("original language") == 0
    assert graph.relation("Language of work") == 1
    with pytest.raises(UnknownNameError):
        graph.relation("http://y/originalLanguage")  # a name in full means no other one
    for nothing in ("", " ", "_"):
        with pytest.raises(UnknownNameError):
            graph.relation(nothing)


def test_the_exact_name_of_a_relation_goes_first_and_of_several_spellings_none_is_taken() -> None:
    graph = read_graph([("a", "livesIn", "b"), ("a", "lives_in", "b"), ("c", "lives_in", "b")])
    assert graph.relation("lives_in") == 1
    with pytest.raises(
        InputError,
        match=r"2 relations are spelt like 'lives in': 'livesIn' \(1 fact\), 'lives_in' \(2 facts\). Use the",
    ):
        graph.relation("lives in")


def test_an_inverse_relation_says_so(countries: Graph) -> None:
    capital = countries.relation("capital")
    assert countries.relation_label(capital) == "capital"
    assert countries.relation_label(capital + countries.num_relations) == "capital_inv"


def test_ids_outside_the_graph_are_errors(countries: Graph) -> None:
    for entity in (-1, countries.num_entities):
        with pytest.raises(IndexError):
            countries.neighbours.of(entity)
    for relation in (-1, 2 * countries.num_relations):
        with pytest.raises(IndexError):
            countries.relation_label(relation)
