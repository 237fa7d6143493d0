"""What every method without few-shot training has to keep to, and what the simple ones are."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from faan.base import InputError
from faan.embed import EmbedConfig, Embeddings
from faan.graph import Graph, Names
from faan.models import EmbeddingMethod, MeanTranslation, PathRules, TailCounts, TailLikeness, training_triples
from faan.rank import rank_tasks, split_metrics, untrained_methods
from faan.tasks import SPLITS, Benchmark, Method, PairSet, Task

ENTITIES = 10


def embeddings(model: str = "transe", relations: int = 5) -> Embeddings:
    config = EmbedConfig.model_validate({"model": model, "dimension": 4, "seed": 1})
    return Embeddings.first(ENTITIES, relations, config)


def background() -> Graph:
    triples = np.array([[0, 0, 2], [2, 1, 1], [1, 0, 3], [3, 1, 2], [8, 0, 4], [4, 1, 9], [5, 1, 9]], np.int32)
    names = Names.from_strings([f"e{i}" for i in range(ENTITIES)])
    return Graph(names, Names.from_strings(["near", "in"]), triples[:, 0], triples[:, 1], triples[:, 2])


@pytest.fixture
def benchmark() -> Benchmark:
    pairs = np.array([[i, i + 1] for i in range(8)], np.int32)
    tasks = {
        split: (Task(split, pairs, np.arange(ENTITIES, dtype=np.int32), PairSet(pairs[:, 0], pairs[:, 1], ENTITIES)),)
        for split in SPLITS
    }
    return Benchmark("tiny", background(), tasks)


METHODS: dict[str, Method] = {
    **{
        name: settings.build(Benchmark("tiny", background(), dict.fromkeys(SPLITS, ())))
        for name, settings in untrained_methods().items()
    },
    "translation": MeanTranslation(embeddings()),
    "likeness": TailLikeness(embeddings()),
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


def test_likeness_of_tails_is_what_it_says(benchmark: Benchmark) -> None:
    vectors, task = embeddings("distmult"), benchmark.splits["test"][0]
    scores = TailLikeness(vectors).prepare(task, task.references(3)).score(np.array([7, 5]), np.array([2, 9]))
    e = vectors.entities
    expected = [
        np.mean([torch.cosine_similarity(e[tail], e[known], dim=0).item() for known in (1, 2, 3)]) for tail in (2, 9)
    ]
    assert np.allclose(scores, [expected, expected], atol=1e-5)  # whatever the head


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


def test_rules_join_paths_and_tail_counts_by_noisy_or(benchmark: Benchmark) -> None:
    """From 0 to 1 and from 1 to 2 leads *near, in*, twice right and never wrong, so it is trusted by 2 / (2 + 2)."""
    task = benchmark.splits["test"][0]
    scorer = PathRules(benchmark.graph).prepare(task, task.references(2))
    first, counted, neither, edgeless = scorer.score(np.array([8]), np.array([9, 1, 5, 6]))[0]
    assert np.isclose(first, -np.log(1 - 2 / 4), atol=1e-5)
    assert np.isclose(counted, -np.log(1 - 1 / 4), atol=1e-5)  # "the tail is 1": one reference of two
    assert 1e-5 > neither > edgeless == 0  # more edges come first, and edges count for no more than that


def test_rules_do_not_see_a_hidden_relation(benchmark: Benchmark) -> None:
    task = benchmark.splits["test"][0]
    hidden = Task("near", task.pairs, task.candidates, task.truths, hidden=0)
    assert PathRules(benchmark.graph).prepare(hidden, task.references(2)).score(np.array([8]), np.array([9])) < 1e-5


def test_tail_counts_are_what_they_say(benchmark: Benchmark) -> None:
    task = benchmark.splits["test"][0]
    references = np.array([[0, 4], [1, 4], [2, 6]])
    scores = TailCounts(benchmark.graph).prepare(task, references).score(np.array([7]), np.array([4, 6, 2, 8, 7]))
    assert np.allclose(scores, [[2 + 2 / 4, 1, 3 / 4, 1 / 4, 0]])  # the highest degree is 3


@pytest.mark.nell
@pytest.mark.parametrize(("method", "mrr"), [(PathRules, 0.214), (TailCounts, 0.154)])
def test_methods_without_training_give_their_known_dev_mrr(
    method: type[PathRules | TailCounts], mrr: float, nell: Benchmark
) -> None:
    found = split_metrics(list(rank_tasks(method(nell.graph), nell.splits["dev"], shots=5)))
    assert round(found["mrr"], 3) == mrr
