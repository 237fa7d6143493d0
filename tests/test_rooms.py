"""The rooms of the house: data flows one way."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import faan

SOURCE = Path(faan.__file__).parent
# Top to bottom; a room imports only from itself and from rooms above it.
ROOMS = [
    "graph",
    "tasks",
    "embed",
    "evidence",
    "models",
    "rank",
    "train",
    "complete",
    "paper",
    "web",
    "printing",
    "options",
    "embed_commands",
    "train_commands",
    "reproduce_commands",
    "complete_running",
    "suggest_running",
    "graph_commands",
    "run_commands",
    "complete_commands",
    "web_commands",
    "cli",
]
FILES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


def imported_rooms(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide which room they go to"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name.split(".")[1] for name in names if name.startswith("faan.")} & set(ROOMS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_a_room_imports_only_from_rooms_above_it(path: Path) -> None:
    own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    assert own in ROOMS
    below = {room for room in imported_rooms(path) if ROOMS.index(room) > ROOMS.index(own)}
    assert not below
