"""Embedding a graph in a run folder: what is needed to resume, to use the vectors and to evaluate them.

| file | what it holds |
|---|---|
| `graph/` | the graph, so that a run can be resumed without its source |
| `valid.npy`, `test.npy` | triples to evaluate on, by id, where there are any |
| `config.json`, `checkpoint.safetensors`, `metrics.jsonl` | settings, state, and loss and held-out MRR by epoch |
| `partitions/` | vectors and optimiser state of entities, where these are in several partitions |
| `vectors.safetensors` | the result: one row for each entity and each relation |
| `result.json` | filtered link prediction on the valid and test triples, seconds of training |
| `seconds.json` | time spent, over interruptions |
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from faan.base import (
    RESULT_FILE,
    Cluster,
    InputError,
    OnProgress,
    Stopwatch,
    atomic_folder,
    damaged_run,
    ignore_progress,
    locked,
    write_text,
)
from faan.embed.checkpoint import read_progress
from faan.embed.config import EmbedConfig
from faan.embed.embeddings import Embeddings, export_tsv
from faan.embed.epochs import OnReport
from faan.embed.evaluation import LinkPrediction, evaluate
from faan.embed.training import begin, check_triples, resume, split
from faan.graph import Graph, open_graph, save_graph

HELD_OUT = ("valid", "test")


@dataclass(frozen=True)
class EmbeddingRun:
    """A finished run: the vectors, the graph they belong to, and how good they are."""

    graph: Graph
    embeddings: Embeddings
    scores: dict[str, LinkPrediction]  # for `valid` and `test`, where there are such triples


def embed_graph(
    graph: Graph,
    config: EmbedConfig,
    folder: Path | str,
    *,
    valid: np.ndarray | None = None,
    test: np.ndarray | None = None,
    on_progress: OnProgress = ignore_progress,
    on_report: OnReport | None = None,
    engine: Cluster | None = None,
) -> EmbeddingRun:
    """Train vectors for a graph; `valid` and `test` are triples by id, as `encode_triples` gives them.

    An `engine` trains the buckets of a round side by side (`EmbedConfig.rounds`).
    """
    folder = Path(folder)
    if folder.exists() and any(folder.iterdir()):
        raise InputError("exists and is not empty; resume the run in it or choose another folder", source=str(folder))
    if graph.num_triples < 2:
        raise InputError("one triple is too few to learn from; at least 2 are needed", source=graph.report.source)
    triples, sizes = triples_of(graph), (graph.num_entities, graph.num_relations)
    split(triples, valid, config)  # complains before anything is written
    given = {name: some for name, some in zip(HELD_OUT, (valid, test), strict=True) if some is not None and len(some)}
    for some in given.values():
        check_triples(some, *sizes, at_least=1)
    with atomic_folder(folder) as new:  # with a first state, so that there always is something to resume
        save_graph(graph, new / "graph")
        for name, some in given.items():
            np.save(new / f"{name}.npy", some, allow_pickle=False)
        begin(triples, *sizes, config, given.get("valid"), new, on_progress=on_progress)
    return _to_the_end(folder, graph, on_progress, on_report, engine)


def resume_run(
    folder: Path | str,
    *,
    on_progress: OnProgress = ignore_progress,
    on_report: OnReport | None = None,
    engine: Cluster | None = None,
) -> EmbeddingRun:
    """Go on with an interrupted run; it ends as if it had never been interrupted."""
    folder = Path(folder)
    read_progress(folder)  # complains where there is no run
    return _to_the_end(folder, open_graph(folder / "graph"), on_progress, on_report, engine)


def _to_the_end(
    folder: Path, graph: Graph, on_progress: OnProgress, on_report: OnReport | None, engine: Cluster | None
) -> EmbeddingRun:
    held_out = {name: some for name in HELD_OUT if (some := _held_out(folder, name, graph)) is not None}
    stopwatch = Stopwatch(folder)
    with locked(folder):
        with stopwatch.timing("embed", on_progress) as tick:
            triples = triples_of(graph)
            valid = held_out.get("valid")
            run = resume(folder, triples, valid=valid, on_progress=tick, on_report=on_report, engine=engine)
        return _finish(folder, graph, run.embeddings, held_out, stopwatch.seconds["embed"])


def encode_triples(graph: Graph, other: Graph) -> tuple[np.ndarray, int]:
    """The triples of another graph by this graph's ids, (n, 3), and how many were left out for names it lacks."""
    entities = graph.entity_names.find_each(other.entity_names)
    relations = graph.relation_names.find_each(other.relation_names)
    triples = np.stack([entities[other.heads], relations[other.relations], entities[other.tails]], axis=1)
    known = (triples >= 0).all(axis=1)
    return triples[known], int((~known).sum())


def export_vectors(run: EmbeddingRun, folder: Path | str) -> list[Path]:
    """Write `entities.tsv` and `relations.tsv`: the name, then the numbers, separated by tabs."""
    paths = [Path(folder) / "entities.tsv", Path(folder) / "relations.tsv"]
    relations = list(run.graph.relation_names)
    if run.embeddings.config.inverse_relations:
        relations += [f"{name}_inv" for name in relations]
    export_tsv(paths[0], list(run.graph.entity_names), run.embeddings.entities)
    export_tsv(paths[1], relations, run.embeddings.relations)
    return paths


def triples_of(graph: Graph) -> np.ndarray:
    """All triples by id, (n, 3)."""
    return np.stack([graph.heads, graph.relations, graph.tails], axis=1).astype(np.int64)


def _finish(
    folder: Path, graph: Graph, embeddings: Embeddings, held_out: Mapping[str, np.ndarray], seconds: float
) -> EmbeddingRun:
    known, scores = triples_of(graph), {}
    for name, triples in held_out.items():  # valid first, as in training: test triples must not help to choose
        known = np.concatenate([known, triples])
        scores[name] = evaluate(embeddings, triples, known)
    result = {name: asdict(score) for name, score in scores.items()} | {"seconds": seconds}
    write_text(folder / RESULT_FILE, json.dumps(result, indent=1) + "\n")
    return EmbeddingRun(graph, embeddings, scores)


def _held_out(folder: Path, name: str, graph: Graph) -> np.ndarray | None:
    path = folder / f"{name}.npy"
    if not path.is_file():
        return None
    try:
        triples: np.ndarray = np.load(path, allow_pickle=False)
        check_triples(triples, graph.num_entities, graph.num_relations, at_least=1)
    except Exception as error:  # a damaged header is parsed as Python is, with as many kinds of errors
        raise damaged_run(path, error) from None
    return triples
