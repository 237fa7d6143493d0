from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from faan.base import InputError
from faan.embed import EmbedConfig, Embeddings
from faan.graph import read_graph
from faan.models import MeanTranslation
from faan.models.faan import FaanConfig
from faan.rank import (
    Origin,
    ResultFile,
    bootstrap,
    draw_references,
    evaluate_method,
    rank_splits,
    rank_tasks,
    settings_hash,
    summarise_ranks,
    untrained_methods,
)
from faan.tasks import Benchmark, BuildSettings, PairSet, Task, build_benchmark
from faan.train import RunConfig, evaluate_embedding


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
    assert ResultFile.read(tmp_path / "results" / "x.json") == result
    assert content["settings"] == settings_hash(config)
    assert (content["method"], content["variant"], content["protocol"]) == ("TransE", None, "strict")
    assert content["steps"] > 0
    assert 0 < content["test"]["mrr"] <= 1
    test = benchmark.splits["test"][0]
    assert content["relations"][test.relation]["queries"] == len(test.pairs) - 5


def test_a_hash_is_of_all_settings_but_the_seeds() -> None:
    config = RunConfig(model=FaanConfig(), seed=1)
    same, other = config.changed(["seed=2"]), config.changed(["embed.epochs=3"])
    assert config.embed.seed != same.embed.seed
    assert settings_hash(config) == settings_hash(same) != settings_hash(other)
    assert len(settings_hash(config)) == 64


def evaluate(benchmark: Benchmark, name: str) -> ResultFile:
    method = untrained_methods()[name].build(benchmark)
    return evaluate_method(benchmark, method, name, 5, Origin("", f"faan evaluate {name}"))


def test_an_older_file_says_nothing_of_what_it_does_not_know(tmp_path: Path, benchmark: Benchmark) -> None:
    path = tmp_path / "x.json"
    evaluate(benchmark, "TailCounts").write(path)
    content = json.loads(path.read_text())
    for name in ("settings", "broken_off", "versions", "date"):
        del content[name]
    path.write_text(json.dumps(content))
    result = ResultFile.read(path)
    assert (result.settings, result.broken_off, result.versions, result.date) == (None, None, {}, "")


@pytest.mark.parametrize("change", [{"seed": -1}, {"seed": 1 << 64}, {"shots": 0}, {"steps": 1 << 63}])
def test_a_number_that_cannot_be_is_refused(change: dict[str, int], tmp_path: Path, benchmark: Benchmark) -> None:
    path = tmp_path / "x.json"
    evaluate(benchmark, "TailCounts").write(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match=rf"x\.json: is not a result file \({next(iter(change))}"):
        ResultFile.read(path)


def test_result_files_are_read_without_torch() -> None:
    program = "import sys; from faan.rank import ResultFile; ResultFile.read; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_draws_are_other_references_the_same_for_every_method_and_their_spread_is_told() -> None:
    pairs = np.array([[i, (3 * i) % 20] for i in range(12)], np.int32)
    task = Task("r", pairs, np.arange(20, dtype=np.int32), PairSet(pairs[:, 0], pairs[:, 1], 20))
    tasks = [task, replace(task, relation="s")]
    drawn = [draw_references(tasks, draw) for draw in range(3)]
    orders = {tuple(map(tuple, one.pairs.tolist())) for tasks in drawn for one in tasks}
    assert len(orders) == 6  # every task has an order of its own in every draw
    assert all(sorted(order) == sorted(map(tuple, pairs.tolist())) for order in orders)
    again = draw_references(tasks, 1)
    assert all(np.array_equal(one.pairs, other.pairs) for one, other in zip(drawn[1], again, strict=True))

    vectors = Embeddings.first(20, 1, EmbedConfig(dimension=4))
    graph = read_graph([(f"e{i}", "next", f"e{(i + 1) % 20}") for i in range(20)])
    benchmark = Benchmark("b", graph, {"train": (), "dev": tuple(tasks), "test": (task,)})
    method = MeanTranslation(vectors)
    figures = rank_splits(method, benchmark, shots=3, draws=3)
    draws = figures["dev"]["draws"]
    slow = [np.concatenate([one.ranks for one in rank_tasks(method, tasks, 3)]) for tasks in drawn]
    assert draws["mrr"] == [np.mean(1 / ranks) for ranks in slow]
    assert draws["mean"] == np.mean(draws["mrr"])
    assert draws["std"] == np.std(draws["mrr"], ddof=1)
    assert rank_splits(method, benchmark, shots=3, draws=1)["test"]["draws"]["std"] == 0


def test_ranking_tells_how_far_it_is(benchmark: Benchmark) -> None:
    shares: list[float] = []
    method = untrained_methods()["TailCounts"].build(benchmark)

    def tell(what: str, share: float) -> None:
        shares.append(share)

    evaluate_method(benchmark, method, "TailCounts", 2, Origin("", ""), draws=2, on_progress=tell)
    assert shares == sorted(shares)
    assert len(shares) == len(benchmark.splits["dev"]) + len(benchmark.splits["test"])
    assert 0.5 < shares[-1] <= 1


def test_embedding_models_cannot_be_given_other_references() -> None:
    benchmark = Benchmark("b", read_graph([("a", "r", "b")]), {"train": (), "dev": (), "test": ()})
    with pytest.raises(InputError, match="learns its references in training"):
        evaluate_embedding(benchmark, EmbedConfig(), 5, Origin("", ""), draws=2)


@pytest.mark.parametrize("name", untrained_methods())
def test_a_method_without_training_gives_a_whole_result_file(name: str, benchmark: Benchmark) -> None:
    result = evaluate(benchmark, name)
    assert " ".join(filter(None, (result.method, result.variant))) == name
    assert (result.steps, result.seconds["train"]) == (0, 0)
    assert 0 < result.test["mrr"] <= 1
    assert set(result.relations) == {task.relation for task in benchmark.splits["test"]}
