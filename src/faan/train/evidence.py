"""Training the evidence ranker in a run folder, stage by stage; a stage that is done is not done again.

| folder | what it holds |
|---|---|
| `embed/`, `translation/` | the runs of the vectors of the background graph, for matching and for translations |
| `embed-tasks/` | vectors of background and training tasks, for matching after training; `translation-tasks/` so |
| `embed-0/`, `translation-0/` ... | out-of-fold vectors: of all but one part of the tasks |
| `witness/0/`, ... `witness/all/` | a few-shot model, trained without one part of the tasks each, and with all |
| `ranker/` | which evidence there is, and the trees |
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property

import torch

from faan.base import METRICS_FILE, InputError, write_text
from faan.embed import EmbedConfig, Embeddings, triples_of
from faan.evidence import Sources
from faan.graph import Graph
from faan.models import (
    RANKER_FILE,
    Background,
    EvidenceConfig,
    EvidenceRanker,
    FewShotConfig,
    OutOfFold,
    OutOfFoldVectors,
    check_enough,
    fit_ranker,
    make_sources,
    parts_of,
)
from faan.rank import rank_tasks, split_metrics
from faan.tasks import Method, Task, background_tasks, inverse_tasks, with_task_edges, without_relations
from faan.train.checkpoint import StepProgress, load_best, metrics_of
from faan.train.fewshot import check_model
from faan.train.loop import Callbacks, seed_torch, train_model
from faan.train.stages import Stages
from faan.train.vectors import VectorJob

RANKER_FOLDER = "ranker"
_MATCHING, _TRANSLATION, _WITNESS, _WHOLE = "embed", "translation", "witness", "all"
_OF_TASKS = "-tasks"


class EvidenceStages(Stages):
    """The run of an evidence ranker.

    The ranker learns from evidence about each training task in which the task itself plays no part: its own edges are
    hidden, vectors are those of the background graph, or of all that is known but the task's part. For other tasks all
    that is known may be evidence: the edges of all training tasks, and vectors that have seen them.
    """

    @property
    def model(self) -> EvidenceConfig:
        """The settings of the ranker."""
        assert isinstance(self.config.model, EvidenceConfig)
        return self.config.model

    def check(self) -> None:
        """Refuse tasks that are too few, and a witness that does not fit its vectors."""
        check_enough(self.tasks, self.model)
        if self.model.witness is None:
            return
        if self.config.train.patience:
            raise InputError("a witness is trained without dev tasks: set train.patience to 0 to train it to the end")
        vectors = self.model.translation if self.model.witness_vectors == "translation" else self.config.embed
        check_model(self.model.witness, vectors, self.config, self.benchmark)

    def unfinished(self) -> str | None:
        """Whether the last stage is still to be done."""
        return None if (self.folder / RANKER_FOLDER / RANKER_FILE).is_file() else "the ranker is not trained"

    @cached_property
    def _known(self) -> tuple[Graph, list[Task]]:
        """The graph with the edges of the training tasks, and these tasks with their own edges hidden."""
        return with_task_edges(self.benchmark.graph, self.benchmark.splits["train"])

    @property
    def _graph(self) -> Graph:
        """The graph that evidence is taken from."""
        return self._known[0] if self.model.task_edges else self.benchmark.graph

    @cached_property
    def tasks(self) -> list[Task]:
        """The tasks that the ranker learns from."""
        tasks = self._known[1] if self.model.task_edges else list(self.benchmark.splits["train"])
        tasks = [*tasks, *(background_tasks(self.benchmark.graph) if self.model.background_tasks else ())]
        return [*tasks, *(inverse_tasks(self._graph, tasks) if self.model.inverse_tasks else ())]

    def vectors(self) -> Iterator[tuple[str, VectorJob]]:
        """All vectors that are needed, by their folders."""
        needed = self._after_training
        for vectors in self._in_training:
            needed |= vectors
        for name, settings in (needed | self._of_witness).items():
            graph = self._graph_of(name)
            yield name, VectorJob.of(triples_of(graph), graph.num_entities, graph.num_relations, settings)

    def train(self, callbacks: Callbacks) -> EvidenceRanker:
        """Train the witness, if there is one, then the ranker, and rank the dev tasks."""
        if not self.unfinished():
            return self.load()
        learnt, parts = self._learnt(callbacks), parts_of(self.tasks, self.model.folds)
        loaded = [self._load(vectors) for vectors in self._in_training]
        out_of_fold = [
            OutOfFoldVectors({name for name, own in parts.items() if own == part}, vectors)
            for part, vectors in enumerate(loaded if self._is_out_of_fold else ())
        ]
        ranker = fit_ranker(
            self._graph,
            self.tasks,
            self._load(self._after_training) if self._is_out_of_fold else loaded[0],
            self.model,
            out_of_fold=out_of_fold,
            learnt=learnt,
            seed=self.config.seed,
            on_progress=callbacks.on_progress,
        )
        trained = ranker.on(self._sources(learnt))
        self._evaluate(trained)
        trained.save(self.folder / RANKER_FOLDER)
        return trained

    def load(self) -> EvidenceRanker:
        """The trained ranker."""
        return EvidenceRanker.load(self.folder / RANKER_FOLDER, self._sources(self._learnt(None)))

    def _sources(self, learnt: Mapping[str, Method]) -> Sources:
        """What evidence about other tasks is taken from."""
        return make_sources(self._graph, self._load(self._after_training), learnt)

    def progress(self) -> StepProgress:
        """How far the finished run is, in trees, and what its dev MRR was."""
        trees = self.model.trees
        metrics = self.folder / METRICS_FILE
        lines = metrics_of(metrics, metrics.read_bytes()) if metrics.is_file() else []
        mrr = lines[-1]["dev"]["mrr"] if lines else None
        return StepProgress(step=trees, best_step=trees, best_mrr=mrr)

    @property
    def _is_out_of_fold(self) -> bool:
        knows_tasks = self.config.vectors == "background+tasks"  # else there is nothing to leave out
        return self.model.background_tasks or (self.model.out_of_fold_vectors and knows_tasks)

    @property
    def _in_training(self) -> list[dict[str, EmbedConfig]]:
        """The vectors that are learnt from, by their folders; a set for each part where they are out-of-fold."""
        ends = [f"-{part}" for part in range(self.model.folds)] if self._is_out_of_fold else [""]
        return [self._vectors(end, end) for end in ends]

    @property
    def _after_training(self) -> dict[str, EmbedConfig]:
        """The vectors that evidence about other tasks is taken from, by their folders."""
        end = _OF_TASKS if self.config.vectors == "background+tasks" else ""
        return self._vectors(end if self._is_out_of_fold else "", end)

    def _vectors(self, of_translation: str, of_matching: str) -> dict[str, EmbedConfig]:
        """The settings of both kinds of vectors by their folders, whose names have these endings."""
        if "embeddings" in self.model.without:
            return {}
        return {_TRANSLATION + of_translation: self._translation, _MATCHING + of_matching: self.config.embed}

    @property
    def _translation(self) -> EmbedConfig:
        return self.model.translation.model_copy(update={"seed": self.config.seed})

    @property
    def _of_witness(self) -> dict[str, EmbedConfig]:
        """The vectors that a witness starts from, by their folder."""
        if self.model.witness is None:
            return {}
        from_matching = self.model.witness_vectors == "matching"
        return {_MATCHING: self.config.embed} if from_matching else {_TRANSLATION: self._translation}

    def _graph_of(self, name: str) -> Graph:
        """What the vectors in a folder are trained on: the background, what is known, or that without a part."""
        end = name.partition("-")[2]
        if not end:
            return self.benchmark.graph
        graph = self._known[0] if self.config.vectors == "background+tasks" else self.benchmark.graph
        parts = parts_of(self.tasks, self.model.folds)
        unseen = [number for number, name in enumerate(graph.relation_names) if str(parts.get(name)) == end]
        return without_relations(graph, unseen)

    def _load(self, vectors: Mapping[str, EmbedConfig]) -> list[Embeddings]:
        return [Embeddings.load(self.folder / name) for name in vectors]

    def _learnt(self, callbacks: Callbacks | None) -> dict[str, Method]:
        """The witness for each part and for all, trained if there are callbacks, else as it was trained."""
        settings = self.model.witness
        if settings is None:
            return {}
        config, parts = self.config, parts_of(self.tasks, self.model.folds)
        (vectors,) = self._load(self._of_witness)
        background = Background.of(self.benchmark.graph, vectors, config.max_neighbours, config.seed)

        def one(part: int | None, settings: FewShotConfig) -> Method:
            with torch.random.fork_rng(devices=[]):
                seed_torch(config.seed, 0)
                model = settings.build(background)
            own = self.folder / _WITNESS / (_WHOLE if part is None else str(part))
            if callbacks is None:
                load_best(model, own)
            else:
                tasks = [task for task in self.benchmark.splits["train"] if parts[task.relation] != part]
                steps = Callbacks(callbacks.on_progress)
                train_model(model, tasks, (), config.train, own, shots=config.shots, seed=config.seed, callbacks=steps)
            return model

        by_part = [one(part, settings) for part in range(self.model.folds)]
        return {settings.display_name: OutOfFold(by_part, one(None, settings), parts)}

    def _evaluate(self, ranker: EvidenceRanker) -> None:
        """Rank the dev tasks, if there are any; their figures are the only line of metrics."""
        dev, lines = self.benchmark.splits["dev"], ""
        if dev:
            figures = split_metrics(list(rank_tasks(ranker, dev, self.config.shots)))
            lines = json.dumps({"step": self.model.trees, "dev": figures}) + "\n"
        write_text(self.folder / METRICS_FILE, lines)
