"""Suggestions as lines of a file: TSV, JSON lines, N-Triples."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TypeAlias

from faan.complete.types import Suggestion
from faan.graph import Graph, InputError
from faan.graph.iris import Terms

Line: TypeAlias = Callable[[Suggestion], str]

COLUMNS = ("head", "tail", "probability", "score", "rank", "low_evidence", "because", "warnings")
FORMATS = ("tsv", "jsonl", "nt")
_ESCAPES = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})


def header(form: str) -> str:
    """The first line of a file."""
    return "\t".join(COLUMNS) + "\n" if form == "tsv" else ""


def line_writer(form: str, relation: str) -> Line:
    """What turns a suggestion into a line; N-Triples need the relation."""
    if form == "tsv":
        return _tsv
    if form == "jsonl":
        return lambda suggestion: json.dumps(asdict(suggestion), ensure_ascii=False) + "\n"
    terms = Terms()
    predicate = terms.of(relation)
    return lambda fact: f"{terms.of(fact.head)} {predicate} {terms.of(fact.tail)} .\n"


def _tsv(suggestion: Suggestion) -> str:
    cells = (
        suggestion.head,
        suggestion.tail,
        f"{suggestion.probability:.6f}",
        f"{suggestion.score:.6f}",
        str(suggestion.rank),
        "yes" if suggestion.low_evidence else "no",
        "; ".join(suggestion.because),
        "; ".join(suggestion.warnings),
    )
    return "\t".join(cell.translate(_ESCAPES) for cell in cells) + "\n"


def cut_back(path: Path, form: str, graph: Graph, by_tail: bool) -> int | None:
    """Cut a file of an interrupted job back to its last whole group; the entity to go on with, None for a new file.

    The last entity that was asked about may lack some of its lines: they are cut off, and it is asked about again.
    """
    if not path.exists():
        return None
    if form not in ("tsv", "jsonl"):
        raise InputError(f"a job that writes {form} cannot be resumed; use tsv or jsonl", source=str(path))
    last, start, place = None, 0, 0
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            is_whole, is_header = raw.endswith(b"\n"), number == 1 and form == "tsv"
            if is_header and not header(form).encode().startswith(raw):
                raise InputError("is not a file that `faan suggest --format tsv` wrote", source=str(path), line=1)
            if is_whole and not is_header:
                entity = _asked(raw.decode(), form, by_tail, path, number)
                if entity != last:
                    last, start = entity, place
            place += len(raw)
    if last is None:
        path.unlink()
        return None
    with path.open("r+b") as file:
        file.truncate(start)
    return graph.entity(last)


def _asked(line: str, form: str, by_tail: bool, path: Path, number: int) -> str:
    try:
        if form == "jsonl":
            return str(json.loads(line)["tail" if by_tail else "head"])
        return line.split("\t")[1 if by_tail else 0].replace("\\t", "\t").replace("\\n", "\n").replace("\\r", "\r")
    except (ValueError, KeyError, IndexError, TypeError):
        raise InputError(f"is not a line that `faan suggest` wrote as {form}", source=str(path), line=number) from None
