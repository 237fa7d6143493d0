"""Speed of embedding training: beside PyKEEN on NELL-One, and on a generated graph of Wiki-One's size.

    FAAN_DATA=... python benchmarks/embed.py nell      # ours beside PyKEEN: TransE-L1, ComplEx; 32, 96 negatives
    FAAN_DATA=... python benchmarks/embed.py scale     # 4.8 million entities: epoch time, resident memory

A negative is an entity that a triple is compared with: at 96 negatives each triple of a batch of 2,048 is compared with
96 entities, by us (shared within chunks of 256) as by PyKEEN (its own sampler, drawn anew for each triple).
"""

from __future__ import annotations

import argparse
import logging
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from faan.embed import EmbedConfig, Embeddings, make_model
from faan.embed.optimizer import RowTable
from faan.embed.sampling import BatchPlan, make_batch
from faan.embed.step import Updater

DIMENSION, BATCH = 100, 2048
ROUNDS = 3  # each program takes turns, and its best round counts
WIKI = (4_838_244, 822, 5_859_240)  # entities, relations, triples


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["nell", "scale"])
    parser.add_argument("--updates", type=int, default=60, help="updates of ours to time; PyKEEN gets a sixth")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    print(f"torch {torch.__version__}, {arguments.threads} threads, d = {DIMENSION}, batch {BATCH}")
    {"nell": beside_pykeen, "scale": at_scale}[arguments.what](arguments.updates)


def settings(model: str, negatives: int) -> EmbedConfig:
    """The same for both programs; PyKEEN has no chunks."""
    return EmbedConfig.model_validate(
        {"model": model, "dimension": DIMENSION, "batch_size": BATCH, "negatives": negatives, "margin": 9.0}
        if model == "transe"
        else {"model": model, "dimension": DIMENSION, "batch_size": BATCH, "negatives": negatives}
    )


def beside_pykeen(updates: int) -> None:
    """Triples per second of both, and what bounds ours."""
    triples, num_entities, num_relations = nell_background()
    flops, bandwidth = peaks()
    print(f"measured peaks: {flops / 1e9:.0f} Gflop/s (matrix product), {bandwidth / 1e9:.0f} GB/s (a += b)\n")
    print("model    negatives  ours triples/s  PyKEEN triples/s  ratio  ms/update  at peak: arithmetic  memory  kernel")
    for model in ("transe", "complex"):
        for negatives in (32, 96):
            config = settings(model, negatives)
            rounds = [
                (
                    our_speed(triples, num_entities, num_relations, config, updates),
                    pykeen_speed(triples, num_entities, num_relations, config, updates // 6),
                )
                for _ in range(ROUNDS)
            ]
            ours, theirs = (max(speeds) for speeds in zip(*rounds, strict=True))
            arithmetic, memory = work(config, triples, num_entities)
            print(
                f"{model:8} {negatives:9}  {ours:14,.0f}  {theirs:16,.0f}  {ours / theirs:5.1f}  "
                f"{1e3 * BATCH / ours:9.1f}  {1e3 * arithmetic / flops:16.1f} ms  "
                f"{1e3 * memory / bandwidth:3.1f} ms  {1e3 * kernel_seconds(config):3.1f} ms",
                flush=True,
            )
    print(
        "\nkernel: the comparisons of queries and negatives alone, forward and backward, on all cores; for TransE-L1 it"
        "\nis |a - b| and sign(a - b), which no matrix product does. Arithmetic and memory are what the machine would"
        "\nneed at its measured peaks: neither bounds an update. What is left is many small operations on few"
        "\nmegabytes: scores to losses and back, gradients summed per row, and the interpreter between them."
    )


def at_scale(updates: int) -> None:
    """An epoch on a graph of Wiki-One's size, from timed updates, beside the same on NELL-One."""
    config = settings("transe", 96)
    nell = our_speed(*nell_background(), config, updates)
    started = time.perf_counter()
    graph = power_law_graph(*WIKI)
    print(f"generated {WIKI[2]:,} triples over {WIKI[0]:,} entities in {time.perf_counter() - started:.0f} s")
    speed = our_speed(*graph, config, updates)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"TransE-L1, 96 negatives: {speed:,.0f} triples/s, {speed / nell:.2f} of the {nell:,.0f} on NELL-One;"
        f" an epoch in {WIKI[2] / speed:.0f} s\n(extrapolated from {updates} updates);"
        f" peak resident memory {peak:.1f} GiB"
    )


def our_speed(triples: np.ndarray, num_entities: int, num_relations: int, config: EmbedConfig, updates: int) -> float:
    """Triples per second of our trainer, sampling included."""
    first = Embeddings.first(num_entities, num_relations, config)
    entities, relations = RowTable(first.entities, config), RowTable(first.relations, config)
    plan = BatchPlan.of(len(triples), config)
    order = plan.order(len(triples), config.seed, 0)

    with Updater(entities, relations, config) as updater:

        def run(numbers: range) -> None:
            for number in numbers:
                updater.update(
                    make_batch(triples[order[number % len(order)]], plan, num_entities, config, number), number
                )

        run(range(5))
        return updates * BATCH / seconds(lambda: run(range(5, 5 + updates)))


def pykeen_speed(
    triples: np.ndarray, num_entities: int, num_relations: int, config: EmbedConfig, updates: int
) -> float:
    """Triples per second of PyKEEN's training loop: its model, its loss, its sampler, the same optimiser as ours."""
    from pykeen.models import ComplEx, TransE
    from pykeen.training import SLCWATrainingLoop
    from pykeen.triples import CoreTriplesFactory

    logging.getLogger("pykeen").setLevel(logging.ERROR)
    chosen = np.random.default_rng(0).permutation(len(triples))[: updates * BATCH]
    factory = CoreTriplesFactory(torch.from_numpy(triples[chosen]), num_entities, num_relations)
    options = {"triples_factory": factory, "embedding_dim": DIMENSION, "random_seed": 0}
    model = TransE(scoring_fct_norm=1, **options) if config.model == "transe" else ComplEx(**options)
    loop = SLCWATrainingLoop(
        model=model,
        triples_factory=factory,
        optimizer=torch.optim.Adagrad(model.parameters(), lr=config.learning_rate),
        negative_sampler="basic",
        negative_sampler_kwargs={"num_negs_per_pos": config.negatives},
    )

    def epoch() -> None:
        loop.train(factory, num_epochs=1, batch_size=BATCH, use_tqdm=False, num_workers=0)

    epoch()
    return updates * BATCH / seconds(epoch)


def work(config: EmbedConfig, triples: np.ndarray, num_entities: int) -> tuple[float, float]:
    """Operations of an update's comparisons, and bytes that its rows move: gathered, differentiated, written back."""
    width = make_model(config).entity_width(DIMENSION)
    assert config.negatives != "all"
    per_element = 9 if config.model == "transe" else 6  # |a - b| summed; sign(a - b) * g added twice; or three products
    arithmetic = per_element * BATCH * config.negatives * width
    plan = BatchPlan.of(len(triples), config)
    batch = make_batch(triples[: plan.chunks * plan.chunk_size], plan, num_entities, config, 0)
    occurrences = batch.given.size + batch.answers.size + batch.negatives.size
    distinct = len(np.unique(np.concatenate([batch.given.ravel(), batch.answers.ravel(), batch.negatives.ravel()])))
    # an occurrence is read and written as row and as gradient; a distinct row also as vector and as state, both ways
    return float(arithmetic), 4.0 * width * (4 * occurrences + 8 * distinct)


def kernel_seconds(config: EmbedConfig) -> float:
    """Time of the comparisons of an update alone: one chunk on one core, times chunks, shared by all cores."""
    model, threads = make_model(config), torch.get_num_threads()
    width, chunks = model.entity_width(DIMENSION), BATCH // config.chunk_size
    assert config.negatives != "all"
    queries = torch.randn(config.chunk_size, width, requires_grad=True)
    negatives = torch.randn(config.negatives, width, requires_grad=True)
    weight = torch.rand(config.chunk_size, config.negatives)

    def both_ways() -> None:
        torch.autograd.grad(model.similarity.matrix(queries, negatives), [queries, negatives], weight)

    torch.set_num_threads(1)
    both_ways()
    fastest = min(seconds(both_ways) for _ in range(20))
    torch.set_num_threads(threads)
    return fastest * chunks / threads


def peaks() -> tuple[float, float]:
    """What this machine can do: operations per second and bytes per second."""
    matrix, long = torch.randn(2048, 2048), torch.randn(30_000_000)
    other = torch.randn_like(long)
    product = min(seconds(lambda: matrix @ matrix) for _ in range(5))
    addition = min(seconds(lambda: long.add_(other)) for _ in range(5))
    return 2 * 2048**3 / product, 3 * 4 * len(long) / addition


def seconds(action: Callable[[], object]) -> float:
    """Wall time."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def nell_background() -> tuple[np.ndarray, int, int]:
    """NELL-One's background graph as ids."""
    path = Path(os.environ["FAAN_DATA"]) / "NELL-One" / "path_graph"
    names = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    table = np.array(names)  # (n, 3)
    entities, places = np.unique(table[:, [0, 2]], return_inverse=True)
    relations, relation = np.unique(table[:, 1], return_inverse=True)
    places = places.reshape(-1, 2)
    return np.stack([places[:, 0], relation, places[:, 1]], axis=1), len(entities), len(relations)


def power_law_graph(num_entities: int, num_relations: int, num_triples: int) -> tuple[np.ndarray, int, int]:
    """A graph in which the k-th most frequent entity or relation occurs in proportion to k^(-2/3)."""
    rng = np.random.default_rng(0)
    names = rng.permutation(num_entities)  # so that frequent entities do not stand side by side in memory

    def drawn(count: int) -> np.ndarray:
        return (count * rng.random(num_triples) ** 3).astype(np.int64)

    triples = np.stack([names[drawn(num_entities)], drawn(num_relations), names[drawn(num_entities)]], axis=1)
    return triples, num_entities, num_relations


if __name__ == "__main__":
    main()
