"""Ray as the engine of suggestions in bulk: a pool of actors, each with the model open, on one machine or many.

All machines must see the model's folder and the job's at the same path. The block of an actor whose process or machine
dies goes to another one; parts are written atomically, so nothing is there twice.
"""

from __future__ import annotations

import os
import socket
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from faan.base import InputError
from faan.complete.bulk import BulkWorker, Engine, OnPart
from faan.complete.completer import Completer

_PATIENCE = 10.0  # seconds in which a cluster must accept a connection
_DEATHS = 20  # of workers, from which on something is wrong with the job, not with machines


def on_ray(address: str | None = None, workers: int | None = None) -> Engine:
    """An engine that computes blocks on Ray.

    Args:
        address: A running cluster (`host:port`, `ray://host:port`, or `auto`); by default Ray is started on this
            machine, for this job.
        workers: How many processes compute; by default one for each core that Ray has.
    """

    def compute(model: Path, folder: Path, numbers: Sequence[int], on_part: OnPart) -> None:
        ray = _import_ray()
        with _connected(ray, address, workers):
            _compute(ray, model, folder, numbers, on_part, workers)

    return compute


def _compute(ray: Any, model: Path, folder: Path, numbers: Sequence[int], on_part: OnPart, workers: int | None) -> None:
    there = int(ray.cluster_resources().get("CPU", 1))
    if workers is not None and workers > there:
        raise InputError(f"{workers} workers are asked for, and Ray has {there} cores")
    pool = _Pool(ray, model, folder, numbers)
    for _ in range(min(workers or there, len(numbers))):
        pool.start()
    while pool.has_work:
        pool.wait(on_part)


class RayWorker(BulkWorker):
    """A worker that opens the model for itself."""

    def __init__(self, model: Path, folder: Path) -> None:
        super().__init__(Completer.load(model), folder)


class _Pool:
    """Actors and what each of them does: it starts, or computes a block.

    A worker that has not started holds no block, so what is left never waits for a machine that is gone.
    """

    def __init__(self, ray: Any, model: Path, folder: Path, numbers: Sequence[int]) -> None:
        self._ray, self._given, self._left = ray, (model, folder), deque(numbers)
        self._actor = ray.remote(num_cpus=1)(RayWorker)
        self._busy: dict[Any, tuple[Any, int | None]] = {}  # what Ray answers with: the actor, and its block if any
        self._deaths = 0

    @property
    def has_work(self) -> bool:
        """Whether blocks are left or being computed."""
        return bool(self._left) or any(number is not None for _, number in self._busy.values())

    def start(self) -> None:
        """Ask Ray for one more worker."""
        actor = self._actor.remote(*self._given)
        self._busy[actor.__ray_ready__.remote()] = actor, None

    def wait(self, on_part: OnPart) -> None:
        """Wait until a worker is done with what it does, and give it a block."""
        [answer], _ = self._ray.wait(list(self._busy), num_returns=1)
        actor, number = self._busy.pop(answer)
        try:
            self._ray.get(answer)
        except self._ray.exceptions.RayTaskError as error:  # what went wrong in a worker, without Ray's account of it
            raise error.cause from None
        except self._ray.exceptions.RayActorError as error:
            self._replace(number, error)
            return
        if number is not None:
            on_part()
        if self._left:
            block = self._left.popleft()
            self._busy[actor.write.remote(block)] = actor, block

    def _replace(self, number: int | None, error: Exception) -> None:
        """Put back what a dead worker was computing, and start another one."""
        self._deaths += 1
        if self._deaths > _DEATHS:
            reason = str(error).strip().splitlines()[0]
            raise InputError(f"Ray's workers die: {reason}. What was written is kept: go on with --resume") from None
        if number is not None:
            self._left.appendleft(number)
        self.start()


@contextmanager
def _connected(ray: Any, address: str | None, workers: int | None) -> Iterator[None]:
    """Connect with a cluster, or start Ray on this machine; it ends with the job."""
    if ray.is_initialized():
        yield  # whoever connected decides when to end
        return
    _check_reachable(address)
    try:
        if address is None:
            ray.init(
                address="local",
                num_cpus=workers,
                include_dashboard=False,
                log_to_driver=False,
                configure_logging=False,
                _node_ip_address="127.0.0.1",
            )
        else:
            ray.init(address=address, log_to_driver=False, configure_logging=False)
    except (ConnectionError, RuntimeError, ValueError, AssertionError) as error:
        reason = str(error).strip().splitlines()[0]
        raise InputError(f"cannot connect with Ray at {address or 'this machine'}: {reason}") from None
    try:
        yield
    finally:
        ray.shutdown()


def _check_reachable(address: str | None) -> None:
    """Refuse an address where nothing listens; Ray itself would try for a minute and more."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if not colon:
        return  # this machine, or what Ray finds by itself
    try:
        socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()
    except (OSError, ValueError, OverflowError) as error:
        raise InputError(f"cannot connect with Ray at {address}: {error}") from None


def _import_ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anybody
    try:
        import ray
    except ImportError:
        raise InputError("the engine ray needs Ray: pip install 'faan[cluster]'") from None
    return ray
