"""The rows of the tables: which settings give them.

To add a row, add it to `ROWS`; a result file of any other method or variant gets a row without that, but no command.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from faan.graph.errors import InputError, UnknownNameError
from faan.paper.measured import Protocol, key_of


@dataclass(frozen=True)
class Row:
    """A method, and how to get its result."""

    label: str
    config: str = ""  # its file in `configs/`
    kind: Literal["trained", "embedding", "translation", "likeness", "untrained"] = "trained"
    variant: str | None = None  # of the ablation
    protocol: Protocol = "strict"

    @property
    def is_known(self) -> bool:
        """Whether it is known how to get its result."""
        return bool(self.config) or self.kind == "untrained"

    @property
    def seconds(self) -> float:
        """About how long it takes on NELL-One, where no result says so."""
        by_kind = {"trained": 3600.0, "embedding": 180.0, "translation": 120.0, "likeness": 120.0, "untrained": 30.0}
        return by_kind[self.kind]


EMBEDDINGS = tuple(
    Row(name, f"embed-{name.lower()}.toml", "embedding")
    for name in ("TransE", "DistMult", "ComplEx", "SimplE", "RotatE")
)
GMATCHING = tuple(Row(f"GMatching-{pool}", f"gmatching-{pool.lower()}.toml") for pool in ("MaxP", "MeanP", "Max"))
FSRL, METAR, FAAN = Row("FSRL", "fsrl.toml"), Row("MetaR", "metar.toml"), Row("FAAN", "faan.toml")
PLUS = Row("FAAN plus", "faan-plus.toml")
EVIDENCE = Row("Evidence", "evidence.toml")
OPEN = Row("Evidence open", "evidence.toml", variant="open", protocol="open")
TRANSLATION = Row("Translation", "embed-transe.toml", "translation")
LIKENESS = Row("TailLikeness", "embed-transe.toml", "likeness")
RULES, RULES_PLUS, COUNTS = (Row(name, kind="untrained") for name in ("Rules", "Rules plus", "TailCounts"))

VARIANTS = {
    "A1": "neighbours averaged",
    "A2": "attention that does not look at the task",
    "A3": "neighbours alone",
    "B1": "head and tail concatenated",
    "B2": "no positions",
    "C1": "references averaged",
    "C2": "the most similar reference alone",
    "C3": "LSTM matching",
}
"""The paper's ablation; `FaanConfig.variants` says what each changes."""

EVIDENCE_VARIANTS = {
    "no-paths": "without paths and links",
    "no-embeddings": "without embeddings",
    "no-profiles": "without profiles of relations",
    "no-counts": "without counts",
    "no-task-edges": "without the edges of training tasks",
    "seeing": "learnt from vectors of the background alone",
}
"""The ablation of evidence; `EvidenceConfig.variants` says what each changes."""

WITNESSES = {"faan": "with FAAN's score", "metar": "with MetaR's score"}
"""Further evidence, each with a file of settings of its own."""

ROWS: dict[str, tuple[Row, ...]] = {
    "main": (
        *(*EMBEDDINGS, *GMATCHING, FSRL, METAR, FAAN, PLUS, EVIDENCE, OPEN),
        *(TRANSLATION, LIKENESS, RULES, RULES_PLUS, COUNTS),
    ),
    "ablation": (
        *(*(Row(f"FAAN {name}", "faan.toml", variant=name) for name in VARIANTS), FAAN),
        *(Row(f"Evidence {name}", "evidence.toml", variant=name) for name in EVIDENCE_VARIANTS),
        *(*(Row(f"Evidence {name}", f"evidence-{name}.toml", variant=name) for name in WITNESSES), EVIDENCE),
    ),
    "shots": (FAAN, GMATCHING[0], FSRL, METAR, PLUS, EVIDENCE, RULES, RULES_PLUS, COUNTS),
    "relations": (FAAN, METAR, PLUS, EVIDENCE, RULES, RULES_PLUS),
    "attention": (FAAN, PLUS),
}
"""The rows of each table, in its order."""


def one_protocol(rows: Iterable[Row]) -> Protocol:
    """The protocol of all rows of a table; those of different ones were trained on different data."""
    by_protocol = {row.protocol: row.label for row in rows}
    if len(by_protocol) > 1:
        raise InputError(
            f"{by_protocol['open']} is of the open protocol, {by_protocol['strict']} of the strict one: they are not"
            " compared, ask for them apart"
        )
    return next(iter(by_protocol), "strict")


def rows_of(table: str, found: Iterable[str], wanted: Sequence[str] | None) -> list[Row]:
    """The rows of a table and those that there are results of, or of all these the wanted ones.

    A table of relations or of K has its own rows only, unless others are asked for.
    """
    variants = {key_of(row.label) for row in ROWS["ablation"] if row.variant}
    known = {key_of(row.label): row for row in ROWS[table]}
    others = dict(known)
    if table != "ablation":
        others |= {key_of(label): Row(label) for label in found if key_of(label) not in known}
        others = {key: row for key, row in others.items() if key not in variants}
        others |= {key_of(row.label): row for row in ROWS["main"] if key_of(row.label) not in known}
    if table == "attention":
        others = known  # only FAAN has it
    if wanted is None:
        return list((others if table == "main" else known).values())
    chosen, methods = [], {key_of(row.label) for row in ROWS["main"]}
    for name in wanted:
        prefixes = [""] if key_of(name) in methods else ["", "FAAN ", "Evidence "]  # a variant's name alone will do
        keys = [key_of(prefix + name) for prefix in prefixes]
        row = next((others[key] for key in keys if key in others), None)
        if row is None:
            elsewhere = [one for one in ROWS if any(key_of(row.label) in keys for row in ROWS[one])]
            if elsewhere:
                raise InputError(f"{name!r} is no row of this table; it is one of `faan reproduce {elsewhere[0]}`")
            labels = {row.label.lower(): row.label for row in others.values()}
            near = difflib.get_close_matches(name.lower(), list(labels), n=3, cutoff=0.4)
            raise UnknownNameError("row", name, [labels[one] for one in near] or sorted(labels.values()))
        chosen.append(row)
    return chosen
