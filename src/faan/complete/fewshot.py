"""Few-shot models (FAAN and others) as methods of a completer, trained on the tasks in a temporary folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import torch

from faan.base import InputError, OnProgress, read_small, scratch_folder, write_tensors, write_text
from faan.complete.methods import Fitted, Recipe, Unseen
from faan.embed import Embeddings
from faan.graph import Graph
from faan.models import Background, FewShotConfig, FewShotModel
from faan.tasks import Benchmark, without_relations
from faan.train import BEST_FILE, EMBED_FOLDER, Callbacks, RunConfig, copied, load_best, train_run

_CONFIG_FILE = "run.json"
_TASKS_FILE = "tasks.json"
_STEPS = 2000  # at most: the schedules of published tables take too long for interactive use


class FittedModel(Fitted):
    """A trained few-shot model. It sees the graph as it was measured: without the relations that were tasks."""

    min_tasks: ClassVar[int] = 5

    def __init__(self, config: RunConfig, embeddings: Embeddings, model: FewShotModel, tasks: list[str]) -> None:
        self.config, self.embeddings, self.method, self.tasks = config, embeddings, model, tasks

    @classmethod
    def fit(cls, recipe: Recipe, benchmark: Benchmark, seed: int, on_progress: OnProgress) -> FittedModel:
        """Train embeddings and the model; the dev tasks say which weights are best."""
        config = recipe.settings(seed)
        steps = min(config.train.steps, _STEPS)
        config = config.changed(
            [f"train.steps={steps}", f"train.evaluate_every={min(config.train.evaluate_every, steps)}"]
        )
        scratch, remove = scratch_folder()
        try:
            folder = scratch / "run"
            run = train_run(config, benchmark, folder, callbacks=Callbacks(on_progress))
            embeddings, model = Embeddings.load(folder / EMBED_FOLDER), run.model
            assert isinstance(model, FewShotModel)
            load_best(model, folder)
        finally:
            remove()
        return cls(config, embeddings, model, [task.relation for task in benchmark.tasks])

    def unseen(self, benchmark: Benchmark, seed: int, on_progress: OnProgress) -> Unseen:
        """The model with the test tasks alone: training it again without other tasks would take too long."""
        yield self.method, benchmark.splits["test"]

    def on(self, graph: Graph, seen: Graph, on_progress: OnProgress) -> FittedModel:
        """The same weights, with the facts that the model was not trained with as neighbours."""
        assert isinstance(self.method, FewShotModel)
        model = _build(self.config, self.embeddings, graph, self.tasks)
        model.load_state_dict(self.method.state_dict())
        return FittedModel(self.config, self.embeddings, model.eval(), self.tasks)

    def save(self, folder: Path) -> None:
        """Write settings, vectors, weights and which relations the model does not see."""
        self.embeddings.save(folder / EMBED_FOLDER)
        write_text(folder / _CONFIG_FILE, self.config.model_dump_json(indent=1) + "\n")
        write_text(folder / _TASKS_FILE, json.dumps(self.tasks, ensure_ascii=False, indent=1) + "\n")
        assert isinstance(self.method, FewShotModel)
        write_tensors(folder / BEST_FILE, copied(self.method.state_dict()))

    @classmethod
    def load(cls, recipe: Recipe, folder: Path, graph: Graph, *, checked: bool) -> FittedModel:
        """Build the model again and give it its weights."""
        config = RunConfig.model_validate_json(read_small(folder / _CONFIG_FILE))
        tasks = json.loads(read_small(folder / _TASKS_FILE))
        if not isinstance(tasks, list) or not all(isinstance(name, str) for name in tasks):
            raise InputError("expected a list of relations", source=str(folder / _TASKS_FILE))
        embeddings = Embeddings.load(folder / EMBED_FOLDER, checked=checked)
        if not isinstance(config.model, FewShotConfig):
            raise InputError("expected the settings of a few-shot model", source=str(folder / _CONFIG_FILE))
        model = _build(config, embeddings, graph, tasks)
        load_best(model, folder)
        return cls(config, embeddings, model, tasks)


def _build(config: RunConfig, embeddings: Embeddings, graph: Graph, tasks: Sequence[str]) -> FewShotModel:
    """The model with its first weights, over a graph without the relations that were tasks."""
    assert isinstance(config.model, FewShotConfig)
    seen = without_relations(graph, [graph.relation(name) for name in tasks])
    background = Background.of(seen, embeddings, config.max_neighbours, config.seed)
    with torch.random.fork_rng(devices=[]):
        return config.model.build(background)
