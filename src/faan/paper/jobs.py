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
QUICK_PAIRS = 30  # of each dev and test task: ranking all takes most of the time
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
        """The command that gives the results of a quick schedule; others have the command of their own run."""
        own = replace(self.request, given=None, seeds=self.seed + 1 if self.seed else None)
        return own.command([self.row.label]) if self.request.quick else None

    def __str__(self) -> str:
        shots = f", K = {', '.join(map(str, self.outputs))}" if self.outputs else ""
        return f"{self.row.label}, seed {self.seed}{shots}"


def plan(request: Request, benchmark: Benchmark) -> tuple[list[Job], list[str]]:
    """The jobs whose results are missing, and notes on what is skipped.

    Rows without a configuration are skipped; a row that was asked for by name raises an error instead. Numbers of
    references (K) that leave no query in some dev or test task are skipped too.
    """
    folder, jobs, skipped = _folder_to_write(request), list[Job](), list[str]()
    every, results = read_results(folder), read_results(folder, request.dataset)
    _check_data(every, benchmark, folder)
    if folder != request.base:
        _check_schedule(request, results, folder)
    smallest = min((*benchmark.splits["dev"], *benchmark.splits["test"]), key=lambda task: len(task.pairs))
    smallest.references(min(request.shots))  # raises where that is too many
    shots = [k for k in request.shots if k < len(smallest.pairs)]
    for row in request.chosen(results):
        if request.table == "ablation" and request.changes and row.method != "FAAN" and request.rows is None:
            continue  # another schedule is one of FAAN's
        if row.kind != "untrained" and row.config not in config_names():
            if request.rows is not None:
                raise InputError(f"{row.label} cannot be computed: faan ships no configuration of it")
            skipped.append(f"{row.label} is skipped: faan ships no configuration of it")
            continue
        # Case studies need the trained model of the first seed, even where its result is there.
        looks = request.table == "attention" and not attention_file(request, row.label).is_file()
        for seed in range(1 if row.kind == "untrained" else request.seeds or 1):
            have = request.of(results, row).filter(pl.col("seed") == seed)["shots"]
            name = f"{slug_of(request.dataset)}-{slug_of(row.label)}-{{}}shot-seed{seed}.json"
            outputs = {k: folder / name.format(k) for k in shots if k not in have}
            seconds = seconds_of(every, row.label, row.method, request.dataset, len(outputs))
            if outputs or (looks and seed == 0):
                guess = _QUICK_SECONDS if request.quick else _SECONDS[row.kind]
                jobs.append(Job(request, row, seed, outputs, seconds or guess))
    if too_many := [str(k) for k in request.shots if k not in shots]:
        skipped.append(f"K = {', '.join(too_many)} skipped: a dev or test relation has too few pairs")
    return jobs, skipped


def seconds_of(results: pl.DataFrame, label: str, method: str, dataset: str, rankings: int) -> float | None:
    """About how long a row takes: as on this dataset, or else as its method there, or else as one of these elsewhere.

    The queries are ranked once for each of several K.
    """
    for some in (results.filter(pl.col("dataset") == dataset), results):
        for name in (label, method):
            found = some.filter(pl.col("key") == key_of(name))
            if found.height:
                return float(found.select((pl.col("seconds") + (rankings - 1) * pl.col("evaluate")).mean()).item())
    return None


def run_folder(request: Request, row: Row, seed: int) -> Path:
    """Where a row is trained: apart for each schedule, as its results are."""
    own = request.table if _folder_to_write(request) != request.base else "main"
    schedule = f"{own}-quick" if request.quick else own
    return RUNS / slug_of(request.dataset) / schedule / f"{slug_of(row.label)}-seed{seed}"


def _folder_to_write(request: Request) -> Path:
    """The table's own folder where its schedule is not that of the methods' settings."""
    return request.own_folder if request.changes or request.table == "shots" else request.folder


def changes_of(request: Request) -> tuple[str, ...]:
    """What is changed in the settings of trained rows."""
    every_k = (f"shots={SHOTS}", f"train.shots=[{ALL_SHOTS[0]}, {ALL_SHOTS[-1]}]")  # trained once for every K
    return (*request.changes, *(every_k if request.table == "shots" else ()))


def _check_schedule(request: Request, results: pl.DataFrame, folder: Path) -> None:
    """Refuse to put rows with different schedules into one table."""

    def parsed(changes: Sequence[str]) -> dict[str, object]:
        pairs = [[part.strip() for part in change.partition("=")] for change in changes]
        return {name: parse_setting(value) for name, _, value in pairs if name not in ("seed", "variant")}

    wanted = parsed(request.changes if request.quick else changes_of(request))
    for one in results.filter(~pl.col("command").str.starts_with("faan evaluate")).iter_rows(named=True):
        theirs = parsed(one["changes"])
        if theirs != wanted:
            texts = (", ".join(f"{name}={value}" for name, value in some.items()) for some in (theirs, wanted))
            have, want = (text or "the settings of its file" for text in texts)
            raise InputError(
                f"holds {one['label']} trained with {have}, not with {want}: pass the same --set, or keep the"
                " results apart with --results",
                source=str(folder),
            )


def _check_data(results: pl.DataFrame, benchmark: Benchmark, folder: Path) -> None:
    """Refuse results of another benchmark whose files have the same names."""
    tasks = {task.relation: (len(task.pairs), len(task.candidates)) for task in benchmark.splits["test"]}
    for one in results.iter_slices(1):
        dataset, label, shots = one.select("dataset", "label", "shots").row(0)
        if slug_of(dataset) != slug_of(benchmark.name):
            continue
        sizes = by_relation(one).select("relation", pl.col("queries") + pl.col("shots"), "candidates")
        if dataset != benchmark.name or {name: (pairs, size) for name, pairs, size in sizes.iter_rows()} != tasks:
            raise InputError(
                f"holds a result ({label}, K = {shots}) of another benchmark, {dataset!r}: its name, test relations,"
                " queries or candidates differ from this one's. Keep the results apart with --results",
                source=str(folder),
            )
