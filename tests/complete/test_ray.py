"""Suggestions in bulk on Ray: a real cluster of two nodes on this machine, with a worker and a node that die."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from polars.testing import assert_frame_equal

from faan.base import InputError
from faan.complete import BulkSettings, Completer, all_relations, fit, on_ray, suggest_in_bulk

from .conftest import facts, rows_of

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


@pytest.fixture
def cluster(require_modules: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Two nodes with a core each."""
    require_modules("ray")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_worker_niceness", "0")  # else a busy machine starves them
    monkeypatch.setattr("faan.complete.bulk._HEADS", 2)
    from ray.cluster_utils import Cluster

    started = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    started.add_node(num_cpus=1)
    try:
        yield started
    finally:
        import ray

        ray.shutdown()
        started.shutdown()  # type: ignore[no-untyped-call]


def workers() -> list[int]:
    """The processes of the actors."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            title = (place / "cmdline").read_bytes()
        except OSError:
            continue
        if title.startswith(b"ray::RayWorker"):
            found.append(int(place.name))
    return found


def while_it_runs(folder: Path, parts: int, act: Callable[[], None]) -> threading.Thread:
    """Do something once some parts are there."""

    def watch() -> None:
        while len(list(folder.glob("*.parquet"))) < parts:
            time.sleep(0.01)
        act()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def test_a_worker_and_a_node_may_die(completer: Completer, model: Path, cluster: Any, tmp_path: Path) -> None:
    questions = all_relations(completer)
    suggest_in_bulk(completer, model, tmp_path / "here", questions, SETTINGS)
    expected = rows_of(tmp_path / "here")

    def kill_a_worker() -> None:
        os.kill(workers()[0], signal.SIGKILL)

    def kill_a_node() -> None:
        cluster.remove_node(next(node for node in cluster.worker_nodes), allow_graceful=False)

    for name, harm in (("worker", kill_a_worker), ("node", kill_a_node)):
        folder = tmp_path / name
        thread = while_it_runs(folder, 2, harm)
        engine = on_ray(cluster.address, workers=2)
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
        suggest_in_bulk(completer, model, tmp_path / "job", all_relations(completer), SETTINGS, engine=on_ray(address))
