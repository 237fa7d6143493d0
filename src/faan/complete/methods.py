"""The methods that a completer can use: each is made from a graph, saved into a folder and loaded from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, TypeAlias

from faan.embed import EmbedConfig, Embeddings, train
from faan.embed.runs import triples_of
from faan.graph import Graph
from faan.models import Method, PathRules
from faan.models.rules_translation import RulesAndTranslation
from faan.tasks import Benchmark

OnProgress: TypeAlias = Callable[[str, float], None]
"""Called with what is going on and which share of it is done."""

EMBED_FOLDER = "embeddings"
_EPOCHS = (10, 40)  # the fewest and the most
_SEEN = 10_000_000  # how many triples are to be seen in training, all epochs together


class Fitted(ABC):
    """A method that is ready for use on a graph."""

    name: ClassVar[str]
    min_tasks: ClassVar[int] = 0  # training tasks that it needs to learn from
    method: Method

    @classmethod
    @abstractmethod
    def fit(cls, benchmark: Benchmark, seed: int, progress: OnProgress) -> Fitted:
        """Learn on the training tasks of a benchmark; scores on its background graph."""

    @abstractmethod
    def on(self, graph: Graph, seed: int, progress: OnProgress) -> Fitted:
        """The same for the whole graph, with the relations that were tasks in it."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write what is needed beside the graph."""

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

    def on(self, graph: Graph, seed: int, progress: OnProgress) -> FittedRules:
        """The same on another graph."""
        return type(self)(graph)

    def save(self, folder: Path) -> None:
        """There is nothing but the graph."""

    @classmethod
    def load(cls, folder: Path, graph: Graph) -> FittedRules:
        """The graph is all."""
        return cls(graph)


class FittedRulesAndTranslation(Fitted):
    """Path rules and mean translation: embeddings, but no tasks to learn from."""

    name = "rules+translation"

    def __init__(self, graph: Graph, embeddings: Embeddings) -> None:
        self.embeddings, self.method = embeddings, RulesAndTranslation(graph, embeddings)

    @classmethod
    def fit(cls, benchmark: Benchmark, seed: int, progress: OnProgress) -> FittedRulesAndTranslation:
        """Train the vectors of the background."""
        return cls.make(benchmark.graph, seed, progress)

    @classmethod
    def make(cls, graph: Graph, seed: int, progress: OnProgress) -> FittedRulesAndTranslation:
        """Train the vectors of any graph."""
        return cls(graph, embed(graph, seed, progress))

    def on(self, graph: Graph, seed: int, progress: OnProgress) -> FittedRulesAndTranslation:
        """The same on another graph."""
        return self.make(graph, seed, progress)

    def save(self, folder: Path) -> None:
        """Write the vectors."""
        self.embeddings.save(folder / EMBED_FOLDER)

    @classmethod
    def load(cls, folder: Path, graph: Graph) -> FittedRulesAndTranslation:
        """Read the vectors."""
        return cls(graph, Embeddings.load(folder / EMBED_FOLDER))


def embed(graph: Graph, seed: int, progress: OnProgress) -> Embeddings:
    """Train TransE vectors of a graph, in fewer epochs the larger it is."""
    epochs = min(max(_SEEN // max(graph.num_triples, 1), _EPOCHS[0]), _EPOCHS[1])
    config = EmbedConfig.recommended("transe", epochs=epochs, seed=seed)

    def on_update(done: int, total: int, loss: float) -> None:
        progress("training embeddings", done / total)

    triples = triples_of(graph)
    return train(triples, graph.num_entities, graph.num_relations, config, on_update=on_update).embeddings
