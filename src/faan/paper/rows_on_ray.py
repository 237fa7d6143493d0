"""Rows of a table side by side: each job is a piece of work for a worker on Ray."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from faan.base import Cluster, InputError, UnknownSettingError
from faan.paper.jobs import Job, Plan, shortened
from faan.paper.running import run_job
from faan.tasks import read_benchmark

OnJob = Callable[[Job, str | None], None]
"""Called after each job, with what is wrong with its row, if it could not be computed."""


class RowWorker:
    """Computes rows in the folder that the command was called in, with the benchmark in memory once."""

    def __init__(self, here: Path, path: Path, quick: bool) -> None:
        os.chdir(here)  # run folders and results are named from there
        benchmark = read_benchmark(path)
        self._benchmark = shortened(benchmark) if quick else benchmark
        self._path = None if quick else path

    def compute(self, job: Job) -> str | None:
        """Do what is missing of a job; what is wrong with its row, if that is not possible."""
        try:
            run_job(job, self._benchmark, self._path)
        except UnknownSettingError:
            raise  # nothing about this row
        except InputError as error:
            return str(error)
        return None


def run_on_ray(todo: Plan, path: Path, *, quick: bool, engine: Cluster, on_job: OnJob) -> None:
    """Compute the jobs of a plan; that of a worker or machine that dies goes on with another one."""
    given = Path.cwd(), path.resolve(), quick
    with engine.pool(RowWorker, given, len(todo.jobs)) as pool:
        pool.run(todo.jobs, on_job)
