"""Suggestions over all heads: the surest of them, and how many facts to expect above a probability."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

from faan.complete.types import Suggestion

THRESHOLDS = (0.99, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.25, 0.1)


@dataclass(frozen=True)
class Expected:
    """What to expect of the suggestions above a probability."""

    least: float
    suggestions: int
    heads: int  # entities asked about that have one at least
    true: float  # the sum of the probabilities
    wrong: float


def surest(found: Iterable[Suggestion], count: int) -> list[Suggestion]:
    """The most likely suggestions of all, the surest first; holds no more than `count` of them at a time."""
    return heapq.nlargest(count, found, key=lambda suggestion: suggestion.probability)


def expected_above(found: Iterable[Suggestion], by_tail: bool = False) -> list[Expected]:
    """How many facts to expect at which probability; suggestions of an entity must come together."""
    counts, heads = [0] * len(THRESHOLDS), [0] * len(THRESHOLDS)
    sums = [0.0] * len(THRESHOLDS)
    last, best = None, 0.0
    for suggestion in found:
        asked, probability = suggestion.tail if by_tail else suggestion.head, suggestion.probability
        before = best if asked == last else -1.0
        last, best = asked, max(before, probability)
        for place, least in enumerate(THRESHOLDS):
            if probability >= least:
                counts[place] += 1
                sums[place] += probability
                heads[place] += before < least
    rows = zip(THRESHOLDS, counts, heads, sums, strict=True)
    return [Expected(least, count, asked, true, count - true) for least, count, asked, true in rows]
