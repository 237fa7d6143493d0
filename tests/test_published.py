"""The committed results: every file is whole, and what gave it is in the project."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from faan.base import config_file, config_name, config_names
from faan.embed import EmbedConfig
from faan.rank import METRICS, ResultFile, untrained_methods
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
    result = ResultFile.read(path)
    if result.protocol == "completion":
        check_completion(result)
        return
    if result.config:
        assert config_file(result.config).is_file()
    else:
        assert result.label in untrained_methods()
    target = result.config or shlex.quote(result.label)
    is_trained_run = bool(result.config) and not config_name(result.config).startswith("embed-")
    verb = "train" if is_trained_run else "evaluate"  # a run is trained, then evaluated
    assert result.command.startswith(f"faan {verb} {target} --benchmark {result.dataset}")
    for figures in (result.dev, result.test):
        assert all(0 <= figures[metric] <= 1 for metric in METRICS)
    queries = sum(relation["queries"] for relation in result.relations.values())
    micro = sum(relation["queries"] * relation["mrr"] for relation in result.relations.values()) / queries
    assert micro == pytest.approx(result.test["mrr"])


def check_completion(result: ResultFile) -> None:
    assert not result.config or config_file(result.config).is_file()
    assert result.command.startswith("faan evaluate completion ")
    assert f" --seed {result.seed} --name {result.dataset} " in result.command  # then how the graph is read
    assert result.command.endswith(f" --method {result.method}")
    queries = sum(relation["queries"] for relation in result.relations.values())
    micro = sum(relation["queries"] * relation["mrr"] for relation in result.relations.values()) / queries
    assert (queries, pytest.approx(micro)) == (result.test["queries"], result.test["mrr"])


@pytest.mark.parametrize("name", config_names())
def test_every_configuration_can_be_read(name: str) -> None:
    kind = EmbedConfig if name.startswith("embed-") else RunConfig
    assert kind.from_toml(name).model


@pytest.mark.parametrize("name", config_names())
def test_the_result_in_a_configuration_is_that_of_its_files(name: str) -> None:
    told = tomllib.loads(config_file(name).read_text(encoding="utf-8")).get("result")
    if told is None:
        results = [(file.name, ResultFile.read(file)) for file in RESULTS]
        measured = [file for file, one in results if config_name(one.config) == name and one.protocol != "completion"]
        assert not measured, f"{name} does not say what it gave"
        return
    files = [ResultFile.read(file) for file in sorted(ROOT.glob(told.get("file") or told["files"]))]
    assert {config_name(file.config) for file in files} == {name}
    for figure, figures in {
        "dev_mrr": [file.dev["mrr"] for file in files],
        "test_mrr": [file.test["mrr"] for file in files],
        "test_hits_at_10": [file.test["hits@10"] for file in files],
    }.items():
        assert told[figure] == pytest.approx(np.mean(figures), abs=1e-4)
