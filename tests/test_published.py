"""The committed results: every file is whole, and what gave it is in the project."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from faan.embed import EmbedConfig
from faan.paper.measured import label_of
from faan.rank import METRICS, UNTRAINED, ResultFile
from faan.train import RunConfig

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
FOLDERS = (ROOT / "results", ROOT / "results" / "ablation", ROOT / "results" / "shots")
RESULTS = sorted(path for folder in FOLDERS for path in folder.glob("*.json"))


def test_there_are_results() -> None:
    assert RESULTS


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_a_result_names_what_gave_it(path: Path) -> None:
    result = ResultFile.model_validate(json.loads(path.read_text(encoding="utf-8")))
    if result.config:
        assert (ROOT / result.config).is_file()
    else:
        assert label_of(result.method, result.variant) in UNTRAINED
    target = result.config or shlex.quote(label_of(result.method, result.variant))
    is_trained_run = bool(result.config) and not Path(result.config).stem.startswith("embed-")
    verb = "train" if is_trained_run else "evaluate"  # a run is trained, then evaluated
    assert result.command.startswith(f"faan {verb} {target} --benchmark {result.dataset}")
    for figures in (result.dev, result.test):
        assert all(0 <= figures[metric] <= 1 for metric in METRICS)
    queries = sum(relation["queries"] for relation in result.relations.values())
    micro = sum(relation["queries"] * relation["mrr"] for relation in result.relations.values()) / queries
    assert micro == pytest.approx(result.test["mrr"])


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.toml")), ids=lambda path: path.stem)
def test_every_configuration_can_be_read(path: Path) -> None:
    kind = EmbedConfig if path.stem.startswith("embed-") else RunConfig
    assert kind.from_toml(path).model


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.toml")), ids=lambda path: path.stem)
def test_the_result_in_a_configuration_is_that_of_its_files(path: Path) -> None:
    told = tomllib.loads(path.read_text(encoding="utf-8"))["result"]
    files = [json.loads(file.read_text()) for file in sorted(ROOT.glob(told.get("file") or told["files"]))]
    assert files
    for name, (split, metric) in {
        "dev_mrr": ("dev", "mrr"),
        "test_mrr": ("test", "mrr"),
        "test_hits_at_10": ("test", "hits@10"),
    }.items():
        assert told[name] == pytest.approx(np.mean([file[split][metric] for file in files]), abs=1e-4)
