"""Ray: a real cluster of two nodes on this machine, with workers and a node that die. What is computed is the same.

All that can be computed on Ray is tested here, whichever room it is in: a cluster takes seconds to start.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from polars.testing import assert_frame_equal
from tools.attack.small_graph import facts

from faan.base import Cluster, InputError
from faan.complete import BulkSettings, Completer, all_relations, fit, suggest_in_bulk
from faan.embed import EmbedConfig, embed_graph
from faan.graph import read_graph
from faan.tasks import BuildSettings, build_benchmark, write_benchmark

from .conftest import rows_of

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")]
SETTINGS = BulkSettings(top=3)
LATE = {str(number) for number in range(15, 30)}


@pytest.fixture(scope="module")
def completer() -> Completer:
    return fit([row for row in facts() if not (row[0][4:] in LATE and row[1] in ("speaks", "next_to"))], method="rules")


@pytest.fixture(scope="module")
def model(completer: Completer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("ray") / "model"
    completer.save(folder)
    return folder


@pytest.fixture(scope="module")
def nodes(require_modules: Callable[..., None]) -> Iterator[Any]:
    """Two nodes with a core each."""
    require_modules("ray")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_worker_niceness", "0")  # else a busy machine starves them
        from ray.cluster_utils import Cluster as Nodes

        started = Nodes(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        started.add_node(num_cpus=1)
        try:
            yield started
        finally:
            import ray

            ray.shutdown()
            started.shutdown()  # type: ignore[no-untyped-call]


@pytest.fixture
def cluster(nodes: Any) -> Any:
    """The same for each test: a node that an earlier one killed is replaced."""
    if not nodes.worker_nodes:
        nodes.add_node(num_cpus=1)
    return nodes


def kill_a_worker(name: str) -> None:
    """End a process of some actors of this test's cluster; another test run on this machine may have such, too."""
    for place in Path("/proc").glob("[0-9]*"):
        try:
            title = (place / "cmdline").read_bytes()
        except OSError:
            continue
        if title.startswith(f"ray::{name}".encode()) and os.getpid() in ancestors(int(place.name)):
            os.kill(int(place.name), signal.SIGKILL)
            return
    raise AssertionError(f"no process of this test is a {name}")


def ancestors(process: int) -> Iterator[int]:
    """The process that started a process, the one that started that, and so on."""
    while process > 1:
        try:
            stat = Path(f"/proc/{process}/stat").read_text()
        except OSError:
            return  # it has ended
        process = int(stat.rpartition(")")[2].split()[1])
        yield process


def once(is_time: Callable[[], bool], act: Callable[[], None]) -> threading.Thread:
    """Do something as soon as it is time."""

    def watch() -> None:
        while not is_time():
            time.sleep(0.01)
        act()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def test_rows_of_a_table_are_computed_side_by_side(
    cluster: Any, faan: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [(f"c{i}", "next", f"c{(i + 1) % 40}") for i in range(40)]
    rows += [(f"c{i}", f"rare{r}", f"c{(i + r) % 40}") for r in range(2, 12) for i in range(0, 40, 3)]
    built, _ = build_benchmark(rows, BuildSettings(min_triples=8, max_triples=20))
    write_benchmark(built, tmp_path / "Tiny")
    call = ("reproduce", "main", "--dataset", tmp_path / "Tiny", "--rows", "TailCounts,TransE,Rules", "--quick")
    engine = ("--engine", "ray", "--address", cluster.address, "--workers", "2")
    found = {}
    for name, how in (("here", ()), ("ray", engine)):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        results = tmp_path / name / "results" / "quick"

        def is_begun(folder: Path = results) -> bool:
            return any(folder.glob("*.json"))

        thread = once(is_begun, lambda: kill_a_worker("RowWorker")) if how else None
        code, _, said = faan(*call, "--run", *how)
        assert code == 0, said
        if thread is not None:
            thread.join()
        found[name] = {path.name: json.loads(path.read_text()) for path in results.glob("*.json")}
        for result in found[name].values():
            del result["seconds"], result["date"]
    assert found["ray"] == found["here"]
    assert len(found["here"]) == 3
    assert "done: TransE, seed 0" in said


def test_vectors_are_the_same_on_ray(cluster: Any, tmp_path: Path) -> None:
    rows = [(f"e{h}", f"r{r}", f"e{h + r + 1}") for h in range(100) for r in range(4)]
    sizes = {"dimension": 8, "batch_size": 64, "chunk_size": 8, "negatives": 6, "epochs": 12, "evaluate_every": 1}
    config = EmbedConfig.model_validate({"model": "complex", "partitions": 4, "rounds": True, **sizes})
    here = embed_graph(read_graph(rows), config, tmp_path / "here")

    def is_begun() -> bool:
        metrics = tmp_path / "ray" / "metrics.jsonl"
        return metrics.is_file() and metrics.stat().st_size > 0

    thread = once(is_begun, lambda: kill_a_worker("BucketWorker"))
    there = embed_graph(read_graph(rows), config, tmp_path / "ray", engine=Cluster(cluster.address, workers=2))
    thread.join()
    assert torch.equal(here.embeddings.entities, there.embeddings.entities)
    assert torch.equal(here.embeddings.relations, there.embeddings.relations)
    names = [sorted(path.name for path in (tmp_path / run / "partitions").iterdir()) for run in ("here", "ray")]
    assert names[0] == names[1]


def test_a_worker_and_a_node_may_die(
    completer: Completer, model: Path, cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faan.complete.bulk._HEADS", 2)
    questions = all_relations(completer)
    suggest_in_bulk(completer, model, tmp_path / "here", questions, SETTINGS)
    expected = rows_of(tmp_path / "here")

    def kill_a_node() -> None:
        cluster.remove_node(next(node for node in cluster.worker_nodes), allow_graceful=False)

    for name, harm in (("worker", lambda: kill_a_worker("BulkWorker")), ("node", kill_a_node)):
        folder = tmp_path / name
        thread = once(lambda folder=folder: len(list(folder.glob("*.parquet"))) >= 2, harm)  # type: ignore[misc]
        engine = Cluster(cluster.address, workers=2)
        job = suggest_in_bulk(completer, model, folder, questions, SETTINGS, engine=engine)
        thread.join()
        assert_frame_equal(rows_of(folder), expected)
        assert job.rows == len(expected)
        assert sorted(path.name for path in folder.iterdir()) == sorted(
            path.name for path in (tmp_path / "here").iterdir()
        )


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "127.0.0.1:x", "127.0.0.1:99999"])
def test_an_address_where_no_cluster_is_is_refused_at_once(
    completer: Completer, model: Path, tmp_path: Path, require_modules: Callable[..., None], address: str
) -> None:
    require_modules("ray")
    with pytest.raises(InputError, match=f"cannot connect with Ray at {address}"):
        suggest_in_bulk(completer, model, tmp_path / "job", all_relations(completer), SETTINGS, engine=Cluster(address))
