"""Options that several commands share, and what commands do with them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

from faan import base
from faan.base import InputError, UnknownSettingError
from faan.cli.printing import busy
from faan.tasks import Benchmark, read_benchmark

SettingsT = TypeVar("SettingsT", bound=base.Settings)

Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Change a setting, e.g. --set epochs=30, or of a table --set train.steps=100; may be given several times.",
    ),
]
TensorBoard = Annotated[
    bool, typer.Option("--tensorboard", help="Also write metrics for TensorBoard, into the run's folder.")
]
Base = Annotated[
    str, typer.Option(metavar="IRI", help="Prefix for names that are not IRIs, in formats that need IRIs.")
]
RelationBase = Annotated[
    str | None,
    typer.Option(
        metavar="IRI", help="The same for names of relations.  [default: that of entities]", show_default=False
    ),
]
BenchmarkFolder = Annotated[
    Path, typer.Option("--benchmark", metavar="FOLDER", help="A few-shot benchmark, or its name in FAAN_DATA.")
]
KnowledgeSource = Annotated[
    str | None,
    typer.Option(metavar="INFORES", help="KGX's primary_knowledge_source of the facts, such as infores:my-lab."),
]
DecisionsFile = Annotated[
    Path | None,
    typer.Option("--decisions", metavar="FILE", help="The file of decisions, if it is not in the model folder."),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def with_options(
    parameter: str, group: type, names: Sequence[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of a dataclass, or those that are named, in the place of one of its parameters."""
    hints = get_type_hints(group, include_extras=True)
    options = [
        inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=hints[one.name])
        for one in fields(group)
        if not names or one.name in names
    ]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def with_group(**given: Any) -> None:
            command(**{parameter: group(**{option.name: given.pop(option.name) for option in options})}, **given)

        own = get_type_hints(command, include_extras=True)
        parameters: list[inspect.Parameter] = []
        for one in inspect.signature(command).parameters.values():
            kept = one.replace(annotation=own[one.name], kind=inspect.Parameter.KEYWORD_ONLY)
            parameters += options if one.name == parameter else [kept]
        with_group.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        with_group.__annotations__ = {one.name: one.annotation for one in parameters}
        return with_group

    return decorate


def read_tasks(path: Path) -> Benchmark:
    """Read a benchmark, with a progress bar."""
    with busy("reading"):
        return read_benchmark(path)


def format_of(given: str | None, output: Path | None, endings: Mapping[str, str], default: str) -> str:
    """The format by --format, else by the file's ending, else a default if there is no file."""
    formats = list(dict.fromkeys([default, *endings.values()]))
    if given is not None:
        if given not in formats:
            raise typer.BadParameter(f"expected one of {', '.join(formats)}", param_hint="--format")
        return given
    if output is None:
        return default
    fitting = [ending for ending in endings if output.name.lower().endswith(ending)]
    if not fitting:
        raise typer.BadParameter(
            f"no format is known for {output.name!r}: use a name that ends in {', '.join(endings)}, or pass --format",
            param_hint="-o",
        )
    return endings[max(fitting, key=len)]


def check_new_file(path: Path, force: bool, instead: str = "") -> None:
    """Refuse to overwrite a file without --force, and a folder that does not exist."""
    if not path.parent.is_dir():
        raise InputError("its folder does not exist: make it first", source=str(path))
    if path.is_file() and not force:
        raise InputError(f"exists; {instead}overwrite it (--force) or choose another file", source=str(path))


def refuse(only_for: str, options: Mapping[str, object]) -> None:
    """Refuse options that were given and have no effect here."""
    for name, value in options.items():
        if value:
            raise typer.BadParameter(f"only for {only_for}", param_hint=name)


def with_changes(settings: SettingsT, changes: list[str] | None) -> SettingsT:
    """Settings with some changed by NAME=VALUE, those of a table by TABLE.NAME=VALUE."""
    try:
        return settings.changed(changes or ())
    except UnknownSettingError as error:
        raise typer.BadParameter(str(error), param_hint="--set") from None
