"""Every configuration of a few-shot model trains, is evaluated, and is called as in the literature."""

from __future__ import annotations

from pathlib import Path

import pytest

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


@pytest.mark.parametrize("name", NAMES)
def test_a_configuration_trains_and_is_evaluated(name: str, tiny: Benchmark, tmp_path: Path) -> None:
    full = RunConfig.from_toml(name).model_dump()
    short = {"steps": 4, "warmup_steps": 1, "evaluate_every": 2, "shots": 2, "tasks_per_step": 2}
    config = RunConfig.model_validate(
        full | {"embed": SETTINGS["embed"], "shots": 2, "train": full["train"] | short | {"min_candidates": 2}}
    )
    train_run(config, tiny, tmp_path / "run")
    result = evaluate_run(tmp_path / "run", tiny)
    assert result.method == NAMES[name]
    assert 0 < result.test["mrr"] <= 1
