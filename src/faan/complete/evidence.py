"""The evidence ranker as the method of a completer: vectors, and trees that learnt to weigh evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from faan.base import OnProgress
from faan.complete.methods import Fitted
from faan.embed import EmbedConfig, Embeddings, ModelName, train, triples_of
from faan.graph import Graph
from faan.models import EvidenceConfig, EvidenceRanker, Method, count_tasks, fit_ranker, make_sources
from faan.tasks import Benchmark, Task

_FOLDS = 3  # of the tasks, each measured by what was learnt from the others
_EPOCHS = (5, 30)  # at least and at most so many
_MISSING = 0.1  # if tasks hold more of a graph's triples than this, vectors are trained again with them


class FittedEvidence(Fitted):
    """Trees over evidence.

    Evidence from the graph itself (paths, profiles, links) is taken from the whole graph in the end. The vectors are
    those that the trees learnt with and that were measured, unless the tasks are a large part of the graph.
    """

    name = "evidence"
    min_tasks = EvidenceConfig().min_tasks

    def __init__(self, ranker: EvidenceRanker, embeddings: Sequence[Embeddings]) -> None:
        self.method: EvidenceRanker = ranker
        self.embeddings = list(embeddings)

    @classmethod
    def num_tasks(cls, benchmark: Benchmark) -> int:
        """Those that are left to learn from while others are measured."""
        return min(count_tasks(others) for _, others in _folds(benchmark))

    @classmethod
    def fit(cls, benchmark: Benchmark, seed: int, progress: OnProgress) -> FittedEvidence:
        """Train the vectors of the background, then the trees on all tasks."""
        embeddings = embed(benchmark.graph, seed, progress)
        return cls(_learn(benchmark.graph, benchmark.tasks, embeddings, seed, progress), embeddings)

    def unseen(self, benchmark: Benchmark, seed: int, progress: OnProgress) -> Iterator[tuple[Method, Sequence[Task]]]:
        """Cross-validation: trees that learnt from two thirds of the tasks, with the other third."""
        for held_out, others in _folds(benchmark):
            yield _learn(benchmark.graph, others, self.embeddings, seed, progress), held_out

    def on(self, graph: Graph, seed: int, progress: OnProgress) -> FittedEvidence:
        """The same trees, with evidence from the whole graph."""
        old = self.method.sources.graph
        is_much = graph.num_triples - old.num_triples > _MISSING * graph.num_triples
        embeddings = embed(graph, seed, progress) if is_much else self.embeddings
        sources = make_sources(graph, embeddings)
        return FittedEvidence(EvidenceRanker(sources, self.method.evidence, self.method.judge), embeddings)

    def save(self, folder: Path) -> None:
        """Write the vectors and the trees."""
        for vectors in self.embeddings:
            vectors.save(folder / vectors.config.model)
        self.method.save(folder)

    @classmethod
    def load(cls, folder: Path, graph: Graph) -> FittedEvidence:
        """Read the vectors that are there, and the trees."""
        embeddings = [Embeddings.load(folder / model) for model in _MODELS if (folder / model).is_dir()]
        for vectors in embeddings:
            vectors.check_graph(graph)
        return cls(EvidenceRanker.load(folder, make_sources(graph, embeddings)), embeddings)


_MODELS: dict[ModelName, tuple[int, dict[str, Any]]] = {
    "transe": (4_000_000, {}),
    "complex": (2_000_000, {"dimension": 50, "negatives": 128}),
}
"""The vectors that evidence is taken from, for translations and to match relations: how many triples are to be seen in
training, all epochs together, and settings other than the recommended ones. Half of what is best, in a fifth of the
time."""


def _folds(benchmark: Benchmark) -> Iterator[tuple[Sequence[Task], Sequence[Task]]]:
    """Each third of the tasks, with the others."""
    for fold in range(_FOLDS):
        held_out = benchmark.tasks[fold::_FOLDS]
        yield held_out, [task for task in benchmark.tasks if task not in held_out]


def _learn(
    graph: Graph, tasks: Sequence[Task], embeddings: Sequence[Embeddings], seed: int, progress: OnProgress
) -> EvidenceRanker:
    return fit_ranker(graph, tasks, embeddings, seed=seed, on_progress=progress)


def embed(graph: Graph, seed: int, progress: OnProgress) -> list[Embeddings]:
    """Train the vectors of a graph, in fewer epochs the larger it is."""
    found = []
    for name, (seen, changes) in _MODELS.items():
        epochs = min(max(seen // max(graph.num_triples, 1), _EPOCHS[0]), _EPOCHS[1])
        config = EmbedConfig.recommended(name, **changes, epochs=epochs, seed=seed)

        run = train(triples_of(graph), graph.num_entities, graph.num_relations, config, on_progress=progress)
        found.append(run.embeddings)
    return found
