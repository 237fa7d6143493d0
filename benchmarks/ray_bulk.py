"""What Ray costs and gives: `python benchmarks/ray_bulk.py MODEL [--heads N]`.

The same suggestions in bulk are computed without an engine, on Ray with one worker and with two, on this machine. Each
is timed by the clock with a small job (one block), which is nearly all overhead, and with a larger one of the relation
that has about so many heads to ask about. Both are repeated in turn, so that a busy machine is busy for all of them.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median

from faan.base import Cluster
from faan.complete import BulkQuestion, BulkSettings, Completer, all_relations, bulk, suggest_in_bulk
from faan.complete.bulk import BulkJob

ENGINES = {"this process": None, "one worker": Cluster(workers=1), "two workers": Cluster(workers=2)}
BLOCK = 25  # heads


def timed(completer: Completer, model: Path, question: BulkQuestion, engine: Cluster | None) -> tuple[float, BulkJob]:
    """Run a job in a new folder; its seconds, and the job."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        job = suggest_in_bulk(completer, model, Path(folder) / "job", [question], BulkSettings(top=1), engine=engine)
        return time.perf_counter() - start, job


def main() -> None:
    """Print seconds of each engine, and how much faster two workers are than one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--heads", type=int, default=500)
    parser.add_argument("--times", type=int, default=3)
    given = parser.parse_args()
    completer = Completer.load(given.model)
    counts = {one: len(completer.heads_lacking(one.examples, by_likeness=False)) for one in all_relations(completer)}
    for title, wanted in (("small", 1), ("large", given.heads)):
        question = min((one for one in counts if counts[one]), key=lambda one: abs(counts[one] - wanted))
        bulk._HEADS = BLOCK
        seconds: dict[str, list[float]] = {name: [] for name in ENGINES}
        for _ in range(given.times):
            for name, engine in ENGINES.items():
                spent, job = timed(completer, given.model, question, engine)
                seconds[name].append(spent)
        middle = {name: median(times) for name, times in seconds.items()}
        print(f"{title}: {job.heads} heads, {len(job.blocks)} blocks of {question.relation}")
        for name, times in seconds.items():
            print(f"  {name:<13} {middle[name]:6.1f} s  ({', '.join(f'{one:.1f}' for one in times)})")
        print(f"  two workers are {middle['one worker'] / middle['two workers']:.2f} times as fast as one")


if __name__ == "__main__":
    main()
