"""Whether probabilities are right: compares them with how often first suggestions for hidden facts are correct."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from faan.base import OnProgress
from faan.complete import Completer, calibration_error, reliability
from faan.links.hiding import LinkSplit
from faan.tasks import PairSet

HIGH = 0.9  # from this probability on a person may accept without looking
_ENOUGH = 50  # heads that a relation needs to have an error of its own listed
Said: TypeAlias = dict[str, tuple[NDArray[np.float64], NDArray[np.bool_]]]
"""For each relation the probabilities of the first suggestions, and whether they are true, hidden or known."""


def first_suggestions(completer: Completer, split: LinkSplit, on_progress: OnProgress) -> Said:
    """Ask for one answer for each head of the facts that are asked for."""
    graph, ids, found = split.graph, split.graph.entity_names, {}
    for number, relation in enumerate(split.asked_relations):
        name, true = graph.relation_names[relation], split.known[split.known[:, 1] == relation]
        truths = PairSet(true[:, 0], true[:, 2], graph.num_entities)
        heads = np.unique(split.test[split.test[:, 1] == relation, 0])
        said = list(completer.suggest(name, heads=[ids[int(head)] for head in heads], top=1, progress=False))
        pairs = np.array([(ids.find(one.head), ids.find(one.tail)) for one in said], dtype=np.int64).reshape(-1, 2)
        right = truths.contains(pairs[:, 0], pairs[:, 1])
        found[name] = np.array([one.probability for one in said], dtype=np.float64), right
        on_progress("comparing probabilities with the truth", (number + 1) / len(split.asked_relations))
    return found


def calibration_figures(found: Said) -> dict[str, Any]:
    """The `calibration` block of a result file: over all first suggestions, and for relations with many."""
    said = np.concatenate([probabilities for probabilities, _ in found.values()])
    right = np.concatenate([true for _, true in found.values()])
    high = said >= HIGH
    bins = reliability(said, right)
    return {
        "suggestions": len(said),
        "ece": calibration_error(bins),
        "share_at_90": float(high.mean()) if len(said) else 0.0,
        "precision_at_90": float(right[high].mean()) if high.any() else None,
        "bins": [{"count": int(one.count), "said": one.said, "true": one.true} for one in bins],
        "relations": {
            name: {"suggestions": len(own), "ece": calibration_error(reliability(own, true))}
            for name, (own, true) in found.items()
            if len(own) >= _ENOUGH
        },
    }
