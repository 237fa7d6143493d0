"""No example at all: how well relations are ranked that are known by their name, with and without real examples.

    FAAN_DATA=... python benchmarks/standins.py RUN [SPLIT]

RUN is a run folder of `faan train`, such as `faan train evidence-quick --benchmark NELL-One -o RUN`, or the name of a
method without training: Rules. Each relation of the split (dev) is asked for by its own name; relations of the graph
with similar names lend pairs (`faan/complete/standins.py`). All rows rank the same queries, those behind the first 5.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from faan.base.ragged import Ints
from faan.complete.standins import stand_ins
from faan.graph import Graph
from faan.models import EvidenceRanker, PathRules
from faan.rank import TaskRanks, rank_task, split_metrics
from faan.tasks import Method, Task, read_benchmark, with_task_edges
from faan.train import load_run

BEHIND = 5  # queries are the pairs behind these


def main(run: str, split: str = "dev") -> None:
    """Measure and print."""
    method: Method
    if run == "Rules":
        benchmark = read_benchmark("NELL-One")
        graph, _ = with_task_edges(benchmark.graph, benchmark.splits["train"])
        method = PathRules(graph)
    else:
        trained = load_run(Path(run))
        assert isinstance(trained.model, EvidenceRanker)
        method, benchmark, graph = trained.model, trained.benchmark, trained.model.sources.graph
    print(f"{run}, {split}: MRR over queries, over relations, Hits@10")
    for shots in (0, 1, 2, 3, 5):
        for lending in (True, False) if shots else (True,):
            found = [ranked(method, graph, task, shots, lending) for task in benchmark.splits[split]]
            figures = split_metrics(found)
            row = f"{figures['mrr']:.3f}  {figures['macro_mrr']:.3f}  {figures['hits@10']:.3f}"
            print(f"  K = {shots}, {'with stand-ins' if lending else 'without'}: {row}", flush=True)


def ranked(method: Method, graph: Graph, task: Task, shots: int, lending: bool) -> TaskRanks:
    """The ranks of a task's queries from its first K pairs, and from pairs that relations with similar names lend."""
    own: Ints = task.pairs[:shots]
    references = np.concatenate([own, stand_ins(graph, task.relation)[0]]) if lending else own
    return TaskRanks(task, rank_task(method.prepare(task, references), task, task.pairs[BEHIND:]))


if __name__ == "__main__":
    main(*sys.argv[1:])
