"""The command line: each command parses, calls the library and prints."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated, NoReturn

import typer
from pydantic import ValidationError

from faan import __version__
from faan.base import InputError, first_problem
from faan.cli import embed, explain, export, fit, graphs, reproduce, serve, suggest, train
from faan.cli.evaluate import evaluate_app
from faan.cli.graphs import benchmark_app
from faan.cli.methods_help import MethodsCommand
from faan.cli.printing import out, talk, visible

app = typer.Typer(
    help="Few-shot knowledge graph completion: from a few known facts of a rare relation to the missing ones.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    add_completion=False,
    pretty_exceptions_enable=False,
)

for command in (
    graphs.check,
    fit.fit,
    suggest.suggest,
    explain.explain,
    fit.info,
    serve.serve,
    export.export,
    embed.embed,
    train.train,
    train.resume,
    reproduce.reproduce,
):
    app.command(cls=MethodsCommand)(command)
app.add_typer(benchmark_app, name="benchmark")
app.add_typer(evaluate_app, name="evaluate")


def main() -> None:
    """Run a command: exit code 1 and one line if something went wrong, 2 if the call itself was wrong."""
    for stream in (sys.stdout, sys.stderr):
        if os.name == "nt" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")  # on Windows, pipes and files use a code page without arrows
    try:
        try:
            app()
        except SystemExit:  # flushing the buffer fails if the disk is full
            sys.stdout.flush()
            raise
    except InputError as error:
        _fail(str(error), 1)
    except ValidationError as error:
        _fail(first_problem(error), 2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader closed the pipe, as `head` does
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # its disk may be full: write nothing more
        _fail(f"{place}{error.strerror or error}", 1)


def _fail(message: str, code: int) -> NoReturn:
    talk.print(f"error: {visible(message)}", style="red")
    sys.exit(code)


def _version(wanted: bool) -> None:
    if wanted:
        out.print(f"faan {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass
