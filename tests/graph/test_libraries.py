"""Graphs of other libraries: networkx, igraph, PyKEEN."""

from __future__ import annotations

import sys
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faan.base import InputError
from faan.graph import Graph, read_graph

TRIPLES = [("Peru", "capital", "Lima"), ("Peru", "has", "Lima"), ("Lima", "in", "Peru"), ("Lima", "near", "Lima")]
NAME = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=9).filter(
    str.strip
)


@pytest.fixture
def graph() -> Graph:
    network: Any = nx.MultiDiGraph()
    network.add_node("Peru", label="Republic of Peru", types=["country", "place"], description="in the Andes")
    network.add_node("Lima", type="city")
    network.add_edges_from((head, tail, relation) for head, relation, tail in TRIPLES)
    return read_graph(network)


def described(graph: Graph) -> list[tuple[str, str, list[str]]]:
    assert graph.types is not None
    return [
        (graph.entity_label(i), graph.entity_description(i), [graph.types.names[int(k)] for k in graph.types.of(i)])
        for i in range(graph.num_entities)
    ]


@pytest.mark.parametrize("method", ["to_networkx", "to_igraph"])
def test_a_graph_comes_back_with_labels_types_and_descriptions(graph: Graph, method: str) -> None:
    again = read_graph(getattr(graph, method)())
    assert list(again.triples()) == list(graph.triples()) or set(again.triples()) == set(TRIPLES)
    assert described(again) == described(graph)
    assert described(graph) == [
        ("Republic of Peru", "in the Andes", ["country", "place"]),
        ("Lima", "", ["city"]),
    ]


@given(st.lists(st.tuples(NAME, NAME, NAME), min_size=1, max_size=9))
@pytest.mark.slow
def test_any_names_survive_igraph_and_networkx(triples: list[tuple[str, str, str]]) -> None:
    graph = read_graph(triples, type_relations=())
    assert list(read_graph(graph.to_igraph(), type_relations=()).triples()) == list(graph.triples())
    assert set(read_graph(graph.to_networkx(), type_relations=()).triples()) == set(triples)


@given(st.lists(st.tuples(NAME, NAME, NAME), min_size=1, max_size=9))
@pytest.mark.slow
def test_any_names_survive_data_frames(triples: list[tuple[str, str, str]]) -> None:
    graph = read_graph(triples, type_relations=())
    for frame in (graph.to_polars(), graph.to_pandas()):
        assert list(frame.columns) == ["head", "relation", "tail"]
        assert list(read_graph(frame, type_relations=()).triples()) == list(graph.triples())


def test_rows_may_be_mappings_in_any_order() -> None:
    rows = [{"tail": "Lima", "relation": "capital", "head": "Peru", "since": 1535}]
    assert list(read_graph(rows).triples()) == [("Peru", "capital", "Lima")]


@pytest.mark.parametrize("row", [{"a": "x", "b": "y", "c": "z"}, {"head": "x", "tail": "y"}, {"x", "y", "z"}])
def test_a_row_without_an_order_is_refused(row: object) -> None:
    with pytest.raises(InputError, match=r"triple 1: expected \(head, relation, tail\), found"):
        read_graph([row])


def test_nodes_that_share_a_name_are_told_to_be_one_entity() -> None:
    vertices = igraph.Graph(n=3, edges=[(0, 1), (2, 1)], directed=True)
    vertices.vs["name"], vertices.es["relation"] = ["Córdoba", "Spain", "Córdoba"], "in"
    numbers: Any = nx.DiGraph()
    numbers.add_edge(1, "1", relation="is")
    for source, name, count in ((vertices, "Córdoba", 2), (numbers, "1", 1)):
        graph = read_graph(source)
        assert graph.num_entities == count
        assert graph.report.notes == (f"1 name belongs to several nodes, which are one entity here: {name!r}",)


def test_relations_of_simple_graphs_are_attributes() -> None:
    for kind in (nx.DiGraph, nx.Graph, nx.MultiGraph):
        for attribute in ("relation", "predicate", "label", "type"):
            network: Any = kind()
            network.add_edge("a", "b", **{attribute: "r"})
            graph = read_graph(network)
            assert list(graph.triples()) == [("a", "r", "b")]
            assert any("undirected" in note for note in graph.report.notes) == (not network.is_directed())


def test_vertices_without_names_are_called_by_their_numbers() -> None:
    graph = igraph.Graph(n=3, edges=[(0, 1), (1, 2)], directed=True)
    graph.es["type"] = ["r", "s"]
    assert list(read_graph(graph).triples()) == [("0", "r", "1"), ("1", "s", "2")]
    undirected = graph.as_undirected(combine_edges="first")
    assert "undirected" in read_graph(undirected).report.notes[0]


@pytest.mark.parametrize("empty", [igraph.Graph([(0, 1)], directed=True), nx.MultiDiGraph([("a", "b")])])
def test_an_edge_without_a_relation_is_an_error(empty: Any) -> None:
    with pytest.raises(InputError, match="has no relation; set one of the attributes relation, predicate, label, type"):
        read_graph(empty)


def test_a_triples_factory_keeps_the_numbers(graph: Graph) -> None:
    factory = graph.to_pykeen()
    assert factory.mapped_triples.tolist() == np.stack([graph.heads, graph.relations, graph.tails], 1).tolist()
    assert factory.entity_to_id == {"Peru": 0, "Lima": 1}
    assert list(read_graph(factory).triples()) == list(graph.triples())
    assert graph.to_pykeen(inverse_triples=True).create_inverse_triples
    part = factory.new_with_restriction(relations=["in", "capital"])
    assert set(read_graph(part).triples()) == {TRIPLES[0], TRIPLES[2]}


def test_columns_are_refused_for_objects_without_columns(graph: Graph) -> None:
    for source in (graph.to_networkx(), list(graph.triples())):
        with pytest.raises(InputError, match="columns can be named in data frames, not in"):
            read_graph(source, columns=("a", "b", "c"))


def test_a_number_without_a_label_is_an_error(graph: Graph) -> None:
    beyond, between = graph.to_pykeen(), graph.to_pykeen()
    beyond.mapped_triples[0, 0] = 9
    del between.entity_id_to_label[0]
    for factory in (beyond, between):
        with pytest.raises(InputError, match="a triple of the factory has a number without a label"):
            read_graph(factory)


@pytest.mark.parametrize("library", ["networkx", "igraph", "pykeen"])
def test_a_library_that_is_not_there_is_named(graph: Graph, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "path_importer_cache", {})
    with pytest.raises(InputError, match=f"{library} is not installed; install it with: pip install {library}"):
        getattr(graph, f"to_{library}")()
