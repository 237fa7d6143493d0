"""The evidence ranker: time on NELL-One and beside a hub.

    FAAN_DATA=... python benchmarks/evidence.py

On NELL-One with untrained vectors: they cost what trained ones cost. The first use compiles the inner loops, which
takes seconds once; it is not counted.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from faan.embed import EmbedConfig, Embeddings
from faan.graph import Graph
from faan.models import EvidenceConfig, EvidenceRanker, fit_ranker
from faan.rank import rank_tasks
from faan.tasks import PairSet, Task, inverse_tasks, read_benchmark, with_task_edges
from graph import compare, peak_mib, show, timed
from rules import CANDIDATES, HUB, graph_of, hub_graph


def main() -> None:
    """Measure and print."""
    warm_up()
    if "FAAN_DATA" in os.environ:
        on_nell()
    else:
        print("FAAN_DATA names no folder with NELL-One: the ranker is not measured on it")
    beside_a_hub()


def vectors_of(graph: Graph) -> list[Embeddings]:
    """Vectors before any training."""
    sizes = graph.num_entities, graph.num_relations
    return [Embeddings.first(*sizes, EmbedConfig.recommended(model)) for model in ("transe", "complex")]


def untrained(graph: Graph) -> EvidenceRanker:
    """A ranker that computes all evidence and adds some of it up."""
    return fit_ranker(graph, [], vectors_of(graph))


def task_of(pairs: np.ndarray, candidates: np.ndarray, num_entities: int) -> Task:
    """A task with some pairs."""
    return Task("task", pairs, candidates, PairSet(pairs[:, 0], pairs[:, 1], num_entities))


def warm_up() -> None:
    """Compile the inner loops."""
    graph, pairs = graph_of(np.array([[0, 0, 1], [1, 0, 2]]), 3, 1), np.array([[0, 1], [1, 2]])
    task = task_of(pairs, np.arange(3), 3)
    untrained(graph).prepare(task, pairs[:1]).score(np.array([1]), np.arange(3))


def on_nell() -> None:
    """Meta-training, all test queries, one head."""
    benchmark = read_benchmark(Path(os.environ["FAAN_DATA"]) / "NELL-One")
    graph, training = with_task_edges(benchmark.graph, benchmark.splits["train"])
    training = [*training, *inverse_tasks(graph, training)]
    vectors, rankers = vectors_of(graph), list[EvidenceRanker]()
    print(f"NELL-One, {len(training)} training tasks, half of them inverse")
    spent = timed(lambda: rankers.append(fit_ranker(graph, training, vectors, EvidenceConfig())))
    compare("  evidence and trees of meta-training", spent, "s", 300)
    tasks = benchmark.splits["test"]
    queries = sum(len(task.queries(5)) for task in tasks)
    spent = timed(lambda: list(rank_tasks(rankers[0], tasks, shots=5)))
    compare(f"  evidence and ranks of {queries:,} test queries", spent, "s", 60)
    widest = max(tasks, key=lambda task: len(task.candidates))
    scorer = rankers[0].prepare(widest, widest.references(5))
    heads = np.unique(widest.queries(5)[:, 0])[:, None]
    scorer.score(heads[0], widest.candidates)  # what is the same for all heads
    slowest = max(timed(lambda head=head: scorer.score(head, widest.candidates)) for head in heads)
    compare(f"  slowest head with {len(widest.candidates):,} candidates", slowest, "s", 0.2)


def beside_a_hub() -> None:
    """Heads at and beside an entity with 100,000 neighbours in a dense graph of 200 relations."""
    graph, hub, references = hub_graph()
    task = task_of(references, np.arange(CANDIDATES), graph.num_entities)
    scorer = untrained(graph).prepare(task, references)
    spent = timed(lambda: scorer.score(np.array([5]), task.candidates))
    show("  5 references, 3 of them at the hub, and a first head", f"{spent:.2f} s")
    for label, head in (("the hub", hub), ("a neighbour", 1000), ("an entity far from it", HUB)):
        spent = timed(lambda head=head: scorer.score(np.array([head]), task.candidates))
        compare(f"  {label} with {CANDIDATES:,} candidates", spent, "s", 0.2)
    show("  peak memory", f"{peak_mib():,.0f} MiB")


if __name__ == "__main__":
    main()
