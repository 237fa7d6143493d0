"""The rows of the tables: which settings give them. No other file of this room knows which methods there are.

To add a row, add it to `_ROWS`; a result file of any other method or variant gets a row without that, but no command.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from faan.rank import Protocol

TABLES = ("main", "ablation", "shots", "relations", "attention", "datasets")


@dataclass(frozen=True)
class Row:
    """A method, and how to get its result."""

    label: str
    config: str = ""  # its file in `configs/`
    kind: Literal["trained", "embedding", "translation", "untrained"] = "trained"
    variant: str | None = None  # of the ablation
    what: str = ""  # what the variant changes
    protocol: Protocol = "strict"
    unit: str = "steps"  # what its training is counted in

    @property
    def method(self) -> str:
        """The row that it is a variant of, or its own name."""
        return self.label.removesuffix(f" {self.variant}")

    @property
    def is_known(self) -> bool:
        """Whether it is known how to get its result."""
        return bool(self.config) or self.kind == "untrained"

    @property
    def seconds(self) -> float:
        """About how long it takes on NELL-One, where no result says so."""
        return {"trained": 3600.0, "embedding": 180.0, "translation": 120.0, "untrained": 30.0}[self.kind]


ABLATED = {"FAAN": "FAAN", "Evidence": "The evidence ranker"}
"""The methods that the ablation takes apart, and what its titles call them."""

_FAAN_VARIANTS = {
    "A1": "neighbours averaged",
    "A2": "attention that does not look at the task",
    "A3": "neighbours alone",
    "B1": "head and tail concatenated",
    "B2": "no positions",
    "C1": "references averaged",
    "C2": "the most similar reference alone",
    "C3": "LSTM matching",
}
_EVIDENCE_VARIANTS = {
    "no-paths": "without paths and links",
    "no-embeddings": "without embeddings",
    "no-profiles": "without profiles of relations",
    "no-counts": "without counts",
    "no-task-edges": "without the edges of training tasks",
    "seeing": "learnt from vectors of the background alone",
}
_WITNESSES = {"faan": "with FAAN's score", "metar": "with MetaR's score"}  # each with a file of settings of its own


def _evidence(variant: str, what: str = "", config: str = "evidence.toml", protocol: Protocol = "strict") -> Row:
    return Row(f"Evidence {variant}", config, "trained", variant, what, protocol, "trees")


_EMBEDDINGS = [
    Row(name, f"embed-{name.lower()}.toml", "embedding")
    for name in ("TransE", "DistMult", "ComplEx", "SimplE", "RotatE")
]
_GMATCHING = [Row(f"GMatching-{pool}", f"gmatching-{pool.lower()}.toml") for pool in ("MaxP", "MeanP", "Max")]
_FSRL, _METAR, _FAAN = (Row(name, f"{name.lower()}.toml") for name in ("FSRL", "MetaR", "FAAN"))
_PLUS, _EVIDENCE = Row("FAAN plus", "faan-plus.toml"), Row("Evidence", "evidence.toml", unit="trees")
_UNTRAINED = [Row(name, kind="untrained") for name in ("Rules", "Rules plus", "TailCounts")]
_TRANSLATION = Row("Translation", "embed-transe.toml", "translation")

_ROWS = {
    "main": [
        *(*_EMBEDDINGS, *_GMATCHING, _FSRL, _METAR, _FAAN, _PLUS, _EVIDENCE, _evidence("open", protocol="open")),
        *(_TRANSLATION, *_UNTRAINED),
    ],
    "ablation": [
        *(Row(f"FAAN {name}", "faan.toml", variant=name, what=what) for name, what in _FAAN_VARIANTS.items()),
        _FAAN,
        *(_evidence(name, what) for name, what in _EVIDENCE_VARIANTS.items()),
        *(_evidence(name, what, f"evidence-{name}.toml") for name, what in _WITNESSES.items()),
        _EVIDENCE,
    ],
    "shots": [_FAAN, _GMATCHING[0], _FSRL, _METAR, _PLUS, _EVIDENCE, *_UNTRAINED],
    "relations": [_FAAN, _METAR, _PLUS, _EVIDENCE, *_UNTRAINED[:2]],
    "attention": [_FAAN, _PLUS],
}


def rows_of(table: str) -> list[Row]:
    """The rows of a table, in its order."""
    return _ROWS.get(table, [])
