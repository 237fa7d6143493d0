"""Vectors larger than memory: entities in partitions on disk, two of which are in memory at a time.

Edges fall into buckets by the partitions of their two ends. An epoch goes over all pairs of partitions, in an order in
which each pair shares a partition with the one before, and trains on the edges between the two; negatives come from
both (Lerer et al., PyTorch-BigGraph, MLSys 2019; the order is as in Mohoney et al., Marius, OSDI 2021). With a single
partition an epoch is one bucket of all edges, and nothing is on disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from faan.base import InputError, sync
from faan.embed.config import EmbedConfig
from faan.embed.models import fill_normal, make_model
from faan.embed.optimizer import RowTable
from faan.embed.sampling import BUCKETS, FIRST_VALUES, PARTITIONS, BatchPlan, random_stream

_AT_ONCE = 1 << 20  # entities whose vectors are gathered together
_GATHERED = "gathered.npy"
PARTITIONS_FOLDER = "partitions"
"""The folder of partitions in the folder of a run."""


@dataclass(frozen=True)
class Bucket:
    """Edges that are trained on with what is in memory."""

    triples: np.ndarray  # (n, 3), entities by their rows in memory
    num_rows: int  # which negatives are drawn from
    number: int  # of its first update
    moment: tuple[int, ...]  # what its random numbers depend on


@dataclass(frozen=True, eq=False)
class Meeting:
    """Two partitions and the edges between them."""

    step: int  # of its epoch
    pair: tuple[int, int]
    edges: np.ndarray  # (n, 3), entities by their rows in all partitions


class EntityTable(Protocol):
    """The vectors of all entities during training, wherever they are."""

    table: RowTable  # what is in memory
    num_entities: int

    def buckets(self, triples: np.ndarray, epoch: int) -> Iterator[Bucket]:
        """The edges of an epoch, bucket after bucket; while one is used, its rows are in memory."""

    def updates(self, epoch: int) -> int:
        """How many updates there are before an epoch."""

    def vectors(self) -> Tensor:
        """All vectors in the order of entities, (entities, w); valid until the next epoch."""


class Whole:
    """All vectors in memory."""

    def __init__(self, table: RowTable, num_triples: int) -> None:
        self.table, self.num_entities = table, len(table.rows)
        self._plan = BatchPlan.of(num_triples, table.config)

    def buckets(self, triples: np.ndarray, epoch: int) -> Iterator[Bucket]:
        """One bucket of all edges."""
        yield Bucket(triples, self.num_entities, self.updates(epoch), (epoch,))

    def updates(self, epoch: int) -> int:
        """Each epoch has as many."""
        return epoch * self._plan.updates

    def vectors(self) -> Tensor:
        """All vectors, which are in memory."""
        return self.table.rows


class Partitions:
    """Vectors and optimiser state on disk, a file for each version of a partition.

    A version that a checkpoint names is never written over, and stays until the next checkpoint. The last partition is
    filled up with a few rows that belong to no entity.
    """

    def __init__(
        self,
        triples: np.ndarray,
        num_entities: int,
        config: EmbedConfig,
        folder: Path,
        versions: Sequence[int] = (),
    ) -> None:
        assert config.partitions != "auto"
        self.num_entities, self.count, self.config, self._folder = num_entities, config.partitions, config, folder
        self.size = -(-num_entities // self.count)  # rows of a partition
        self._rows = random_stream(config.seed, PARTITIONS).permutation(num_entities)
        width = make_model(config).entity_width(config.dimension)
        self.table = RowTable(torch.empty(2 * self.size, width), config)
        self._held: list[int | None] = [None, None]  # which partition is in which half of the table
        self._is_new = [False, False]  # whether that is newer than what is on disk
        self._counts = self._count(triples)
        self._updates = [0]  # before each epoch, as far as they are counted
        self.saved = list(versions)  # of a checkpoint
        self.versions = list(versions) or [-1] * self.count
        folder.mkdir(parents=True, exist_ok=True)
        if not versions:
            for part in range(self.count):
                self._begin(part)

    def buckets(self, triples: np.ndarray, epoch: int) -> Iterator[Bucket]:
        """The edges between each two partitions, which are read from disk before."""
        number = self.updates(epoch)
        for met in self.between(triples, epoch):
            self._hold(met.pair)
            self._is_new = [True, True]
            yield self.local(met, self._held, number, epoch)
            number += BatchPlan.of(len(met.edges), self.config).updates

    def between(self, triples: np.ndarray, epoch: int) -> Iterator[Meeting]:
        """Each two partitions in the order of an epoch, if there are edges between them."""
        pairs, step_of = self._order(epoch)
        rows = self._rows[triples[:, [0, 2]]]
        parts = rows // self.size
        steps = step_of[parts[:, 0], parts[:, 1]]
        order = np.argsort(steps, kind="stable")
        ends = np.cumsum(np.bincount(steps, minlength=len(pairs)))
        for step, (pair, chosen) in enumerate(zip(pairs, np.split(order, ends[:-1]), strict=True)):
            if len(chosen):
                yield Meeting(step, pair, np.column_stack([rows[chosen, 0], triples[chosen, 1], rows[chosen, 1]]))

    def local(self, met: Meeting, held: Sequence[int | None], number: int, epoch: int) -> Bucket:
        """The edges of a meeting with entities by their rows in memory, where two partitions are held."""
        ends = met.edges[:, [0, 2]]
        places = ends % self.size + self.size * (ends // self.size == held[1])
        edges = np.column_stack([places[:, 0], met.edges[:, 1], places[:, 1]])
        return Bucket(edges, 2 * self.size, number, (epoch, met.step))

    def updates(self, epoch: int) -> int:
        """Epochs differ: which edges are in a bucket depends on the order of partitions."""
        while len(self._updates) <= epoch:
            _, step_of = self._order(len(self._updates) - 1)
            edges = np.bincount(step_of.ravel(), weights=self._counts.ravel()).astype(np.int64)
            own = sum(BatchPlan.of(int(count), self.config).updates for count in edges if count)
            self._updates.append(self._updates[-1] + own)
        return self._updates[epoch]

    def vectors(self) -> Tensor:
        """All vectors, written to a file in the order of entities and mapped from there."""
        self._flush()
        path, width = self._folder / _GATHERED, self.table.rows.shape[1]
        np.lib.format.open_memmap(path, "w+", np.float32, (self.num_entities, width)).flush()
        for start in range(0, self.num_entities, _AT_ONCE):
            rows = self._rows[start : start + _AT_ONCE]
            found = np.empty((len(rows), width), np.float32)
            for part in range(self.count):
                mine = rows // self.size == part
                there = np.memmap(self.file(part), np.float32, "r", shape=(self.size, width))
                found[mine] = there[rows[mine] % self.size]
            np.load(path, mmap_mode="r+")[start : start + len(rows)] = found
        return torch.from_numpy(np.load(path, mmap_mode="c"))

    def save(self) -> list[int]:
        """Bring all that is in memory to disk; these versions stay until the next are saved."""
        self._flush()
        for part in range(self.count):
            sync(self.file(part))
        self.saved = list(self.versions)
        return self.saved

    def _flush(self) -> None:
        for half, part in enumerate(self._held):
            if part is not None:
                self._write(half, part)

    def forget(self) -> None:
        """Remove versions that the last checkpoint does not name."""
        kept = {self.file(part) for part in range(self.count)}
        for path in self._folder.glob("part-*.bin"):
            if path not in kept:
                path.unlink()

    def _hold(self, pair: Sequence[int]) -> None:
        """Have two partitions in memory; what is there stays in its place."""
        for part in pair:
            if part in self._held:
                continue
            half = next(half for half, held in enumerate(self._held) if held is None or held not in pair)
            held = self._held[half]
            if held is not None:
                self._write(half, held)
            self._read(half, part)

    def _meetings(self) -> list[tuple[int, int]]:
        """Which two partitions are trained after which, by numbers that are given to them in each epoch."""
        return walk(self.count)

    def _order(self, epoch: int) -> tuple[list[tuple[int, int]], np.ndarray]:
        """The pairs of an epoch, and for the partitions of head and tail (P, P) the pair that trains their edges."""
        count = self.count
        named = random_stream(self.config.seed, BUCKETS, epoch).permutation(count).tolist()
        pairs = [(named[one], named[other]) for one, other in self._meetings()]
        step_of = np.full((count, count), -1)
        for step, (one, other) in enumerate(pairs):
            step_of[one, other] = step_of[other, one] = step
            for own in (one, other):
                step_of[own, own] = step if step_of[own, own] < 0 else step_of[own, own]
        return pairs, step_of

    def _count(self, triples: np.ndarray) -> np.ndarray:
        """The edges by the partitions of head and tail, (P, P)."""
        parts = self._rows[triples[:, [0, 2]]] // self.size
        count = self.count
        return np.bincount(parts[:, 0] * count + parts[:, 1], minlength=count * count).reshape(count, count)

    def _begin(self, part: int) -> None:
        """First values, from a stream of the partition's own."""
        rows = self.table.rows[: self.size]
        fill_normal(rows.numpy(), random_stream(self.config.seed, FIRST_VALUES, part), self.config.init_scale)
        if self.config.unit_norm:
            rows.div_(torch.linalg.vector_norm(rows, dim=-1, keepdim=True))
        for state in self.table.state.values():
            state[: self.size] = 0
        self._is_new[0] = True
        self._write(0, part)

    def _write(self, half: int, part: int) -> None:
        """Write half of the table as a new version of a partition; the old one's file is used again unless saved.

        The system need not find new pages for a file that is there: that takes half of the time of a bucket otherwise.
        """
        if not self._is_new[half]:
            return
        old, is_saved = self.file(part), self.versions[part] in self.saved[part : part + 1]
        self.versions[part] += 1
        if old.exists() and not is_saved:
            old.rename(self.file(part))
        write_part(halves(self.table)[half], self.file(part))
        self._is_new[half] = False

    def _read(self, half: int, part: int) -> None:
        read_part(halves(self.table)[half], self.file(part))
        self._held[half], self._is_new[half] = part, False

    def file(self, part: int, version: int | None = None) -> Path:
        """The file of a partition, in its newest version by default."""
        return self._folder / f"part-{part}-{self.versions[part] if version is None else version}.bin"


def halves(table: RowTable) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The vectors and the optimiser's state of the two partitions that a table holds."""
    size = len(table.rows) // 2
    tensors = (table.rows, *(table.state[name] for name in sorted(table.state)))
    return [tensor[:size].numpy() for tensor in tensors], [tensor[size:].numpy() for tensor in tensors]


def read_part(arrays: Sequence[np.ndarray], path: Path) -> None:
    """Read a partition."""
    if not path.is_file() or path.stat().st_size != sum(array.nbytes for array in arrays):
        raise InputError("a partition of the vectors is damaged or missing; start the run again", source=str(path))
    with path.open("rb", buffering=0) as file:
        for array in arrays:
            view = array.data.cast("B")
            while len(view):
                view = view[file.readinto(view) :]


def write_part(arrays: Sequence[np.ndarray], path: Path) -> None:
    """Write a partition, over what is in its file."""
    with path.open("r+b" if path.exists() else "wb") as file:
        for array in arrays:
            file.write(array.data.cast("B"))


def walk(count: int) -> list[tuple[int, int]]:
    """All pairs of numbers below a count (2 or more); each shares a number with the one before."""
    pairs = []
    for one in range(count - 1):
        others = range(one + 1, count)
        pairs += [(one, other) for other in (others if one % 2 == 0 else reversed(others))]
    return pairs
