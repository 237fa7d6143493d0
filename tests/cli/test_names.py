"""Configurations and benchmarks are called by their names, wherever a command runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from faan.graph import read_graph
from faan.tasks import BuildSettings, build_benchmark, write_benchmark

Faan = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder to work in, and a small benchmark in the folder of FAAN_DATA."""
    torch.set_num_threads(1)
    rows = [(f"c{i}", "next", f"c{(i + 1) % 40}") for i in range(40)]
    rows += [(f"c{i}", f"rare{r}", f"c{(i + r) % 40}") for r in range(2, 12) for i in range(0, 40, 3)]
    built, _ = build_benchmark(read_graph(rows), BuildSettings(min_triples=8, max_triples=20))
    write_benchmark(built, tmp_path / "data" / "Tiny")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("FAAN_DATA", str(tmp_path / "data"))


def test_a_model_is_trained_by_the_names_of_its_settings_and_of_its_benchmark(faan: Faan, tmp_path: Path) -> None:
    small = ("train.steps=2", "train.warmup_steps=0", "embed.epochs=1", "embed.dimension=8", "train.queries=4")
    changes = [word for change in small for word in ("--set", change)]
    code, _, err = faan("train", "faan", "--benchmark", "Tiny", "-o", "run", *changes)
    assert code == 0, err
    notes = json.loads(Path("run", "run.json").read_text(encoding="utf-8"))
    assert notes["config"] == "faan"
    assert notes["benchmark"] == str(tmp_path / "data" / "Tiny")
    assert faan("evaluate", "run")[0] == 0  # it knows where the benchmark is


def test_an_embedding_model_is_evaluated_by_the_name_of_its_settings(faan: Faan) -> None:
    call = ("--benchmark", "Tiny", "--set", "epochs=1", "--set", "dimension=8")
    for name in ("embed-transe", "configs/embed-transe.toml"):  # as older result files call it
        code, out, err = faan("evaluate", name, *call, "--json")
        assert code == 0, err
        assert json.loads(out)["config"] == "embed-transe"
        assert json.loads(out)["command"].startswith("faan evaluate embed-transe --benchmark Tiny")


def test_an_unknown_name_is_refused_with_what_is_known(faan: Faan) -> None:
    code, _, err = faan("evaluate", "embed-trans", "--benchmark", "Tiny")
    assert code == 1
    assert "embed-transe" in err
    code, _, err = faan("train", "fan", "--benchmark", "Tiny", "-o", "run")
    assert code == 1
    assert "no configuration has this name; expected one of" in err
