"""OpenKE's folder: names and numbers in `entity2id.txt` and `relation2id.txt`, triples in `train2id.txt`."""

from __future__ import annotations

from collections.abc import Iterator

from faan.base import InputError, shorten
from faan.graph.builder import GraphBuilder
from faan.graph.collected import CHUNK, Collected
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
    collected = Collected(builder)
    for number, (head, tail, relation) in _rows(folder, "train2id.txt", "head, tail and relation ids", 3):
        try:
            collected.facts.append((entities[head], relations[relation], entities[tail]))
        except KeyError as error:
            builder.bad_line(InputError(f"id {error} has no name", source=f"{folder.path}/train2id.txt", line=number))
        collected.flush(at_least=CHUNK)
    collected.flush()
    held_out = sorted(folder.names() & {"valid2id.txt", "test2id.txt"})
    if held_out:
        builder.note(f"skipped, because they are for evaluation: {', '.join(held_out)}")


def _names(folder: Folder, file: str) -> dict[str, str]:
    names: dict[str, str] = {}
    taken: set[str] = set()
    for line, (name, number) in _rows(folder, file, "a name and its id", 2):
        if number in names or name in taken:
            twice = f"id {number}" if number in names else f"name {name!r}"
            raise InputError(f"the {twice} occurs a second time", source=f"{folder.path}/{file}", line=line)
        names[number] = name
        taken.add(name)
    return names


def _rows(folder: Folder, file: str, expected: str, width: int) -> Iterator[tuple[int, list[str]]]:
    """The numbered lines after the first, which holds their count; the last blanks or tabs separate fields."""
    with folder.open(file) as source:
        lines = source.lines()
        count = next(lines, (1, b""))[1].strip().decode(errors="replace")
        if not count.isdecimal() or len(count) > _DIGITS:
            raise InputError("expected the number of lines that follow", source=source.name, line=1)
        found = 0
        for number, line in lines:
            try:
                row = line.decode().rsplit(maxsplit=width - 1)
            except UnicodeDecodeError as error:
                raise InputError(f"not UTF-8 ({error.reason})", source=source.name, line=number) from None
            if len(row) != width:
                shown = shorten(line.decode().strip())
                raise InputError(f"expected {expected}, found {shown!r}", source=source.name, line=number)
            yield number, row
            found += 1
        if found != int(count):
            raise InputError(f"the first line says {count} lines, but {found} follow", source=source.name)
