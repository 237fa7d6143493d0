"""Where FAAN has its likeness from, and where it loses it: MRR of what each of its parts makes of a pair.

    python tools/probe_faan.py RUN [--benchmark FOLDER] [--heads 10]

RUN is a finished run of `faan train` with a FAAN. Each row ranks the tails of dev tasks and of ten training tasks by
one representation of pairs: the bare vectors, what the neighbour encoder makes of them, the middle place after each
block; each before training and after it, with each kind of matching. Training tasks are held out only where the run was
trained without them and its vectors do not know them; else their column says what training has seen.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from faan.base import Ints
from faan.embed import Embeddings
from faan.models import Background
from faan.models.faan import Faan, FaanConfig, make_matching
from faan.models.interface import evaluating, to_tensor
from faan.models.neighbours import BackgroundVectors
from faan.rank import rank_tasks, split_metrics
from faan.tasks import Task, read_benchmark
from faan.train import load_run
from faan.train.fewshot import EMBED_FOLDER
from faan.train.loop import sample_heads, seed_torch

SHOTS, HELD_OUT = 5, 10
Encode = Callable[[Ints, Ints], Tensor]  # heads (n,) and tails (n,) to pairs (n, D)
Compare = Callable[[Tensor, Tensor], Tensor]  # pairs (n, D) and references (K, D) to scores (n,)


@dataclass(frozen=True)
class Probe:
    """A representation of pairs and a way to compare them, as a method."""

    encode: Encode
    compare: Compare

    def prepare(self, task: Task, references: Ints) -> Probe._Scorer:
        """Represent the references."""
        return Probe._Scorer(self, self.encode(references[:, 0], references[:, 1]))

    @dataclass(frozen=True)
    class _Scorer:
        probe: Probe
        references: Tensor

        def score(self, heads: Ints, candidates: Ints) -> np.ndarray:
            rows = [
                self.probe.compare(self.probe.encode(np.full_like(candidates, head), candidates), self.references)
                for head in heads
            ]
            return torch.stack(rows).numpy()


def cosine(pairs: Tensor, references: Tensor) -> Tensor:
    """The mean cosine."""
    return functional.normalize(pairs, dim=1) @ functional.normalize(references, dim=1).mean(0)


def closeness(pairs: Tensor, references: Tensor) -> Tensor:
    """Minus the squared distance, those references counting most that are near."""
    near = -torch.cdist(pairs, references).square()
    return (near.softmax(1) * near).sum(1)


def probes_of(model: Faan) -> Iterator[tuple[str, str, Probe]]:
    """What to look at: its name, how pairs are compared, the probe."""
    unit = functional.normalize(model.entities, dim=1)

    def bare(share: float) -> Encode:
        return lambda heads, tails: unit[to_tensor(tails)] - share * unit[to_tensor(heads)]

    def neighbours(share: float) -> Encode:
        def encode(heads: Ints, tails: Ints) -> Tensor:
            vectors, rows = BackgroundVectors(model.entities, model.relations), np.arange(len(heads))
            x = model.entities[to_tensor(np.concatenate([heads, tails]))]
            found = model.neighbours(model._edges(heads, tails, rows), x, model.between(*x.chunk(2)), vectors)
            f_head, f_tail = functional.normalize(found, dim=1).chunk(2)
            return f_tail - share * f_head

        return encode

    for name, stage in (("vectors", bare), ("after the neighbour encoder", neighbours)):
        yield f"{name}: tail", "mean cosine", Probe(stage(0.0), cosine)
        yield f"{name}: tail - head", "mean cosine", Probe(stage(1.0), cosine)
        yield f"{name}: tail - .8 head", "distance", Probe(stage(0.8), closeness)
    blocks = list(model.transformer.blocks) if model.config.pair == "transformer" else []
    for count in range(1, len(blocks) + 1):
        for kind in ("adaptive", "mean", "nearest") if count == len(blocks) else ("adaptive",):
            yield f"after block {count}", kind, Probe(_after(model, blocks[:count]), make_matching(kind, 0))


def _after(model: Faan, blocks: Sequence[torch.nn.Module]) -> Encode:
    def encode(heads: Ints, tails: Ints) -> Tensor:
        with _only(model, blocks):
            return model.encode(heads, tails, np.arange(len(heads)))

    return encode


@contextmanager
def _only(model: Faan, blocks: Sequence[torch.nn.Module]) -> Iterator[None]:
    """The model with some of its blocks."""
    all_blocks = model.transformer.blocks
    model.transformer.blocks = torch.nn.ModuleList(blocks)
    try:
        yield
    finally:
        model.transformer.blocks = all_blocks


def main() -> None:
    """Parse the command line and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--benchmark", type=Path)
    parser.add_argument("--heads", type=int, default=10, help="asked for in each task")
    arguments = parser.parse_args()
    run = load_run(arguments.run, read_benchmark(arguments.benchmark) if arguments.benchmark else None)
    config, graph = run.config, run.benchmark.graph
    assert isinstance(config.model, FaanConfig) and isinstance(run.model, Faan), "expected a run of FAAN"
    vectors = Embeddings.load(arguments.run / EMBED_FOLDER)
    seed_torch(config.seed, 0)
    first = config.model.build(Background.of(graph, vectors, config.max_neighbours, config.seed))
    train = sorted(run.benchmark.splits["train"], key=lambda task: task.relation)
    tasks = run.benchmark.splits["dev"], train[:: max(1, len(train) // HELD_OUT)][:HELD_OUT]
    sampled = [[sample_heads(task, SHOTS, arguments.heads) for task in some] for some in tasks]
    print("| pairs | compared by | before: dev, training tasks | after: dev, training tasks |\n|---|---|---|---|")
    for (name, kind, before), (_, _, after) in zip(probes_of(first), probes_of(run.model), strict=True):
        cells = []
        for model, probe in ((first, before), (run.model, after)):
            with evaluating(model):
                found = [split_metrics(list(rank_tasks(probe, some, SHOTS)))["mrr"] for some in sampled]
            cells.append(" ".join(f"{mrr:.3f}" for mrr in found))
        print(f"| {name} | {kind} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
