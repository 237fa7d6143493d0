"""The statistics of benchmarks, beside the published ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from faan.base import InputError, UnknownNameError, write_text
from faan.paper.measured import read_json, slug_of
from faan.paper.published import published_datasets, source
from faan.paper.request import Request
from faan.paper.table import Table
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


def dataset_statistics(benchmark: Benchmark) -> dict[str, Any]:
    """Entities, relations (those of tasks too), triples, tasks, and the candidates of test relations."""
    graph, tasks = benchmark.graph, benchmark.tasks
    candidates = [len(task.candidates) for task in benchmark.splits["test"]]
    return {
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


def write_statistics(benchmark: Benchmark, results: Path) -> Path:
    """Count what is in a benchmark and keep it with the results."""
    path = results / "datasets" / f"{slug_of(benchmark.name)}.json"
    if path.is_file() and _read(path)["dataset"] != benchmark.name:
        raise InputError("is of a benchmark with nearly the same name; give this one another", source=str(path))
    return write_json(path, dataset_statistics(benchmark))


def write_json(path: Path, content: dict[str, Any]) -> Path:
    """Write a JSON file as a whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return write_text(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def _read(path: Path) -> dict[str, Any]:
    content = read_json(path)
    whole = isinstance(content, dict) and all(isinstance(content.get(name), int) for name in _COLUMNS)
    if not whole or not isinstance(content.get("dataset"), str):
        raise InputError("holds no statistics of a benchmark; remove it", source=str(path))
    return dict(content)


def dataset_tables(request: Request) -> list[Table]:
    """A row for each benchmark that was counted, with the published row below."""
    counted = {}
    for path in sorted((request.results / "datasets").glob("*.json")):
        content = _read(path)
        counted[content["dataset"]] = content
    published = {
        name: dict(found) | dict(zip(SPLITS, found["tasks"], strict=True))
        for name, found in published_datasets().items()
    }
    names = list(dict.fromkeys([*published, request.dataset, *counted]))
    if request.rows is not None:
        unknown = [name for name in request.rows if name not in names]
        if unknown:
            raise UnknownNameError("benchmark", unknown[0], names)
        names = [name for name in names if name in request.rows]
    rows, records = [], list[dict[str, Any]]()
    for name in names:
        for who, found in (("measured here", counted.get(name)), ("published", published.get(name))):
            if found is not None or (who == "measured here" and name == request.dataset):
                figures = {column: found and found.get(column) for column in _COLUMNS}
                cells = ["" if figure is None else f"{figure:,}" for figure in figures.values()]
                rows.append([f"{name}, {who}", *(cells if found else ["missing", *cells[1:]])])
                records.append({"dataset": name, "who": who, **figures})
    notes = [f"Published: {source()}.", "Relations are those of the background and of the tasks together."]
    if request.dataset not in counted:
        notes.append(f"Missing: {request.dataset}. To compute: `{request.command()}`")
    return [Table("datasets", "Benchmarks", ["benchmark", *_COLUMNS.values()], rows, records, notes)]
