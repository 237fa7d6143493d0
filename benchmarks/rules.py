"""Path rules: time and memory on NELL-One, beside a hub, and on a generated graph of Wiki-One's size, on one core.

    FAAN_DATA=... python benchmarks/rules.py

The first use compiles the inner loops, which takes seconds once; it is not counted.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import polars as pl

from faan.base.ragged import Ints
from faan.evidence import find_paths
from faan.graph import Graph, Names
from faan.models import PathRules
from faan.rank import rank_tasks
from faan.tasks import read_benchmark
from generate import ENTITIES, RELATIONS, generate
from graph import compare, peak_mib, show, timed

HUB = 100_000  # neighbours
CANDIDATES = 10_000


def main() -> None:
    """Measure and print."""
    small = graph_of(np.array([[0, 0, 1]]), 2, 1)
    find_paths(small, np.array([[0, 1]]), np.array([1])).evidence(np.array([0]), np.array([1]))  # compiles
    if "FAAN_DATA" in os.environ:
        on_nell()
    else:
        print("FAAN_DATA names no folder with NELL-One: rules are not measured on it")
    beside_a_hub()
    on_wiki()


def graph_of(triples: Ints, num_entities: int, num_relations: int) -> Graph:
    """A graph whose names are numbers."""
    entities, relations = (
        Names.from_strings(pl.arange(0, n, eager=True).cast(pl.String)) for n in (num_entities, num_relations)
    )
    return Graph(entities, relations, *triples.T.astype(np.int32))


def on_nell() -> None:
    """All test queries, from finding the paths to the last rank."""
    benchmark = read_benchmark(Path(os.environ["FAAN_DATA"]) / "NELL-One")
    tasks, method = benchmark.splits["test"], PathRules(benchmark.graph)
    queries = sum(len(task.queries(5)) for task in tasks)
    print(f"NELL-One: {len(tasks)} test relations, {queries:,} queries")
    compare("  find the paths, rank all queries", timed(lambda: list(rank_tasks(method, tasks, shots=5))), "s", 30)
    widest = max(tasks, key=lambda task: len(task.candidates))
    scorer = method.prepare(widest, widest.references(5))
    heads = np.unique(widest.queries(5)[:, 0])
    slowest = max(timed(lambda h=h: scorer.score(h, widest.candidates)) for h in heads[:, None])
    compare(f"  slowest head with {len(widest.candidates):,} candidates", slowest * 1e3, "ms", 100)


def hub_graph() -> tuple[Graph, int, Ints]:
    """A dense graph of 200 relations, its entity with 100,000 neighbours, and five references, three of them there."""
    random, size = np.random.default_rng(0), 20 * HUB
    spokes = np.stack([np.zeros(HUB, np.int64), random.integers(0, 200, HUB), np.arange(1, HUB + 1)], axis=1)
    ends = (HUB * random.random((size, 2)) ** 3).astype(np.int64)
    others = np.stack([ends[:, 0], random.integers(0, 200, size), ends[:, 1]], axis=1)
    graph = graph_of(np.unique(np.concatenate([spokes, others]), axis=0), HUB + 1, 200)
    hub = int(graph.neighbours.degrees.argmax())
    print(f"A graph of {graph.num_triples:,} triples, its hub with {graph.neighbours.degrees[hub]:,} edges")
    references = np.array([[hub, 400], [100, hub], [200, 500], [hub, 600], [300, 700]])
    return graph, hub, references


def beside_a_hub() -> None:
    """References and queries at an entity with 100,000 neighbours in a dense graph of 200 relations."""
    graph, hub, references = hub_graph()
    candidates = np.arange(CANDIDATES)
    start = time.perf_counter()
    found = find_paths(graph, references, candidates)
    show("  paths of 5 references, 3 of them at the hub", f"{len(found):,} in {time.perf_counter() - start:.2f} s")
    for label, head in (("the hub", hub), ("a neighbour", 1000), ("an entity far from it", HUB)):
        spent = timed(lambda head=head: found.evidence(np.array([head]), candidates))
        show(f"  {label} with {CANDIDATES:,} candidates", f"{spent * 1e3:,.1f} ms")
    show("  peak memory", f"{peak_mib():,.0f} MiB")


def on_wiki() -> None:
    """Five made-up relations of the generated graph, whose tails are three random hops from their heads."""
    graph = graph_of(generate().unique(maintain_order=True).to_numpy(), ENTITIES, RELATIONS)
    random = np.random.default_rng(0)
    candidates = random.permutation(ENTITIES)[:CANDIDATES]
    print(f"A generated graph of {ENTITIES / 1e6:.1f} M entities; largest degree {graph.neighbours.degrees.max():,}")
    show("  peak memory before", f"{peak_mib():,.0f} MiB")
    for _ in range(5):
        heads = random.integers(0, ENTITIES, 105)
        tails = heads
        for _ in range(3):
            tails = np.array([random.choice(graph.neighbours.of(tail)[1]) for tail in tails])
        choices = np.union1d(candidates, tails)
        start = time.perf_counter()
        paths = find_paths(graph, np.stack([heads[:5], tails[:5]], axis=1), choices)
        found = time.perf_counter()
        for head in heads[5:, None]:
            paths.evidence(head, choices)
        spent = (time.perf_counter() - found) / 100
        show(
            f"  {len(paths):,} paths, {len(choices):,} candidates",
            f"found in {found - start:.2f} s, {spent * 1e3:,.1f} ms a head",
        )
    show("  peak memory after", f"{peak_mib():,.0f} MiB")


if __name__ == "__main__":
    main()
