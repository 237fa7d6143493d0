"""The commands, in this process: loading torch for each would take minutes."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from faan.train.checkpoint import note_broken

TOML = """
shots = 2
seed = 3
[model]
method = "faan"
layers = 1
heads = 2
[embed]
dimension = 8
epochs = 2
batch_size = 64
chunk_size = 8
[train]
steps = 6
shots = 2
evaluate_every = 3
log_every = 2
"""

Faan = Callable[..., tuple[int, str, str]]


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "run.toml"
    path.write_text(TOML)
    return path


@pytest.mark.slow
def test_a_model_is_trained_resumed_and_evaluated(
    faan: Faan, config: Path, benchmark_folder: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    call = ("train", config, "--benchmark", benchmark_folder, "-o", folder, "--set", "train.average=.5")
    code, out, err = faan(*call)
    assert code == 0, err
    assert "FAAN, 6 steps: best dev MRR" in out
    assert "step 0: dev MRR" in err
    assert "the best so far" in err
    metrics = (folder / "metrics.jsonl").read_bytes()
    code, out, err = faan("resume", folder, "--json")
    assert (code, json.loads(out)["steps"]) == (0, 6)
    assert (folder / "metrics.jsonl").read_bytes() == metrics

    code, out, err = faan("evaluate", folder, "--draws", "2")
    assert code == 0, err
    assert "FAAN on tiny, 2-shot, strict, seed 3" in out
    assert "test MRR over 2 random draws of the references" in out
    result = json.loads((folder / "result.json").read_text())
    assert result["config"] == str(config)
    assert result["command"] == (
        f"faan train {config} --benchmark tiny -o run --set train.average=.5 && faan evaluate run --shots 2 --draws 2"
    )
    code, out, _ = faan("evaluate", folder, "-k", "3", "-o", tmp_path / "other.json", "--json")
    assert json.loads(out) == json.loads((tmp_path / "other.json").read_text())
    assert json.loads(out)["shots"] == 3
    code, _, err = faan(*call)
    assert code == 1
    assert "exists and is not empty" in err


def test_evaluating_what_broke_off_says_so(faan: Faan, finished: Path, tmp_path: Path) -> None:
    shutil.copytree(finished, tmp_path / "run")
    note_broken(tmp_path / "run", "the loss is not finite at step 9.")
    code, out, err = faan("evaluate", tmp_path / "run")
    assert code == 0, err
    assert "training broke off: the loss is not finite at step 9. These best weights are evaluated." in err
    assert "FAAN on tiny" in out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("resume", "FINISHED", "--tsv"), 2, "only for runs of `faan embed`"),
        (("resume", "FINISHED", "--workers", "2"), 2, "only for runs of `faan embed`"),
        (("resume", "EMBED", "--benchmark", "b"), 2, "only for runs of `faan train`"),
        (("resume", "EMBED", "--tensorboard"), 2, "only for runs of `faan train`"),
        (("evaluate", "FINISHED", "--translation"), 2, "only for embeddings, not for a run folder"),
        (("evaluate", "FINISHED", "--set", "seed=1"), 2, "only for embeddings, not for a run folder"),
        (("evaluate", "EMBED"), 1, "holds no run of a few-shot model"),
        (("evaluate", "CONFIG"), 2, "required unless the target is a run folder"),
        (("evaluate", "Rules"), 2, "required unless the target is a run folder"),
        (("evaluate", "Rules", "--benchmark", "TINY", "--translation"), 2, "not for a method without training"),
        (("evaluate", "Rulez", "--benchmark", "TINY"), 1, "expected one of Rules, Rules plus, TailCounts"),
        (("evaluate", "CONFIG", "--benchmark", "b", "--draws", "2"), 2, "learn their references in training"),
        (("train", "CONFIG", "--benchmark", "b", "-o", "NEW", "--set", "train.stepps=1"), 2, "expected NAME=VALUE"),
        (("train", "CONFIG", "--benchmark", "b", "-o", "NEW", "--set", "train.steps=many"), 2, "a whole number"),
        (("train", "CONFIG", "--benchmark", "nowhere", "-o", "NEW"), 1, "there is no such folder"),
        (("train", "CONFIG", "--benchmark", "TINY", "-o", "NEW", "--set", "shots=99"), 1, "found K = 99"),
        (("train", "CONFIG", "--benchmark", "TINY", "-o", "NEW", "--tensorboard"), 1, "faan[tensorboard]"),
    ],
)
def test_a_wrong_call_says_why(
    arguments: tuple[str, ...],
    code: int,
    message: str,
    faan: Faan,
    config: Path,
    finished: Path,
    benchmark_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)  # as if it were not installed
    new = tmp_path / "new"
    paths = {"FINISHED": finished, "EMBED": finished / "embed", "CONFIG": config, "NEW": new, "TINY": benchmark_folder}
    found, out, err = faan(*(paths.get(argument, argument) for argument in arguments))
    assert (found, out) == (code, "")
    assert message in err
    assert not new.exists()


def test_tensorboard_is_told_everything_again_after_a_resume(
    faan: Faan, config: Path, benchmark_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, float, int]] = []

    class SummaryWriter:
        def __init__(self, folder: str, purge_step: int) -> None:
            assert (Path(folder), purge_step) == (tmp_path / "run" / "tensorboard", 0)

        def add_scalar(self, name: str, value: float, step: int) -> None:
            told.append((name, value, step))

        def close(self) -> None:
            told.append(("closed", 0, 0))

    fake = ModuleType("torch.utils.tensorboard")
    fake.SummaryWriter = SummaryWriter  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", fake)
    code, _, err = faan("train", config, "--benchmark", benchmark_folder, "-o", tmp_path / "run", "--tensorboard")
    assert code == 0, err
    assert [step for name, _, step in told if name == "dev/mrr"] == [0, 3, 6]
    assert [step for name, _, step in told if name == "loss"] == [2, 4, 6]
    assert told[-1][0] == "closed"
    first = told.copy()
    told.clear()
    assert faan("resume", tmp_path / "run", "--tensorboard")[0] == 0
    assert told == first


def test_a_method_without_training_is_evaluated_by_its_name(faan: Faan, benchmark_folder: Path, tmp_path: Path) -> None:
    code, out, err = faan(
        "evaluate", "TailCounts", "--benchmark", benchmark_folder, "-k", "2", "-o", tmp_path / "r.json"
    )
    assert code == 0, err
    assert "TailCounts on tiny, 2-shot, strict, seed 0" in out
    result = json.loads((tmp_path / "r.json").read_text())
    assert (result["config"], result["command"]) == ("", "faan evaluate TailCounts --benchmark tiny --shots 2")
    code, out, err = faan("evaluate", "rules", "--benchmark", benchmark_folder, "-k", "2", "--draws", "2", "--json")
    assert code == 0, err
    assert json.loads(out)["command"] == "faan evaluate Rules --benchmark tiny --shots 2 --draws 2"


def test_a_result_that_could_not_be_written_is_refused_before_it_is_computed(faan: Faan, tmp_path: Path) -> None:
    code, _, error = faan("evaluate", "Rules", "--benchmark", tmp_path, "-o", tmp_path)
    assert code == 2
    assert "is a folder: name a file in it" in error
    code, _, error = faan("evaluate", tmp_path / "nothing")
    assert code == 1
    assert "no run folder, TOML file or method has this name; expected one of Rules, Rules plus, TailCounts" in error
