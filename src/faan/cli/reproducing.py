"""The command that shows the paper's tables; it loads torch only to compute what is missing."""

from __future__ import annotations

import shlex
from pathlib import Path

from faan.base import InputError, check_writable
from faan.cli.printing import new_table, out, print_json, shown, talk, visible
from faan.paper import (
    DATASETS,
    Plan,
    Request,
    Table,
    attention_file,
    build_tables,
    plan,
    run_folder,
    shortened,
    write_json,
    write_statistics,
    write_tables,
)
from faan.tasks import Benchmark


def show(request: Request, path: Path, output: Path | None, as_json: bool) -> None:
    """Print the tables, and write them where that is wanted."""
    if request.dataset not in DATASETS and not path.exists() and not len(request.read()):
        raise InputError("there is no such benchmark, and no result of it", source=str(path))
    tables = build_tables(request)
    if output is not None:
        for written in write_tables(tables, request.dataset, output):
            talk.print(f"wrote {visible(str(written))}")
    if as_json:
        print_json({"dataset": request.dataset, "tables": [table.as_json() for table in tables]})
        return
    for table in tables:
        _print(table)


def compute(request: Request, benchmark: Benchmark, path: Path, trained: Path | None) -> None:
    """Compute what is missing of the tables."""
    if request.table == "datasets":
        talk.print(f"wrote {visible(str(write_statistics(benchmark, request.results)))}")
        return
    if request.quick:
        benchmark = shortened(benchmark)
    if trained is None:
        todo = plan(request, benchmark)
        _print_plan(todo)
        _run(request, todo, benchmark, None if request.quick else path)
    if request.table == "attention":
        _attention(request, benchmark, trained)


def _run(request: Request, todo: Plan, benchmark: Benchmark, path: Path | None) -> None:
    if not todo.jobs:
        return
    for job in todo.jobs:
        for place in (*job.outputs.values(), job.folder):
            check_writable(place)
    from faan.base import UnknownSettingError
    from faan.cli.training import training_callbacks
    from faan.paper import run_job

    for number, job in enumerate(todo.jobs, 1):
        talk.print(f"{number} of {len(todo.jobs)}: {visible(str(job))}", style="bold")
        try:
            with training_callbacks(request.command(request.rows or ())) as callbacks:
                run_job(job, benchmark, path, callbacks)
        except UnknownSettingError:
            raise
        except InputError as error:  # about this row
            if request.rows is not None or len(todo.jobs) == 1:
                raise
            talk.print(visible(f"left out: {error}"), style="yellow")
            continue
        for written in job.outputs.values():
            talk.print(f"wrote {visible(str(written))}")


def _attention(request: Request, benchmark: Benchmark, trained: Path | None) -> None:
    """Look at the trained models of the rows, or at one trained elsewhere."""
    from faan.paper import case_studies
    from faan.train import load_run

    folders = [trained] if trained else [run_folder(request, row, 0) for row in request.chosen(request.read())]
    for folder in folders:
        if trained is None and not folder.is_dir():
            if request.rows is not None:
                raise InputError("there is no trained run to look at: only FAAN has attention", source=str(folder))
            continue  # a row whose settings are not here, which the plan has told
        command = request.anywhere.command() + (f" --from {shlex.quote(folder.resolve().name)}" if trained else "")
        found = case_studies(load_run(folder, benchmark), command)
        written = write_json(attention_file(request, found.method), found.model_dump())
        talk.print(f"wrote {visible(str(written))}")


def _print_plan(todo: Plan) -> None:
    for row in todo.left_out:
        talk.print(f"{row.label} is left out: there are no settings for it in configs/", style="yellow")
    if todo.too_many:
        some = ", ".join(map(str, todo.too_many))
        talk.print(f"K = {some} left out: a dev or test relation has too few pairs", style="yellow")
    if not todo.jobs:
        talk.print("nothing is missing that could be computed")
        return
    talk.print(f"{len(todo.jobs)} to compute, about {_duration(todo.seconds)}:")
    for job in todo.jobs:
        talk.print(f"  {visible(str(job))}: about {_duration(job.seconds)}")
    talk.print("After an interruption the same command goes on.")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def _print(table: Table) -> None:
    shape = new_table(f"\n{table.title}", *table.columns)
    for row in table.rows:
        shape.add_row(*(shown(cell) for cell in row))
    out.print(shape)
    for note in table.notes:
        out.print(visible(note), style="dim")
