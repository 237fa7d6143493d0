"""How a completer makes a method from a graph, measures it, saves it into a folder and loads it from there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, TypeAlias

from faan.base import OnProgress
from faan.graph import Graph
from faan.models import METHODS, UntrainedConfig
from faan.tasks import SPLITS, Benchmark, Method, Task
from faan.train import RunConfig

Unseen: TypeAlias = Iterator[tuple[Method, Sequence[Task]]]
"""Methods, each with tasks that it has not learnt from."""


@dataclass(frozen=True)
class Recipe:
    """What to make: a method by its name in the register, with a configuration where it is trained."""

    method: str
    config: str = ""

    def settings(self, seed: int) -> RunConfig:
        """The settings of the run that trains it."""
        return RunConfig.from_toml(self.config).changed([f"seed={seed}"])


class Fitted(ABC):
    """A method that is ready for use on a graph."""

    min_tasks: ClassVar[int] = 0  # to learn from
    is_trained: ClassVar[bool] = True  # on facts of the graph, which then look truer to it than others
    method: Method

    @classmethod
    def num_tasks(cls, benchmark: Benchmark) -> int:
        """How many tasks of a benchmark there are to learn from."""
        return len(benchmark.splits["train"])

    @classmethod
    def can_learn_from(cls, graph: Graph, seed: int) -> bool:
        """Whether it is of use on a graph with too few relations to be tasks."""
        return False

    @classmethod
    @abstractmethod
    def fit(cls, recipe: Recipe, benchmark: Benchmark, seed: int, on_progress: OnProgress) -> Fitted:
        """Learn from the tasks of a benchmark, if there are any; scores on its background graph."""

    @abstractmethod
    def unseen(self, benchmark: Benchmark, seed: int, on_progress: OnProgress) -> Unseen:
        """Methods made as this one was, each with tasks of the benchmark that it has not learnt from."""

    @abstractmethod
    def on(self, graph: Graph, seen: Graph, on_progress: OnProgress) -> Fitted:
        """The same for the whole graph, with the relations that were tasks in it; `seen` is what it may train with."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write what is needed beside the graph into a folder that is there."""

    @classmethod
    @abstractmethod
    def load(cls, recipe: Recipe, folder: Path, graph: Graph, *, checked: bool) -> Fitted:
        """Read what `save` wrote; nothing in the folder is executed.

        A file that a stranger changed must do no harm; `checked` says that the files were checked before.
        """


class FittedUntrained(Fitted):
    """A method that needs the graph alone: nothing to learn and nothing to save."""

    is_trained: ClassVar[bool] = False

    def __init__(self, recipe: Recipe, graph: Graph) -> None:
        settings = METHODS[recipe.method].model_validate({})
        assert isinstance(settings, UntrainedConfig)
        self.recipe, self.method = recipe, settings.build(Benchmark("whole graph", graph, dict.fromkeys(SPLITS, ())))

    @classmethod
    def fit(cls, recipe: Recipe, benchmark: Benchmark, seed: int, on_progress: OnProgress) -> FittedUntrained:
        """Take the background graph of a benchmark; there is nothing to learn."""
        return cls(recipe, benchmark.graph)

    def unseen(self, benchmark: Benchmark, seed: int, on_progress: OnProgress) -> Unseen:
        """The method with all tasks: it has learnt from none."""
        yield self.method, benchmark.tasks

    def on(self, graph: Graph, seen: Graph, on_progress: OnProgress) -> FittedUntrained:
        """The same method on another graph."""
        return FittedUntrained(self.recipe, graph)

    def save(self, folder: Path) -> None:
        """Write nothing: the method needs the graph alone."""

    @classmethod
    def load(cls, recipe: Recipe, folder: Path, graph: Graph, *, checked: bool) -> FittedUntrained:
        """Make the method again from the graph."""
        return cls(recipe, graph)
