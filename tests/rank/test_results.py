from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from faan.embed import EmbedConfig
from faan.graph import read_graph
from faan.rank import (
    UNTRAINED,
    Origin,
    ResultFile,
    bootstrap,
    evaluate_embedding,
    evaluate_untrained,
    summarise_ranks,
)
from faan.tasks import Benchmark, BuildSettings, build_benchmark


def test_metrics_are_those_of_the_definition() -> None:
    found = summarise_ranks(np.array([1.0, 2.0, 10.0, 10.5]))
    assert found["mrr"] == np.mean([1, 1 / 2, 1 / 10, 1 / 10.5])
    assert (found["hits@10"], found["hits@5"], found["hits@1"]) == (0.75, 0.5, 0.25)


def test_an_interval_holds_the_mean_and_narrows_with_more_queries() -> None:
    values = np.random.default_rng(0).random(400)
    few, many = bootstrap(values[:40]), bootstrap(values)
    assert few.low < values[:40].mean() < few.high
    assert many.high - many.low < few.high - few.low


@pytest.fixture
def benchmark() -> Benchmark:
    rows = [(f"c{i}", "in", f"s{i % 4}") for i in range(40)]
    rows += [(f"c{i}", f"rare{r}", f"c{(i + r) % 40}") for r in range(1, 6) for i in range(10)]
    return build_benchmark(read_graph(rows), BuildSettings(min_triples=8, max_triples=12))[0]


def test_an_embedding_model_gives_a_whole_result_file(tmp_path: Path, benchmark: Benchmark) -> None:
    config = EmbedConfig(dimension=8, epochs=3, batch_size=16, chunk_size=8, negatives=4)
    result = evaluate_embedding(benchmark, config, 5, Origin("configs/x.toml", "faan evaluate configs/x.toml"))
    result.write(tmp_path / "results" / "x.json")
    content = json.loads((tmp_path / "results" / "x.json").read_text())
    assert ResultFile.model_validate(content) == result
    assert (content["method"], content["variant"], content["protocol"]) == ("TransE", None, "strict")
    assert content["steps"] > 0
    assert 0 < content["test"]["mrr"] <= 1
    test = benchmark.splits["test"][0]
    assert content["relations"][test.relation]["queries"] == len(test.pairs) - 5


@pytest.mark.parametrize("name", UNTRAINED)
def test_a_method_without_training_gives_a_whole_result_file(name: str, benchmark: Benchmark) -> None:
    result = evaluate_untrained(benchmark, name, 5, Origin("", f"faan evaluate {name}"))
    assert (result.method, result.steps, result.seconds["train"]) == (name, 0, 0)
    assert 0 < result.test["mrr"] <= 1
    assert set(result.relations) == {task.relation for task in benchmark.splits["test"]}
