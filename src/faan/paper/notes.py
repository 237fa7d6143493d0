"""What all tables share: titles, records, and what has to be said below them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from faan.base import config_name
from faan.paper.measured import Figure, Measured, value_of
from faan.paper.published import source
from faan.paper.request import Request
from faan.paper.rows import ROWS

MISSING = "missing"
QUICK = ", QUICK SCHEDULE, FEW QUERIES: for trying out, not for comparing"
_NELL_TYPE = re.compile(r"\bconcept:(\w+:(?=\w))?")  # concept:country:france is France to everybody


def plain_name(name: str) -> str:
    """A name as figures show it."""
    return _NELL_TYPE.sub("", name)


def title_of(request: Request, what: str, protocol: str = "strict") -> str:
    """What a table is, of which dataset, under which protocol."""
    shots = "" if request.table == "shots" else "5-shot, "
    return f"{what}, {request.dataset}, {shots}{protocol}{QUICK if request.quick else ''}"


def record_of(title: str, ours: Figure | None, theirs: float | None) -> dict[str, float | None]:
    """A metric of a row for programs."""
    return {
        title: value_of(ours),
        f"{title} spread": None if ours is None else ours.spread,
        f"{title} published": theirs,
        f"{title} difference": difference(ours, theirs),
    }


def difference(ours: Figure | None, theirs: float | None) -> float | None:
    """How much better ours is."""
    return None if ours is None or theirs is None else ours.value - theirs


def common_notes(request: Request, seeds: Mapping[str, int], has_published: bool) -> list[str]:
    """Where figures come from, and what computes the missing ones; `seeds` says how many each row has."""
    notes = []
    if any(count > 1 for count in seeds.values()):
        notes.append("Mean over seeds ± standard deviation; a figure without ± is of one seed.")
    if has_published:
        notes.append(f"Published: {source()}.")
    missing = [label for label, count in seeds.items() if not count]
    if missing:
        notes.append(missing_note(request, missing, everything=len(missing) == len(seeds)))
    untrained = {row.label for row in ROWS["main"] if row.kind == "untrained"}  # one seed is all there is
    few = [
        label
        for label, count in seeds.items()
        if count and request.seeds and count < request.seeds and label not in untrained
    ]
    if few:
        notes.append(f"Not all of the {request.seeds} seeds: {', '.join(few)}. To compute: `{request.command(few)}`")
    return notes


def missing_note(request: Request, missing: Sequence[str], *, everything: bool) -> str:
    """Which rows have no result, and the command that gives them."""
    rows = () if everything and request.rows is None else missing
    return f"Missing: {', '.join(missing)}. To compute: `{request.command(rows)}`"


def schedule_notes(used: Iterable[Measured]) -> list[str]:
    """How the trained rows were trained, and a warning where they cannot be compared."""
    schedules: dict[str, dict[str, list[str]]] = {}  # what was changed in a method's settings -> file -> rows
    steps, units = set(), set()
    for one in used:
        if one.config:
            schedules.setdefault(", ".join(one.changes), {}).setdefault(config_name(one.config), []).append(one.label)
            steps.add(one.steps)
            units.add("trees" if one.method == "Evidence" else "steps")
    if not schedules:
        return []
    if len(schedules) == 1:
        ((changes, files),) = schedules.items()
        ends = f"{min(steps):,}" if len(steps) == 1 else f"{min(steps):,} to {max(steps):,}"
        what = f"{', '.join(sorted(files))}{f' with {changes}' if changes else ''}"
        return [
            f"All trained rows have one schedule ({what}); training ended after {ends} {' or '.join(sorted(units))}."
        ]
    parts = [
        f"{', '.join(dict.fromkeys(label for rows in files.values() for label in rows))}: {changes or 'as in the file'}"
        for changes, files in schedules.items()
    ]
    return [f"WARNING: the rows were not trained alike, do not compare them. {'; '.join(parts)}."]
