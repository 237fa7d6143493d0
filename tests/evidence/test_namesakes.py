"""Evidence from names, against its definition and the contract of all evidence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from faan.base import InputError, Ints
from faan.evidence import CATALOGUE, Measure, RelationQuery, Sources, evidence_of
from faan.evidence import names as names_module
from faan.evidence.names import EntityNames
from faan.evidence.paths import Firings, RelationPaths
from faan.graph import Graph, Names
from faan.tasks import PairSet, Task

NAMES = [
    "c:fruit:apple",
    "c:colour:apple",
    "c:fruit:plum",
    "c:tree:plum_tree",
    "c:tree:apple_tree",
    "c:person:plum",
    "c:tree:fig_tree",
    "c:fruit:fig",
    "c:city:figueras",
    "c:city:lima",
    "c:fruit:lima",
    "c:river:orinoco",
]
ENTITIES, RELATIONS = len(NAMES), 3
WHOLE = [name.rsplit(":", 1)[1] for name in NAMES]
PAIRS = np.array([[0, 4], [2, 3], [7, 6], [5, 8]], np.int32)
CANDIDATES = np.array([1, 3, 4, 5, 6, 8, 10], np.int32)


def make_graph(seed: int = 0) -> Graph:
    rows = np.random.default_rng(seed).integers(0, [ENTITIES, RELATIONS, ENTITIES], (30, 3))
    heads, relations, tails = np.ascontiguousarray(np.unique(rows, axis=0).astype(np.int32).T)
    return Graph(Names.from_strings(NAMES), Names.from_strings(["r", "s", "t"]), heads, relations, tails)


def make_task(hidden: int | None = None, in_graph: bool = False) -> Task:
    truths = PairSet(PAIRS[:, 0], PAIRS[:, 1], ENTITIES)
    return Task("grows on", PAIRS, CANDIDATES, truths, hidden, in_graph, PAIRS.astype(np.int64))


def table(graph: Graph, task: Task, head: int, tails: Ints) -> dict[str, np.ndarray]:
    sources = Sources(graph)
    evidence = evidence_of(sources, in_graph=task.in_graph)
    found = Measure(RelationQuery(sources, task, PAIRS[:3]), evidence).table(head, tails)
    return {one.name: found[:, i] for i, one in enumerate(evidence) if one.kind == "names"}


def test_all_of_it_is_there_where_names_are_readable_and_not_left_out() -> None:
    graph = make_graph()
    kinds = [one for one in CATALOGUE if one.kind == "names"]
    assert [one for one in evidence_of(Sources(graph)) if one.kind == "names"] == kinds
    assert not any(one.kind == "names" for one in evidence_of(Sources(graph), without=["names"]))
    opaque = replace(graph, entity_names=Names.from_strings([f"Q{i}" for i in range(ENTITIES)]))
    assert not any(one.kind == "names" for one in evidence_of(Sources(opaque)))


@pytest.mark.slow
@settings(max_examples=20)
@given(st.integers(0, 5), st.integers(0, ENTITIES - 1), st.none() | st.integers(0, 2 * RELATIONS - 1), st.booleans())
def test_a_pair_does_not_depend_on_what_else_is_asked(seed: int, head: int, hidden: int | None, known: bool) -> None:
    graph, task = make_graph(seed), make_task(hidden, known and hidden is not None)
    together = table(graph, task, head, np.arange(ENTITIES))
    for tail in range(ENTITIES):
        for name, values in table(graph, task, head, np.array([tail])).items():
            assert np.allclose(values[0], together[name][tail], atol=1e-5), name
            assert np.isfinite(values[0])


@pytest.mark.slow
@settings(max_examples=20)
@given(st.integers(0, 5), st.integers(0, RELATIONS - 1))
def test_a_hidden_relation_leaves_no_trace(seed: int, hidden: int) -> None:
    graph = make_graph(seed)
    keep = graph.relations != hidden
    without = replace(graph, heads=graph.heads[keep], relations=graph.relations[keep], tails=graph.tails[keep])
    for head in range(ENTITIES):
        seen = table(without, make_task(), head, np.arange(ENTITIES))
        for own in (hidden, hidden + RELATIONS):
            found = table(graph, make_task(own), head, np.arange(ENTITIES))
            assert all(np.allclose(found[name], seen[name], atol=1e-6) for name in seen)


@pytest.mark.parametrize("hidden", [None, 1])
def test_links_among_namesakes_are_counted_one_by_one(hidden: int | None) -> None:
    graph = make_graph()
    columns = graph.heads.tolist(), graph.relations.tolist(), graph.tails.tolist()
    edges = {(WHOLE[h], r, WHOLE[t]) for h, r, t in zip(*columns, strict=True) if r != hidden}
    for head in range(ENTITIES):
        found = table(graph, make_task(hidden), head, np.arange(ENTITIES))["direct links among namesakes"]
        for tail in range(ENTITIES):
            ahead = sum(h == WHOLE[head] and t == WHOLE[tail] for h, _, t in edges)
            back = sum(t == WHOLE[head] and h == WHOLE[tail] for h, _, t in edges)
            assert found[tail] == ahead + back


def test_namesakes_are_one_entity_for_paths() -> None:
    """The colour apple is linked with nothing, but a fruit of that name is, as in the references."""
    rows = [(0, 4), (2, 3), (7, 6)]
    graph = replace(
        make_graph(),
        heads=np.array([h for h, _ in rows], np.int32),
        relations=np.zeros(3, np.int32),
        tails=np.array([t for _, t in rows], np.int32),
    )
    task = make_task()
    assert table(graph, task, 1, np.array([4, 3]))["best path among namesakes"].tolist() == pytest.approx([3 / 5, 0])
    sources = Sources(graph)
    plain = Measure(RelationQuery(sources, task, PAIRS[:3]), evidence_of(sources)).table(1, np.array([4]))
    assert plain[0, [one.name for one in evidence_of(sources)].index("best path")] == 0


def test_cosines_are_products_of_sparse_rows_bit_for_bit() -> None:
    texts = [f"{name} of {other}" for name in WHOLE for other in WHOLE]
    names = EntityNames.of(replace(make_graph(), entity_names=Names.from_strings(texts), types=None))
    some, others = np.array([0, 5, 5, 99, 140]), np.array([7, 5, 0, 143])
    for kind, rows in (("words", names.words), ("letters", names.letters)):
        assert np.array_equal(names.cosines(kind, some, others), (rows[some] @ rows[others].T).toarray())


def test_words_and_letters_are_cosines_weighed_by_rarity() -> None:
    names = EntityNames.of(make_graph())

    def vector(parts: list[list[str]], own: list[str]) -> dict[str, float]:
        weights = {p: np.log((1 + ENTITIES) / (1 + sum(p in other for other in parts))) for p in set(own)}
        length = np.sqrt(sum(w**2 for w in weights.values()))
        return {p: w / length for p, w in weights.items()}

    texts = [name.replace("_", " ") for name in WHOLE]
    grams = [[f" {text} "[i : i + 3] for i in range(len(text))] for text in texts]
    for kind, parts in (("words", [text.split(" ") for text in texts]), ("letters", grams)):
        found = names.cosines(kind, np.arange(ENTITIES), np.arange(ENTITIES))
        for one in range(ENTITIES):
            for two in range(ENTITIES):
                a, b = vector(parts, parts[one]), vector(parts, parts[two])
                assert np.isclose(found[one, two], sum(a[p] * b.get(p, 0) for p in a), atol=1e-5)


def test_names_are_what_the_table_says() -> None:
    found = table(make_graph(), make_task(), 0, np.array([1, 4, 11]))
    assert found["same name"].tolist() == [1, 0, 0]
    assert found["words of the head"][0] == pytest.approx(1)
    assert 0 < found["words of the head"][1] < 1
    assert found["words of the head"][2] == 0
    assert found["words of the references' tails"][1] > found["words of the references' tails"][0]
    assert found["alike names in references"][0] > 0.3
    # the colour apple is called like the head of the reference apple - apple tree
    assert table(make_graph(), make_task(), 1, np.array([4]))["tail of a head with a similar name"] == pytest.approx(1)
    # a fact does not speak for itself
    assert table(make_graph(), make_task(), 0, np.array([4]))["tail of a head with a similar name"] < 0.9


def test_entities_without_a_name_are_nobodys_namesakes() -> None:
    graph = replace(make_graph(), entity_names=Names.from_strings(["***", "---", *NAMES[2:]]))
    names = EntityNames.of(graph)
    assert names.number(np.array([0])) != names.number(np.array([1]))
    assert names.cosines("letters", np.array([0]), np.array([1])).item() == 0


def test_a_graph_without_namesakes_is_its_own_merged_graph() -> None:
    graph = replace(make_graph(), entity_names=Names.from_strings([f"{name}{i}x" for i, name in enumerate(NAMES)]))
    names = EntityNames.of(graph)
    assert names.merged is graph
    assert names.number(np.array([3, 5])).tolist() == [3, 5]


def test_names_are_the_same_in_parts_and_from_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, everybody = make_graph(), np.arange(ENTITIES)
    whole = EntityNames.of(graph)
    monkeypatch.setattr(names_module, "_AT_ONCE", 3)
    in_parts = EntityNames.of(replace(graph, entity_names=Names.from_strings(list(graph.entity_names))))
    in_parts.save(tmp_path / "names")
    for found in (in_parts, EntityNames.load(tmp_path / "names", graph)):
        assert found.number(everybody).tolist() == whole.number(everybody).tolist()
        assert list(found.merged.triples()) == list(whole.merged.triples())
        for kind in ("words", "letters"):
            expected = whole.cosines(kind, everybody, everybody)
            np.testing.assert_array_equal(found.cosines(kind, everybody, everybody), expected)


@pytest.mark.parametrize("file", ["words_columns", "letters_offsets", "letters_values", "whole"])
def test_names_from_disk_that_do_not_fit_are_refused(tmp_path: Path, file: str) -> None:
    graph = make_graph()
    EntityNames.of(graph).save(tmp_path / "names")
    array = np.load(tmp_path / "names" / f"{file}.npy")
    array[len(array) // 2] = np.nan if file == "letters_values" else 1_000_000
    np.save(tmp_path / "names" / f"{file}.npy", array)
    with pytest.raises(InputError, match="damaged"):
        EntityNames.load(tmp_path / "names", graph)


def test_graphs_with_the_same_names_take_them_apart_once() -> None:
    graph = make_graph()
    fewer = replace(graph, heads=graph.heads[1:], relations=graph.relations[1:], tails=graph.tails[1:])
    one, other = EntityNames.of(graph), EntityNames.of(fewer)
    assert one.letters is other.letters
    assert other.merged.num_triples < one.merged.num_triples


def test_paths_are_followed_again_for_known_facts_of_the_head_but_not_for_those_of_its_namesakes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    again: list[list[int]] = []
    plain = RelationPaths.fire_without

    def fire_without(
        self: RelationPaths, found: Firings, head: int, own: int, ids: Ints, wanted: NDArray[np.bool_] | None = None
    ) -> Firings:
        assert wanted is not None
        if len(self.neighbours.offsets) <= ENTITIES:  # of the graph in which namesakes are one
            again.append(ids[wanted].tolist())
        return plain(self, found, head, own, ids, wanted)

    heads, tails = np.array([(0, 4), (2, 3), (7, 6), (1, 3), (1, 6), (1, 8)], np.int32).T  # 1 has the name of 0
    graph = replace(make_graph(), heads=heads, relations=np.zeros(6, np.int32), tails=tails)
    task = replace(make_task(0, in_graph=True), pairs=PAIRS[:3], facts=PAIRS[:3].astype(np.int64))
    monkeypatch.setattr("faan.evidence.path_sums.RelationPaths.fire_without", fire_without)
    table(graph, task, 0, np.array([3, 6]))
    assert again == [[]]
    table(graph, task, 0, np.array([4, 3]))
    known = Sources(graph).names.number(np.array([4])).tolist()
    assert again == [[], [], known]  # of candidates, and of what is known
