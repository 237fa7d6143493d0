from __future__ import annotations

import dataclasses
import itertools
import shutil
from pathlib import Path

import pytest

from faan.base import InputError, TrainingError
from faan.models.faan import Faan
from faan.rank import rank_splits, rank_tasks, settings_hash, split_metrics
from faan.tasks import Benchmark
from faan.train import DevReport, evaluate_run, evaluate_shots, load_run, resume_run, train_run
from faan.train.checkpoint import why_broken
from faan.train.loop import Callbacks

from .conftest import settings


def test_a_run_gives_a_whole_result_file(finished: Path, tiny: Benchmark) -> None:
    result = evaluate_run(finished)
    run = load_run(finished)
    assert (result.method, result.variant, result.dataset) == ("FAAN", None, "tiny")
    assert (result.shots, result.seed, result.steps, result.config) == (2, 3, 20, "tiny.toml")
    assert result.dev["mrr"] == run.progress.best_mrr
    assert set(result.relations) == {task.relation for task in tiny.splits["test"]}
    assert set(result.seconds) == {"embed", "train", "evaluate"}
    assert result.command == (
        "faan train tiny.toml --benchmark tiny -o finished --set seed=3 && faan evaluate finished --shots 2"
    )
    assert "draws" not in result.test
    assert (result.settings, result.broken_off) == (settings_hash(run.config), None)


def test_k_and_draws_can_be_chosen(finished: Path) -> None:
    result = evaluate_run(finished, shots=4, draws=3)
    assert result.shots == 4
    assert result.command.endswith("faan evaluate finished --shots 4 --draws 3")
    run = load_run(finished)
    assert result.test["mrr"] == split_metrics(list(rank_tasks(run.model, run.benchmark.splits["test"], 4)))["mrr"]
    for figures in (result.dev, result.test):
        assert len(set(figures["draws"]["mrr"])) > 1
    with pytest.raises(InputError, match="found K = 100"):
        evaluate_run(finished, shots=100)


def test_several_k_at_once_give_what_each_gives(finished: Path) -> None:
    for result in evaluate_shots(finished, shots=[1, 4, 2]):
        alone = evaluate_run(finished, shots=result.shots)
        for one, other in ((result.dev, alone.dev), (result.test, alone.test)):
            assert {k: v for k, v in one.items() if k != "mrr_interval"} == pytest.approx(
                {k: v for k, v in other.items() if k != "mrr_interval"}
            )
        assert result.relations == alone.relations
        assert result.command == alone.command


def test_an_unfinished_run_is_not_evaluated(tiny: Benchmark, tmp_path: Path) -> None:
    def stop(report: DevReport) -> None:
        if report.step == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_run(settings(), tiny, tmp_path / "run", callbacks=Callbacks(on_report=stop))
    with pytest.raises(InputError, match=r"not finished \(step 4 of 20\); continue with `faan resume"):
        evaluate_run(tmp_path / "run", tiny)
    (tmp_path / "run" / "checkpoint.safetensors").unlink()
    with pytest.raises(InputError, match="not finished"):
        evaluate_run(tmp_path / "run", tiny)


def test_a_run_that_broke_off_is_evaluated_with_its_best_weights(
    tiny: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, loss = tmp_path / "run", Faan.loss
    with monkeypatch.context() as patch:
        calls = itertools.count(1)
        patch.setattr(Faan, "loss", lambda *given: loss(*given) * (float("nan") if next(calls) == 8 else 1))
        with pytest.raises(
            TrainingError, match=r"the loss is not finite at step 8.* best weights, of step [06], are intact"
        ):
            train_run(settings(), tiny, folder)
    assert "not finite at step 8" in (why_broken(folder) or "")
    run = load_run(folder, tiny)
    assert run.progress.step == 6  # the last checkpoint
    result = evaluate_run(folder, tiny)
    assert result.dev["mrr"] == run.progress.best_mrr
    assert result.broken_off == why_broken(folder)
    assert resume_run(folder, tiny).progress.step == 20  # whatever broke it is gone
    assert why_broken(folder) is None


def test_a_benchmark_need_not_have_dev_tasks(tiny: Benchmark, tmp_path: Path) -> None:
    blind = dataclasses.replace(tiny, splits={**tiny.splits, "dev": ()})
    train_run(settings(), blind, tmp_path / "run")
    result = evaluate_run(tmp_path / "run", blind, draws=2)
    assert result.dev == {}
    assert result.test["mrr"] > 0
    none = dataclasses.replace(blind, splits={**blind.splits, "test": ()})
    with pytest.raises(InputError, match="'tiny' has no test tasks"):
        rank_splits(load_run(tmp_path / "run", blind).model, none, 2)


def test_a_folder_without_a_run_is_not_evaluated(finished: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no run of a few-shot model"):
        evaluate_run(tmp_path)
    shutil.copytree(finished / "embed", tmp_path / "embed")
    with pytest.raises(InputError, match="holds no run of a few-shot model"):
        evaluate_run(tmp_path / "embed")
