"""How reliable probabilities are: how often they were right, and how many heads get an answer at which threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from faan.base import counted
from faan.complete.about import Bin, Point
from faan.complete.calibration import Answered, Calibration, Floats, Tuning, among_several, as_if, probabilities
from faan.complete.completeness import share_found

_MANY = 50  # questions about a relation, from which on other relations hardly count
_FEW = 8  # with fewer examples, these say little about how far to trust them
_STEPS = 10  # of probability, in a reliability curve
_THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True)
class Trust:
    """What the probabilities of a relation rest on, and how often they were right when its facts were hidden.

    Attributes:
        questions: How many questions the self-test asked: each for the hidden facts of one head.
        examples: How many examples there are.
        decisions: How many decisions of reviewers count.
        one_value: Whether a head has one value, so that its answers share one unit with 'none of these'.
        measured: Whether probabilities were measured on this graph at all.
        reliability: First suggestions by probability: what was said, what was true. Empty where nothing was measured.
        trade_off: For each threshold the share of heads that get an answer, and the share of these that is right.

    >>> import faan
    >>> facts = [(f"land{i}", "next_to", f"land{i + 1}") for i in range(9)]
    >>> facts += [(f"town{i}", "lies_in", f"land{i}") for i in range(9)]
    >>> trust = faan.fit(facts, method="rules", progress=False).trust({"land1": "town1", "land2": "town2"})
    >>> trust.in_words()
    'from another graph: 2 examples say little'
    """

    questions: int
    examples: int
    decisions: int
    one_value: bool
    measured: bool
    reliability: tuple[Bin, ...]
    trade_off: tuple[Point, ...]

    def in_words(self) -> str:
        """What the probabilities rest on, in a few words.

        >>> trust.questions
        0
        """
        others = "other relations" if self.measured else "another graph"
        if self.questions >= _MANY:
            found = f"measured on {counted(self.questions, 'question')} about this relation"
        elif self.questions:
            found = f"measured on {counted(self.questions, 'question')} about this relation and on {others}"
        else:
            few = f": {counted(self.examples, 'example says', 'examples say')} little" if self.examples < _FEW else ""
            found = f"from {others}{few}"
        return found + (f", and {counted(self.decisions, 'decision')}" if self.decisions else "")


class First(NamedTuple):
    """The first suggestion for a head: the probability that it was given, and whether it was right.

    Where only a part of the true candidates is known to be, one that is known stands for others: `right` is above 1.
    """

    said: Annotated[float, Field(ge=0, le=1)]
    right: Annotated[float, Field(ge=0, allow_inf_nan=False)]


def first_of(question: Answered, calibration: Calibration, tuning: Tuning, one_value: float | None = None) -> First:
    """What would have been said of the best candidate of a question; nothing at all counts as wrong.

    The formulas are those of `Judge.probabilities`, for candidates of which those far behind are merged.
    `one_value` is how likely heads have one value by what was known when it was asked; None if that was known.
    """
    if not len(question.count):
        return First(0.0, 0.0)
    if question.values is not None:
        return _first_of_hidden(question, calibration, tuning)
    likely, said = float(question.one_value) if one_value is None else one_value, 0.0
    for shape, weight in ((True, likely), (False, 1 - likely)):
        logits = tuning.shared_logits if shape else tuning.logits
        z = logits(calibration, as_if(question.rows, shape))
        z += np.log(question.count) if shape else 0  # a group takes its share of the unit
        said += weight * float(probabilities(z, shape)[0])
    return First(said, float(question.right[0]))


def _first_of_hidden(question: Answered, calibration: Calibration, tuning: Tuning) -> First:
    """As `first_of`, where facts of the graph were hidden: the graph may lack others too."""
    z, count = tuning.shared_logits(calibration, question.rows), question.count
    shares, hidden = probabilities(z + np.log(count), True) / count, question.hidden
    if question.one_value:
        return First(float(shares[0]), float(question.right[0]))
    missing = calibration.missing * (hidden + (question.values or 0))
    said = among_several(shares, count, hidden + missing)
    return First(float(said[0]), float(question.right[0] / share_found(np.array(hidden), np.array(missing))))


def reliability_of(firsts: Sequence[First]) -> tuple[Bin, ...]:
    """The reliability curve of first suggestions."""
    said, right = np.array(firsts, dtype=np.float64).reshape(-1, 2).T
    return reliability(said, right)


def reliability(said: Floats, right: NDArray[np.bool_] | Floats) -> tuple[Bin, ...]:
    """Compare probabilities with what was true, in ten steps of probability; empty steps are left out."""
    place = np.minimum((said * _STEPS).astype(np.int64), _STEPS - 1)
    steps = (place == number for number in range(_STEPS))
    return tuple(
        Bin(count=float(rows.sum()), said=float(said[rows].mean()), true=min(float(right[rows].mean()), 1.0))
        for rows in steps
        if rows.any()
    )


def calibration_error(bins: Sequence[Bin]) -> float:
    """By how much probabilities are off, on average over candidates (expected calibration error); 0 without any."""
    total = sum(b.count for b in bins)
    return sum(b.count * abs(b.said - b.true) for b in bins) / total if total else 0.0


def trade_off(firsts: Sequence[First]) -> tuple[Point, ...]:
    """For each threshold the share of heads whose first suggestion reaches it, and the share of those that is right."""
    found = []
    for threshold in _THRESHOLDS if firsts else ():
        over = [one for one in firsts if one.said >= threshold]
        right = min(sum(one.right for one in over) / len(over), 1.0) if over else None
        found.append(Point(threshold=threshold, answered=len(over) / len(firsts), right=right))
    return tuple(found)
