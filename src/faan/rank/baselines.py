"""Running an embedding model as a row of the main table: train, rank dev and test, say what came out."""

from __future__ import annotations

import time

from faan.embed import EmbedConfig, train
from faan.embed.runs import triples_of
from faan.embed.training import OnUpdate
from faan.graph import InputError
from faan.models import EmbeddingMethod, MeanTranslation, Method, TailLikeness, training_triples
from faan.rank.results import Matching, OnRanked, Origin, ResultFile, rank_splits
from faan.tasks import Benchmark

METHOD_NAMES = {
    "transe": "TransE",
    "distmult": "DistMult",
    "complex": "ComplEx",
    "simple": "SimplE",
    "rotate": "RotatE",
}


def evaluate_embedding(
    benchmark: Benchmark,
    config: EmbedConfig,
    shots: int,
    origin: Origin,
    *,
    by: Matching = "own vector",
    draws: int = 0,
    on_update: OnUpdate | None = None,
    on_ranked: OnRanked | None = None,
) -> ResultFile:
    """Train on background, training tasks and the references of dev and test; rank the queries of both.

    By anything but an own vector of the relation, train on the background alone, and score by the mean translation of
    the references or by likeness to their tails. Only then can there be random `draws` of references: an embedding
    model has learnt those of the benchmark.
    """
    if draws and by == "own vector":
        raise InputError("an embedding model learns its references in training: it cannot be given others by draws")
    graph = benchmark.graph
    triples, relations = triples_of(graph), dict[str, int]()
    if by == "own vector":
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
    method: Method = EmbeddingMethod(vectors, relations)
    if by != "own vector":
        method = MeanTranslation(vectors) if by == "translation" else TailLikeness(vectors)
    figures = rank_splits(method, benchmark, shots, draws, on_ranked)
    return ResultFile(
        method={"translation": "Translation", "likeness": "TailLikeness"}.get(by, METHOD_NAMES[config.model]),
        dataset=benchmark.name,
        shots=shots,
        seed=config.seed,
        **figures,
        seconds={"embed": trained - start, "train": 0, "evaluate": time.perf_counter() - trained},
        steps=steps,
        config=origin.config,
        command=origin.command,
    )
