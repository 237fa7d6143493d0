"""A few-shot benchmark: a background graph and tasks, each a rare relation with its pairs, candidates and truths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from faan.base import InputError, Ints, distinct, html_table
from faan.graph import Graph

SPLITS = ("train", "dev", "test")


class PairSet:
    """A set of (head, tail) pairs that answers for whole arrays at once."""

    def __init__(self, heads: Ints, tails: Ints, num_entities: int) -> None:
        self._num_entities = num_entities
        self._keys = distinct(self._key(heads, tails)).astype(np.int64, copy=False)

    @classmethod
    def of(cls, pairs: Ints, num_entities: int) -> PairSet:
        """The set of pairs (n, 2)."""
        return cls(pairs[:, 0], pairs[:, 1], num_entities)

    def turned(self) -> PairSet:
        """The set of (tail, head)."""
        return PairSet.of(self.pairs[:, ::-1], self._num_entities)

    def _key(self, heads: Ints, tails: Ints) -> NDArray[np.int64]:
        return np.asarray(heads, dtype=np.int64) * self._num_entities + np.asarray(tails)

    def __len__(self) -> int:
        return len(self._keys)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PairSet) and np.array_equal(self._keys, other._keys)

    __hash__ = None  # type: ignore[assignment]

    @property
    def pairs(self) -> NDArray[np.int64]:
        """All pairs, (n, 2), sorted."""
        return np.stack(np.divmod(self._keys, self._num_entities), axis=1)

    def contains(self, heads: Ints, tails: Ints) -> NDArray[np.bool_]:
        """Which of the pairs are in the set; heads and tails broadcast against each other."""
        keys = self._key(heads, tails)
        if not len(self._keys):
            return np.zeros(keys.shape, dtype=bool)
        found: NDArray[np.bool_] = self._keys[np.searchsorted(self._keys, keys) % len(self._keys)] == keys
        return found

    def tails_of(self, head: int) -> NDArray[np.int64]:
        """All tails that a head has, sorted."""
        first, last = np.searchsorted(self._keys, [head * self._num_entities, (head + 1) * self._num_entities])
        return self._keys[first:last] % self._num_entities


@dataclass(frozen=True, eq=False)
class Task:
    """A rare relation: its pairs, the first K of which are the references, where tails may come from, what is true."""

    relation: str
    pairs: Ints  # (n, 2) head, tail
    candidates: Ints  # (c,) the entities that may be tails
    truths: PairSet  # every true pair: never a negative, never a competitor in a ranking
    hidden: int | None = None  # the relation's id where the background has it: its edges must be hidden
    in_graph: bool = False  # the edges of `hidden` are known facts: only the edge of an asked pair itself is hidden
    facts: Ints | None = None  # (m, 2) all known pairs where there are more than references, to be counted

    def __repr__(self) -> str:
        return f"Task({self.relation!r}, {len(self.pairs):,} pairs, {len(self.candidates):,} candidates)"

    def references(self, shots: int) -> Ints:
        """The first K pairs."""
        if not 0 < shots < len(self.pairs):
            raise InputError(
                f"relation {self.relation!r} has {len(self.pairs)} pairs; K must be 1 or more and leave one to ask, "
                f"found K = {shots}"
            )
        return self.pairs[:shots]

    def queries(self, shots: int) -> Ints:
        """All pairs but the first K."""
        self.references(shots)
        return self.pairs[shots:]


@dataclass(frozen=True, eq=False)
class Benchmark:
    """A few-shot benchmark: a background graph, and tasks for training, dev and test.

    Every entity of a task is an entity of the graph; no relation of a task is in it.

    >>> import faan
    >>> facts = [(f"a{i}", f"r{i % 6}", f"b{i % 7}") for i in range(60)]
    >>> settings = faan.BuildSettings(min_triples=5, max_triples=20, max_tasks=3)
    >>> benchmark, _ = faan.build_benchmark(facts + [(a, "near", b) for a, _, b in facts], settings, name="tiny")
    >>> benchmark
    Benchmark('tiny', 67 entities, tasks 1/1/1)
    >>> len(benchmark.splits["test"][0].pairs)
    10
    """

    name: str
    graph: Graph
    splits: Mapping[str, tuple[Task, ...]]  # train, dev, test
    notes: tuple[str, ...] = ()  # what a user should know about how it was read
    about: Mapping[str, Any] | None = None  # how it was built, where that is known

    def __repr__(self) -> str:
        counts = "/".join(str(len(self.splits[split])) for split in SPLITS)
        return f"Benchmark({self.name!r}, {self.graph.num_entities:,} entities, tasks {counts})"

    def _repr_html_(self) -> str:
        rows = [(split, len(self.splits[split]), num_pairs(self.splits[split])) for split in SPLITS]
        return html_table(("split", "tasks", "facts"), rows, f"{self.name}: background of {self.graph!r}")

    @property
    def tasks(self) -> tuple[Task, ...]:
        """All tasks."""
        return tuple(task for split in SPLITS for task in self.splits[split])

    def shortened(self, pairs: int) -> Benchmark:
        """The benchmark with only the first pairs of each dev and test task, for a quick trial.

        Args:
            pairs: How many pairs to keep of each task.

        >>> [len(task.pairs) for task in benchmark.shortened(7).splits["test"]]
        [7]
        """
        short = {
            split: tuple(replace(task, pairs=task.pairs[:pairs]) for task in self.splits[split])
            for split in ("dev", "test")
        }
        return replace(self, splits={**self.splits, **short})


def num_pairs(tasks: Iterable[Task]) -> int:
    """How many pairs several tasks have together."""
    return sum(len(task.pairs) for task in tasks)


def check_distinct(relations: Iterable[str]) -> None:
    """Refuse a relation that is in more than one split."""
    twice = sorted(relation for relation, count in Counter(relations).items() if count > 1)
    if twice:
        raise InputError(f"relations in more than one split: {', '.join(twice)}; keep each in one")
