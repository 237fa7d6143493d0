"""Reading and holding a graph of Wiki-One's size, side by side with PyKEEN: `python benchmarks/graph.py`.

Each measurement runs in a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from generate import write_ntriples, write_tsv

NT_TRIPLES = 2_000_000
GUARDED_TRIPLES, GUARDED_TURNS = 100_000, 9


def timed(action: Callable[[], object]) -> float:
    """Seconds that an action takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def generate(folder: Path) -> dict[str, float]:
    """Write the graph as TSV, a part of it as N-Triples."""
    write_tsv(folder / "graph.tsv")
    write_ntriples(folder / "graph.nt", NT_TRIPLES)
    return {}


def read_by_pykeen(folder: Path) -> dict[str, float]:
    """What a user would pick instead."""
    from pykeen.triples import TriplesFactory

    return {"seconds": timed(lambda: TriplesFactory.from_path(folder / "graph.tsv"))}


def read_by_faan(folder: Path) -> dict[str, float]:
    """Read the table and save it."""
    from faan.graph import read_graph, save_graph

    start = time.perf_counter()
    graph = read_graph(folder / "graph.tsv", type_relations=())
    seconds = time.perf_counter() - start
    peak = peak_mib()
    return {"seconds": seconds, "read_mib": peak, "save_seconds": timed(lambda: save_graph(graph, folder / "saved"))}


def open_saved(folder: Path) -> dict[str, float]:
    """Open the saved graph, look a name up, gather neighbours."""
    from faan.graph import open_graph

    start = time.perf_counter()
    graph = open_graph(folder / "saved")
    found = graph.entity("Q4711")
    seconds = time.perf_counter() - start
    peak = peak_mib()
    asked = np.random.default_rng(0).integers(0, graph.num_entities, 10_000)
    cold = timed(lambda: graph.neighbours.gather(asked))
    warm = min(timed(lambda: graph.neighbours.gather(asked)) for _ in range(5))
    lookups = timed(lambda: [graph.entity_names.find(f"Q{i}") for i in range(10_000)])
    assert graph.entity_names[found] == "Q4711"
    return {
        "seconds": seconds,
        "open_mib": peak,
        "gather_cold_ms": cold * 1e3,
        "gather_ms": warm * 1e3,
        "lookup_us": lookups * 100,
        "nearest_seconds": timed(lambda: graph.entity_names.nearest("Q471x1")),
    }


def read_ntriples(folder: Path) -> dict[str, float]:
    """Read N-Triples with labels."""
    from faan.graph import read_graph

    statements = NT_TRIPLES + NT_TRIPLES // 4
    first, again = (statements / timed(lambda: read_graph(folder / "graph.nt")) for _ in range(2))
    return {"first": first, "again": again}


def read_guarded(folder: Path) -> dict[str, float]:
    """What looking at RDF before its parser does costs: the same file with guards and without, by turns."""
    import pyoxigraph as ox

    from faan.graph import rdf, read_graph

    with_guards, figures = rdf.guarded, {}
    lines = (folder / "graph.nt").read_bytes()[: 200 * GUARDED_TRIPLES].split(b"\n")[:GUARDED_TRIPLES]
    for format, kind in rdf.FORMATS.items():
        path = folder / f"guarded.{kind.file_extension}"
        ox.serialize((quad.triple for quad in ox.parse(b"\n".join(lines), ox.RdfFormat.N_TRIPLES)), path, kind)
        times: dict[bool, list[float]] = {True: [], False: []}
        for turn in range(2 * GUARDED_TURNS):
            rdf.guarded = with_guards if turn % 2 else lambda stream, *_: stream
            start = time.process_time()  # other programs do not count
            read_graph(path, progress=False)
            times[bool(turn % 2)].append(time.process_time() - start)
        figures[format] = min(times[True]) / min(times[False])
    return figures


def check_and_build(folder: Path) -> dict[str, float]:
    """What `faan check` and `faan benchmark build` do."""
    from faan.graph import open_graph
    from faan.graph.summary import summarise
    from faan.tasks import build_benchmark, write_benchmark

    graph = open_graph(folder / "saved")
    check = timed(lambda: summarise(graph))
    start = time.perf_counter()
    benchmark, report = build_benchmark(graph)
    write_benchmark(benchmark, folder / "benchmark")
    return {
        "check_seconds": check,
        "build_seconds": time.perf_counter() - start,
        "tasks": len(benchmark.tasks),
        "recall": float(np.mean(list(report.recall.values()))),
    }


MEASUREMENTS = {
    f.__name__: f
    for f in (generate, read_by_pykeen, read_by_faan, open_saved, read_ntriples, read_guarded, check_and_build)
}


def peak_mib() -> float:
    """The largest amount of memory that this process has had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(name: str, folder: Path) -> dict[str, float]:
    """Run one measurement in a process of its own."""
    print(f"{name} ...", file=sys.stderr, flush=True)
    command = [sys.executable, __file__, name, str(folder)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def show(label: str, figure: str) -> None:
    """Print a line of the report."""
    print(f"{label:<52} {figure}")


def compare(label: str, value: float, unit: str, bar: float, *, at_least: bool = False) -> None:
    """Print a figure beside its bar."""
    met = value >= bar if at_least else value <= bar
    show(
        label, f"{value:,.2f} {unit} (bar: {'>=' if at_least else '<='} {bar:,g} {unit}, {'met' if met else 'MISSED'})"
    )


def main() -> None:
    """Generate, measure, print."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        results = {name: measure(name, folder) for name in MEASUREMENTS}
    pykeen, ours, opened = results["read_by_pykeen"], results["read_by_faan"], results["open_saved"]
    print("A generated graph of 4.8 M entities, 822 relations, 5.9 M triples")
    show("TSV by PyKEEN's TriplesFactory.from_path", f"{pykeen['seconds']:,.1f} s, {pykeen['peak_mib']:,.0f} MiB")
    show("TSV by faan", f"{ours['seconds']:,.1f} s")
    compare("  as a share of PyKEEN's time", ours["seconds"] / pykeen["seconds"], "", 0.25)
    compare("  peak memory", ours["read_mib"], "MiB", 4096)
    show("  saving it", f"{ours['save_seconds']:,.1f} s")
    compare("saved graph: open it and find a name", opened["seconds"], "s", 2)
    compare("  resident memory", opened["open_mib"], "MiB", 500)
    compare("  neighbours of 10,000 entities, first time", opened["gather_cold_ms"], "ms", 20)
    compare("  neighbours of 10,000 entities, again", opened["gather_ms"], "ms", 20)
    show("  name to id", f"{opened['lookup_us']:,.0f} microseconds")
    show("  nearest names of a misspelt one", f"{opened['nearest_seconds']:,.1f} s")
    for when, per_second in (
        ("first", results["read_ntriples"]["first"]),
        ("again", results["read_ntriples"]["again"]),
    ):
        compare(f"N-Triples with labels, {when}", per_second, "/s", 300_000, at_least=True)
    for format in ("turtle", "trig", "rdf/xml", "json-ld"):
        compare(f"{format}: time with guards", results["read_guarded"][format], "times that without", 1.05)
    built = results["check_and_build"]
    show("check", f"{built['check_seconds']:,.1f} s")
    show(
        "benchmark build", f"{built['build_seconds']:,.1f} s, {built['tasks']:.0f} tasks, {built['peak_mib']:,.0f} MiB"
    )


if __name__ == "__main__":
    if len(sys.argv) == 3:
        figures = MEASUREMENTS[sys.argv[1]](Path(sys.argv[2]))
        print(json.dumps(figures | {"peak_mib": peak_mib()}))
    else:
        main()
