"""The methods that a completer can use: each is made from a graph, saved into a folder and loaded from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from faan.base import OnProgress
from faan.graph import Graph
from faan.models import Method, PathRules
from faan.tasks import Benchmark, Task


class Fitted(ABC):
    """A method that is ready for use on a graph."""

    name: ClassVar[str]
    min_tasks: ClassVar[int] = 0  # to learn from
    method: Method

    @classmethod
    def num_tasks(cls, benchmark: Benchmark) -> int:
        """How many tasks of a benchmark there are to learn from."""
        return len(benchmark.splits["train"])

    @classmethod
    @abstractmethod
    def fit(cls, benchmark: Benchmark, seed: int, progress: OnProgress) -> Fitted:
        """Learn from the tasks of a benchmark, if there are any; scores on its background graph."""

    @abstractmethod
    def unseen(self, benchmark: Benchmark, seed: int, progress: OnProgress) -> Iterator[tuple[Method, Sequence[Task]]]:
        """Methods made as this one was, each with tasks of the benchmark that it has not learnt from."""

    @abstractmethod
    def on(self, graph: Graph, seed: int, progress: OnProgress) -> Fitted:
        """The same for the whole graph, with the relations that were tasks in it."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write what is needed beside the graph into a folder that is there."""

    @classmethod
    @abstractmethod
    def load(cls, folder: Path, graph: Graph) -> Fitted:
        """Read what `save` wrote; nothing in the folder is executed."""


class FittedRules(Fitted):
    """Path rules: nothing to learn and nothing to save."""

    name = "rules"

    def __init__(self, graph: Graph) -> None:
        self.method = PathRules(graph)

    @classmethod
    def fit(cls, benchmark: Benchmark, seed: int, progress: OnProgress) -> FittedRules:
        """Needs the background alone."""
        return cls(benchmark.graph)

    def unseen(self, benchmark: Benchmark, seed: int, progress: OnProgress) -> Iterator[tuple[Method, Sequence[Task]]]:
        """It has learnt from none."""
        yield self.method, benchmark.tasks

    def on(self, graph: Graph, seed: int, progress: OnProgress) -> FittedRules:
        """The same on another graph."""
        return type(self)(graph)

    def save(self, folder: Path) -> None:
        """There is nothing but the graph."""

    @classmethod
    def load(cls, folder: Path, graph: Graph) -> FittedRules:
        """The graph is all."""
        return cls(graph)
