"""Every configuration of a few-shot model trains, is evaluated, and is called as in the literature."""

from __future__ import annotations

from pathlib import Path

import pytest

from faan.rank import rank_tasks, split_metrics
from faan.tasks import Benchmark
from faan.train import RunConfig, evaluate_run, train_run

from .conftest import SETTINGS

NAMES = {
    "fsrl": "FSRL",
    "gmatching-max": "GMatching-Max",
    "gmatching-maxp": "GMatching-MaxP",
    "gmatching-meanp": "GMatching-MeanP",
    "metar": "MetaR",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_configuration_trains_and_is_evaluated(name: str, tiny: Benchmark, tmp_path: Path) -> None:
    full = RunConfig.from_toml(name).model_dump()
    short = {"steps": 4, "warmup_steps": 1, "evaluate_every": 2, "shots": 2, "tasks_per_step": 2}
    config = RunConfig.model_validate(
        full | {"embed": SETTINGS["embed"], "shots": 2, "train": full["train"] | short | {"min_candidates": 2}}
    )
    run = train_run(config, tiny, tmp_path / "run")
    result = evaluate_run(tmp_path / "run", tiny)
    assert (result.method, result.steps) == (NAMES[name], 4)
    assert result.dev["mrr"] == run.progress.best_mrr  # the saved weights are those that were best on dev
    assert result.test == split_metrics(list(rank_tasks(run.model, tiny.splits["test"], 2))) | {
        "mrr_interval": result.test["mrr_interval"]
    }
    assert set(result.relations) == {task.relation for task in tiny.splits["test"]}
