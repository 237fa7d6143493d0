"""What an attack reports, and the table of a campaign."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

ROOT = Path(__file__).parents[2]
REGRESSIONS = ROOT / "tests" / "regressions"  # a folder for each target; each entry is one input that once did harm


@dataclass(frozen=True)
class Finding:
    """Something that must not happen."""

    what: str  # crash, hang, memory, error, noise, lost ...
    detail: str
    place: str = ""  # where the input is kept


@dataclass
class Tally:
    """What came out of the attacks on one target."""

    target: str
    tried: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    slowest: float = 0.0  # seconds that one input took
    peak: float = 0.0  # MiB that the attacked process held at most
    notes: list[str] = field(default_factory=list)  # other figures, as text


class Target(Protocol):
    """Something that is attacked."""

    @property
    def name(self) -> str:
        """The word for it on the command line; also its folder of regressions."""
        ...

    @property
    def share(self) -> float:
        """How much of the campaign's time it gets, compared with the others."""
        ...

    def attack(self, seconds: float, seed: int) -> Tally:
        """Attack it for about so long."""
        ...


def table(tallies: Iterable[Tally]) -> str:
    """The campaign as a Markdown table, and a line for each finding."""
    lines = [
        "| target | tried | outcomes | findings | slowest | memory |",
        "|---|--:|---|--:|--:|--:|",
    ]
    rest = []
    for tally in tallies:
        outcomes = ", ".join(f"{count:,} {what}" for what, count in tally.outcomes.most_common())
        lines.append(
            f"| {tally.target} | {tally.tried:,} | {outcomes} | {len(tally.findings)} "
            f"| {tally.slowest:.2f} s | {tally.peak:,.0f} MiB |"
        )
        rest += [f"{tally.target}: {note}" for note in tally.notes]
        rest += [f"{tally.target}: {f.what.upper()}: {f.detail} {f.place}".rstrip() for f in tally.findings]
    return "\n".join([*lines, "", *rest]).rstrip()
