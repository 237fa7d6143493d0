"""Runs of the evidence ranker: stages, resuming, what it may know of a task."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from faan.base import InputError
from faan.embed import Embeddings
from faan.evidence import RelationQuery
from faan.graph import Graph
from faan.models import EvidenceRanker, OutOfFoldVectors, fit_ranker, parts_of
from faan.models.evidence import RANKER_FILE, TREES_FILE
from faan.tasks import Benchmark, Task, with_task_edges
from faan.train import RunConfig, evaluate_run, load_run, resume_run, train_model, train_run
from faan.train.evidence import RANKER_FOLDER, EvidenceStages

from .conftest import SETTINGS

MODEL: dict[str, Any] = {
    "method": "evidence",
    "translation": SETTINGS["embed"],
    "shots": [2],
    "heads": 3,
    "hard": 3,
    "random": 5,
    "min_tasks": 2,
    "trees": 5,
    "min_rows": 2,
    "out_of_fold_vectors": False,
    "inverse_tasks": False,
}
RUN: dict[str, Any] = SETTINGS | {
    "model": MODEL,
    "embed": SETTINGS["embed"] | {"model": "complex"},  # type: ignore[operator]
    "vectors": "background+tasks",
}


def run_settings(**model: Any) -> RunConfig:
    return RunConfig.model_validate(RUN | {"model": MODEL | model})


@pytest.fixture(scope="module")
def done(tiny: Benchmark, benchmark_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rankers") / "run"
    train_run(run_settings(), tiny, folder, path=benchmark_folder, source=("evidence.toml", ["seed=3"]))
    return folder


def test_a_ranker_is_trained_and_evaluated_like_any_other_method(done: Path, tiny: Benchmark) -> None:
    result = evaluate_run(done, tiny)
    assert (result.method, result.variant, result.shots, result.steps) == ("Evidence", None, 2, 5)
    assert 0 < result.test["mrr"] <= 1
    assert result.command.startswith("faan train evidence.toml --benchmark tiny -o run --set seed=3 && faan evaluate")
    assert load_run(done, tiny).progress.best_mrr == result.dev["mrr"]


def test_a_ranker_grows_trees_not_steps(faan: Callable[..., tuple[int, str, str]], done: Path) -> None:
    code, out, err = faan("resume", done)
    assert code == 0, err
    assert out.startswith("Evidence, 5 trees: best dev MRR")
    assert "step" not in err


@pytest.mark.parametrize("lost", [(RANKER_FOLDER,), (RANKER_FOLDER, "embed-tasks"), ("embed", RANKER_FOLDER)])
def test_a_stage_that_is_not_done_is_done_again_to_the_same_trees(
    lost: tuple[str, ...], done: Path, tiny: Benchmark, tmp_path: Path
) -> None:
    folder = shutil.copytree(done, tmp_path / "run")
    for stage in lost:
        shutil.rmtree(folder / stage)
    with pytest.raises(InputError, match="the run is not finished \\(the ranker is not trained\\); continue with"):
        load_run(folder, tiny)
    resume_run(folder, tiny)
    for file in (RANKER_FILE, TREES_FILE):
        assert (folder / RANKER_FOLDER / file).read_bytes() == (done / RANKER_FOLDER / file).read_bytes()


def test_training_sees_no_edge_of_the_task_itself(done: Path, tiny: Benchmark) -> None:
    config = run_settings()
    run = EvidenceStages(done, config, tiny)
    ranker = run.load()
    graph, _ = with_task_edges(tiny.graph, tiny.splits["train"])
    assert ranker.sources.graph.num_triples == graph.num_triples
    for task in run.tasks:
        assert task.hidden is not None
        assert graph.relation_names[task.hidden] == task.relation
        question = RelationQuery(ranker.sources, task, task.references(2))
        assert not np.isin(question.paths.paths, [task.hidden, task.hidden + graph.num_relations]).any()
    assert ranker.sources.vectors("matching").num_relations == graph.num_relations


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{"out_of_fold_vectors": True}, {"background_tasks": True}])
def test_a_task_is_learnt_from_without_its_own_triples(
    changes: dict[str, Any], tiny: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In either direction: its edges are hidden, and the vectors it is given have not seen them."""
    monkeypatch.setattr("faan.tasks.episodes.RARE", (10, 500))  # the tiny background has one relation, of 40 triples
    given: list[Sequence[OutOfFoldVectors]] = []

    def fit(
        graph: Graph, tasks: Sequence[Task], *rest: Any, out_of_fold: Sequence[OutOfFoldVectors], **further: Any
    ) -> EvidenceRanker:
        given.append(out_of_fold)
        for task in tasks:
            assert task.hidden is not None
            assert graph.relation_names[task.hidden % graph.num_relations] == task.relation.removesuffix("_inv")
        return fit_ranker(graph, tasks, *rest, out_of_fold=out_of_fold, **further)

    monkeypatch.setattr("faan.train.evidence.fit_ranker", fit)
    config = run_settings(folds=2, inverse_tasks=True, **changes)
    run = train_run(config, tiny, tmp_path / "run")
    ranker = EvidenceStages(run.folder, config, tiny)
    further = {"next"} if "background_tasks" in changes else set()
    forward = {one.relation for one in tiny.splits["train"]} | further
    assert {one.relation for one in ranker.tasks} == forward | {f"{name}_inv" for name in forward}
    for task in ranker.tasks:
        (own,) = (one for one in given[0] if task.relation in one.relations)
        for vectors in own.embeddings:
            (name,) = (path.name for path in run.folder.glob("*-*") if is_of(vectors, path))
            graph = ranker._graph_of(name)
            seen = {graph.relation_names[number] for number in np.unique(graph.relations)}
            assert task.relation.removesuffix("_inv") not in seen
            assert len(seen & forward) == len(forward) - len({name.removesuffix("_inv") for name in own.relations})
    assert not (run.folder / "embed").exists()
    assert evaluate_run(run.folder, tiny).protocol == ("open" if "background_tasks" in changes else "strict")


def is_of(vectors: Embeddings, folder: Path) -> bool:
    found = Embeddings.load(folder)
    return found.config == vectors.config and torch.equal(found.entities, vectors.entities)


def test_vectors_that_know_no_tasks_need_not_be_out_of_fold(tiny: Benchmark, tmp_path: Path) -> None:
    config = RunConfig.model_validate(RUN | {"model": MODEL | {"out_of_fold_vectors": True}, "vectors": "background"})
    run = train_run(config, tiny, tmp_path / "run")
    assert {path.parent.name for path in run.folder.glob("*/vectors.safetensors")} == {"embed", "translation"}


def test_vectors_of_a_few_shot_model_that_know_tasks_are_not_taken_for_those_of_the_background(
    tiny: Benchmark, tmp_path: Path
) -> None:
    known = {key: RUN[key] for key in ("embed", "vectors")}
    theirs = train_run(RunConfig.model_validate(SETTINGS | known), tiny, tmp_path / "faan")
    run = train_run(run_settings(), tiny, tmp_path / "run", others=[tmp_path / "faan"])
    assert not is_of(Embeddings.load(theirs.folder / "embed"), run.folder / "embed")


@pytest.mark.parametrize(("file", "content"), [("config.json", b"\xff{"), ("checkpoint.safetensors", b"broken")])
def test_damaged_vectors_of_another_run_are_passed_over(
    file: str, content: bytes, done: Path, tiny: Benchmark, tmp_path: Path
) -> None:
    other = shutil.copytree(done, tmp_path / "other")
    for name in ("embed", "embed-tasks", "translation"):
        (other / name / file).write_bytes(content)
    run = train_run(run_settings(), tiny, tmp_path / "run", others=[other])
    assert is_of(Embeddings.load(run.folder / "embed"), done / "embed")


def test_rankers_that_differ_in_evidence_share_their_vectors(
    done: Path, tiny: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faan.train.vectors.train_embedding", None)
    config = RunConfig.model_validate(RUN | {"variant": "no-counts"})
    run = train_run(config, tiny, tmp_path / "run", others=[tmp_path / "nothing", done])
    assert run.seconds["embed"] >= load_run(done, tiny).seconds["embed"] > 0
    for name in ("embed", "embed-tasks", "translation"):
        assert (run.folder / name / "vectors.safetensors").read_bytes() == (
            done / name / "vectors.safetensors"
        ).read_bytes()


def test_a_witness_and_background_tasks_do_not_go_together() -> None:
    with pytest.raises(ValidationError, match="its vectors have seen the background"):
        run_settings(witness={"method": "faan"}, background_tasks=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": MODEL | {"witness": {"method": "faan", "heads": 3}}}, "heads"),
        ({"model": MODEL | {"witness": {"method": "faan"}}, "train": {"patience": 1}}, "patience to 0"),
    ],
)
def test_a_witness_that_cannot_be_trained_is_refused_at_once(
    changes: dict[str, Any], message: str, tiny: Benchmark, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        train_run(RunConfig.model_validate(RUN | changes), tiny, tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("witness", "vectors", "name"),
    [
        ({"method": "faan", "layers": 1, "heads": 2, "margin": 1.0}, "matching", "FAAN"),
        ({"method": "metar"}, "translation", "MetaR"),
    ],
)
def test_a_witness_does_not_know_the_task_that_it_tells_of(
    witness: dict[str, Any], vectors: str, name: str, tiny: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learnt_from: dict[str, set[str]] = {}

    def train(model: Any, tasks: Sequence[Task], dev: Any, config: Any, folder: Path, **further: Any) -> Any:
        learnt_from[folder.name] = {task.relation for task in tasks}
        return train_model(model, tasks, dev, config, folder, **further)

    monkeypatch.setattr("faan.train.evidence.train_model", train)
    short = {"steps": 4, "shots": 2, "warmup_steps": 0, "evaluate_every": 4, "min_candidates": 2}
    settings = run_settings(witness=witness, witness_vectors=vectors, folds=2).model_dump()
    config = RunConfig.model_validate(settings | {"train": settings["train"] | short, "variant": "with"})
    run = train_run(config, tiny, tmp_path / "run")
    assert isinstance(run.model, EvidenceRanker)
    assert run.model.judge is not None
    assert f"{name}'s score" in {one.name for one in run.model.judge.evidence}
    everything = {task.relation for task in tiny.splits["train"]}
    parts = parts_of(tiny.splits["train"], 2)
    own = {part: {relation for relation in everything if parts[relation] == part} for part in (0, 1)}
    assert learnt_from == {"0": everything - own[0], "1": everything - own[1], "all": everything}
    weights = {part: (tmp_path / "run/witness" / part / "best.safetensors").read_bytes() for part in learnt_from}
    assert len(set(weights.values())) == 3
    assert evaluate_run(tmp_path / "run", tiny).variant == "with"


def test_without_embeddings_none_are_trained(tiny: Benchmark, tmp_path: Path) -> None:
    config = RunConfig.model_validate(RUN | {"variant": "no-embeddings"})
    run = train_run(config, tiny, tmp_path / "run")
    assert not (tmp_path / "run" / "embed").exists()
    assert isinstance(run.model, EvidenceRanker)
    assert run.model.judge is not None
    assert "embeddings" not in {one.kind for one in run.model.judge.evidence}


def test_limits_of_few_shot_training_do_not_bind_a_ranker(tiny: Benchmark, tmp_path: Path) -> None:
    narrow = RUN | {"variant": "no-embeddings", "train": RUN["train"] | {"min_candidates": 1000}}
    assert train_run(RunConfig.model_validate(narrow), tiny, tmp_path / "run").progress.step == 5


def test_too_few_tasks_are_refused_before_anything_is_trained(tiny: Benchmark, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the evidence ranker learns from 100 tasks or more"):
        train_run(run_settings(min_tasks=100), tiny, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_edges_of_tasks_are_added_once(tiny: Benchmark) -> None:
    graph, tasks = with_task_edges(tiny.graph, tiny.splits["train"])
    assert graph.num_triples == tiny.graph.num_triples + sum(len(task.pairs) for task in tasks)
    for task in tasks:
        rows = graph.relations == task.hidden
        assert set(zip(graph.heads[rows].tolist(), graph.tails[rows].tolist(), strict=True)) == {
            tuple(pair) for pair in task.pairs.tolist()
        }
    with pytest.raises(InputError, match="are edges of the graph already"):
        with_task_edges(graph, tasks)
