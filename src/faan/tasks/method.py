"""The interface of few-shot methods: `prepare` reads the references of a task once, `score` scores candidates."""

from __future__ import annotations

import typing
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints
from faan.tasks.benchmark import Task

Protocol: TypeAlias = Literal["strict", "open"]
"""Whether a method learns from the training tasks alone, or from relations of the background graph too."""


class Scorer(typing.Protocol):
    """Scores pairs of one relation, given its references."""

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        """Score each head with each candidate, higher for more plausible: (H,) and (C,) to (H, C).

        The score of a pair must not depend on the other heads and candidates of the call.
        """
        ...


class Method(typing.Protocol):
    """A few-shot method."""

    def prepare(self, task: Task, references: Ints) -> Scorer:
        """Look at the references (K, 2) of a task.

        Of the task itself a method may use the name, the candidates, `task.hidden` (it must not see edges of that
        relation between the head and the tail of a pair) and `task.facts`, of which the references are a sample.
        """
        ...
