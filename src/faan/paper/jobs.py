"""What has to be computed for a table: jobs, each a training and the results it gives. Does not load torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from faan.base import InputError, config_names, parse_setting
from faan.paper.case_tables import attention_file
from faan.paper.request import ALL_SHOTS, SHOTS, Request
from faan.rank import by_relation, key_of, read_results, slug_of
from faan.tasks import Benchmark

if TYPE_CHECKING:
    from faan.models import Row

RUNS = Path("runs") / "reproduce"
QUICK_PAIRS = 30  # of each dev and test task
_QUICK_SECONDS = 60.0
# About how long a row takes on NELL-One, if no result says it.
_SECONDS = {"trained": 3600.0, "embedding": 180.0, "translation": 120.0, "likeness": 120.0, "untrained": 30.0}


@dataclass(frozen=True)
class Job:
    """One row with one seed: train it if it is to be trained, evaluate it for some K, write the results."""

    request: Request
    row: Row
    seed: int
    outputs: dict[int, Path]  # K -> the result file
    seconds: float  # about how long it takes

    @property
    def folder(self) -> Path:
        """Where it is trained."""
        return run_folder(self.request, self.row, self.seed)

    @property
    def command(self) -> str | None:
        """What gives the results, where commands for a single run do not: they know nothing of fewer queries."""
        own = replace(self.request.anywhere, seeds=self.seed + 1 if self.seed else None)
        return own.command([self.row.label]) if self.request.quick else None

    def __str__(self) -> str:
        shots = f", K = {', '.join(map(str, self.outputs))}" if self.outputs else ""
        return f"{self.row.label}, seed {self.seed}{shots}"


@dataclass(frozen=True)
class Plan:
    """What there is to do for a table."""

    jobs: list[Job]
    left_out: list[Row]  # rows of which nobody knows the settings yet
    too_many: list[int]  # K that leave no query in some task

    @property
    def seconds(self) -> float:
        """About how long all of it takes."""
        return sum(job.seconds for job in self.jobs)


def shortened(benchmark: Benchmark) -> Benchmark:
    """A benchmark whose dev and test tasks have few queries, for trying out: ranking all takes most of the time."""
    splits = {
        split: tasks if split == "train" else tuple(replace(task, pairs=task.pairs[:QUICK_PAIRS]) for task in tasks)
        for split, tasks in benchmark.splits.items()
    }
    return replace(benchmark, splits=splits)


def plan(request: Request, benchmark: Benchmark) -> Plan:
    """The jobs whose results are not there yet.

    Rows without a file of settings are left out, unless they were asked for by name: then it is an error. So are those
    K for which a dev or test task has too few pairs, if there are others.
    """
    folder, jobs = _folder_to_write(request), list[Job]()
    left_out: list[Row] = []
    every, results = read_results(folder), read_results(folder, request.dataset)
    _check_data(results, benchmark, folder)
    if folder == request.own_folder:
        _check_schedule(request, results, folder)
    smallest = min((*benchmark.splits["dev"], *benchmark.splits["test"]), key=lambda task: len(task.pairs))
    smallest.references(min(request.shots))  # raises where that is too many
    shots = [k for k in request.shots if k < len(smallest.pairs)]
    for row in request.chosen(results):
        if request.table == "ablation" and request.changes and row.method != "FAAN" and request.rows is None:
            continue  # another schedule is one of FAAN's
        if row.kind != "untrained" and row.config not in config_names():
            if request.rows is not None:
                what = f"there is no configuration {row.config!r}" if row.config else "no settings are known for it"
                raise InputError(f"{row.label} cannot be computed here: {what}")
            left_out.append(row)
            continue
        # Case studies need the trained model of the first seed, even where its result is there.
        looks = request.table == "attention" and not attention_file(request, row.label).is_file()
        for seed in range(1 if row.kind == "untrained" else request.seeds or 1):
            have = request.of(results, row).filter(pl.col("seed") == seed)["shots"]
            outputs = _outputs(request, row, seed, folder, [k for k in shots if k not in have])
            seconds = seconds_of(every, row.label, row.method, request.dataset, len(outputs))
            if outputs or (looks and seed == 0):
                guess = _QUICK_SECONDS if request.quick else _SECONDS[row.kind]
                jobs.append(Job(request, row, seed, outputs, seconds or guess))
    return Plan(jobs, left_out, [k for k in request.shots if k not in shots])


def seconds_of(results: pl.DataFrame, label: str, method: str, dataset: str, rankings: int = 1) -> float | None:
    """About how long a row takes: as on this dataset, or else as its method there, or else as one of these elsewhere.

    The queries are ranked once for each of several K.
    """
    for some in (results.filter(pl.col("dataset") == dataset), results):
        for name in (label, method):
            found = some.filter(pl.col("key") == key_of(name))
            if found.height:
                return float(found.select((pl.col("seconds") + (rankings - 1) * pl.col("evaluate")).mean()).item())
    return None


def _outputs(request: Request, row: Row, seed: int, folder: Path, shots: Sequence[int]) -> dict[int, Path]:
    stem = f"{slug_of(request.dataset)}-{slug_of(row.label)}"
    outputs = {k: folder / f"{stem}-{k}shot-seed{seed}.json" for k in shots}
    for path in outputs.values():
        if path.exists():
            raise InputError(
                f"does not hold {row.label} on {request.dataset!r}, but a result whose name differs only in letter case"
                " or punctuation: both share a file name. Keep the results apart with --results",
                source=str(path),
            )
    return outputs


def run_folder(request: Request, row: Row, seed: int) -> Path:
    """Where a row is trained: apart for each schedule, as its results are."""
    own = request.table if _folder_to_write(request) == request.own_folder else "main"
    schedule = f"{own}-quick" if request.quick else own
    return RUNS / slug_of(request.dataset) / schedule / f"{slug_of(row.label)}-seed{seed}"


def _folder_to_write(request: Request) -> Path:
    """The table's own folder where its schedule is not that of the methods' settings."""
    own = request.own_folder
    return own if own is not None and (request.changes or request.table == "shots") else request.folder


def changes_of(request: Request) -> tuple[str, ...]:
    """What is changed in the settings of trained rows."""
    every_k = (f"shots={SHOTS}", f"train.shots=[{ALL_SHOTS[0]}, {ALL_SHOTS[-1]}]")  # trained once for every K
    return (*request.changes, *(every_k if request.table == "shots" else ()))


def _check_schedule(request: Request, results: pl.DataFrame, folder: Path) -> None:
    """Refuse to put rows with different schedules into one table."""

    def parsed(changes: Sequence[str]) -> dict[str, object]:
        pairs = (change.partition("=") for change in changes)
        return {name.strip(): parse_setting(value.strip()) for name, _, value in pairs}

    wanted = request.changes if request.quick else changes_of(request)
    for one in results.filter(~pl.col("command").str.starts_with("faan evaluate")).iter_rows(named=True):
        theirs, asked = (
            [change for change in some if not change.startswith(("seed=", "variant="))]
            for some in (one["changes"], wanted)
        )
        if parsed(theirs) != parsed(asked):
            have, want = (", ".join(some) or "the settings of its file" for some in (theirs, asked))
            raise InputError(
                f"holds {one['label']} trained with {have}, not with {want}: pass the same --set, or keep the"
                " results apart with --results",
                source=str(folder),
            )


def _check_data(results: pl.DataFrame, benchmark: Benchmark, folder: Path) -> None:
    """Refuse results of other data, which would stand in one table with those of this benchmark."""
    tasks = {task.relation: (len(task.pairs), len(task.candidates)) for task in benchmark.splits["test"]}
    for one in results.iter_slices(1):
        sizes = by_relation(one).select("relation", pl.col("queries") + pl.col("shots"), "candidates")
        if {name: (pairs, candidates) for name, pairs, candidates in sizes.iter_rows()} != tasks:
            raise InputError(
                f"holds a result ({one['label'].item()}, K = {one['shots'].item()}) of another benchmark that is called"
                f" {benchmark.name!r} too: its test relations, their queries or candidates differ. Keep the results"
                " apart with --results",
                source=str(folder),
            )
