"""Running an embedding model as a row of the main table: train, rank dev and test, say what came out."""

from __future__ import annotations

import time

from faan.base import InputError, OnProgress, ignore_progress
from faan.embed import EmbedConfig, train, triples_of
from faan.models import NAMES, EmbeddingMethod, MeanTranslation, training_triples
from faan.rank import Origin, ResultFile, rank_splits, settings_hash
from faan.tasks import Benchmark, Method


def evaluate_embedding(
    benchmark: Benchmark,
    config: EmbedConfig,
    shots: int,
    origin: Origin,
    *,
    translation: bool = False,
    draws: int = 0,
    on_progress: OnProgress = ignore_progress,
) -> ResultFile:
    """Train on background, training tasks and the references of dev and test; rank the queries of both.

    With `translation` train on the background alone and score by the mean translation of the references. Only then can
    there be random `draws` of references: an embedding model has learnt those of the benchmark.
    """
    if draws and not translation:
        raise InputError("an embedding model learns its references in training: it cannot be given others by draws")
    graph = benchmark.graph
    triples, relations = triples_of(graph), dict[str, int]()
    if not translation:
        triples, relations = training_triples(benchmark, shots)
    start = time.perf_counter()
    run = train(triples, graph.num_entities, graph.num_relations + len(relations), config, on_progress=on_progress)
    vectors = run.embeddings
    trained = time.perf_counter()
    method: Method = MeanTranslation(vectors) if translation else EmbeddingMethod(vectors, relations)
    figures = rank_splits(method, benchmark, shots, draws, on_progress)
    return ResultFile(
        method="Translation" if translation else NAMES[config.model],
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
