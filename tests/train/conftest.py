from __future__ import annotations

from pathlib import Path

import pytest

from faan.graph import read_graph
from faan.tasks import Benchmark, BuildSettings, build_benchmark, read_benchmark, write_benchmark
from faan.train import RunConfig, train_run

SETTINGS = {
    "model": {"method": "faan", "layers": 1, "heads": 2, "margin": 1.0},
    "embed": {"dimension": 8, "epochs": 2, "evaluate_every": 1, "batch_size": 64, "chunk_size": 8, "negatives": 4},
    "shots": 2,
    "seed": 3,
    "train": {
        "steps": 20,
        "learning_rate": 0.01,
        "shots": [1, 3],
        "queries": 8,
        "negatives": 2,
        "average": 0.9,
        "evaluate_every": 6,
        "checkpoint_every": 4,
        "log_every": 5,
    },
}


def settings(**train: object) -> RunConfig:
    """Settings of a run that takes a second, with some of training changed."""
    return RunConfig.model_validate(SETTINGS | {"train": SETTINGS["train"] | train})  # type: ignore[operator]


@pytest.fixture(scope="session")
def benchmark_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = [(f"c{i}", "next", f"c{(i + 1) % 40}") for i in range(40)]
    rows += [(f"c{i}", f"rare{r}", f"c{(i + r) % 40}") for r in range(2, 12) for i in range(0, 40, 3)]
    built, _ = build_benchmark(read_graph(rows), BuildSettings(min_triples=8, max_triples=20))
    folder = tmp_path_factory.mktemp("benchmarks") / "tiny"
    write_benchmark(built, folder)
    return folder


@pytest.fixture(scope="session")
def tiny(benchmark_folder: Path) -> Benchmark:
    return read_benchmark(benchmark_folder)


@pytest.fixture(scope="session")
def finished(tiny: Benchmark, benchmark_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run; only to be read."""
    folder = tmp_path_factory.mktemp("runs") / "finished"
    train_run(settings(), tiny, folder, path=benchmark_folder, source=("tiny.toml", ["seed=3"]))
    return folder
