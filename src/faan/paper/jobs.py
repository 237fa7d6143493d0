"""What has to be computed for a table: jobs, each a training and the results it gives. Does not load torch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from faan.graph import InputError
from faan.paper.case_tables import attention_file
from faan.paper.measured import Results, Times, read_results, slug_of
from faan.paper.request import ALL_SHOTS, SHOTS, Request
from faan.paper.rows import FAAN, Row
from faan.tasks import Benchmark

CONFIGS = Path("configs")
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

    @property
    def config(self) -> Path:
        """The file of its settings."""
        return CONFIGS / self.row.config

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

    @property
    def seconds(self) -> float:
        """About how long all of it takes."""
        return sum(job.seconds for job in self.jobs)


def plan(request: Request) -> Plan:
    """The jobs whose results are not there yet.

    Rows without a file of settings are left out, unless they were asked for by name: then it is an error.
    """
    folder = _folder_to_write(request)
    results, times = read_results(folder, request.dataset), Times(folder)
    jobs, left_out = [], []
    for row in request.chosen(results):
        if request.table == "ablation" and request.changes and row.config != FAAN.config and request.rows is None:
            continue  # another schedule is one of FAAN's
        if row.kind != "untrained" and not (row.config and (CONFIGS / row.config).is_file()):
            if request.rows is not None:
                what = f"there is no {CONFIGS / row.config}" if row.config else "no settings are known for it"
                raise InputError(f"{row.label} cannot be computed here: {what}")
            left_out.append(row)
            continue
        seeds = 1 if row.kind == "untrained" else request.seeds or 1
        for seed in range(seeds):
            job = _job(request, row, seed, folder, results, times)
            if job.outputs or _needs_run(request, row, seed):
                jobs.append(job)
    return Plan(jobs, left_out)


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


def _job(request: Request, row: Row, seed: int, folder: Path, results: Results, times: Times) -> Job:
    wanted = {
        k: folder / f"{slug_of(request.dataset)}-{slug_of(row.label)}-{k}shot-seed{seed}.json" for k in request.shots
    }
    present = {k for k in wanted if any(one.seed == seed for one in results.of(row.label, k, protocol=row.protocol))}
    changes = list(request.changes) if row.kind == "trained" else []
    if request.table == "shots" and row.kind == "trained":
        changes += [f"shots={SHOTS}", f"train.shots=[{ALL_SHOTS[0]}, {ALL_SHOTS[-1]}]"]  # trained once for every K
    method = row.label.removesuffix(f" {row.variant}")
    seconds = times.about(row.label, method, request.dataset) or (_QUICK_SECONDS if request.quick else row.seconds)
    outputs = {k: path for k, path in wanted.items() if k not in present}
    return Job(row, seed, outputs, run_folder(request, row, seed), seconds, request.quick, tuple(changes))
