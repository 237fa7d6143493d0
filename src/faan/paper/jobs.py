"""What has to be computed for a table: jobs, each a training and the results it gives. Does not load torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from faan.base import InputError, config_names
from faan.paper.case_tables import attention_file
from faan.paper.measured import Results, Times, read_results, slug_of
from faan.paper.request import ALL_SHOTS, SHOTS, Request
from faan.paper.rows import FAAN, Row
from faan.tasks import Benchmark

RUNS = Path("runs") / "reproduce"
QUICK_PAIRS = 30  # of each dev and test task
_QUICK_SECONDS = 60.0


@dataclass(frozen=True)
class Job:
    """One row with one seed: train it if it is to be trained, evaluate it for some K, write the results."""

    row: Row
    seed: int
    outputs: dict[int, Path]  # K -> the result file
    folder: Path  # the run's, where it is trained
    seconds: float  # about how long it takes
    quick: bool = False
    changes: tuple[str, ...] = ()  # in the settings of a trained row
    command: str | None = None  # what gives the results, where commands for a single run do not

    @property
    def config(self) -> str:
        """The configuration with its settings."""
        return self.row.config

    def __str__(self) -> str:
        shots = f", K = {', '.join(map(str, self.outputs))}" if self.outputs else ""
        return f"{self.row.label}, seed {self.seed}{shots}"


def shortened(benchmark: Benchmark) -> Benchmark:
    """A benchmark whose dev and test tasks have few queries, for trying out: ranking all takes most of the time."""
    splits = {
        split: tasks if split == "train" else tuple(replace(task, pairs=task.pairs[:QUICK_PAIRS]) for task in tasks)
        for split, tasks in benchmark.splits.items()
    }
    return replace(benchmark, splits=splits)


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


def plan(request: Request, benchmark: Benchmark) -> Plan:
    """The jobs whose results are not there yet.

    Rows without a file of settings are left out, unless they were asked for by name: then it is an error. So are those
    K for which a dev or test task has too few pairs, if there are others.
    """
    folder = _folder_to_write(request)
    results, times = read_results(folder, request.dataset), Times(folder)
    _check_data(results, benchmark, folder)
    if folder == request.own_folder:
        _check_schedule(request, results, folder)
    shots, too_many = _possible_shots(request, benchmark)
    jobs, left_out = [], []
    for row in request.chosen(results):
        if request.table == "ablation" and request.changes and row.config != FAAN.config and request.rows is None:
            continue  # another schedule is one of FAAN's
        if row.kind != "untrained" and row.config not in config_names():
            if request.rows is not None:
                what = f"there is no configuration {row.config!r}" if row.config else "no settings are known for it"
                raise InputError(f"{row.label} cannot be computed here: {what}")
            left_out.append(row)
            continue
        seeds = 1 if row.kind == "untrained" else request.seeds or 1
        for seed in range(seeds):
            job = _job(request, row, seed, folder, results, times, shots)
            if job.outputs or _needs_run(request, row, seed):
                jobs.append(job)
    return Plan(jobs, left_out, too_many)


def _check_schedule(request: Request, results: Results, folder: Path) -> None:
    """Refuse to put rows with different schedules into one table."""
    from faan.base import parse_setting

    def settings(changes: Sequence[str]) -> dict[str, object]:
        pairs = (change.partition("=") for change in changes if not change.startswith(("seed=", "variant=")))
        return {name.strip(): parse_setting(value.strip()) for name, _, value in pairs}

    wanted = request.changes if request.quick else _changes(request)
    for result in results:
        if not result.command.startswith("faan evaluate") and settings(result.set_by_hand) != settings(wanted):
            raise InputError(
                f"holds {result.label} trained with {_in_words(result.set_by_hand)}, not with {_in_words(wanted)}: say"
                " the same with --set, or keep the results apart with --results",
                source=str(folder),
            )


def _in_words(changes: Sequence[str]) -> str:
    own = [change for change in changes if not change.startswith(("seed=", "variant="))]
    return ", ".join(own) or "the settings of its file"


def _check_data(results: Results, benchmark: Benchmark, folder: Path) -> None:
    """Refuse results of other data, which would stand in one table with those of this benchmark."""
    tasks = benchmark.splits["test"]
    for result in results:
        theirs = {name: (found["queries"], found["candidates"]) for name, found in result.relations.items()}
        if theirs != {task.relation: (len(task.pairs) - result.shots, len(task.candidates)) for task in tasks}:
            raise InputError(
                f"holds a result ({result.label}, K = {result.shots}) of another benchmark that is called"
                f" {benchmark.name!r} too: its test relations, their queries or candidates are others. Keep the results"
                " apart with --results",
                source=str(folder),
            )


def _possible_shots(request: Request, benchmark: Benchmark) -> tuple[list[int], list[int]]:
    """The K of the table that leave a query in every dev and test task, and the others; without any it is an error."""
    tasks = [*benchmark.splits["dev"], *benchmark.splits["test"]]
    smallest = min(tasks, key=lambda task: len(task.pairs))
    smallest.references(min(request.shots))  # raises where that is too many
    possible = [k for k in request.shots if k < len(smallest.pairs)]
    return possible, [k for k in request.shots if k not in possible]


def run_folder(request: Request, row: Row, seed: int) -> Path:
    """Where a row is trained: apart for each schedule, as its results are."""
    own = request.table if _folder_to_write(request) == request.own_folder else "main"
    schedule = f"{own}-quick" if request.quick else own
    return RUNS / slug_of(request.dataset) / schedule / f"{slug_of(row.label)}-seed{seed}"


def _folder_to_write(request: Request) -> Path:
    """The table's own folder where its schedule is not that of the methods' settings."""
    own = request.own_folder
    return own if own is not None and (request.changes or request.table == "shots") else request.folder


def _needs_run(request: Request, row: Row, seed: int) -> bool:
    """Case studies need the trained model of the first seed, even where its result is there."""
    return request.table == "attention" and seed == 0 and not attention_file(request, row.label).is_file()


def _job(
    request: Request, row: Row, seed: int, folder: Path, results: Results, times: Times, shots: Sequence[int]
) -> Job:
    present = {k for k in shots if any(one.seed == seed for one in results.of(row.label, k, protocol=row.protocol))}
    changes = _changes(request) if row.kind == "trained" else ()
    command = None
    if request.quick:  # the commands of a single run know nothing of fewer queries
        command = replace(request.anywhere, seeds=seed + 1 if seed else None).command([row.label])
    stem = f"{slug_of(request.dataset)}-{slug_of(row.label)}"
    outputs = {k: folder / f"{stem}-{k}shot-seed{seed}.json" for k in shots if k not in present}
    for path in outputs.values():
        if path.exists():
            raise InputError(
                f"holds a result of something else than {row.label} on {request.dataset!r} (names that differ only in"
                " capitals and signs share a file name). Keep the results apart with --results",
                source=str(path),
            )
    method = row.label.removesuffix(f" {row.variant}")
    seconds = times.about(row.label, method, request.dataset, len(outputs))
    seconds = seconds or (_QUICK_SECONDS if request.quick else row.seconds)
    folder = run_folder(request, row, seed)
    return Job(row, seed, outputs, folder, seconds, request.quick, changes, command)


def _changes(request: Request) -> tuple[str, ...]:
    """What is changed in the settings of trained rows."""
    every_k = (f"shots={SHOTS}", f"train.shots=[{ALL_SHOTS[0]}, {ALL_SHOTS[-1]}]")  # trained once for every K
    return (*request.changes, *(every_k if request.table == "shots" else ()))
