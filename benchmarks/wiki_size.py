"""A graph of Wiki-One's size from check to export: `python benchmarks/wiki_size.py FOLDER [--entities N]`.

The graph has power laws for degrees and types, 822 relations, a label and a type for each entity, and hubs. Every step
is a process of its own, with its time (by the clock, and of processors) and its peak memory (pages of mapped files that
it touched included). What a step made stays in the folder with its figures, so that the next call goes on with the
first step that is missing; `--only` runs steps again. Files of the model are dropped from the system's cache before a
step that measures a cold start.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from generate import ENTITIES, TRIPLES, TYPES, generate, type_bounds, with_structure, write_described

Figures = dict[str, Any]
GIB = 1 << 30
CLIENTS, SECONDS = 8, 60.0
CANDIDATES = (10_000, 100_000, 1_000_000)  # of the questions that are asked, about


def make(folder: Path, entities: int) -> Figures:
    """Write the graph, in a process of its own: a process that is started from a large one counts as large too."""
    return in_process(folder, "write", entities)


def write(folder: Path, entities: int) -> Figures:
    """Generate the graph (runs in a process of its own)."""
    triples = _triples(entities)
    write_described(folder / "graph.nt", triples, entities)
    hub = int(np.bincount(triples["tail"]).max())
    return {"entities": entities, "triples": triples.height, "edges of the largest hub": hub}


def choose(folder: Path, entities: int) -> Figures:
    """Note down what will be asked about the graph."""
    return in_process(folder, "note_down", entities)


def note_down(folder: Path, entities: int) -> Figures:
    """Find relations, heads and candidates to ask about (runs in a process of its own)."""
    triples, bounds = _triples(entities), type_bounds(entities)
    heads, relations, tails = (triples[name].to_numpy() for name in ("head", "relation", "tail"))
    facts = np.bincount(relations)
    kind = np.searchsorted(bounds, tails, side="right") - 1
    sizes = {int(one): int(np.diff(bounds)[np.unique(kind[relations == one])].sum()) for one in np.unique(relations)}
    rare = [one for one in sizes if one >= TYPES and facts[one] >= 50]  # not what all of a type have
    name = min(rare, key=lambda one: abs(sizes[one] - CANDIDATES[0]))
    rows = np.flatnonzero(relations == name)
    own = np.searchsorted(bounds, heads[rows[0]], side="right") - 1
    others = np.setdiff1d(np.arange(bounds[own], bounds[own + 1])[:20_000], heads[rows])[:2_000]
    asked: Figures = {}
    for wanted in CANDIDATES:  # the tails of a new relation are of a type of about that size
        kind = int(np.argmin(np.abs(np.diff(bounds) - wanted)))
        pairs = zip(heads[rows[:5]], bounds[kind] + np.arange(5), strict=True)
        asked[str(wanted)] = {
            "relation": f"http://example.org/P{name}",
            "candidates": int(bounds[kind + 1] - bounds[kind]),
            "examples": [[_entity(head), _entity(tail)] for head, tail in pairs],
            "heads": [_entity(head) for head in others],
        }
    (folder / "asked.json").write_text(json.dumps(asked))
    return {"relation": f"{facts[name]:,} facts, {sizes[name]:,} candidates"}


def check(folder: Path, _: int) -> Figures:
    """`faan check`, from N-Triples to a saved graph."""
    figures = command("check", str(folder / "graph.nt"), "-o", str(folder / "saved"), "--json")
    statements = sum(1 for _ in (folder / "graph.nt").open("rb"))
    return figures | {"statements/s": round(statements / figures["seconds"])}


def check_saved(folder: Path, _: int) -> Figures:
    """`faan check` of the saved graph."""
    return command("check", str(folder / "saved"), "--json")


def fit(folder: Path, _: int) -> Figures:
    """`faan fit` with its default settings."""
    figures = command("fit", str(folder / "saved"), "-o", str(folder / "model"))
    about = json.loads((folder / "model" / "config.json").read_text())["about"]
    return figures | {"stages": about["seconds"]}


def suggest_head(folder: Path, _: int) -> Figures:
    """One head, five examples, from a cold start."""
    asked = question(folder, 10_000)
    examples = [part for pair in asked["examples"] for part in ("--example", ",".join(pair))]
    evict(folder / "model")
    return command("suggest", str(folder / "model"), *examples, "--head", asked["heads"][0], "--json")


def suggest_relation(folder: Path, _: int) -> Figures:
    """One head, all facts of a relation of the graph, from a cold start; the relation is tested on its own facts."""
    asked = question(folder, 10_000)
    evict(folder / "model")
    return command("suggest", str(folder / "model"), "--relation", asked["relation"], "--head", asked["heads"][0])


def suggest_all(folder: Path, _: int) -> Figures:
    """The first 200 heads that lack a relation, into a file."""
    asked, found = question(folder, 10_000), folder / "found.jsonl"
    options = ("--relation", asked["relation"], "--limit", "200", "--top", "1", "--force", "-o", str(found))
    return command("suggest", str(folder / "model"), *options) | {"lines": sum(1 for _ in found.open())}


def explain(folder: Path, _: int) -> Figures:
    """Why one fact, from a cold start."""
    asked = question(folder, 10_000)
    evict(folder / "model")
    pair = (asked["heads"][0], asked["examples"][0][1])
    return command("explain", str(folder / "model"), *pair, "--relation", asked["relation"], "--json")


def questions(folder: Path, entities: int) -> Figures:
    """Questions with many candidates to an open model: the first, then each further head."""
    return in_process(folder, "ask", entities)


def ask(folder: Path, _: int) -> Figures:
    """Load the model and ask (runs in a process of its own)."""
    import faan

    start = time.perf_counter()
    completer = faan.load(folder / "model")
    figures: Figures = {"load": round(time.perf_counter() - start, 2)}
    for wanted in CANDIDATES:
        asked, times = question(folder, wanted), []
        for head in asked["heads"][:2]:
            start = time.process_time()
            list(completer.suggest([tuple(pair) for pair in asked["examples"]], heads=[head], top=3, progress=False))
            times.append(round(time.process_time() - start, 2))
        figures[f"{asked['candidates']:,} candidates"] = {"first, cpu": times[0], "next, cpu": times[1]}
    return figures


def serve(folder: Path, _: int) -> Figures:
    """`faan serve` with clients that search, ask, explain and decide."""
    from serve import Client, port_of

    asked = question(folder, 10_000)
    evict(folder / "model")
    decisions = folder / "decisions.sqlite"
    options = ["serve", str(folder / "model"), "--port", "0", "--decisions", str(decisions)]
    start = time.perf_counter()
    with subprocess.Popen([sys.executable, "-m", "faan", *options], stderr=subprocess.PIPE, text=True) as server:
        try:
            port = port_of(server)
            opened = time.perf_counter() - start
            until = time.perf_counter() + SECONDS
            clients = [Client(i, port, asked["heads"], [asked["relation"]], until) for i in range(CLIENTS)]
            for client in clients:
                client.start()
            for client in clients:
                client.join()
            peak = _peak_of(server.pid)
        finally:
            server.kill()
    figures: Figures = {"opens in": round(opened, 2), "peak GiB": peak}
    for what in clients[0].times:
        times = np.concatenate([client.times[what] for client in clients])
        figures[what] = {"requests": len(times), "median s": round(float(np.median(times)), 3)}
        figures[what]["p95 s"] = round(float(np.percentile(times, 95)), 3)
    return figures | {"errors": [error for client in clients for error in client.errors][:3]}


def export(folder: Path, _: int) -> Figures:
    """`faan export` of what the clients decided."""
    options = ("--decisions", str(folder / "decisions.sqlite"), "--decision", "all", "--format", "tsv")
    return command("export", str(folder / "model"), *options, "-o", str(folder / "decided.tsv"), "--force")


STEPS: dict[str, Callable[[Path, int], Figures]] = {
    step.__name__: step
    for step in (
        make,
        choose,
        check,
        check_saved,
        fit,
        suggest_head,
        suggest_relation,
        suggest_all,
        explain,
        questions,
        serve,
        export,
    )
}


def question(folder: Path, candidates: int) -> Figures:
    """What to ask, with about so many candidates."""
    found: Figures = json.loads((folder / "asked.json").read_text())[str(candidates)]
    return found


def command(*arguments: str) -> Figures:
    """Run a command of faan."""
    return measured([sys.executable, "-m", "faan", *arguments])


def in_process(folder: Path, what: str, entities: int) -> Figures:
    """Run a function of this file in a process of its own, which prints its figures."""
    found: Figures = {}
    options = ["--entities", str(entities), "--run", what]
    figures = measured([sys.executable, __file__, str(folder), *options], found)
    return figures | found


def measured(arguments: list[str], found: Figures | None = None) -> Figures:
    """Run a process; its seconds, those of processors, and its peak memory."""
    with _log() as log:
        start = time.perf_counter()
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE if found is not None else log, stderr=log)
        if found is not None:
            assert process.stdout is not None
            found.update(json.loads(process.stdout.read().splitlines()[-1]))
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
    if status:
        raise SystemExit(f"{' '.join(arguments)} ended with status {status}")
    cpu = used.ru_utime + used.ru_stime
    return {"seconds": round(seconds, 2), "cpu": round(cpu, 2), "peak GiB": round(used.ru_maxrss * 1024 / GIB, 2)}


@contextmanager
def _log() -> Iterator[Any]:
    with Path(os.environ.get("WIKI_SIZE_LOG", os.devnull)).open("ab") as file:
        yield file


def evict(folder: Path) -> None:
    """Drop the pages of a folder's files from the system's cache, as after a restart."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _triples(entities: int) -> pl.DataFrame:
    return with_structure(generate(entities=entities, triples=round(entities * TRIPLES / ENTITIES)))


def _entity(number: int) -> str:
    return f"http://example.org/Q{number}"


def _peak_of(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return round(int(line.split()[1]) * 1024 / GIB, 2)


def show(results: Figures) -> None:
    """Print a line for each step."""
    print(f"{'step':<18} {'seconds':>9} {'cpu':>9} {'GiB':>6}")
    for step, figures in results.items():
        known = [figures.get(key, "") for key in ("seconds", "cpu", "peak GiB")]
        more = {key: value for key, value in figures.items() if key not in ("seconds", "cpu", "peak GiB")}
        print(f"{step:<18} {known[0]:>9} {known[1]:>9} {known[2]:>6} {json.dumps(more) if more else ''}")


def main() -> None:
    """Run what is missing, print all of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--entities", type=int, default=ENTITIES)
    parser.add_argument("--only", nargs="*", choices=list(STEPS), default=[])
    parser.add_argument("--run", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        print(json.dumps(globals()[given.run](given.folder, given.entities)))
        return
    given.folder.mkdir(parents=True, exist_ok=True)
    file = given.folder / "figures.json"
    results: Figures = json.loads(file.read_text()) if file.exists() else {}
    for name, step in STEPS.items():
        if name in given.only or (not given.only and name not in results):
            print(f"{name} ...", file=sys.stderr, flush=True)
            results[name] = step(given.folder, given.entities)
            file.write_text(json.dumps(results, indent=1) + "\n")
    show({name: results[name] for name in STEPS if name in results})


if __name__ == "__main__":
    main()
