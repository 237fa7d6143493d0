"""Pieces of work for a pool of workers: one in this process, or actors of Ray on one machine or many.

All machines must see the same folders at the same paths. The piece of a worker whose process or machine dies goes to
another worker, so a piece must not leave anything half done: what it writes is written atomically.
"""

from __future__ import annotations

import os
import socket
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from faan.base.errors import InputError

_PATIENCE = 10.0  # seconds in which a cluster must accept a connection
_DEATHS = 20  # workers that may die; more mean that the work is at fault, not a machine

OnDone = Callable[[Any, Any], None]
"""Called after each piece, with the piece and what its worker returned."""


class Worker(Protocol):
    """Computes pieces of work."""

    def compute(self, piece: Any) -> Any:
        """Compute a piece; what it returns goes to `OnDone`."""


class Pool(Protocol):
    """Workers that are ready for work."""

    def run(self, pieces: Sequence[Any], on_done: OnDone) -> None:
        """Compute all pieces, in any order."""


@dataclass(frozen=True)
class Cluster:
    """Ray as the engine.

    Attributes:
        address: A running cluster (`host:port`, `ray://host:port`, or `auto`); by default Ray is started on this
            machine, and ends with the work.
        workers: How many processes compute; by default one for each core that Ray has.
    """

    address: str | None = None
    workers: int | None = None

    @contextmanager
    def pool(self, worker: type[Worker], given: Sequence[Any], most: int) -> Iterator[Pool]:
        """Start workers: `worker(*given)` in each process, no more of them than `most`, the pieces at a time."""
        ray = _import_ray()
        with _connected(ray, self.address, self.workers):
            there = int(ray.cluster_resources().get("CPU", 1))
            if self.workers is not None and self.workers > there:
                raise InputError(f"{self.workers} workers need as many cores; Ray has {there}; ask for fewer")
            yield _RayPool(ray, worker, given, min(self.workers or there, most))


@contextmanager
def open_pool(engine: Cluster | None, worker: type[Worker], given: Sequence[Any], most: int) -> Iterator[Pool]:
    """Workers of an engine, as `Cluster.pool` makes them; without an engine one worker in this process."""
    if engine is None:
        yield _LocalPool(worker(*given))
        return
    with engine.pool(worker, given, most) as pool:
        yield pool


class _LocalPool:
    """One worker in this process."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def run(self, pieces: Sequence[Any], on_done: OnDone) -> None:
        """Compute all pieces, one after the other."""
        for piece in pieces:
            on_done(piece, self._worker.compute(piece))


class _RayPool:
    """Actors of Ray: each one starts, computes a piece, or waits for one.

    An actor that has not started holds no piece, so no piece waits for a machine that is gone.
    """

    def __init__(self, ray: Any, worker: type[Worker], given: Sequence[Any], count: int) -> None:
        self._ray, self._given = ray, given
        self._actor = ray.remote(num_cpus=1)(worker)
        self._busy: dict[Any, tuple[Any, list[Any]]] = {}  # what Ray answers with: the actor, and its piece if any
        self._idle: list[Any] = []
        self._deaths = 0
        for _ in range(count):
            self._start()

    def run(self, pieces: Sequence[Any], on_done: OnDone) -> None:
        """Compute all pieces, in any order."""
        left = deque(pieces)
        while left or any(given for _, given in self._busy.values()):
            while left and self._idle:
                actor, piece = self._idle.pop(), left.popleft()
                self._busy[actor.compute.remote(piece)] = actor, [piece]
            self._wait(left, on_done)

    def _start(self) -> None:
        """Ask Ray for one more worker."""
        actor = self._actor.remote(*self._given)
        self._busy[actor.__ray_ready__.remote()] = actor, []

    def _wait(self, left: deque[Any], on_done: OnDone) -> None:
        """Wait until a worker is done with what it does."""
        [answer], _ = self._ray.wait(list(self._busy), num_returns=1)
        actor, given = self._busy.pop(answer)
        try:
            found = self._ray.get(answer)
        except self._ray.exceptions.RayTaskError as error:  # what went wrong in a worker, without Ray's account of it
            raise error.cause from None
        except self._ray.exceptions.RayActorError as error:
            self._count_death(error)
            left.extendleft(given)
            self._start()
            return
        self._idle.append(actor)
        for piece in given:
            on_done(piece, found)

    def _count_death(self, error: Exception) -> None:
        self._deaths += 1
        if self._deaths > _DEATHS:
            reason = str(error).strip().splitlines()[0]
            raise InputError(f"Ray's workers die: {reason}. What was written is kept: continue it later") from None


@contextmanager
def _connected(ray: Any, address: str | None, workers: int | None) -> Iterator[None]:
    """Connect with a cluster, or start Ray on this machine; it ends with the work."""
    if ray.is_initialized():
        yield  # the caller that connected also disconnects
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
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no usage reports
    try:
        import ray
    except ImportError:
        raise InputError("the engine ray needs Ray: pip install 'faan[cluster]'") from None
    return ray
