"""The stages of a run in its folder: vectors, training, the trained method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path

from faan.base import OnProgress
from faan.tasks import Benchmark, Method
from faan.train.checkpoint import StepProgress
from faan.train.config import RunConfig
from faan.train.loop import Callbacks
from faan.train.vectors import VectorJob


class Stages(ABC):
    """How one kind of method is trained; a stage that is done is not done again."""

    def __init__(self, folder: Path, config: RunConfig, benchmark: Benchmark) -> None:
        self.folder, self.config, self.benchmark = folder, config, benchmark

    @abstractmethod
    def check(self) -> None:
        """Refuse settings that do not fit the vectors or the tasks, before minutes are spent on training vectors."""

    @abstractmethod
    def vectors(self) -> Iterator[tuple[str, VectorJob]]:
        """All vectors that are needed, by the folders that they are trained in."""

    def embed(self, on_progress: OnProgress) -> None:
        """Train the vectors, or continue their training."""
        for name, wanted in self.vectors():
            wanted.train(self.folder / name, on_progress)

    @abstractmethod
    def train(self, callbacks: Callbacks) -> Method:
        """Train the method, or continue its training; the vectors exist."""

    @abstractmethod
    def unfinished(self) -> str | None:
        """How far a run is that is not finished, in words; None for a finished one."""

    @abstractmethod
    def load(self) -> Method:
        """The trained method of a finished run."""

    @abstractmethod
    def progress(self) -> StepProgress:
        """How far the run is, and the best dev MRR."""
