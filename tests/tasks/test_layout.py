from __future__ import annotations

import json
import tarfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from faan.base import InputError
from faan.graph import Graph, Names
from faan.tasks import SPLITS, Benchmark, PairSet, Task, read_benchmark, write_benchmark
from faan.tasks.layout import FILES

pytestmark = pytest.mark.filterwarnings("error")


def assert_same(one: Benchmark, other: Benchmark) -> None:
    assert list(one.graph.entity_names) == list(other.graph.entity_names)
    assert list(one.graph.relation_names) == list(other.graph.relation_names)
    assert list(one.graph.triples()) == list(other.graph.triples())
    for split in SPLITS:
        for task, twin in zip(one.splits[split], other.splits[split], strict=True):
            assert task.relation == twin.relation
            assert np.array_equal(task.pairs, twin.pairs)
            assert np.array_equal(task.candidates, twin.candidates)
            assert task.truths == twin.truths


odd = st.sampled_from(
    ["head", "relation", "tail", "s", "p", "o", "id", "category", "BZh91AY&SY", "\ufeffx", "r", "r_inv"]
)
name = odd | st.text(st.characters(codec="utf-8", exclude_characters="\t\n\r\x00"), min_size=1, max_size=6).filter(
    lambda text: text.strip(" ")
)


@st.composite
def benchmarks(draw: st.DrawFn) -> Benchmark:
    entities = draw(st.lists(name, min_size=2, max_size=8, unique=True))
    relations = draw(st.lists(name, min_size=4, max_size=7, unique=True))
    entity = st.integers(0, len(entities) - 1)
    background, tasks = relations[:-3], relations[-3:]
    edge = st.tuples(entity, st.integers(0, len(background) - 1), entity)
    edges = np.array(draw(st.lists(edge, min_size=1, max_size=10, unique=True)), dtype=np.int32)
    graph = Graph(Names.from_strings(entities), Names.from_strings(background), edges[:, 0], edges[:, 1], edges[:, 2])
    splits = {}
    for split, relation in zip(SPLITS, tasks, strict=True):
        pairs = np.array(draw(st.lists(st.tuples(entity, entity), min_size=1, max_size=6)), dtype=np.int32)
        candidates = np.array(draw(st.lists(entity, min_size=1, unique=True)), dtype=np.int32)
        splits[split] = (Task(relation, pairs, candidates, PairSet(pairs[:, 0], pairs[:, 1], len(entities))),)
    return Benchmark("b", graph, splits)


def ambiguous(benchmark: Benchmark) -> bool:
    """What the layout cannot tell apart: two ways to cut 'head + relation', an unused relation from an inverse."""
    entities, relations = list(benchmark.graph.entity_names), [task.relation for task in benchmark.tasks]
    keys = [entity + relation for entity in entities for relation in relations]
    background = list(benchmark.graph.relation_names)
    used = {background[r] for r in benchmark.graph.relations.tolist()}
    inverse = [r for r in background if r not in used and r.removesuffix("_inv") in background and r.endswith("_inv")]
    return len(set(keys)) < len(keys) or bool(inverse)


@pytest.mark.slow
@given(benchmarks())
def test_reading_back_what_was_written_gives_the_same_benchmark(
    tmp_path_factory: pytest.TempPathFactory, benchmark: Benchmark
) -> None:
    assume(not ambiguous(benchmark))
    folder = tmp_path_factory.mktemp("layout") / "b"
    write_benchmark(benchmark, folder)
    assert_same(read_benchmark(folder), benchmark)


@pytest.fixture
def tiny() -> Benchmark:
    entities = [f"e{i}" for i in range(6)]
    graph = Graph(
        Names.from_strings(entities),
        Names.from_strings(["near"]),
        np.array([0, 2], np.int32),
        np.array([0, 0], np.int32),
        np.array([1, 3], np.int32),
    )
    pairs = np.array([[0, 1], [2, 3], [4, 5]], np.int32)
    truths = PairSet(pairs[:, 0], pairs[:, 1], 6)
    return Benchmark(
        "tiny", graph, {s: (Task(f"{s}-relation", pairs, np.arange(6, dtype=np.int32), truths),) for s in SPLITS}
    )


def test_the_archive_is_read_like_the_folder(tiny: Benchmark, tmp_path: Path) -> None:
    write_benchmark(tiny, tmp_path / "tiny")
    with tarfile.open(tmp_path / "tiny.tar.gz", "w:gz") as tar:
        tar.add(tmp_path / "tiny", "tiny")
    read = read_benchmark(tmp_path / "tiny.tar.gz")
    assert_same(read, tiny)
    assert read.name == "tiny"


def test_the_first_k_pairs_are_the_references(tiny: Benchmark) -> None:
    task = tiny.splits["test"][0]
    assert task.references(2).tolist() == [[0, 1], [2, 3]]
    assert task.queries(2).tolist() == [[4, 5]]
    for shots in (0, 3):
        with pytest.raises(
            InputError, match=f"has 3 pairs; K must be 1 or more and leave one to ask, found K = {shots}"
        ):
            task.references(shots)


def test_a_full_folder_is_not_overwritten(tiny: Benchmark, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="exists and is not empty"):
        write_benchmark(tiny, tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_names_that_the_layout_cannot_hold_are_refused(tiny: Benchmark, tmp_path: Path) -> None:
    zero = np.array([0], np.int32)
    graph = Graph(Names.from_strings(["a\tb", "c"]), tiny.graph.relation_names, zero, zero, zero)
    with pytest.raises(InputError, match="it has a tab or a line end in it"):
        write_benchmark(Benchmark("x", graph, dict.fromkeys(SPLITS, ())), tmp_path / "x")
    assert not list(tmp_path.iterdir())


def test_numbers_follow_first_use_where_no_file_gives_them(tiny: Benchmark, tmp_path: Path) -> None:
    write_benchmark(tiny, tmp_path / "b")
    for file in ("ent2ids", "relation2ids"):
        (tmp_path / "b" / file).unlink()
    found = read_benchmark(tmp_path / "b")
    assert set(found.graph.relation_names) <= set(tiny.graph.relation_names)
    for split in SPLITS:
        for task, own in zip(tiny.splits[split], found.splits[split], strict=True):
            names, own_names = tiny.graph.entity_names, found.graph.entity_names
            assert [names[i] for i in task.pairs.ravel().tolist()] == [own_names[i] for i in own.pairs.ravel().tolist()]
            assert {names[i] for i in task.candidates.tolist()} == {own_names[i] for i in own.candidates.tolist()}


@pytest.mark.parametrize("file", FILES)
def test_a_missing_file_is_named(tiny: Benchmark, tmp_path: Path, file: str) -> None:
    write_benchmark(tiny, tmp_path / "b")
    (tmp_path / "b" / file).unlink()
    with pytest.raises(InputError, match=f"missing: {file}"):
        read_benchmark(tmp_path / "b")


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("dev_tasks.json", "{", "dev_tasks.json, line 1: not JSON"),
        ("dev_tasks.json", "[]", "expected a JSON object"),
        ("dev_tasks.json", "[" * 100_000, "dev_tasks.json: not JSON"),
        ("dev_tasks.json", '{"r": ' + "9" * 5000 + "}", "dev_tasks.json: not JSON"),
        ("ent2ids", {"e" * 70_000: 0}, "a name of 70,000 bytes is too long"),
        ("dev_tasks.json", {"r": [["e0", "e1"]]}, r"expected \[head, 'r', tail\], found \['e0', 'e1'\]"),
        ("dev_tasks.json", {"r": [["e0", "x", "e1"]]}, r"expected \[head, 'r', tail\]"),
        ("dev_tasks.json", {"r": [["e0", "r", "nobody"]]}, "'nobody' of relation 'r' is not in ent2ids"),
        ("dev_tasks.json", {"r": [["e0", "r", "e1"]]}, "relation 'r' has no candidates"),
        ("dev_tasks.json", {"train-relation": [["e0", "train-relation", "e1"]]}, "relations in more than one split"),
        ("dev_tasks.json", {"near": [["e0", "near", "e1"]]}, "task relations in the background graph: near"),
        ("dev_tasks.json", {"r": [[["e0"], "r", "e1"]]}, r"expected \[head, 'r', tail\]"),
        ("dev_tasks.json", {"dev-relation": []}, "relation 'dev-relation' has no triples"),
        ("dev_tasks.json", {}, r"there is no task in dev_tasks.json"),
        ("rel2candidates.json", {"dev-relation": None}, "expected a list of names for 'dev-relation'"),
        ("rel2candidates.json", {"dev-relation": [1]}, "expected a list of names for 'dev-relation'"),
        ("e1rel_e2.json", {"e0dev-relation": "e1"}, "expected a list of names for 'e0dev-relation'"),
        ("ent2ids", {"e0": [0]}, "expected a different whole number for each name"),
        ("ent2ids", {"e0": 0, "e1": 0}, "expected a different whole number for each name"),
        ("ent2ids", {"e0": 0}, "path_graph mentions 'e1', which ent2ids does not list"),
        ("relation2ids", {}, "path_graph mentions 'near', which relation2ids does not list"),
    ],
)
def test_broken_files_say_what_is_wrong(
    tiny: Benchmark, tmp_path: Path, file: str, content: object, message: str
) -> None:
    write_benchmark(tiny, tmp_path / "b")
    (tmp_path / "b" / file).write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(InputError, match=message):
        read_benchmark(tmp_path / "b")


@pytest.mark.nell
def test_nell_one_has_all_its_published_counts(nell: Benchmark) -> None:
    graph = nell.graph
    assert (graph.num_entities, graph.num_relations, graph.num_triples) == (68_544, 291, 181_109)
    assert [len(nell.splits[split]) for split in SPLITS] == [51, 5, 11]
    assert [sum(len(t.pairs) for t in nell.splits[split]) for split in SPLITS] == [8_526, 1_004, 2_158]
    sizes = sorted(len(task.candidates) for task in nell.splits["test"])
    assert sizes == [123, 299, 786, 1_084, 2_100, 2_160, 2_222, 3_174, 5_716, 10_569, 11_618]
    assert sum(len(task.queries(5)) for task in nell.splits["test"]) == 2_103
    assert nell.notes == ("1,235 truths belong to no task and were skipped",)  # of the six relations without a task
    for task in nell.tasks:
        assert task.truths.contains(task.pairs[:, 0], task.pairs[:, 1]).all()


@pytest.mark.slow
@pytest.mark.nell
def test_nell_one_survives_being_written(nell: Benchmark, tmp_path: Path) -> None:
    write_benchmark(nell, tmp_path / "NELL-One")
    assert_same(read_benchmark(tmp_path / "NELL-One"), nell)
