"""Names as plain words, and whether the names of a graph are readable."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from faan.graph import Graph, Names, entity_words, has_readable_names, plain_words, read_graph, relation_words


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("concept:person:albert_einstein", "albert einstein"),
        ("http://example.org/wiki/Caf%C3%A9_Noir", "cafe noir"),
        ("http://example.org/things#RedApple", "red apple"),
        ("http://example.org/things/", "things"),
        ("concept:company:ford001", "ford"),
        ("Boeing 747", "boeing 747"),
        ("AC/DC", "ac dc"),
        ("Foo: the film", "foo the film"),
        ("Łódź – Śródmieście", "łodz srodmiescie"),
        ("北京", "北京"),
        ("***", ""),
        ("", ""),
    ],
)
def test_a_name_in_plain_words(name: str, expected: str) -> None:
    assert plain_words(pl.Series([name])).to_list() == [expected]


def graph_of(names: list[str], labels: list[str] | None = None) -> Graph:
    graph = read_graph([(names[i], "next", names[i + 1]) for i in range(len(names) - 1)])
    return replace(graph, entity_labels=None if labels is None else Names.from_strings(labels))


FRUIT = [
    "red_apple",
    "green_apple",
    "yellow_banana",
    "plum",
    "wild_cherry",
    "pear",
    "fig",
    "date_palm",
    "quince",
    "lime",
]


def test_words_and_labels_are_readable_and_opaque_ids_are_not() -> None:
    assert has_readable_names(graph_of(FRUIT))
    assert has_readable_names(graph_of([f"concept:fruit:{name}" for name in FRUIT]))
    for form in ("Q{}", "/m/0{}xk", "{}", "entity_{}", "http://example.org/Q{}", "e{}"):
        opaque = [form.format(number) for number in range(10)]
        assert not has_readable_names(graph_of(opaque))
        assert has_readable_names(graph_of(opaque, FRUIT))


def test_an_entity_without_a_label_is_called_by_its_id() -> None:
    graph = graph_of(["Q1", "wild_cherry"], ["Red Apple", ""])
    assert entity_words(graph).to_list() == ["red apple", "wild cherry"]
    assert relation_words(graph).to_list() == ["next"]
