"""What an attack reports, the record of a campaign that is run in pieces, and its table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
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
    seconds: float = 0.0  # that it was attacked

    def add(self, more: Tally) -> None:
        """Count what a further piece of the campaign found."""
        self.tried += more.tried
        self.outcomes += more.outcomes
        self.findings += more.findings
        self.slowest, self.peak = max(self.slowest, more.slowest), max(self.peak, more.peak)
        self.notes += more.notes
        self.seconds += more.seconds


class Record:
    """What the pieces of a campaign found, a file for each target; inputs go on where the last piece ended."""

    def __init__(self, folder: Path | None, seed: int) -> None:
        self._folder, self.seed, self.tallies = folder, seed, dict[str, Tally]()
        for path in sorted(folder.glob("*.json")) if folder is not None else ():
            content = json.loads(path.read_text())
            self.seed = content.pop("seed")
            content["findings"] = [Finding(**finding) for finding in content["findings"]]
            self.tallies[path.stem] = Tally(**content | {"outcomes": Counter(content["outcomes"])})

    def of(self, target: str) -> Tally:
        """What is known of a target."""
        return self.tallies.setdefault(target, Tally(target))

    def save(self, tally: Tally) -> None:
        """Write down what is known of a target."""
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            path = self._folder / f"{tally.target}.json"
            content = {"seed": self.seed, **vars(tally), "findings": [asdict(one) for one in tally.findings]}
            path.write_text(json.dumps(content, indent=1))


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

    @property
    def goal(self) -> int:
        """How many tries make a whole campaign."""
        ...

    def attack(self, seconds: float, seed: int, first: int, most: int) -> Tally:
        """Attack it for about so long, with input number `first` of the seed and those after it, `most` at most."""
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
