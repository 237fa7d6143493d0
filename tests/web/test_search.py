"""Finding entities as one types."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faan.base import InputError
from faan.graph import Graph, read_graph, save_graph
from faan.web.search import Search, words_of
from faan.web.search_index import _order, open_search

NAMES = ["New York City", "York", "Yorkshire", "San José", "Łódź", "Straße", "東京", "New Zealand", "O'Higgins", "a"]


@pytest.fixture
def search(tmp_path: Path) -> Search:
    rows = [(name, "near", "hub") for name in NAMES] + [("Yorkshire", "in", f"x{i}") for i in range(3)]
    return open_search(read_graph(rows), tmp_path / "entities.sqlite")


def names(search: Search, text: str, limit: int = 10) -> list[str]:
    return [found.name for found in search.find(text, limit)]


def test_beginnings_of_words_are_found_in_any_order(search: Search) -> None:
    assert names(search, "new y") == ["New York City"]
    assert names(search, "city new") == ["New York City"]
    assert set(names(search, "n")) == {"New York City", "New Zealand"}


def test_the_very_name_comes_first_then_whole_words_then_important_ones(search: Search) -> None:
    assert names(search, "York") == ["York", "Yorkshire", "New York City"]
    assert names(search, "yor")[0] == "Yorkshire"  # it has most edges


def test_the_words_themselves_come_before_what_has_more_edges(tmp_path: Path) -> None:
    rows = [(f"land{i}", "has_zone", "Asia/Tokyo") for i in range(50)]
    rows += [("Japan", "capital", "Tokyo, Japan"), ("Japan", "port", "Tokyo")]
    search = open_search(read_graph(rows), tmp_path / "entities.sqlite")
    assert names(search, "tokyo") == ["Tokyo", "Asia/Tokyo", "Tokyo, Japan"]


@pytest.mark.parametrize("typed", [True, False])
def test_entities_of_the_kind_that_is_looked_for_come_first(tmp_path: Path, typed: bool) -> None:
    towns = ["Tokyo, Japan", "Lima, Peru", "Paris, France"]
    rows = [(f"land{i}", "has_zone", "Asia/Tokyo") for i in range(50)]
    rows += [(f"land{i}", "has_town", town) for i, town in enumerate(towns)]
    rows += [(town, "is", "city") for town in towns] + [("Asia/Tokyo", "is", "zone")]
    graph = read_graph(rows, type_relations=["is"] if typed else [])
    search = open_search(graph, tmp_path / "entities.sqlite")
    assert names(search, "tok")[0] == "Asia/Tokyo"
    liked = search.find("tok", like=["Lima, Peru", "Paris, France", "unknown"])
    assert [found.name for found in liked] == ["Tokyo, Japan", "Asia/Tokyo"]


def test_case_accents_and_punctuation_do_not_matter(search: Search) -> None:
    assert names(search, "SAN JOSE") == ["San José"]
    assert names(search, "strasse") == ["Straße"]
    assert names(search, "lodz") == names(search, "łódź")
    assert names(search, "o higgins") == ["O'Higgins"]
    assert names(search, "東") == ["東京"]


@pytest.mark.parametrize("typo", ["yokrshire", "yorkshir", "yorkhsire", "yorrkshire", "yorkxhire", "zorkshire"])
def test_one_typing_error_in_a_word_is_forgiven(search: Search, typo: str) -> None:
    assert names(search, typo) == ["Yorkshire"]


def test_errors_in_two_words_are_forgiven(search: Search) -> None:
    assert names(search, "nwew zealnad") == ["New Zealand"]


def test_a_word_of_three_letters_must_be_right(search: Search) -> None:
    assert names(search, "new zealnad") == ["New Zealand"]
    assert names(search, "nwe zealnad") == []


@pytest.mark.slow
def test_an_error_is_forgiven_among_more_numbers_than_words(tmp_path: Path) -> None:
    rows = [(str(number), "next", str(number + 1)) for number in range(100_000)]
    search = open_search(read_graph([*rows, ("Zurich", "on", "0")]), tmp_path / "entities.sqlite")
    assert names(search, "zurixh") == ["Zurich"]


@pytest.mark.parametrize("text", ["", " ", "!!!", '"', "* AND", "NEAR(", "a" * 5000, "\x00", "\ud800", "%", "-york"])
def test_nothing_that_is_typed_is_an_error(search: Search, text: str) -> None:
    assert all(found.name in {*NAMES, "hub", "x0", "x1", "x2"} for found in search.find(text))


def test_labels_types_and_local_names_are_found(write: Callable[[str, str], Path], tmp_path: Path) -> None:
    source = write(
        "g.ttl",
        """@prefix e: <http://example.org/entity/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        e:Q1 e:p e:Q2 ; rdfs:label "Peru" ; a e:Country . e:Q2 e:p e:Q1 .""",
    )
    search = open_search(read_graph(source), tmp_path / "entities.sqlite")
    (found,) = search.find("per")
    assert (found.name, found.label, found.edges) == ("http://example.org/entity/Q1", "Peru", 2)
    assert "Country" in found.kind
    assert [found.label for found in search.find("q1")] == ["Peru"]
    assert search.find("http") == []
    assert search.find("http://example.org/entity/Q2")[0].name.endswith("Q2")


def test_the_index_is_kept_until_the_graph_changes(tmp_path: Path) -> None:
    path = tmp_path / "entities.sqlite"
    open_search(read_graph([("a", "r", "b")]), path)
    first = path.stat().st_mtime_ns
    open_search(read_graph([("a", "r", "b")]), path)
    assert path.stat().st_mtime_ns == first
    assert names(open_search(read_graph([("c", "r", "b")]), path), "c") == ["c"]
    path.write_bytes(b"no database at all")
    assert names(open_search(read_graph([("c", "r", "b")]), path), "c") == ["c"]
    assert list(tmp_path.iterdir()) == [path]


def test_the_index_of_a_model_is_looked_through_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, looked = read_graph([("a", "b", "c")]), list[Path]()

    def fits(graph: Graph, path: Path) -> bool:
        looked.append(path)
        return path.exists()

    monkeypatch.setattr("faan.web.search_index._fits", fits)
    save_graph(graph, tmp_path / "graph")
    for _ in range(2):
        open_search(graph, tmp_path / "entities.sqlite").close()
    assert len(looked) == 1
    content = bytearray((tmp_path / "entities.sqlite").read_bytes())
    content[-1] ^= 1
    (tmp_path / "entities.sqlite").write_bytes(content)
    open_search(graph, tmp_path / "entities.sqlite").close()
    assert len(looked) == 2


def test_two_servers_may_build_the_index_at_once(tmp_path: Path) -> None:
    graph, path = read_graph([("a", "r", "b")]), tmp_path / "entities.sqlite"
    others: list[Search] = []

    def meanwhile(what: str, share: float) -> None:
        others.append(open_search(graph, path))

    first = open_search(graph, path, meanwhile)
    assert all(names(search, "a") == ["a"] for search in (first, *others))
    assert others
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="index of entities cannot be written"):
        open_search(read_graph([("a", "r", "b")]), tmp_path / "nowhere" / "entities.sqlite")


@given(st.lists(st.text(min_size=1).filter(lambda text: bool(text.strip())), min_size=1, unique=True), st.randoms())
def test_every_name_is_found_by_the_beginnings_of_its_words(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], source: random.Random
) -> None:
    graph = read_graph([(text, "r", text) for text in texts])
    search = open_search(graph, tmp_path_factory.mktemp("search") / "entities.sqlite")
    wanted = source.choice(texts)
    words = words_of(wanted)[:4]
    source.shuffle(words)
    typed = " ".join(word[: source.randint(1, 30)] for word in words)
    if typed:
        assert wanted in names(search, typed, 100)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=40), st.integers(0, 12))
def test_entities_with_most_edges_come_first_then_those_that_the_graph_has_first(
    edges: list[tuple[int, int]], most: int
) -> None:
    graph = read_graph([(str(head), "r", str(tail)) for head, tail in edges])
    expected = sorted(range(graph.num_entities), key=lambda one: (-int(graph.neighbours.degrees[one]), one))
    assert _order(graph).tolist() == expected
    assert _order(graph, most).tolist() == expected[:most]
