"""The evidence ranker as the method of a completer: a run like any other, and what is kept of it."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from faan.base import Ints, OnProgress, Purpose, read_config, scratch_folder
from faan.complete.methods import Fitted, Recipe
from faan.embed import EmbedConfig, Embeddings, ModelName, extend, joined, train, triples_of
from faan.evidence import EntityNames
from faan.graph import Graph
from faan.models import (
    MIN_FACTS,
    EvidenceConfig,
    EvidenceRanker,
    KnownConfig,
    count_tasks,
    fit_known,
    make_sources,
    train_trees,
)
from faan.tasks import Benchmark, Method, Task, held_out_rows, inverse_name, without_rows
from faan.train import Callbacks, RunConfig, train_run

_FOLDS = 3  # of the tasks, each measured by what was learnt from the others
_MISSING = 0.1  # if tasks hold more of a graph's triples than this, vectors are trained again with them
_FURTHER = 2  # vectors that are trained further, on all facts, take this part of the epochs
_COMPLETION = "completion"  # the folder of the vectors for relations of the graph
_NAMES = "names"  # the folder of what entities are called, where that is evidence
_MODELS: tuple[ModelName, ...] = ("transe", "complex", "distmult")  # whose vectors a ranker may have


class FittedEvidence(Fitted):
    """Trees over evidence.

    Evidence from the graph itself (paths, profiles, links) is taken from the whole graph in the end. The vectors are
    those that the trees learnt with and that were measured, unless the tasks are a large part of the graph; only those
    for relations of the graph are always trained again, or further, on all facts.
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
        graph, settings = benchmark.graph, recipe.settings(seed)
        assert isinstance(settings.model, EvidenceConfig)
        own = settings.model.known
        rows = _held_out(graph, own, seed)
        runs = _Runs(settings, without_rows(graph, rows))
        if cls.num_tasks(benchmark) >= cls.min_tasks:
            ranker = runs.train(benchmark, benchmark.tasks, on_progress)
        else:
            embeddings = [_train(runs.background, one, on_progress) for one in runs.vectors]
            ranker = EvidenceRanker(make_sources(runs.background, embeddings), None)
        if not len(rows):
            return cls(ranker, runs)
        completion = runs.train_completion(own.vectors_for(graph), on_progress)
        sources, facts = replace(ranker.sources, completion=completion), triples_of(graph)[rows]
        known = fit_known(sources, facts, own, seed=seed, on_progress=on_progress, without=runs.model.left_out)
        return cls(EvidenceRanker(sources, ranker.judge, known, ranker.rows), runs)

    @classmethod
    def can_learn_from(cls, graph: Graph, seed: int) -> bool:
        """Whether it can learn to complete the relations of a graph that has too few of them to be tasks."""
        return len(_held_out(graph, KnownConfig(), seed)) > 0

    def unseen(
        self, benchmark: Benchmark, seed: int, on_progress: OnProgress
    ) -> Iterator[tuple[Method, Sequence[Task]]]:
        """Cross-validation: rankers that learnt from two thirds of the tasks, with the other third.

        Vectors that know tasks have to be trained anew for each; there one third is enough.
        """
        assert self._runs is not None
        config, ranker = self._runs.config, self.method
        if ranker.judge is None:
            yield ranker, benchmark.tasks
            return
        if config.vectors == "background+tasks":
            held_out, others = next(_folds(benchmark))
            yield self._runs.train(benchmark, others, on_progress), held_out
            return
        assert ranker.rows is not None
        for held_out, _ in _folds(benchmark):
            names = {name for task in held_out for name in (task.relation, inverse_name(task.relation))}
            judge = train_trees(ranker.rows, ranker.judge.evidence, self._runs.model, seed, without=names)
            graph = ranker.sources.graph
            hidden = [replace(task, hidden=_number(graph, task.relation)) for task in held_out]
            yield EvidenceRanker(ranker.sources, judge), hidden

    def on(self, graph: Graph, seen: Graph, on_progress: OnProgress) -> FittedEvidence:
        """The same trees, with evidence from the whole graph."""
        assert self._runs is not None
        ranker, embeddings, settings = self.method, self.embeddings, self._runs.model.known.vectors_for(seen)
        completion = ranker.sources.completion
        if seen.num_triples - self._runs.embedded > _MISSING * seen.num_triples:
            embeddings = [_train(seen, vectors.config, on_progress) for vectors in embeddings]
        if completion is not None:  # those that the trees learnt with do not know the tasks and what was held out
            self.method = ranker = ranker.on(make_sources(graph, []))  # what is mapped leaves memory meanwhile
            on_disk = [vectors.folder or vectors for vectors in embeddings]
            settings = [_as_strict(config, completion) for config in settings]
            del embeddings, completion
            completion = self._runs.train_further(seen, settings, on_progress)
            embeddings = [one if isinstance(one, Embeddings) else Embeddings.load(one) for one in on_disk]
        self._runs.remove()
        return FittedEvidence(ranker.on(make_sources(graph, embeddings, completion=completion)))

    def save(self, folder: Path) -> None:
        """Write the vectors and the trees."""
        for vectors in self.embeddings:
            vectors.save(folder / vectors.config.model)
        if self.method.sources.completion is not None:
            self.method.sources.completion.save(folder / _COMPLETION)
        if self.method.knows_names:
            self.method.sources.names.save(folder / _NAMES)
        self.method.save(folder)

    @classmethod
    def load(cls, recipe: Recipe, folder: Path, graph: Graph, *, checked: bool = False) -> FittedEvidence:
        """Open the vectors and names that are there, and read the trees."""
        there = {name: folder / name for name in (*_MODELS, _COMPLETION) if (folder / name).is_dir()}
        vectors = {name: Embeddings.load(path, checked=checked) for name, path in there.items()}
        for found in vectors.values():
            found.check_graph(graph)
        completion = vectors.pop(_COMPLETION, None)
        sources = make_sources(graph, list(vectors.values()), completion=completion)
        if (folder / _NAMES).is_dir():
            sources = replace(sources, saved_names=EntityNames.load(folder / _NAMES, graph, checked=checked))
        return cls(EvidenceRanker.load(folder, sources))


class _Runs:
    """Runs of `faan train` with the same settings in a temporary folder; they share the vectors of the background."""

    def __init__(self, config: RunConfig, background: Graph) -> None:
        self.config, self.background, self.done = config, background, list[Path]()
        self.embedded = 0  # triples that the vectors have seen
        self._folder, remove = scratch_folder()
        self.remove = weakref.finalize(self, remove)

    @property
    def model(self) -> EvidenceConfig:
        """The settings of the ranker."""
        assert isinstance(self.config.model, EvidenceConfig)
        return self.config.model

    @property
    def vectors(self) -> list[EmbedConfig]:
        """The settings of the vectors that evidence is taken from."""
        return [] if "embeddings" in self.model.without else [self.model.translation, self.config.embed]

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

    def train_completion(self, configs: Sequence[EmbedConfig], on_progress: OnProgress) -> Embeddings:
        """The vectors for relations of the graph, without the facts that trees learn from.

        Those with sampled negatives can be trained further, if they fit into memory; those that are compared with all
        entities are better trained anew.
        """
        graph, folder = self.background, None
        first = configs[0].for_graph(graph.num_triples, graph.num_entities)
        if first.negatives != "all" and first.partitions == 1:
            folder = self._completion
        return _train_joined(graph, configs, on_progress, folder)

    def train_further(self, graph: Graph, configs: Sequence[EmbedConfig], on_progress: OnProgress) -> Embeddings:
        """The same with all facts of a graph: from where they are, or anew."""
        if not self._completion.is_dir():
            return _train_joined(graph, configs, on_progress)
        folders = sorted(self._completion.iterdir())
        epochs = max(read_config(folders[0], EmbedConfig).epochs // _FURTHER, 1)
        triples = triples_of(graph)
        return joined([extend(one, triples, epochs, on_progress=on_progress).embeddings for one in folders])

    @property
    def _completion(self) -> Path:
        return self._folder / _COMPLETION


def _folds(benchmark: Benchmark) -> Iterator[tuple[Sequence[Task], Sequence[Task]]]:
    """Each third of the tasks, with the others."""
    for fold in range(_FOLDS):
        held_out = benchmark.tasks[fold::_FOLDS]
        yield held_out, [task for task in benchmark.tasks if task not in held_out]


def _number(graph: Graph, relation: str) -> int | None:
    """The id of a task's relation, where its pairs are edges of the graph."""
    number = graph.relation(relation) if relation in graph.relation_names else None
    return number if number is not None and graph.relation_counts[number] else None


def _held_out(graph: Graph, config: KnownConfig, seed: int) -> Ints:
    """The facts to learn from how relations of the graph are completed; none if there would be too few."""
    rows = held_out_rows(graph, config.share, config.most, seed, Purpose.HELD_OUT_FACTS)
    return rows if len(rows) >= MIN_FACTS else rows[:0]


def _train(graph: Graph, config: EmbedConfig, on_progress: OnProgress, folder: Path | None = None) -> Embeddings:
    """Vectors of a graph; in a folder they can be trained further."""
    triples, sizes = triples_of(graph), (graph.num_entities, graph.num_relations)
    return train(triples, *sizes, config, folder=folder, on_progress=on_progress).embeddings


def _train_joined(
    graph: Graph, configs: Sequence[EmbedConfig], on_progress: OnProgress, folder: Path | None = None
) -> Embeddings:
    """Vectors of a graph, or several with different seeds as one; the first choose the penalty of all."""
    several: list[Embeddings] = []
    for number, config in enumerate(configs):
        settings = _as_strict(config, several[0]) if several else config
        several.append(_train(graph, settings, on_progress, folder and folder / str(number)))
    return joined(several)


def _as_strict(config: EmbedConfig, vectors: Embeddings) -> EmbedConfig:
    """Settings with the penalty that was chosen for vectors of the same graph."""
    chosen = vectors.config.regularization
    return config.model_copy(update={"regularization": chosen, "regularization_choices": ()})
