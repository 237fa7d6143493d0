"""An embedding model as a row of the main table: train it, rank dev and test, return a result file."""

from __future__ import annotations

import time

from faan.base import InputError, OnProgress, ignore_progress
from faan.embed import EmbedConfig, train, triples_of
from faan.models import NAMES, EmbeddingMethod, Kind, MeanTranslation, TailLikeness, training_triples
from faan.rank import Origin, ResultFile, rank_splits, settings_hash
from faan.tasks import Benchmark, Method


def evaluate_embedding(
    benchmark: Benchmark,
    config: EmbedConfig,
    shots: int,
    origin: Origin,
    *,
    by: Kind = "embedding",
    draws: int = 0,
    on_progress: OnProgress = ignore_progress,
) -> ResultFile:
    """Train on background, training tasks and the references of dev and test; rank the queries of both.

    By anything but an own vector of the relation, train on the background alone, and score by the mean translation of
    the references or by likeness to their tails. Only then can there be random `draws` of references: an embedding
    model has learnt those of the benchmark.
    """
    if draws and by == "embedding":
        raise InputError("an embedding model learns its references in training: leave --draws out")
    graph = benchmark.graph
    triples, relations = triples_of(graph), dict[str, int]()
    if by == "embedding":
        triples, relations = training_triples(benchmark, shots)
    start = time.perf_counter()
    run = train(triples, graph.num_entities, graph.num_relations + len(relations), config, on_progress=on_progress)
    vectors = run.embeddings
    trained = time.perf_counter()
    method: Method = EmbeddingMethod(vectors, relations)
    if by != "embedding":
        method = MeanTranslation(vectors) if by == "translation" else TailLikeness(vectors)
    figures = rank_splits(method, benchmark, shots, draws, on_progress)
    return ResultFile(
        method={"translation": "Translation", "likeness": "TailLikeness"}.get(by, NAMES[config.model]),
        dataset=benchmark.name,
        shots=shots,
        seed=config.seed,
        **figures,
        seconds={"embed": trained - start, "train": 0, "evaluate": time.perf_counter() - trained},
        steps=run.steps,
        config=origin.config,
        settings=settings_hash(config),
        command=origin.command,
    )
