from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from faan.base import configs
from faan.graph import read_graph
from faan.tasks import BuildSettings, build_benchmark, write_benchmark

Faan = Callable[..., tuple[int, str, str]]
WriteResult = Callable[..., Path]

RUN = """
shots = 2
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
steps = 4
shots = 2
queries = 8
evaluate_every = 2
"""
EMBED = """
model = "transe"
dimension = 8
epochs = 2
batch_size = 64
chunk_size = 8
negatives = 4
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with no results yet."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    return tmp_path


@pytest.fixture
def write_result(home: Path) -> WriteResult:
    """Write a result file into results/."""

    def write(name: str, mrr: float = 0.25, folder: str = "results", **changes: Any) -> Path:
        figures = {"mrr": mrr, "hits@10": 0.4, "hits@5": 0.3, "hits@1": 0.2, "macro_mrr": 0.31}
        relation = {"queries": 10, "candidates": 123, "mrr": mrr, "hits@10": 0.4, "hits@5": 0.3, "hits@1": 0.2}
        content = {
            "method": "FAAN",
            "variant": None,
            "dataset": "NELL-One",
            "protocol": "strict",
            "shots": 5,
            "seed": 0,
            "dev": figures | {"mrr": 0.15},
            "test": figures,
            "relations": {"concept:sportsgamesport": relation},
            "seconds": {"embed": 60.0, "train": 1000.0, "evaluate": 20.0},
            "steps": 4000,
            "config": "configs/faan.toml",
            "command": "faan train configs/faan.toml --benchmark NELL-One -o run --set seed=0",
            "versions": {},
            "date": "2026-01-01",
        }
        path = home / folder / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content | changes))
        return path

    return write


@pytest.fixture
def tiny(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A benchmark that is trained on in a second, and configurations for that in place of those that ship."""
    rows = [(f"c{i}", "next", f"c{(i + 1) % 40}") for i in range(40)]
    rows += [(f"c{i}", f"rare{r}", f"c{(i + r) % 40}") for r in range(2, 12) for i in range(0, 40, 3)]
    built, _ = build_benchmark(read_graph(rows), BuildSettings(min_triples=8, max_triples=20))
    write_benchmark(built, home / "data" / "Tiny")
    (home / "configs").mkdir()
    monkeypatch.setattr(configs, "SHIPPED", home / "configs")
    (home / "configs" / "faan.toml").write_text(RUN)
    (home / "configs" / "embed-transe.toml").write_text(EMBED)
    return home / "data" / "Tiny"
