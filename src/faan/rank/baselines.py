"""Running an embedding model as a row of the main table: train, rank dev and test, say what came out."""

from __future__ import annotations

import time
from dataclasses import dataclass

from faan.embed import EmbedConfig, train
from faan.embed.runs import triples_of
from faan.embed.training import OnUpdate
from faan.models import EmbeddingMethod, MeanTranslation, Method, training_triples
from faan.rank.ranker import rank_tasks
from faan.rank.results import ResultFile, relation_metrics, split_metrics
from faan.tasks import Benchmark

METHOD_NAMES = {
    "transe": "TransE",
    "distmult": "DistMult",
    "complex": "ComplEx",
    "simple": "SimplE",
    "rotate": "RotatE",
}


@dataclass(frozen=True)
class Origin:
    """Where a result comes from: the configuration's file and the command that gave it."""

    config: str
    command: str


def evaluate_embedding(
    benchmark: Benchmark,
    config: EmbedConfig,
    shots: int,
    origin: Origin,
    *,
    translation: bool = False,
    on_update: OnUpdate | None = None,
) -> ResultFile:
    """Train on background, training tasks and the references of dev and test; rank the queries of both.

    With `translation` train on the background alone and score by the mean translation of the references.
    """
    graph = benchmark.graph
    triples, relations = triples_of(graph), dict[str, int]()
    if not translation:
        triples, relations = training_triples(benchmark, shots)
    steps = 0

    def count(done: int, total: int, loss: float) -> None:
        nonlocal steps
        steps = done
        if on_update is not None:
            on_update(done, total, loss)

    start = time.perf_counter()
    vectors = train(
        triples, graph.num_entities, graph.num_relations + len(relations), config, on_update=count
    ).embeddings
    trained = time.perf_counter()
    method: Method = MeanTranslation(vectors) if translation else EmbeddingMethod(vectors, relations)
    return measure(
        "Translation" if translation else METHOD_NAMES[config.model],
        method,
        benchmark,
        shots,
        origin,
        seed=config.seed,
        steps=steps,
        embed_seconds=trained - start,
    )


def measure(
    name: str,
    method: Method,
    benchmark: Benchmark,
    shots: int,
    origin: Origin,
    *,
    seed: int = 0,
    steps: int = 0,
    embed_seconds: float = 0,
) -> ResultFile:
    """Rank the queries of dev and test by a method that is ready."""
    start = time.perf_counter()
    ranked = {split: list(rank_tasks(method, benchmark.splits[split], shots)) for split in ("dev", "test")}
    return ResultFile(
        method=name,
        dataset=benchmark.name,
        shots=shots,
        seed=seed,
        dev=split_metrics(ranked["dev"]),
        test=split_metrics(ranked["test"]),
        relations=relation_metrics(ranked["test"]),
        seconds={"embed": embed_seconds, "train": 0, "evaluate": time.perf_counter() - start},
        steps=steps,
        config=origin.config,
        command=origin.command,
    )
