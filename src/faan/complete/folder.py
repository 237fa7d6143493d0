"""Model folders: safe to load from a stranger, written atomically.

| file | what it holds |
|---|---|
| `config.json` | format and version, what the model is, from what and how good, its calibration |
| `graph/` | the graph, as `faan.save_graph` writes it |
| `method/` | what the method needs beside it: vectors and weights (safetensors), settings |
| `checksums.json` | the CRC-32 of each of these files |
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from safetensors import SafetensorError

from faan.base import (
    Checked,
    InputError,
    atomic_folder,
    check_free,
    check_writable,
    first_problem,
    read_small,
    write_text,
)
from faan.complete.about import About, GraphSource, Record
from faan.complete.calibration import Calibrations
from faan.complete.checksums import CHECKSUMS_FILE, check_files, write_checksums
from faan.graph import Graph, open_graph, save_graph

if TYPE_CHECKING:
    from faan.complete.methods import Fitted  # loads torch, which takes seconds

GRAPH_FOLDER, _METHOD, _MARK = "graph", "method", "config.json"
SEARCH_FILE = "entities.sqlite"  # an index that the review page puts there, and builds again where it is missing
SELF_TESTS_FILE = "selftests.json"  # what was measured on single relations, measured again where it is missing
_WRITTEN = (GRAPH_FOLDER, _METHOD, _MARK, CHECKSUMS_FILE)
_OF_A_MODEL = {*_WRITTEN, SEARCH_FILE, SELF_TESTS_FILE}  # nothing is lost with these
_VERSION = 2
_SOME_ENTITIES = 1000  # of a model that tell whether it is one of the same graph


class _Head(BaseModel):
    """The head of the file, read first: whether this version can read the folder."""

    model_config = ConfigDict(extra="ignore")

    format: Literal["faan-model"]
    version: int


class _Config(Record):
    """All of `config.json`."""

    format: Literal["faan-model"] = "faan-model"
    version: int = _VERSION
    about: About
    calibrations: Calibrations


def check_place(folder: Path) -> None:
    """Refuse a folder that `save` cannot write or would not replace.

    An older model is replaced, but not if decisions or more are beside it.
    """
    check_writable(folder)  # first: it also ends what a killed process began
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    is_model, more = names >= {_MARK, GRAPH_FOLDER}, sorted(names - _OF_A_MODEL)
    if is_model and more:
        raise InputError(
            f"holds more than a model: {', '.join(more[:3])}; move that away, or choose another folder",
            source=str(folder),
        )
    check_free(folder, lambda _: is_model or names == {SEARCH_FILE}, "a model")


def check_same_graph(folder: Path, graph: Graph) -> None:
    """Refuse to replace a model of another graph: one with fewer than half of the model's entities.

    A graph that has grown, or that has another file name, is the same graph.
    """
    try:
        source, names = read_about(folder).source, open_graph(folder / GRAPH_FOLDER).entity_names
        some = [names[number] for number in range(0, len(names), -(-len(names) // _SOME_ENTITIES))]
    except InputError:
        return  # there is no model, or none that could be used
    if 2 * sum(name in graph.entity_names for name in some) < len(some):
        raise InputError(
            f"holds a model of another graph ({source.in_words()}; this one is {GraphSource.of(graph).in_words()}); "
            "overwrite it (--force) or choose another folder",
            source=str(folder),
        )


def write_model(folder: Path, graph: Graph, fitted: Fitted, calibrations: Calibrations, about: About) -> None:
    """Write a model; an older one is replaced."""
    check_place(folder)
    config = _Config(about=about, calibrations=calibrations)
    with atomic_folder(folder) as new:
        save_graph(graph, new / GRAPH_FOLDER)
        (new / _METHOD).mkdir()
        fitted.save(new / _METHOD)
        write_text(new / _MARK, config.model_dump_json(indent=1) + "\n")
        write_checksums(new)
    Checked(folder, _WRITTEN).remember()


def read_model(folder: Path) -> tuple[Graph, Fitted, Calibrations, About]:
    """Open a model; a folder that is damaged or from a newer version is refused with what to do.

    All of a folder is read and checked when it is opened for the first time on a machine, or has changed since.
    """
    from faan.complete.methods import Recipe
    from faan.complete.registry import fit_methods, fitted_by

    config = _read(folder)
    recipe = Recipe(config.about.method, config.about.config)
    if recipe.method not in fit_methods():
        raise InputError(
            f"was made with the method {recipe.method!r}, which this version of faan does not have", source=str(folder)
        )
    checked = Checked(folder, _WRITTEN)
    is_checked = checked.is_known
    try:
        if not is_checked:
            check_files(folder)
    except (InputError, OSError) as error:
        raise _damaged(folder, str(error)) from None
    try:
        graph = open_graph(folder / GRAPH_FOLDER)
        if not is_checked:
            graph.check()
    except InputError:
        raise _damaged(folder, f"{GRAPH_FOLDER}/ does not hold what was written") from None
    try:
        fitted = fitted_by(recipe).load(recipe, folder / _METHOD, graph, checked=is_checked)
    except (OSError, ValueError, KeyError, TypeError, IndexError, RuntimeError, MemoryError, SafetensorError) as error:
        is_told = isinstance(error, InputError)
        problem = str(error).removeprefix(f"{folder}/") if is_told else f"{_METHOD}/ does not hold what was written"
        raise _damaged(folder, problem) from None
    if not is_checked:
        checked.remember()
    return graph, fitted, config.calibrations, config.about


def read_about(folder: Path) -> About:
    """The description of a model, without opening the rest."""
    return _read(folder).about


def _read(folder: Path) -> _Config:
    if not (folder / _MARK).is_file():
        raise InputError(f"there is no model: {_MARK} is missing; `faan fit` makes one", source=str(folder))
    try:
        text = read_small(folder / _MARK)
        head = _Head.model_validate_json(text)
        if head.version > _VERSION:
            raise InputError(
                f"was saved by a newer version of faan (format {head.version}, this one reads {_VERSION}); update faan",
                source=str(folder),
            )
        if head.version < _VERSION:
            raise InputError("was saved by an older version of faan; fit it again", source=str(folder))
        return _Config.model_validate_json(text)
    except ValidationError as error:
        raise _damaged(folder, f"{_MARK}: {first_problem(error)}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise _damaged(folder, f"{_MARK}: {error}") from None


def _damaged(folder: Path, problem: str) -> InputError:
    return InputError(
        f"the model is damaged ({problem}); fit it again, or copy it again from an undamaged original",
        source=str(folder),
    )
