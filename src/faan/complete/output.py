"""Suggestions as lines of a file: TSV, CSV, JSON lines, N-Triples, KGX."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TypeAlias

from faan.base import InputError, visible
from faan.complete.types import Suggestion
from faan.graph import EDGE_COLUMNS, Row, Terms, is_formula, kgx_edge, kgx_json, kgx_line, tsv_cells, tsv_line

Line: TypeAlias = Callable[[Suggestion], str]

ENDINGS = {
    ".tsv": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".nt": "nt",
    "_edges.tsv": "kgx",
    "_edges.jsonl": "kgx-jsonl",
}
NAMED = {"nt": "N-Triples", "kgx": "KGX", "kgx-jsonl": "KGX"}  # formats in which a relation must have a name
_MOST_BYTES = 1 << 24  # of a line; names are shorter
COLUMNS = ("head", "tail", "probability", "score", "rank", "low_evidence", "because", "warnings")


def header(form: str) -> str:
    """The first line of a file."""
    if form == "csv":
        return _csv_line(COLUMNS)
    if form == "kgx":
        return tsv_line(EDGE_COLUMNS)
    return tsv_line(COLUMNS) if form == "tsv" else ""


def line_writer(form: str, relation: str, terms: Terms, source: str | None = None) -> Line:
    """What turns a suggestion into a line; N-Triples and KGX need the relation, and KGX says the knowledge source.

    Terms make IRIs of names.
    """
    if form == "tsv":
        return lambda suggestion: tsv_line(_cells(suggestion))
    if form == "csv":
        return lambda suggestion: _csv_line(_cells(suggestion))
    if form == "jsonl":
        return lambda suggestion: json.dumps(asdict(suggestion), ensure_ascii=False) + "\n"
    if form == "kgx":
        return lambda suggestion: kgx_line(_edge(suggestion, relation, source))
    if form == "kgx-jsonl":
        return lambda suggestion: kgx_json(_edge(suggestion, relation, source))
    predicate = terms.relation(relation)
    return lambda fact: f"{terms.of(fact.head)} {predicate} {terms.of(fact.tail)} . # {_comment(fact)}\n"


def _edge(suggestion: Suggestion, relation: str, source: str | None) -> Row:
    head, tail, probability = suggestion.head, suggestion.tail, suggestion.probability
    return kgx_edge(head, relation, tail, agent="computational_model", probability=probability, source=source)


def _comment(suggestion: Suggestion) -> str:
    """The probability of a fact, warnings and reasons, in one line whatever names hold."""
    words = "; ".join([*(f"warning: {one}" for one in suggestion.warnings), *suggestion.because])
    return visible(f"{suggestion.probability:.3f}: {words}" if words else f"{suggestion.probability:.3f}")


def _cells(suggestion: Suggestion) -> tuple[str, ...]:
    return (
        suggestion.head,
        suggestion.tail,
        f"{suggestion.probability:.6f}",
        f"{suggestion.score:.6f}",
        str(suggestion.rank),
        "yes" if suggestion.low_evidence else "no",
        "; ".join(suggestion.because),
        "; ".join(suggestion.warnings),
    )


def _csv_line(cells: Sequence[str]) -> str:
    line = io.StringIO()
    safe = ["'" * is_formula(cell.lstrip("\t\r\n")) + cell for cell in cells]  # CSV has no other way to say so
    csv.writer(line, lineterminator="\n").writerow(safe)
    return line.getvalue()


def last_asked(path: Path, form: str, by_tail: bool) -> tuple[str | None, int]:
    """The last entity that an interrupted job wrote lines about, None where it wrote none, and where these begin.

    It may lack some of its lines: a resumed job cuts the file there and repeats this entity.
    """
    if not path.exists():
        return None, 0
    if form not in ("tsv", "jsonl"):
        raise InputError(f"a job that writes {form} cannot be resumed; use tsv or jsonl", source=str(path))
    if not path.is_file():
        raise InputError("is not a regular file: it cannot be resumed", source=str(path))
    last, start, place = None, 0, 0
    with path.open("rb") as file:
        for number, raw in enumerate(iter(partial(file.readline, _MOST_BYTES), b""), 1):
            if len(raw) == _MOST_BYTES:
                raise InputError(f"has a line of more than {_MOST_BYTES:,} bytes", source=str(path), line=number)
            is_whole, is_header = raw.endswith(b"\n"), number == 1 and form == "tsv"
            if number == 1 and not (_begins(raw, header(form)) if is_header else _begins(raw[:9], '{"head": ')):
                raise InputError(f"is not a file that `faan suggest --format {form}` wrote", source=str(path), line=1)
            if is_whole and not is_header:
                entity = _asked(raw, form, by_tail, path, number)
                if entity != last:
                    last, start = entity, place
            place += len(raw)
    return last, start


def _begins(raw: bytes, line: str) -> bool:
    return line.encode().startswith(raw)


def cut(path: Path, size: int) -> None:
    """Cut a file back to its first bytes; remove it if none are left."""
    if size:
        with path.open("r+b") as file:
            file.truncate(size)
    else:
        path.unlink(missing_ok=True)


def _asked(raw: bytes, form: str, by_tail: bool, path: Path, number: int) -> str:
    try:
        line = raw.decode()
        if form == "jsonl":
            return str(json.loads(line)["tail" if by_tail else "head"])
        return tsv_cells(line)[1 if by_tail else 0]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        raise InputError(f"is not a line that `faan suggest` wrote as {form}", source=str(path), line=number) from None
