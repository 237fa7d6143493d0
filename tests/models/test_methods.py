"""What every method has to keep to, and what the simple ones are."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from faan.embed import EmbedConfig, Embeddings
from faan.graph import Graph, InputError, Names
from faan.graph.graph import Neighbours
from faan.models import Background, EmbeddingMethod, MeanTranslation, Method, training_triples
from faan.models.projection import ProjectionConfig
from faan.tasks import SPLITS, Benchmark, EpisodeSampler, PairSet, Task

ENTITIES = 10
NO_NEIGHBOURS = Neighbours(np.zeros(ENTITIES + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.int32))


def embeddings(model: str = "transe", relations: int = 5) -> Embeddings:
    config = EmbedConfig.model_validate({"model": model, "dimension": 4, "seed": 1})
    return Embeddings.first(ENTITIES, relations, config)


@pytest.fixture
def benchmark() -> Benchmark:
    graph = Graph(
        Names.from_strings([f"e{i}" for i in range(ENTITIES)]),
        Names.from_strings(["near", "in"]),
        np.array([0, 1], np.int32),
        np.array([0, 1], np.int32),
        np.array([2, 3], np.int32),
    )
    pairs = np.array([[i, i + 1] for i in range(8)], np.int32)
    tasks = {
        split: (Task(split, pairs, np.arange(ENTITIES, dtype=np.int32), PairSet(pairs[:, 0], pairs[:, 1], ENTITIES)),)
        for split in SPLITS
    }
    return Benchmark("tiny", graph, tasks)


def projection() -> Method:
    """With a map that is not the identity, and in training mode: scores must not have dropout."""
    model = ProjectionConfig(dropout=0.5).build(Background(embeddings().entities, torch.empty(0), NO_NEIGHBOURS))
    with torch.no_grad():
        model.map.add_(0.1 * torch.arange(16).view(4, 4))
    return model.train()


METHODS: dict[str, Method] = {
    "projection": projection(),
    "translation": MeanTranslation(embeddings()),
    **{
        model: EmbeddingMethod(embeddings(model), {split: 2 + i for i, split in enumerate(SPLITS)})
        for model in ("transe", "distmult", "complex", "simple", "rotate")
    },
}


@pytest.mark.parametrize("name", METHODS)
def test_the_score_of_a_pair_does_not_depend_on_its_batch(name: str, benchmark: Benchmark) -> None:
    task = benchmark.splits["test"][0]
    scorer = METHODS[name].prepare(task, task.references(5))
    heads, candidates = np.arange(ENTITIES), np.arange(ENTITIES)
    together = scorer.score(heads, candidates)
    assert together.shape == (ENTITIES, ENTITIES)
    for head in heads:
        for candidate in candidates:
            alone = scorer.score(heads[head : head + 1], candidates[candidate : candidate + 1])
            assert np.isclose(alone[0, 0], together[head, candidate], atol=1e-5)


@pytest.mark.parametrize("name", METHODS)
def test_the_order_of_references_does_not_matter(name: str, benchmark: Benchmark) -> None:
    task = benchmark.splits["test"][0]
    references = task.references(5)
    heads, candidates = np.arange(3), np.arange(ENTITIES)
    one = METHODS[name].prepare(task, references).score(heads, candidates)
    other = METHODS[name].prepare(task, references[::-1]).score(heads, candidates)
    assert np.allclose(one, other, atol=1e-5)


def test_mean_translation_is_what_it_says(benchmark: Benchmark) -> None:
    vectors = embeddings()
    task = benchmark.splits["test"][0]
    scores = MeanTranslation(vectors).prepare(task, task.references(3)).score(np.array([7]), np.array([2, 9]))
    e = vectors.entities
    translation = torch.stack([e[1] - e[0], e[2] - e[1], e[3] - e[2]]).mean(0)
    expected = [-(e[7] + translation - e[tail]).abs().sum().item() for tail in (2, 9)]
    assert np.allclose(scores, [expected], atol=1e-5)
    with pytest.raises(InputError, match="mean translation needs TransE vectors, found distmult"):
        MeanTranslation(embeddings("distmult"))


def test_embeddings_learn_from_references_only(benchmark: Benchmark) -> None:
    """Of dev and test not a single query may be among the training triples."""
    triples, relations = training_triples(benchmark, shots=5)
    assert relations == {"train": 2, "dev": 3, "test": 4}
    counts = {split: int((triples[:, 1] == relations[split]).sum()) for split in SPLITS}
    assert counts == {"train": 8, "dev": 5, "test": 5}
    rows = {tuple(row) for row in triples.tolist()}
    for split in ("dev", "test"):
        for head, tail in benchmark.splits[split][0].queries(5).tolist():
            assert (head, relations[split], tail) not in rows


def test_projection_begins_as_mean_translation(benchmark: Benchmark) -> None:
    vectors, task = embeddings(), benchmark.splits["test"][0]
    model = ProjectionConfig().build(Background(vectors.entities, torch.empty(0), NO_NEIGHBOURS))
    heads, candidates = np.arange(3), np.arange(ENTITIES)
    expected = MeanTranslation(vectors).prepare(task, task.references(3)).score(heads, candidates)
    assert np.allclose(model.prepare(task, task.references(3)).score(heads, candidates), expected, atol=1e-5)


def test_the_loss_of_projection_is_the_margin_between_its_scores(benchmark: Benchmark) -> None:
    task = benchmark.splits["train"][0]
    model = ProjectionConfig(margin=2.0).build(Background(embeddings().entities, torch.empty(0), NO_NEIGHBOURS))
    episode = EpisodeSampler([task], shots=3, queries=4, negatives=2, min_candidates=1).draw(0)
    scores = model.prepare(task, episode.references).score(episode.queries[:, 0], np.arange(ENTITIES))
    rows = np.arange(len(episode.queries))
    gaps = scores[rows, episode.queries[:, 1]][:, None] - scores[rows[:, None], episode.negatives]
    assert model.loss([episode]).item() == pytest.approx(np.maximum(0, 2.0 - gaps).mean(), abs=1e-5)
