"""The command `reproduce`: the tables of the FAAN paper, from result files; `--run` computes what is missing."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from faan.base import Cluster, InputError, check_writable, write_json
from faan.cli.engine import HERE, EngineOptions
from faan.cli.options import AsJson, Settings, read_tasks, refuse, with_options
from faan.cli.printing import busy, print_json, print_table, talk, visible
from faan.cli.train import training_callbacks
from faan.paper import (
    QUICK_PAIRS,
    RESULTS,
    SHIPPED,
    TABLES,
    Job,
    Request,
    attention_file,
    build_tables,
    plan,
    published_figures,
    run_folder,
    write_statistics,
)
from faan.rank import write_tables
from faan.tasks import Benchmark, benchmark_name, find_benchmark


@with_options("engine", EngineOptions)
def reproduce(
    table: Annotated[str, typer.Argument(metavar="TABLE", help=f"One of {', '.join(TABLES)}.")],
    dataset: Annotated[
        Path, typer.Option(metavar="FOLDER", help="A few-shot benchmark; without --run its name is enough.")
    ] = Path("NELL-One"),
    rows: Annotated[
        str | None, typer.Option(metavar="LIST", help="Only these rows, separated by commas, e.g. FAAN,Rules.")
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(min=1, help="Seeds 0 to N - 1 [default: all with results; with --run one].", show_default=False),
    ] = None,
    run: Annotated[bool, typer.Option("--run", help="Compute what is missing first; can be interrupted.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="A much shorter schedule, to try it; results go to a folder of their own.")
    ] = False,
    setting: Settings = None,
    trained: Annotated[
        Path | None,
        typer.Option("--from", metavar="FOLDER", help="For `attention` with --run: a finished run of FAAN to look at."),
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where result files are [default: results/ here; without it and --run, those that ship with faan].",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FOLDER", help="Also write Markdown, CSV and figures.")
    ] = None,
    engine: EngineOptions = HERE,
    as_json: AsJson = False,
) -> None:
    """Show the tables of the FAAN paper: what was measured here beside what was published, and what is missing."""
    if table not in TABLES:
        raise typer.BadParameter(f"expected one of {', '.join(TABLES)}, found {table!r}", param_hint="TABLE")
    if setting and not (run and table in ("ablation", "shots")):
        raise typer.BadParameter("only for ablation and shots with --run", param_hint="--set")
    refuse("attention with --run", {"--from": trained if table != "attention" or not run else None})
    cluster = engine.cluster
    refuse("results that are computed (--run)", {} if run else engine.given)
    names = [name.strip() for name in rows.split(",") if name.strip()] if rows is not None else None
    if names == []:
        raise typer.BadParameter("names no row", param_hint="--rows")
    name, changes = benchmark_name(dataset), tuple(setting or ())
    request = Request(table, name, results or _results(run), names, seeds, quick, changes, given=str(dataset))
    if output is not None:
        check_writable(output / "table")
    if run:
        _compute(request, find_benchmark(dataset), trained, cluster)
    _show(request, dataset, output, as_json)


def _results(run: bool) -> Path:
    """Where results are without --results."""
    if run or RESULTS.is_dir():
        return RESULTS
    talk.print("no folder results/ here: these are the results that ship with faan")
    return SHIPPED


def _show(request: Request, path: Path, output: Path | None, as_json: bool) -> None:
    """Print the tables, and write them to a folder if one is given."""
    if not (published_figures("main", request.dataset) or path.exists() or len(request.read())):
        raise InputError("there is no such benchmark, and no result of it", source=str(path))
    tables = build_tables(request)
    if output is not None:
        for written in write_tables(tables, request.dataset, output):
            talk.print(f"wrote {visible(str(written))}")
    if as_json:
        print_json({"dataset": request.dataset, "tables": [table.as_json() for table in tables]})
        return
    for table in tables:
        print_table(table)


def _compute(request: Request, path: Path, trained: Path | None, cluster: Cluster | None) -> None:
    """Compute what is missing of the tables."""
    benchmark = read_tasks(path)
    if request.table == "datasets":
        talk.print(f"wrote {visible(str(write_statistics(benchmark, request.results)))}")
        return
    if request.quick:
        benchmark = benchmark.shortened(QUICK_PAIRS)
    if trained is None:
        jobs, skipped = plan(request, benchmark)
        _print_plan(jobs, skipped)
        _check_places(jobs)
        if cluster is not None and jobs:
            _run_side_by_side(request, jobs, path, cluster)
        else:
            _run(request, jobs, benchmark, path)
    if request.table == "attention":
        _attention(request, benchmark, trained)


def _run(request: Request, jobs: Sequence[Job], benchmark: Benchmark, path: Path) -> None:
    from faan.paper import try_job

    for number, job in enumerate(jobs, 1):
        talk.print(f"{number} of {len(jobs)}: {visible(str(job))}", style="bold")
        with training_callbacks(request.command(request.rows or ())) as callbacks:
            problem = try_job(job, benchmark, path, callbacks)
        _report(job, problem, others=request.rows is None and len(jobs) > 1)


def _run_side_by_side(request: Request, jobs: Sequence[Job], path: Path, cluster: Cluster) -> None:
    """The same on Ray, as many rows at a time as there are workers."""
    from faan.paper import run_on_ray

    def on_job(job: Job, problem: str | None) -> None:
        if problem is None:
            talk.print(f"done: {visible(str(job))}", style="bold")
        _report(job, problem and f"{job}: {problem}", others=request.rows is None and len(jobs) > 1)

    with busy("computing rows"):
        run_on_ray(jobs, path, cluster, on_job)


def _report(job: Job, problem: str | None, *, others: bool) -> None:
    """Print what a job wrote; if it failed, skip it where there are others, else raise its error."""
    if problem is None:
        for written in job.outputs.values():
            talk.print(f"wrote {visible(str(written))}")
    elif others:
        talk.print(visible(f"skipped: {problem}"), style="yellow")
    else:
        raise InputError(problem)


def _check_places(jobs: Sequence[Job]) -> None:
    """Refuse places that cannot be written to, before hours are spent."""
    for job in jobs:
        for place in (*job.outputs.values(), job.folder):
            check_writable(place)


def _attention(request: Request, benchmark: Benchmark, trained: Path | None) -> None:
    """Look at the trained models of the rows, or at one trained elsewhere."""
    from faan.paper import case_studies
    from faan.train import load_run

    folders = [trained] if trained else [run_folder(request, row, 0) for row in request.chosen(request.read())]
    for folder in folders:
        if trained is None and not folder.is_dir():
            if request.rows is not None:
                raise InputError("there is no trained run to look at: only FAAN has attention", source=str(folder))
            continue  # a row without a configuration, which the plan reported
        source = f" --from {shlex.quote(folder.resolve().name)}" if trained else ""
        command = replace(request, given=None).command() + source
        found = case_studies(load_run(folder, benchmark), command)
        written = write_json(attention_file(request, found.method), found.model_dump())
        talk.print(f"wrote {visible(str(written))}")


def _print_plan(jobs: Sequence[Job], skipped: Sequence[str]) -> None:
    for what in skipped:
        talk.print(visible(what), style="yellow")
    if not jobs:
        talk.print("nothing is missing that could be computed")
        return
    talk.print(f"{len(jobs)} to compute, about {_duration(sum(job.seconds for job in jobs))}:")
    for job in jobs:
        talk.print(f"  {visible(str(job))}: about {_duration(job.seconds)}")
    talk.print("After an interruption, run the same command again to continue.")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"
