"""OpenKE's folder: names and numbers in `entity2id.txt` and `relation2id.txt`, triples in `train2id.txt`."""

from __future__ import annotations

from faan.base import InputError, shorten
from faan.graph.builder import GraphBuilder
from faan.graph.sources import Folder

_FILES = ("entity2id.txt", "relation2id.txt", "train2id.txt")
_DIGITS = 15  # of a number of lines


def is_openke(folder: Folder) -> bool:
    """Whether a folder has one of OpenKE's files."""
    return not folder.names().isdisjoint(_FILES)


def read_openke(folder: Folder, builder: GraphBuilder) -> None:
    """Read the training triples; `valid2id.txt` and `test2id.txt` are for evaluation and are skipped."""
    folder.require("OpenKE's folder", *_FILES)
    entities, relations = _names(folder, "entity2id.txt"), _names(folder, "relation2id.txt")
    heads: list[str] = []
    kinds: list[str] = []
    tails: list[str] = []
    for number, (head, tail, relation) in _rows(folder, "train2id.txt", "head, tail and relation ids"):
        try:
            names = entities[head], relations[relation], entities[tail]
        except KeyError as error:
            builder.bad_line(InputError(f"id {error} has no name", source=f"{folder.path}/train2id.txt", line=number))
            continue
        for column, name in zip((heads, kinds, tails), names, strict=True):
            column.append(name)
    builder.add(heads, kinds, tails)
    held_out = sorted(folder.names() & {"valid2id.txt", "test2id.txt"})
    if held_out:
        builder.note(f"skipped, because they are for evaluation: {', '.join(held_out)}")


def _names(folder: Folder, file: str) -> dict[str, str]:
    names: dict[str, str] = {}
    taken: set[str] = set()
    for line, (name, number) in _rows(folder, file, "a name and its id"):
        if number in names or name in taken:
            twice = f"id {number}" if number in names else f"name {name!r}"
            raise InputError(f"the {twice} occurs a second time", source=f"{folder.path}/{file}", line=line)
        names[number] = name
        taken.add(name)
    return names


def _rows(folder: Folder, file: str, expected: str) -> list[tuple[int, list[str]]]:
    """The numbered lines after the first, which holds their count; fields end with the last blanks or tabs."""
    with folder.open(file) as source:
        try:
            lines = source.read().decode().splitlines()
        except UnicodeDecodeError as error:
            raise InputError(f"not UTF-8 ({error.reason})", source=source.name) from None
    count = lines[0].strip() if lines else ""
    if not count.isdecimal() or len(count) > _DIGITS:
        raise InputError("expected the number of lines that follow", source=source.name, line=1)
    width = 2 if file != "train2id.txt" else 3
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        parts = line.rsplit(maxsplit=width - 1)
        if len(parts) == width:
            rows.append((number, parts))
        elif line.strip():
            raise InputError(f"expected {expected}, found {shorten(line)!r}", source=source.name, line=number)
    if len(rows) != int(count):
        raise InputError(f"the first line says {count} lines, but {len(rows)} follow", source=source.name)
    return rows
