"""The evidence ranker as the method of a completer: a run like any other, and what is kept of it."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from faan.base import OnProgress, Purpose
from faan.complete.methods import Fitted, Recipe
from faan.embed import Embeddings, ModelName, train, triples_of
from faan.graph import Graph
from faan.models import MIN_FACTS, EvidenceConfig, EvidenceRanker, count_tasks, fit_known, make_sources
from faan.tasks import Benchmark, Method, Task, held_out_rows, without_rows
from faan.train import Callbacks, RunConfig, train_run

_FOLDS = 3  # of the tasks, each measured by what was learnt from the others
_MISSING = 0.1  # if tasks hold more of a graph's triples than this, vectors are trained again with them
_HELD_OUT, _MOST = 0.1, 100  # the share of each relation's facts to learn from, and at most how many
_MODELS: tuple[ModelName, ...] = ("transe", "complex", "distmult")  # whose vectors a ranker may have


class FittedEvidence(Fitted):
    """Trees over evidence.

    Evidence from the graph itself (paths, profiles, links) is taken from the whole graph in the end. The vectors are
    trained again on the whole graph, because those that the trees learnt with do not know the tasks and the facts that
    were held out.
    """

    min_tasks = EvidenceConfig().min_tasks

    def __init__(self, ranker: EvidenceRanker, runs: _Runs | None = None) -> None:
        self.method: EvidenceRanker = ranker
        self._runs = runs  # None once it is ready for use

    @property
    def embeddings(self) -> list[Embeddings]:
        """The vectors that evidence is taken from."""
        sources = self.method.sources
        return [vectors for vectors in (sources.translation, sources.matching) if vectors is not None]

    @classmethod
    def num_tasks(cls, benchmark: Benchmark) -> int:
        """Those that are left to learn from while others are measured."""
        return min(count_tasks(others) for _, others in _folds(benchmark))

    @classmethod
    def fit(cls, recipe: Recipe, benchmark: Benchmark, seed: int, on_progress: OnProgress) -> FittedEvidence:
        """Train vectors, then the trees on all tasks, and those for relations of the graph on facts held out of it."""
        graph = benchmark.graph
        rows = held_out_rows(graph, _HELD_OUT, _MOST, seed, Purpose.HELD_OUT_FACTS)
        rows = rows if len(rows) >= MIN_FACTS else rows[:0]
        settings = recipe.settings(seed)
        assert isinstance(settings.model, EvidenceConfig)
        runs = _Runs(settings, without_rows(graph, rows))
        ranker = runs.train(benchmark, benchmark.tasks, on_progress)
        facts, without = triples_of(graph)[rows], settings.model.left_out
        known = fit_known(ranker.sources, facts, seed, on_progress, without) if len(rows) else None
        return cls(EvidenceRanker(ranker.sources, ranker.judge, known), runs)

    def unseen(
        self, benchmark: Benchmark, seed: int, on_progress: OnProgress
    ) -> Iterator[tuple[Method, Sequence[Task]]]:
        """Cross-validation: rankers that learnt from two thirds of the tasks, with the other third.

        Vectors that know tasks would have to be trained anew for each; there one third is enough.
        """
        assert self._runs is not None
        folds = list(_folds(benchmark))
        for held_out, others in folds if self._runs.config.vectors == "background" else folds[:1]:
            yield self._runs.train(benchmark, others, on_progress), held_out

    def on(self, graph: Graph, seed: int, on_progress: OnProgress) -> FittedEvidence:
        """The same trees, with evidence from the whole graph."""
        assert self._runs is not None
        embeddings, unseen = self.embeddings, graph.num_triples - self._runs.embedded
        if self.method.known is not None or unseen > _MISSING * graph.num_triples:
            embeddings = [_train(graph, vectors, on_progress) for vectors in embeddings]
        self._runs.remove()
        return FittedEvidence(self.method.on(make_sources(graph, embeddings)))

    def save(self, folder: Path) -> None:
        """Write the vectors and the trees."""
        for vectors in self.embeddings:
            vectors.save(folder / vectors.config.model)
        self.method.save(folder)

    @classmethod
    def load(cls, recipe: Recipe, folder: Path, graph: Graph) -> FittedEvidence:
        """Read the vectors that are there, and the trees."""
        embeddings = [Embeddings.load(folder / model) for model in _MODELS if (folder / model).is_dir()]
        for vectors in embeddings:
            vectors.check_graph(graph)
        return cls(EvidenceRanker.load(folder, make_sources(graph, embeddings)))


class _Runs:
    """Runs of `faan train` with the same settings in a temporary folder; they share the vectors of the background."""

    def __init__(self, config: RunConfig, background: Graph) -> None:
        self.config, self.background, self.done = config, background, list[Path]()
        self.embedded = 0  # triples that the vectors have seen
        self._folder = Path(tempfile.mkdtemp(prefix="faan-"))
        self.remove = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    def train(self, benchmark: Benchmark, tasks: Sequence[Task], on_progress: OnProgress) -> EvidenceRanker:
        """A ranker that has learnt from some of the tasks."""
        folder = self._folder / str(len(self.done))
        splits = {"train": tuple(tasks), "dev": (), "test": ()}
        chosen = replace(benchmark, graph=self.background, splits=splits)
        run = train_run(self.config, chosen, folder, others=self.done, callbacks=Callbacks(on_progress))
        self.done.append(folder)
        knows_tasks = self.config.vectors == "background+tasks"
        self.embedded = self.background.num_triples + sum(len(task.pairs) for task in tasks if knows_tasks)
        assert isinstance(run.model, EvidenceRanker)
        return run.model


def _folds(benchmark: Benchmark) -> Iterator[tuple[Sequence[Task], Sequence[Task]]]:
    """Each third of the tasks, with the others."""
    for fold in range(_FOLDS):
        held_out = benchmark.tasks[fold::_FOLDS]
        yield held_out, [task for task in benchmark.tasks if task not in held_out]


def _train(graph: Graph, like: Embeddings, on_progress: OnProgress) -> Embeddings:
    """Vectors of a graph, with the settings of others."""
    triples = triples_of(graph)
    return train(triples, graph.num_entities, graph.num_relations, like.config, on_progress=on_progress).embeddings
