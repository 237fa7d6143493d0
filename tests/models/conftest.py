"""A small world for few-shot models: some hubs, an entity without neighbours, a relation that can be learnt."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from faan.embed import EmbedConfig, Embeddings
from faan.graph import Graph, Names
from faan.models import Background
from faan.tasks import PairSet, Task

ENTITIES, RELATIONS = 30, 4
LONELY = ENTITIES - 1  # has no edge


def perturb(model: nn.Module) -> None:
    """Move every weight a little: what starts as zero or one hides mistakes."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape))


def make_background(graph: Graph, model: str = "transe", dimension: int = 8) -> Background:
    config = EmbedConfig.model_validate({"model": model, "dimension": dimension, "seed": 1})
    return Background.of(graph, Embeddings.first(graph.num_entities, graph.num_relations, config), max_neighbours=6)


@pytest.fixture(scope="session")
def small_graph() -> Graph:
    rng = np.random.default_rng(0)
    edges = np.unique(rng.integers(0, [12, RELATIONS, LONELY], (80, 3)), axis=0).astype(np.int32)
    return Graph(
        Names.from_strings([f"e{i}" for i in range(ENTITIES)]),
        Names.from_strings([f"r{i}" for i in range(RELATIONS)]),
        np.ascontiguousarray(edges[:, 0]),
        np.ascontiguousarray(edges[:, 1]),
        np.ascontiguousarray(edges[:, 2]),
    )


@pytest.fixture(scope="session")
def small_task() -> Task:
    pairs = np.array([[i, i + 12] for i in range(12)] + [[i, i + 13] for i in range(10)], np.int32)
    candidates = np.arange(8, ENTITIES, dtype=np.int32)
    return Task("next", pairs, candidates, PairSet(pairs[:, 0], pairs[:, 1], ENTITIES))


@pytest.fixture(scope="session")
def small_background(small_graph: Graph) -> Background:
    return make_background(small_graph)
