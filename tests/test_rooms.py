"""The rooms of the house: data flows one way, and a room is entered by its door."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

import faan

SOURCE = Path(faan.__file__).parent
# Top to bottom; a room imports only from itself and from rooms above it.
ROOMS = [
    "base",
    "graph",
    "tasks",
    "embed",
    "evidence",
    "models",
    "rank",
    "train",
    "complete",
    "links",
    "paper",
    "web",
    "cli",
]
FILES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE)


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """Module and name of each import from faan in a file, those inside functions and for types too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert not any(alias.name.startswith("faan") for alias in node.names), f"{path}: use `from faan... import`"
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide which room they go to"
            if node.module is not None and node.module.startswith("faan."):
                yield from ((node.module, alias.name) for alias in node.names)


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_a_room_imports_only_what_rooms_above_it_offer(path: Path) -> None:
    own = room_of(path)
    for module, name in imports(path):
        _, room, *inside = module.split(".")
        if room == own:
            continue
        assert ROOMS.index(room) < ROOMS.index(own), f"{module} is below {own}"
        assert not inside, f"{name} is taken from {module}, past the room's __init__"
        assert name in import_module(f"faan.{room}").__all__


@pytest.mark.parametrize("room", ["", *(f".{room}" for room in ROOMS)])
def test_what_a_room_offers_is_there(room: str) -> None:
    module = import_module(f"faan{room}")
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
    with pytest.raises(AttributeError, match="no_such_name"):
        module.no_such_name  # noqa: B018, only the error counts


def test_the_architecture_says_which_rooms_a_room_imports_from() -> None:
    imported: dict[str, set[str]] = {room: set() for room in ROOMS}
    for path in FILES:
        imported[room_of(path)] |= {module.split(".")[1] for module, _ in imports(path)}
    text = (SOURCE.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    for room, others in imported.items():
        names = ", ".join(other for other in ROOMS if other in others - {room})
        assert re.search(rf"^\| `{room}/` \| .* \| {names or '–'} \|$", text, re.MULTILINE), f"{room} imports {names}"


@pytest.mark.parametrize("room", ROOMS)
def test_the_files_of_a_room_import_each_other_in_one_direction(room: str) -> None:
    graph: dict[str, set[str]] = {}
    for path in (SOURCE / room).rglob("*.py"):
        own = ".".join(("faan", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")
        if own == f"faan.{room}":
            continue  # the door, which looks into all
        found = {module if name_is_not_a_file(module, name) else f"{module}.{name}" for module, name in imports(path)}
        graph[own] = {module for module in found if module.startswith(f"faan.{room}.")}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" imports ".join(reversed(error.args[1]))) from None


def name_is_not_a_file(module: str, name: str) -> bool:
    return not (SOURCE.parent / Path(*module.split("."), f"{name}.py")).is_file()


@pytest.mark.parametrize("folder", ["benchmarks", "examples", "tools"])
def test_programs_beside_the_package_import_names_that_it_has(folder: str) -> None:
    for path in (SOURCE.parents[1] / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("faan"):
                module = import_module(str(node.module))
                for alias in node.names:
                    assert hasattr(module, alias.name), f"{path} imports {alias.name}"
