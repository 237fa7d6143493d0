"""Embedding models as few-shot methods: the references are training triples like any other.

So the few-shot literature compares with TransE, DistMult, ComplEx, SimplE and RotatE (Sheng et al., 2020, 4.3): one
embedding model is trained on the background graph, the training tasks and the references of the dev and test tasks, and
a pair is scored with the vector that its relation got from its K references.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from faan.base import Ints
from faan.embed import Embeddings, ModelName, triples_of
from faan.graph import Graph
from faan.models.interface import to_tensor
from faan.models.register import MethodConfig, Row
from faan.tasks import SPLITS, Benchmark, Task

NAMES: dict[ModelName, str] = {
    "transe": "TransE",
    "distmult": "DistMult",
    "complex": "ComplEx",
    "simple": "SimplE",
    "rotate": "RotatE",
}
"""The models' names in tables."""


class EmbeddingMethodConfig(MethodConfig):
    """An embedding model as a method; its settings are those of its vectors (`EmbedConfig`)."""

    kind = "embedding"
    order: ClassVar[int] = 10
    rows: ClassVar[tuple[Row, ...]] = tuple(Row(name, f"embed-{model}") for model, name in NAMES.items())

    method: Literal["embedding"] = "embedding"
    """Which method."""
    model: ModelName = "transe"
    """Which embedding model."""

    @property
    def display_name(self) -> str:
        """The model's name in tables."""
        return NAMES[self.model]


class EmbeddingMethod:
    """Scores a pair by an embedding model that was trained on the relation's references."""

    def __init__(self, embeddings: Embeddings, relations: Mapping[str, int]) -> None:
        self.embeddings, self.relations = embeddings, relations

    def prepare(self, task: Task, references: Ints) -> _EmbeddingScorer:
        """The references have been learnt already; only the relation's number is needed."""
        return _EmbeddingScorer(self.embeddings, self.relations[task.relation])


class _EmbeddingScorer:
    def __init__(self, embeddings: Embeddings, relation: int) -> None:
        self._embeddings, self._relation = embeddings, relation

    @torch.no_grad()
    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        asked = to_tensor(heads)
        relations = torch.full_like(asked, self._relation)
        scores = self._embeddings.score_tails(asked, relations, to_tensor(candidates))
        return scores.numpy()  # (H, C)


def training_triples(benchmark: Benchmark, shots: int) -> tuple[NDArray[np.int64], dict[str, int]]:
    """Background, training tasks and the references of dev and test, (n, 3), and the number of each task relation."""
    pairs = {
        task.relation: task.pairs if split == "train" else task.references(shots)
        for split in SPLITS
        for task in benchmark.splits[split]
    }
    return triples_with(benchmark.graph, pairs)


def triples_with(graph: Graph, pairs: Mapping[str, Ints]) -> tuple[NDArray[np.int64], dict[str, int]]:
    """The triples of a graph and the pairs of further relations, (n, 3), and the number of each such relation."""
    relations = {relation: graph.num_relations + i for i, relation in enumerate(pairs)}
    parts = [triples_of(graph)]
    for relation, own in pairs.items():
        parts.append(np.stack([own[:, 0], np.full(len(own), relations[relation]), own[:, 1]], axis=1))
    return np.concatenate(parts).astype(np.int64), relations
