"""How fast suggestions are: python benchmarks/suggest.py MODEL, a model of World without its capitals (`make demo`).

Goals on two cores: one head against 10,000 candidates in 0.3 s, all heads of a relation in 5 minutes.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from faan.complete import Completer
from faan.complete.given import parse_pairs
from faan.complete.question import ask

EXAMPLES = Path(__file__).parent.parent / "examples" / "capitals.tsv"


def main(folder: str) -> None:
    """Time loading, the first suggestion, and all heads."""
    start = time.perf_counter()
    completer = Completer.load(folder)
    examples = parse_pairs(completer.graph, EXAMPLES.read_text(encoding="utf-8").splitlines(), str(EXAMPLES))
    print(f"made in {sum(completer.about.seconds.values()):,.0f} s; loaded in {time.perf_counter() - start:.2f} s")
    for what in ("first suggestion, compiling", "first suggestion, again"):
        start = time.perf_counter()
        completer.suggest(examples, heads=["Peru"])[0]
        print(f"{what}: {time.perf_counter() - start:.2f} s")
    heads = completer.heads_lacking(examples)
    start, used = time.perf_counter(), time.process_time()
    found = list(completer.suggest(examples, heads=heads, top=1))
    wall, used = time.perf_counter() - start, time.process_time() - used
    cities = len(ask(completer.graph, examples).candidates)
    share = 10_000 / cities / len(heads)
    print(f"{len(found)} heads, {cities:,} candidates each: {wall:.0f} s ({used:.0f} s of one core)")
    print(f"one head against 10,000 candidates: {wall * share:.3f} s ({used * share:.3f} s of one core)")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
