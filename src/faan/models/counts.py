"""Tail counts: scores a tail by how often it occurs among the references. A baseline for every other method."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from faan.base import Ints
from faan.graph import Graph
from faan.models.interface import TailScorer, UntrainedConfig
from faan.models.register import Row
from faan.tasks import Benchmark, Task


class TailCountsConfig(UntrainedConfig):
    """The settings of tail counts: there are none."""

    order: ClassVar[int] = 90
    rows: ClassVar[tuple[Row, ...]] = (Row("TailCounts", tables=("main", "shots")),)

    method: Literal["tail-counts"] = "tail-counts"
    """Which method."""

    def build(self, benchmark: Benchmark) -> TailCounts:
        """Counts, and the edges of the background graph."""
        return TailCounts(benchmark.graph)


class TailCounts:
    """Scores a pair by how often its tail occurs in the references; ties are broken by the number of edges."""

    def __init__(self, graph: Graph) -> None:
        degrees = graph.neighbours.degrees
        self._tie_break = degrees / (degrees.max(initial=0) + 1)  # (entities,) below 1

    def prepare(self, task: Task, references: Ints) -> TailScorer:
        """Count the tails."""
        return TailScorer(np.bincount(references[:, 1], minlength=len(self._tie_break)) + self._tie_break)
