"""The statistics of benchmarks, beside the published ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from faan.base import InputError, UnknownNameError, read_json, write_json
from faan.paper.published import published, source_note
from faan.paper.request import Request
from faan.rank import MISSING, Table, slug_of
from faan.tasks import SPLITS, Benchmark, num_pairs

_COLUMNS = {
    "entities": "entities",
    "relations": "relations",
    "triples": "background triples",
    "train": "train",
    "dev": "dev",
    "test": "test tasks",
    "task_triples": "task triples",
    "least_candidates": "candidates, least",
    "most_candidates": "candidates, most",
}


def write_statistics(benchmark: Benchmark, results: Path) -> Path:
    """Count the entities, relations (those of tasks too), triples, tasks and test candidates; write them as JSON."""
    path = results / "datasets" / f"{slug_of(benchmark.name)}.json"
    if path.is_file() and _read(path)["dataset"] != benchmark.name:
        raise InputError("belongs to a benchmark with nearly the same name; rename this one", source=str(path))
    graph, tasks = benchmark.graph, benchmark.tasks
    candidates = [len(task.candidates) for task in benchmark.splits["test"]]
    statistics = {
        "dataset": benchmark.name,
        "entities": graph.num_entities,
        "relations": graph.num_relations + len(tasks),
        "triples": graph.num_triples,
        **{split: len(benchmark.splits[split]) for split in SPLITS},
        "task_triples": num_pairs(tasks),
        "least_candidates": min(candidates, default=0),
        "most_candidates": max(candidates, default=0),
        "command": f"faan reproduce datasets --dataset {benchmark.name} --run",
    }
    return write_json(path, statistics)


def _read(path: Path) -> dict[str, Any]:
    content = read_json(path)
    whole = isinstance(content, dict) and all(isinstance(content.get(name), int) for name in _COLUMNS)
    if not whole or not isinstance(content.get("dataset"), str):
        raise InputError("holds no statistics of a benchmark; remove it", source=str(path))
    return dict(content)


def dataset_tables(request: Request) -> list[Table]:
    """A row for each benchmark that was counted, with the published row below."""
    files = map(_read, sorted((request.results / "datasets").glob("*.json")))
    counted, theirs = {content["dataset"]: content for content in files}, published()["datasets"]
    names = list(dict.fromkeys([*theirs, request.dataset, *counted]))
    for name in request.rows or ():
        if name not in names:
            raise UnknownNameError("benchmark", name, names)
    rows, records = [], list[dict[str, Any]]()
    for name in names if request.rows is None else [name for name in names if name in request.rows]:
        for who, found in (("measured here", counted.get(name)), ("published", theirs.get(name))):
            if found is not None or (who == "measured here" and name == request.dataset):
                figures = {column: found and found.get(column) for column in _COLUMNS}
                cells = ["" if figure is None else f"{figure:,}" for figure in figures.values()]
                rows.append([f"{name}, {who}", *(cells if found else [MISSING, *cells[1:]])])
                records.append({"dataset": name, "who": who, **figures})
    notes = [source_note(), "Relations are those of the background and of the tasks together."]
    if request.dataset not in counted:
        notes.append(f"Missing: {request.dataset}. To compute: `{request.command()}`")
    return [Table("datasets", "Benchmarks", ["benchmark", *_COLUMNS.values()], rows, records, notes)]
