"""Telling true facts from false ones that people have judged: accuracy by thresholds, and without any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from faan.base import InputError, Ints, OnProgress, distinct, ignore_progress
from faan.complete import Completer
from faan.embed import encode_triples
from faan.graph import Graph

_HALF = 0.5  # the threshold where there is nothing to choose one by


@dataclass(frozen=True, eq=False)
class Judged:
    """Facts by the graph's ids, and whether people say that they are true."""

    facts: Ints  # (n, 3)
    true: NDArray[np.bool_]  # (n,)
    skipped: int = 0  # facts with an entity or a relation that the graph lacks

    @classmethod
    def of(cls, graph: Graph, true: Graph, false: Graph) -> Judged:
        """The facts of two files."""
        (right, first), (wrong, second) = encode_triples(graph, true), encode_triples(graph, false)
        for found, other in ((right, true), (wrong, false)):
            if not len(found):
                raise InputError("no fact has entities and a relation of the graph", source=other.report.source)
        labels = np.arange(len(right) + len(wrong)) < len(right)
        return cls(np.concatenate([right, wrong]), labels, first + second)


def probabilities(completer: Completer, facts: Ints, on_progress: OnProgress = ignore_progress) -> NDArray[np.float64]:
    """The probability that a completer gives each fact (n, 3), asked by the relation's name."""
    graph, said = completer.graph, np.zeros(len(facts))
    relations = distinct(facts[:, 1])
    for number, relation in enumerate(relations.tolist()):
        rows = np.flatnonzero(facts[:, 1] == relation)
        pairs = [(graph.entity_names[head], graph.entity_names[tail]) for head, _, tail in facts[rows].tolist()]
        judged = completer.score(pairs, graph.relation_names[relation])
        said[rows] = [one.probability for one in judged]
        on_progress("judging facts", (number + 1) / len(relations))
    return said


def judge_facts(test: Judged, said: ArrayLike, valid: Judged | None, valid_said: ArrayLike) -> dict[str, Any]:
    """Accuracy and F1 with a threshold for each relation that was best on validation facts; AUC without thresholds.

    A relation without validation facts has the threshold that is best for all of them together.
    """
    probability, relations = np.asarray(said, dtype=np.float64), test.facts[:, 1]
    chosen, overall = dict[int, float](), _HALF
    if valid is not None:
        known = np.asarray(valid_said, dtype=np.float64)
        overall = best_threshold(known, valid.true)
        for relation in distinct(valid.facts[:, 1]).tolist():
            rows = valid.facts[:, 1] == relation
            chosen[relation] = best_threshold(known[rows], valid.true[rows])
    limits = np.array([chosen.get(relation, overall) for relation in relations.tolist()])
    accepted = probability >= limits
    hits = int((accepted & test.true).sum())
    return {
        "facts": len(test.true),
        "true": int(test.true.sum()),
        "skipped": test.skipped,
        "accuracy": float((accepted == test.true).mean()),
        "f1": 2 * hits / max(int(accepted.sum() + test.true.sum()), 1),
        "auc": area_under_curve(probability, test.true),
        "accuracy_at_50": float(((probability >= _HALF) == test.true).mean()),
        "relations": {
            int(relation): {
                "facts": int((relations == relation).sum()),
                "threshold": chosen.get(int(relation), overall),
                "accuracy": float((accepted == test.true)[relations == relation].mean()),
            }
            for relation in distinct(relations)
        },
    }


def best_threshold(said: NDArray[np.float64], true: NDArray[np.bool_]) -> float:
    """The probability from which on facts are accepted with the fewest errors; halfway between two that were said."""
    order = np.argsort(said, kind="stable")
    values, right = said[order], true[order]
    starts = np.flatnonzero(np.append(True, values[1:] > values[:-1]))  # places from which on all are accepted
    refused = np.append(0, np.cumsum(right))[np.append(starts, len(right))]  # true facts below
    accepted = (~right).sum() - np.append(0, np.cumsum(~right))[np.append(starts, len(right))]  # false facts above
    best = int(np.argmin(refused + accepted))
    if best == 0:
        return 0.0
    if best == len(starts):
        return float(np.nextafter(values[-1], np.inf))
    return float((values[starts[best] - 1] + values[starts[best]]) / 2)


def area_under_curve(said: NDArray[np.float64], true: NDArray[np.bool_]) -> float | None:
    """How often a true fact has a higher probability than a false one, ties half; None without facts of both kinds."""
    right, wrong = said[true], np.sort(said[~true])
    if not len(right) or not len(wrong):
        return None
    below, not_above = np.searchsorted(wrong, right, "left"), np.searchsorted(wrong, right, "right")
    return float((below + not_above).mean() / (2 * len(wrong)))
