from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from faan.base import InputError
from faan.graph import Graph, read_graph
from faan.tasks import SPLITS, BuildSettings, build_benchmark, read_benchmark, write_benchmark

SMALL = BuildSettings(min_triples=3, max_triples=8)


def towns(rare: int = 6, size: int = 5, orphans: int = 0) -> Graph:
    rows = [(f"c{i}", "in", f"s{i % 7}") for i in range(60)]
    rows += [(f"c{i + r}", f"rare{r}", f"c{(i * 3 + r) % 60}") for r in range(rare) for i in range(size)]
    rows += [(f"orphan{r}-{i}", f"rare{r}", "c0") for r in range(rare) for i in range(orphans)]
    return read_graph(rows)


def test_rare_relations_become_tasks_and_the_rest_the_background() -> None:
    benchmark, report = build_benchmark(towns(), SMALL)
    assert {len(benchmark.splits[split]) for split in SPLITS} == {1, 4}  # dev 1, test 1, train 4
    assert {task.relation for task in benchmark.tasks} == {f"rare{r}" for r in range(6)}
    assert list(benchmark.graph.relation_names) == ["in"]
    assert all(len(task.pairs) == 5 for task in benchmark.tasks)
    assert set(report.rules.values()) == {"ranges"}
    assert set(report.recall) == {task.relation for task in benchmark.tasks}


def test_labels_types_and_descriptions_stay_with_their_entities(tmp_path: Path) -> None:
    rows = [f'{{"subject": "{h}", "predicate": "{r}", "object": "{t}"}}' for h, r, t in towns(orphans=2).triples()]
    names = sorted({name for h, _, t in towns(orphans=2).triples() for name in (h, t)})
    nodes = [f'{{"id": "{n}", "category": "T{n}", "name": "the {n}", "description": "about {n}"}}' for n in names]
    path = tmp_path / "graph.jsonl"
    path.write_text("\n".join([*reversed(rows), *nodes]))
    graph = build_benchmark(path, SMALL)[0].graph
    assert 0 < graph.num_entities < len(names)
    assert graph.types is not None
    for entity, name in enumerate(graph.entity_names):
        assert (graph.entity_label(entity), graph.entity_description(entity)) == (f"the {name}", f"about {name}")
        assert [graph.types.names[int(kind)] for kind in graph.types.of(entity)] == [f"T{name}"]


def test_the_seed_decides_and_repeats() -> None:
    def orders(seed: int) -> list[tuple[str, list[list[int]]]]:
        benchmark, _ = build_benchmark(towns(), SMALL.model_copy(update={"seed": seed}))
        return [(task.relation, task.pairs.tolist()) for task in benchmark.tasks]

    assert orders(1) == orders(1)
    assert orders(1) != orders(2)


def test_an_explicit_split_is_kept() -> None:
    split = {"train": ["rare0", "rare3"], "dev": ["rare5"], "test": ["rare1"]}
    benchmark, _ = build_benchmark(towns(), SMALL, split)
    assert {s: [task.relation for task in benchmark.splits[s]] for s in SPLITS} == split
    assert set(benchmark.graph.relation_names) == {"in", "rare2", "rare4"}


@pytest.mark.parametrize(
    ("split", "message"),
    [
        ({}, "a split has the keys train, dev, test, found none"),
        ({"train": ["rare0"], "dev": ["rare1"]}, "a split has the keys train, dev, test, found train, dev"),
        ({"train": ["rare0"], "dev": ["rare0"], "test": ["rare1"]}, "in more than one split: rare0"),
        ({"train": ["rare0"], "dev": ["rare1"], "test": []}, "names no relation for test"),
        ({"train": ["rare0"], "dev": ["rare1"], "test": ["rara2"]}, "no relation is called 'rara2'. Did you mean"),
    ],
)
def test_a_wrong_split_says_what_is_wrong(split: dict[str, list[str]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        build_benchmark(towns(), SMALL, split)


def test_a_relation_by_name_and_again_by_label_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "graph.nt"
    lines = [f"<http://x/{h}> <http://x/{r}> <http://x/{t}> ." for h, r, t in towns().triples()]
    path.write_text("\n".join([*lines, '<http://x/rare0> <http://www.w3.org/2000/01/rdf-schema#label> "the first" .']))
    split = {"train": ["http://x/rare0"], "dev": ["the first"], "test": ["http://x/rare1"]}
    with pytest.raises(InputError, match=r"in more than one split: http://x/rare0"):
        build_benchmark(read_graph(path), SMALL, split)


def test_a_benchmark_tells_how_it_was_built(tmp_path: Path) -> None:
    split = {"train": ["rare0", "rare3"], "dev": ["rare5"], "test": ["rare1"]}
    benchmark, _ = build_benchmark(towns(), SMALL, split, source="towns.tsv")
    write_benchmark(benchmark, tmp_path / "b")
    about = read_benchmark(tmp_path / "b").about
    assert about is not None
    assert about["split"] == split
    assert (about["source"], about["explicit_split"], about["rules"]["rare0"]) == ("towns.tsv", True, "ranges")


def test_triples_whose_entity_occurs_nowhere_else_are_dropped_and_counted() -> None:
    benchmark, report = build_benchmark(towns(orphans=2), SMALL)
    assert report.dropped_triples == 12
    assert report.left_out_entities == 12
    assert not any(name.startswith("orphan") for name in benchmark.graph.entity_names)
    assert all(len(task.pairs) == 5 for task in benchmark.tasks)


def test_a_relation_left_with_too_few_triples_goes_back_to_the_background() -> None:
    rows = list(towns().triples()) + [(f"x{i}", "island", f"y{i}") for i in range(5)]
    benchmark, report = build_benchmark(read_graph(rows), SMALL)
    assert report.returned_relations == ("island",)
    assert "island" in benchmark.graph.relation_names
    assert "x0" in benchmark.graph.entity_names


def test_too_few_rare_relations_are_an_error() -> None:
    with pytest.raises(InputError, match=r"2 relations have 3 to 8 triples .* at least 3 are needed"):
        build_benchmark(towns(rare=2), SMALL)


@pytest.mark.parametrize(
    "wrong", [{"min_triples": 9, "max_triples": 8}, {"dev_share": 0.5, "test_share": 0.5}, {"seed": -1}, {"typo": 1}]
)
def test_settings_are_checked_when_they_are_given(wrong: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        BuildSettings(**wrong)


@settings(max_examples=30)
@given(st.integers(3, 12), st.integers(3, 8), st.integers(0, 3), st.integers(0, 100))
def test_whatever_is_built_is_whole(rare: int, size: int, orphans: int, seed: int) -> None:
    """No task relation and no lonely entity in the background, every pair true, every tail a candidate."""
    build = BuildSettings(min_triples=3, max_triples=12, seed=seed)
    graph = towns(rare, size, orphans)
    benchmark, _ = build_benchmark(graph, build)
    background = benchmark.graph
    assert (background.neighbours.degrees > 0).all()
    assert all(len(benchmark.splits[split]) for split in SPLITS)
    original = set(graph.triples())
    names = list(background.entity_names)
    for task in benchmark.tasks:
        assert task.relation not in background.relation_names
        assert {(names[h], task.relation, names[t]) for h, t in task.pairs.tolist()} <= original
        assert np.isin(task.pairs[:, 1], task.candidates).all()
        assert task.truths.contains(task.pairs[:, 0], task.pairs[:, 1]).all()
    assert set(background.triples()) == {t for t in original if t[1] in background.relation_names}


def test_a_built_benchmark_can_be_written_and_read(tmp_path: Path) -> None:
    benchmark, _ = build_benchmark(towns(orphans=1), SMALL)
    write_benchmark(benchmark, tmp_path / "b")
    read = read_benchmark(tmp_path / "b")
    assert [task.pairs.tolist() for task in read.tasks] == [task.pairs.tolist() for task in benchmark.tasks]
    assert list(read.graph.triples()) == list(benchmark.graph.triples())


def test_a_number_of_tasks_can_be_asked_for_and_others_stay_in_the_background() -> None:
    rows = [(f"a{i}", "common", f"b{i % 9}") for i in range(60)] + [(f"b{i}", "under", "top") for i in range(9)]
    rows += [(f"a{i}", f"r{r}", f"b{(i + r) % 9}") for r in range(12) for i in range(20)]
    rows += [
        (f"a{i}", f"lone{r}", f"only{r}-{i}") for r in range(4) for i in range(20)
    ]  # tails that occur nowhere else
    graph = read_graph(rows)
    settings = BuildSettings(min_triples=10, max_triples=30, max_tasks=6)
    benchmark, report = build_benchmark(graph, settings)
    assert len(benchmark.tasks) == 6
    assert not report.returned_relations  # those that would go back made room for others
    assert benchmark.graph.num_relations == graph.num_relations - 6
    again, _ = build_benchmark(graph, settings)
    assert [task.relation for task in again.tasks] == [task.relation for task in benchmark.tasks]


def test_ids_can_be_kept() -> None:
    rows = [(f"a{i}", "common", f"b{i % 9}") for i in range(60)]
    rows += [(f"a{i}", f"r{r}", f"b{(i + r) % 9}") for r in range(4) for i in range(20)] + [("a1", "r1", "new")]
    graph = read_graph(rows)
    settings = BuildSettings(min_triples=10, max_triples=30)
    kept, report = build_benchmark(graph, settings, keep_ids=True)
    assert kept.graph.entity_names is graph.entity_names
    assert kept.graph.relation_names is graph.relation_names
    assert kept.graph.num_triples == 60
    usual, _ = build_benchmark(graph, settings)
    assert report.dropped_triples == 1
    for one, other in zip(kept.tasks, usual.tasks, strict=True):
        names = [
            [benchmark.graph.entity_names[int(i)] for i in task.pairs.ravel()]
            for benchmark, task in ((kept, one), (usual, other))
        ]
        assert names[0] == names[1]
