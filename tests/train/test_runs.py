"""Run folders: whatever kills a run, it goes on and ends the same; what is wrong with a folder is said."""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from faan.base import InputError
from faan.base.files import locked
from faan.embed import Embeddings
from faan.models.faan import Faan
from faan.tasks import Benchmark, PairSet
from faan.train import RunConfig, load_run, resume_run, train_run

from .conftest import SETTINGS, settings

# A process trains without interruption, then forks children, each of which kills itself with SIGKILL at its moment.
KILLER = """
import json, os, signal, sys
from pathlib import Path
import faan.embed.step, faan.train.checkpoint, faan.train.loop, faan.models.faan
from faan.tasks import read_benchmark
from faan.train import RunConfig, train_run

config, benchmark_path, folder, kills = json.loads(sys.argv[1])
config, benchmark = RunConfig.model_validate(config), read_benchmark(benchmark_path)

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def kill_at(owner, name, when, before=die):
    original, calls = getattr(owner, name), 0
    def counted(*args, **kwargs):
        nonlocal calls
        calls += 1
        if calls == when:
            before()
        return original(*args, **kwargs)
    setattr(owner, name, counted)

def kill_in_metrics(when):
    original, calls = faan.train.checkpoint.MetricsFile.write, 0
    def write(self, line):
        nonlocal calls
        calls += 1
        if calls == when:
            self.file.write(b'{"step": 1')
            self.file.flush()
            die()
        original(self, line)
    faan.train.checkpoint.MetricsFile.write = write

HOOKS = {
    "update of the embeddings": lambda n: kill_at(faan.embed.step, "make_batch", n),
    "step": lambda n: kill_at(faan.models.faan.Faan, "loss", n),
    "evaluation": lambda n: kill_at(faan.train.loop, "rank_tasks", n),
    "line of metrics": kill_in_metrics,
    "file not yet in place": lambda n: kill_at(os, "replace", n),
    "file not yet on disk": lambda n: kill_at(os, "fsync", n),
}
train_run(config, benchmark, Path(folder) / "whole", path=benchmark_path)
for moment, number in kills:
    child = os.fork()
    if child == 0:
        HOOKS[moment](number)
        train_run(config, benchmark, Path(folder) / f"{moment} {number}", path=benchmark_path)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, (moment, number, status)
"""
KILLS = [
    ("update of the embeddings", 12),
    ("step", 11),  # between two checkpoints
    ("evaluation", 1),  # before there is any checkpoint
    ("evaluation", 3),
    ("line of metrics", 1),
    ("line of metrics", 5),
    ("file not yet in place", 5),  # a checkpoint of the embeddings
    ("file not yet in place", 13),  # the first checkpoint
    ("file not yet in place", 15),  # the best weights
    ("file not yet in place", 16),  # the checkpoint that belongs to them
    ("file not yet on disk", 40),
    ("file not yet on disk", 41),
]
SAME = ("config.json", "best.safetensors", "checkpoint.safetensors", "metrics.jsonl", "embed/vectors.safetensors")


@pytest.mark.slow
def test_a_run_killed_at_any_moment_goes_on_and_ends_the_same(benchmark_folder: Path, tmp_path: Path) -> None:
    call = json.dumps([SETTINGS, str(benchmark_folder), str(tmp_path), KILLS])
    subprocess.run([sys.executable, "-c", KILLER, call], check=True)
    whole = load_run(tmp_path / "whole")
    for moment, number in KILLS:
        killed = tmp_path / f"{moment} {number}"
        run = resume_run(killed)
        assert run.progress == whole.progress, killed.name
        for name in SAME:
            assert (killed / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), (killed.name, name)


def test_a_finished_run_can_be_resumed_without_harm(tiny: Benchmark, tmp_path: Path) -> None:
    run = train_run(settings(), tiny, tmp_path / "run")
    before = {name: (tmp_path / "run" / name).read_bytes() for name in SAME}
    assert resume_run(tmp_path / "run", tiny).progress == run.progress
    assert {name: (tmp_path / "run" / name).read_bytes() for name in SAME} == before
    loaded = load_run(tmp_path / "run", tiny)
    assert isinstance(loaded.model, Faan)
    assert isinstance(run.model, Faan)
    assert torch.equal(loaded.model.token, run.model.token)
    assert set(run.seconds) == {"embed", "train"}


def test_vectors_can_be_trained_on_the_training_tasks_too(tiny: Benchmark, tmp_path: Path) -> None:
    config = RunConfig.model_validate(SETTINGS | {"vectors": "background+tasks"})
    train_run(config, tiny, tmp_path / "run")
    vectors = Embeddings.load(tmp_path / "run" / "embed")
    assert vectors.num_relations == tiny.graph.num_relations + len(tiny.splits["train"])


def test_embeddings_are_taken_from_a_run_that_trained_the_same(
    finished: Path, tiny: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [tmp_path / "nothing", finished]
    other_seed = RunConfig.model_validate(SETTINGS | {"seed": 4})
    train_run(other_seed, tiny, tmp_path / "apart", others=others)
    ours, theirs = (Embeddings.load(folder / "embed").entities for folder in (tmp_path / "apart", finished))
    assert not torch.equal(ours, theirs)
    monkeypatch.setattr("faan.train.vectors.train_embedding", None)
    run = train_run(settings(), tiny, tmp_path / "run", others=others)
    assert (tmp_path / "run" / "best.safetensors").read_bytes() == (finished / "best.safetensors").read_bytes()
    assert run.seconds["embed"] > 0


def test_inverse_tasks_change_what_is_learnt(tiny: Benchmark, tmp_path: Path) -> None:
    train_run(settings(), tiny, tmp_path / "one")
    train_run(settings(inverse_tasks=True), tiny, tmp_path / "both")
    one, both = ((tmp_path / name / "metrics.jsonl").read_text() for name in ("one", "both"))
    assert one != both


def test_a_folder_that_is_not_empty_is_left_alone(tiny: Benchmark, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(InputError, match="exists and is not empty"):
        train_run(settings(), tiny, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_what_cannot_be_trained_leaves_no_folder(tiny: Benchmark, tmp_path: Path) -> None:
    def changed(split: str, **changes: object) -> Benchmark:
        tasks = tuple(dataclasses.replace(task, **changes) for task in tiny.splits[split])  # type: ignore[arg-type]
        return dataclasses.replace(tiny, splits={**tiny.splits, split: tasks})

    few = tiny.tasks[0].pairs[:2]
    for benchmark, message in (
        (changed("train", pairs=few), "none of the 7 tasks has more than 3 pairs"),
        (changed("train", candidates=few[:, 0]), "none of the 7 tasks"),
        (changed("dev", pairs=few), "has 2 pairs; K must be 1 or more and leave one to ask, found K = 2"),
        (changed("dev", candidates=few[:0, 0]), "has no candidates"),
    ):
        with pytest.raises(InputError, match=message):
            train_run(settings(), benchmark, tmp_path / "run")
    held_out = {"embed": SETTINGS["embed"] | {"held_out": 1000}}  # type: ignore[operator]
    with pytest.raises(InputError, match="more than half"):
        train_run(RunConfig.model_validate(SETTINGS | held_out), tiny, tmp_path / "run")
    assert not list(tmp_path.iterdir())


def test_without_dev_tasks_the_last_weights_are_kept(tiny: Benchmark, tmp_path: Path) -> None:
    blind = dataclasses.replace(tiny, splits={**tiny.splits, "dev": ()})
    with pytest.raises(InputError, match="patience needs dev tasks"):
        train_run(settings(patience=1), blind, tmp_path / "run")
    run = train_run(settings(average=0.0), blind, tmp_path / "run")
    assert (run.progress.best_step, run.progress.best_mrr) == (20, None)


def test_two_processes_do_not_train_in_one_folder(finished: Path, tiny: Benchmark) -> None:
    with locked(finished), pytest.raises(InputError, match="another process is using this folder"):
        resume_run(finished, tiny)
    assert resume_run(finished, tiny).progress.step == 20


def test_another_benchmark_is_refused_and_a_moved_one_is_found(
    tiny: Benchmark, benchmark_folder: Path, tmp_path: Path
) -> None:
    place = tmp_path / "benchmark"
    shutil.copytree(benchmark_folder, place)
    train_run(settings(), tiny, tmp_path / "run", path=place)
    shutil.move(place, tmp_path / "moved")
    with pytest.raises(InputError, match=r"its benchmark is no longer at .*--benchmark"):
        resume_run(tmp_path / "run")
    assert resume_run(tmp_path / "run", tiny).progress.step == 20
    first, *rest = tiny.splits["test"]
    heads, tails = np.r_[first.truths.pairs, [[0, 0]]].T
    more = dataclasses.replace(first, truths=PairSet(heads, tails, tiny.graph.num_entities))
    for splits in (
        {"test": (first,)},
        {"dev": (*tiny.splits["dev"], first), "test": tuple(rest)},  # the same tasks in the same order
        {"test": (more, *rest)},
    ):
        with pytest.raises(InputError, match="not the one that the run began with"):
            resume_run(tmp_path / "run", dataclasses.replace(tiny, splits={**tiny.splits, **splits}))
    train_run(settings(), tiny, tmp_path / "memory")
    with pytest.raises(InputError, match="its benchmark never was on disk"):
        resume_run(tmp_path / "memory")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("run.json", None, "holds no run of a few-shot model"),
        ("run.json", b"{", "the run is damaged"),
        ("config.json", b'{"speed": 11}', "the run is damaged"),
        ("checkpoint.safetensors", b"half", "the checkpoint is damaged"),
        (
            "metrics.jsonl",
            b"",
            "has 0 bytes, but its checkpoint knows .* put a copy of the file there .* begin the run",
        ),
        ("metrics.jsonl", b"x" * 99_999, r"metrics.jsonl.*1.* are damaged; put a copy .* else begin the run again"),
        ("best.safetensors", None, "best weights are missing; begin the run again"),
        (
            "best.safetensors",
            b"half",
            "best weights are damaged; put a copy of the file there .* else begin the run again",
        ),
        ("embed/vectors.safetensors", b"half", "the embeddings are damaged"),
    ],
)
def test_a_damaged_run_says_so(
    name: str, content: bytes | None, message: str, finished: Path, tiny: Benchmark, tmp_path: Path
) -> None:
    shutil.copytree(finished, tmp_path / "run")
    if content is None:
        (tmp_path / "run" / name).unlink()
    else:
        (tmp_path / "run" / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        resume_run(tmp_path / "run", tiny)


def test_weights_of_another_model_are_refused(finished: Path, tiny: Benchmark, tmp_path: Path) -> None:
    shutil.copytree(finished, tmp_path / "run")
    shutil.copy(finished / "embed" / "vectors.safetensors", tmp_path / "run" / "best.safetensors")
    with pytest.raises(InputError, match="belong to another model"):
        load_run(tmp_path / "run", tiny)


def test_settings_that_do_not_fit_the_vectors_are_refused_before_anything_is_trained(
    tiny: Benchmark, tmp_path: Path
) -> None:
    config = RunConfig.model_validate(SETTINGS | {"model": {"method": "faan", "heads": 3}})
    with pytest.raises(InputError, match="3 attention heads do not divide a width of 8"):
        train_run(config, tiny, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_lost_times_do_not_cost_a_run(finished: Path, tiny: Benchmark, tmp_path: Path) -> None:
    shutil.copytree(finished, tmp_path / "run")
    (tmp_path / "run" / "seconds.json").write_text("x")
    assert load_run(tmp_path / "run", tiny).progress.step == 20
