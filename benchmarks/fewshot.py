"""Speed of FAAN: beside the obvious implementation on NELL-One, and on a generated graph of Wiki-One's size.

    FAAN_DATA=... python benchmarks/fewshot.py steps    # a training step, beside the obvious one; a minute or two
    FAAN_DATA=... python benchmarks/fewshot.py queries  # all test queries, and ranks as the obvious one's
    python benchmarks/fewshot.py scale                  # 4.8 million entities: step, scoring and memory do not grow

The obvious implementation is the definition in `tests/models/slow_faan.py`: neighbours padded to 50, all places of all
blocks, torch's own dropout. Speed does not depend on how well a model is trained, so nothing is trained here.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from generate import ENTITIES, RELATIONS, generate
from rules import graph_of

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.models import slow_faan

from faan.base import config_names
from faan.embed import EmbedConfig, Embeddings
from faan.graph import Graph
from faan.models import Background
from faan.models.faan import Faan, FaanConfig
from faan.models.interface import to_tensor
from faan.rank import mean_ranks, rank_task, rank_tasks
from faan.tasks import Benchmark, Episode, EpisodeSampler, PairSet, Task, read_benchmark
from faan.train import RunConfig, TrainConfig
from faan.train.optimizer import Optimizer

TURNS, SUCCESSIVE = 10, 3  # how often a program makes how many steps
SAMPLE = 20  # queries whose ranks are compared


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["steps", "queries", "scale"])
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    print(f"torch {torch.__version__}, {arguments.threads} threads")
    {"steps": steps, "queries": queries, "scale": at_scale}[arguments.what]()


def nell() -> Benchmark:
    """The benchmark of the paper."""
    return read_benchmark(Path(os.environ["FAAN_DATA"]) / "NELL-One")


def first_background(graph: Graph, config: EmbedConfig) -> Background:
    """What a model knows of a graph, with vectors before any training."""
    return Background.of(graph, Embeddings.first(graph.num_entities, graph.num_relations, config))


def steps() -> None:
    """The time of a training step: 5 references, 128 queries, 1 negative each, as in the paper.

    The programs take turns and see the same episodes, so whatever else the machine does slows all of them down alike.
    """
    benchmark = nell()
    background = first_background(benchmark.graph, EmbedConfig())
    sampler = EpisodeSampler(benchmark.splits["train"])
    paper, narrow = (FaanConfig(repeat_input=repeat).build(background) for repeat in (True, False))
    published, mixed = (
        FaanConfig(repeat_input=True, attention="published", precision=precision).build(background)
        for precision in ("float32", "bfloat16")
    )
    improved = RunConfig.from_toml("faan-plus")
    plus = improved.model.build(first_background(benchmark.graph, improved.embed))
    assert isinstance(plus, Faan)
    slow_faan.padded(background.neighbours)  # once for all steps
    programs = {
        "obvious, the paper's width": Program(paper, obvious_loss),
        "obvious, width of the vectors": Program(narrow, obvious_loss),
        "ours, the paper's width": Program(paper, our_loss),
        "ours, the paper's width and attention": Program(published, our_loss),
        "ours, the paper's width and attention, bfloat16": Program(mixed, our_loss),
        "ours, width of the vectors": Program(narrow, our_loss),
        "ours, faan-plus.toml: width 200, one block": Program(plus, our_loss),
    }
    for turn in range(TURNS + 1):
        for program in programs.values():
            program.take(sampler, turn)
    print("\na training step, 5 references, 128 queries, 1 negative each    ms/step  of the first")
    first = next(iter(programs.values())).seconds
    for name, program in programs.items():
        ratio = np.median(np.array(first[SUCCESSIVE:]) / program.seconds[SUCCESSIVE:])  # the first turn compiles
        print(f"{name:62} {1e3 * np.median(program.seconds[SUCCESSIVE:]):7.1f}  {ratio:6.1f} x faster")


class Program:
    """A model, a way to compute its loss, and the times of the training steps it has made."""

    def __init__(self, model: Faan, loss: Callable[[Faan, Episode], torch.Tensor]) -> None:
        self.model, self.loss, self.optimizer = model, loss, Optimizer(model, TrainConfig())
        self.seconds: list[float] = []

    def take(self, sampler: EpisodeSampler, turn: int) -> None:
        """Make some successive steps, with the training loop's own optimiser."""
        for step in range(turn * SUCCESSIVE, (turn + 1) * SUCCESSIVE):
            start = time.perf_counter()
            self.optimizer.update(self.loss(self.model, sampler.draw(step)), step)
            self.seconds.append(time.perf_counter() - start)


def our_loss(model: Faan, episode: Episode) -> torch.Tensor:
    """The loss as it is computed in training."""
    return model.loss([episode])


def obvious_loss(model: Faan, episode: Episode) -> torch.Tensor:
    """The loss by the definition; matching, which takes no time, is done for all pairs at once."""
    references, queries, negatives = map(to_tensor, (episode.references, episode.queries, episode.negatives))
    heads = torch.cat([references[:, 0], queries[:, 0], queries[:, 0]])
    tails = torch.cat([references[:, 1], queries[:, 1], negatives[:, 0]])
    pairs = slow_faan.encode(model, heads, tails, training=True)
    known, right, wrong = pairs.split([len(references), len(queries), len(queries)])
    return torch.relu(5 - (model.matching(right, known) - model.matching(wrong, known))).mean()


def queries() -> None:
    """All test queries by the published configurations, and some ranks by the definition."""
    benchmark = nell()
    print(
        "\nall test queries                      seconds  pairs scored  microseconds a pair  ranks as the definition's"
    )
    for name in [name for name in config_names() if name.startswith("faan")]:
        config = RunConfig.from_toml(name)
        torch.manual_seed(0)
        model = config.model.build(first_background(benchmark.graph, config.embed))
        assert isinstance(model, Faan)
        start = time.perf_counter()
        for _ in rank_tasks(model, benchmark.splits["test"], shots=5):
            pass
        seconds = time.perf_counter() - start
        pairs = sum(len(np.unique(t.queries(5)[:, 0])) * len(t.candidates) for t in benchmark.splits["test"])
        same = same_ranks(model, min(benchmark.splits["test"], key=lambda task: abs(len(task.candidates) - 1000)))
        print(f"{name:37} {seconds:7.1f}  {pairs:12,}  {1e6 * seconds / pairs:19.1f}  {same} of {SAMPLE}", flush=True)


def same_ranks(model: Faan, task: Task) -> int:
    """How many ranks of a sample of queries are those of the definition, candidate by candidate."""
    references, queries = task.references(5), task.queries(5)[:SAMPLE]
    fast = rank_task(model.prepare(task, references), task, queries)
    same = 0
    model.eval()
    with torch.no_grad():
        known = slow_faan.encode(model, *to_tensor(references).T)
        for (head, tail), rank in zip(queries.tolist(), fast, strict=True):
            others = task.candidates[~task.truths.contains(np.array([head]), task.candidates)]
            tails = to_tensor(np.append(others, tail))
            pairs = slow_faan.encode(model, torch.full_like(tails, head), tails)
            scores = torch.stack([slow_faan.match(model, pair, known) for pair in pairs]).numpy()
            same += int(abs(mean_ranks(scores[-1:], scores[:-1])[0] - rank) <= 0.5)
    return same


def at_scale() -> None:
    """Steps and scoring beside a graph that is several hundred times smaller."""
    triples = generate().unique(maintain_order=True).to_numpy()
    graph = graph_of(triples, ENTITIES, RELATIONS)
    first = triples[:10_000].copy()
    names, numbers = np.unique(first[:, [0, 2]], return_inverse=True)
    first[:, [0, 2]] = numbers.reshape(-1, 2)
    small = graph_of(first, len(names), RELATIONS)
    print("\nmicroseconds a pair, for so many heads x candidates")
    print("graph        entities  ms/step   8 x 1,000   8 x 8,000  64 x 8,000  memory so far")
    for name, one in (("small", small), ("Wiki's size", graph)):
        model = FaanConfig(heads=2).build(first_background(one, EmbedConfig(dimension=50)))
        task = random_task(one)
        program = Program(model, our_loss)
        for turn in range(TURNS):
            program.take(EpisodeSampler([task]), turn)
        step = np.median(program.seconds)
        scorer = model.prepare(task, task.references(5))
        costs = []
        for heads, candidates in ((8, 1000), (8, 8000), (64, 8000)):
            start = time.perf_counter()
            scorer.score(np.unique(task.pairs[:, 0])[:heads], np.arange(candidates) % one.num_entities)
            costs.append(1e6 * (time.perf_counter() - start) / (heads * candidates))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"{name:11} {one.num_entities:9,}  {1e3 * step:7.1f}  {costs[0]:10.1f}  {costs[1]:10.1f}  {costs[2]:10.1f}"
            f"  {peak:9.1f} GiB",
            flush=True,
        )


def random_task(graph: Graph) -> Task:
    """Pairs of entities that have edges."""
    random = np.random.default_rng(0)
    pairs = random.integers(0, graph.num_entities, (300, 2)).astype(np.int32)
    candidates = np.unique(random.integers(0, graph.num_entities, 3000)).astype(np.int32)
    return Task("random", pairs, candidates, PairSet(pairs[:, 0], pairs[:, 1], graph.num_entities))


if __name__ == "__main__":
    main()
