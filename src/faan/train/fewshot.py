"""The stages of a model that learns from episodes: vectors, then training with dev evaluations."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from faan.base import CHECKPOINT_FILE, InputError, OnProgress
from faan.embed import EmbedConfig, Embeddings
from faan.graph import Neighbours
from faan.models import Background, FewShotConfig, FewShotModel, triples_with
from faan.tasks import Benchmark, Task, inverse_tasks
from faan.train.checkpoint import StepProgress, load_best, load_steps, why_broken
from faan.train.config import RunConfig
from faan.train.loop import Callbacks, make_sampler, seed_torch, train_model
from faan.train.stages import Stages
from faan.train.vectors import VectorJob

EMBED_FOLDER = "embed"


class FewShotStages(Stages):
    """The run of a few-shot model."""

    def check(self) -> None:
        """Refuse tasks without episodes, and vectors that the model cannot be built on."""
        check_model(self._model, self.config.embed, self.config, self.benchmark)

    def vectors(self) -> Iterator[tuple[str, VectorJob]]:
        """The vectors of the background graph, or of it and the training tasks."""
        graph = self.benchmark.graph
        tasks = self.benchmark.splits["train"] if self.config.vectors == "background+tasks" else ()
        triples, further = triples_with(graph, {task.relation: task.pairs for task in tasks})
        relations = graph.num_relations + len(further)
        yield EMBED_FOLDER, VectorJob.of(triples, graph.num_entities, relations, self.config.embed)

    def embed(self, on_progress: OnProgress) -> None:
        """Train the vectors, unless the training of the model has begun: then they are done."""
        if not (self.folder / CHECKPOINT_FILE).exists():
            super().embed(on_progress)

    def train(self, callbacks: Callbacks) -> FewShotModel:
        """Train the model; it ends up with its best weights."""
        model = self._build()
        config = self.config
        train_model(
            model,
            training_tasks(config, self.benchmark),
            self.benchmark.splits["dev"],
            config.train,
            self.folder,
            shots=config.shots,
            seed=config.seed,
            callbacks=callbacks,
        )
        return model

    def unfinished(self) -> str | None:
        """The step of a run that goes on; None also where training broke off, as its best weights are from before."""
        is_over = self.progress().is_over(self.config.train) or why_broken(self.folder)
        if (self.folder / CHECKPOINT_FILE).is_file() and is_over:
            return None
        return f"step {self.progress().step:,} of {self.config.train.steps:,}"

    def load(self) -> FewShotModel:
        """The model with its best weights."""
        model = self._build()
        load_best(model, self.folder)
        return model

    def progress(self) -> StepProgress:
        """The progress at the last checkpoint."""
        return load_steps(self.folder)[1] if (self.folder / CHECKPOINT_FILE).is_file() else StepProgress()

    @property
    def _model(self) -> FewShotConfig:
        if not isinstance(self.config.model, FewShotConfig):
            raise InputError(f"{self.config.model.method!r} is not a method that is trained: use `faan evaluate`")
        return self.config.model

    def _build(self) -> FewShotModel:
        config, vectors = self.config, Embeddings.load(self.folder / EMBED_FOLDER)
        background = Background.of(self.benchmark.graph, vectors, config.max_neighbours, config.seed)
        with torch.random.fork_rng(devices=[]):
            seed_torch(config.seed, 0)
            return self._model.build(background)


def check_model(model: FewShotConfig, vectors: EmbedConfig, config: RunConfig, benchmark: Benchmark) -> None:
    """Try whether a model can be built on such vectors, and whether the tasks give episodes."""
    make_sampler(training_tasks(config, benchmark), config.train, config.seed)
    first, nobody = Embeddings.first(1, 1, vectors), np.zeros(0, dtype=np.int32)
    neighbours = Neighbours(np.zeros(2, dtype=np.int64), nobody, nobody)
    with torch.random.fork_rng(devices=[]):
        model.build(Background(first.entities, first.with_inverses(), neighbours, first.model.between))


def training_tasks(config: RunConfig, benchmark: Benchmark) -> list[Task]:
    """The training tasks, and their inverses if the settings want them."""
    tasks = benchmark.splits["train"]
    return [*tasks, *(inverse_tasks(benchmark.graph, tasks) if config.train.inverse_tasks else ())]
