"""Which methods a completer can use, by name; the first is the default."""

from __future__ import annotations

from faan.complete.evidence import FittedEvidence
from faan.complete.fewshot import FittedFaan, FittedFsrl, FittedGMatching, FittedMetaR
from faan.complete.methods import Fitted, FittedRules

FALLBACK = FittedRules  # where a graph has too few tasks to learn from

METHODS: dict[str, type[Fitted]] = {
    fitted.name: fitted
    for fitted in (
        FittedEvidence,
        FittedFaan,
        FittedMetaR,
        FittedGMatching,
        FittedFsrl,
        FittedRules,
    )
}
DEFAULT = next(iter(METHODS))
