"""Partitions that several workers train at once, round by round.

In a round each partition is in one bucket at most, so buckets do not touch each other's entities (Lerer et al.,
PyTorch-BigGraph, MLSys 2019); an epoch is a tournament in which every two partitions meet once. All buckets of a round
begin with the same relation vectors. Afterwards a relation is the mean of what the buckets made of it, each weighed by
its edges of the relation (as in local SGD, Stich, ICLR 2019): to add up what each bucket moved would overshoot. The
vectors depend neither on the number of workers nor on who computed what.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
import torch

from faan.base import Cluster, Pool, atomic_file, open_pool
from faan.embed.config import EmbedConfig
from faan.embed.models import make_model
from faan.embed.optimizer import RowTable
from faan.embed.partitions import Bucket, Partitions, halves, read_part, write_part
from faan.embed.sampling import BatchPlan
from faan.embed.step import Updater, bucket_losses

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class BucketWork:
    """A bucket to train: its edges, the files of its two partitions before and after, the relations before."""

    bucket: Bucket
    before: tuple[Path, Path]
    after: tuple[Path, Path]
    relations: Arrays  # vectors (`rows`) and the optimiser's state


@dataclass(frozen=True, eq=False)
class BucketDone:
    """What a bucket gives beside its partitions: the loss of each update, and the relations after it."""

    losses: list[float]
    relations: Arrays


class BucketWorker:
    """Trains buckets, with two partitions in memory."""

    def __init__(self, config: EmbedConfig, size: int) -> None:
        width = make_model(config).entity_width(config.dimension)
        self._config, self._table = config, RowTable(torch.empty(2 * size, width), config)

    def compute(self, work: BucketWork) -> BucketDone:
        """Train a bucket; its partitions are written atomically, so it may be computed twice."""
        relations = _as_table(work.relations, self._config)
        for arrays, path in zip(halves(self._table), work.before, strict=True):
            read_part(arrays, path)
        with Updater(self._table, relations, self._config) as updater:
            losses = list(bucket_losses(updater, work.bucket, self._config))
        for arrays, path in zip(halves(self._table), work.after, strict=True):
            with atomic_file(path) as part:
                write_part(arrays, part)
        return BucketDone(losses, arrays_of(relations))


class Rounds(Partitions):
    """Partitions in a folder that all workers see."""

    def __init__(
        self, triples: np.ndarray, num_entities: int, config: EmbedConfig, folder: Path, versions: Sequence[int] = ()
    ) -> None:
        super().__init__(triples, num_entities, config, folder, versions)
        self.table = RowTable(self.table.rows[:0].clone(), config)  # partitions are in the memory of workers

    def pool(self, engine: Cluster | None) -> AbstractContextManager[Pool]:
        """Workers of an engine, or one in this process."""
        return open_pool(engine, BucketWorker, (self.config, self.size), self.at_once)

    @property
    def at_once(self) -> int:
        """How many buckets a round has."""
        return self.count // 2

    def train(self, triples: np.ndarray, epoch: int, relations: RowTable, pool: Pool) -> Iterator[float]:
        """Train an epoch, round by round; the loss of each update."""
        number = self.updates(epoch)
        for _, met in groupby(self.between(triples, epoch), lambda one: one.step // self.at_once):
            works, shared = list[BucketWork](), arrays_of(relations)
            for one in met:
                bucket = self.local(one, one.pair, number, epoch)
                before = self.file(one.pair[0]), self.file(one.pair[1])
                for part in one.pair:
                    self.versions[part] += 1
                works.append(BucketWork(bucket, before, (self.file(one.pair[0]), self.file(one.pair[1])), shared))
                number += BatchPlan.of(len(bucket.triples), self.config).updates
            results = _compute(works, pool)
            self._remove(path for work in works for path in work.before)
            _average(relations, results, [work.bucket.triples[:, 1] for work in works])
            for result in results:
                yield from result.losses

    def _meetings(self) -> list[tuple[int, int]]:
        return tournament(self.count)

    def _remove(self, paths: Iterable[Path]) -> None:
        """Remove old versions, unless a checkpoint names them."""
        kept = {self.file(part, version) for part, version in enumerate(self.saved)}
        for path in paths:
            if path not in kept:
                path.unlink(missing_ok=True)


def _compute(works: Sequence[BucketWork], pool: Pool) -> list[BucketDone]:
    done: dict[int, BucketDone] = {}

    def on_done(work: BucketWork, result: BucketDone) -> None:
        done[work.bucket.number] = result

    pool.run(works, on_done)
    return [done[work.bucket.number] for work in works]


def arrays_of(table: RowTable) -> Arrays:
    """A table as arrays: its vectors and the optimiser's state, copied."""
    return {name: tensor.numpy().copy() for name, tensor in {"rows": table.rows, **table.state}.items()}


def _as_table(arrays: Arrays, config: EmbedConfig) -> RowTable:
    tensors = {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}
    return RowTable(tensors.pop("rows"), config, tensors)


def _average(relations: RowTable, results: Sequence[BucketDone], used: Sequence[np.ndarray]) -> None:
    """Put what buckets made of the relations together; each used some of them, an edge after the other.

    Adagrad's state is a sum over all gradients that there were, so what each bucket added to it is added up.
    """
    before, count = arrays_of(relations), len(relations.rows)
    edges = np.stack([np.bincount(own, minlength=count) for own in used]).astype(np.float64)  # (buckets, relations)
    if relations.config.inverse_relations:
        edges[:, count // 2 :] = edges[:, : count // 2]
    weights = edges / np.maximum(edges.sum(0), 1)
    for name, tensor in {"rows": relations.rows, **relations.state}.items():
        is_sum = name == "squares" and relations.config.optimizer == "adagrad"
        share = np.ones_like(weights) if is_sum else weights
        moved = np.stack([result.relations[name] - before[name] for result in results])  # (buckets, relations, w)
        tensor.copy_(torch.from_numpy((before[name] + (share[:, :, None] * moved).sum(0)).astype(np.float32)))


def tournament(count: int) -> list[tuple[int, int]]:
    """All pairs of numbers below a count, so that each `count // 2` of them in a row have no number in common."""
    players = count + count % 2  # the last one of an odd number is nobody
    pairs = []
    for turn in range(players - 1):
        met = [(turn, players - 1)]
        met += [((turn + i) % (players - 1), (turn - i) % (players - 1)) for i in range(1, players // 2)]
        pairs += [pair for pair in met if max(pair) < count]
    return pairs
