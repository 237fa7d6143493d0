"""What every method offers: look at the references of a relation once, then score any heads against any candidates."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from faan.graph.ragged import Ints
from faan.tasks import Task


class Scorer(Protocol):
    """Scores pairs of one relation, of which it knows the references."""

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        """Score each head with each candidate, higher for more plausible: (H,) and (C,) to (H, C).

        The score of a pair must not depend on the other heads and candidates of the call.
        """
        ...


class Method(Protocol):
    """A few-shot method."""

    def prepare(self, task: Task, references: Ints) -> Scorer:
        """Look at the references (K, 2) of a task; of the task itself only the relation's name may be used."""
        ...
