"""From evidence to a score: trees that were trained on tasks.

They look at the columns of `faan.evidence.Measure`: values of all evidence, then places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

import lightgbm
import numpy as np
from numpy.typing import NDArray

from faan.base import InputError, read_small, write_text
from faan.evidence import Evidence, Values, column_evidence
from faan.models.leaves import Leaves
from faan.models.tree_text import checked, parsed

Added: TypeAlias = Mapping[str, tuple[float, float]]
"""By the evidence's name its weight and its usual value."""
_MOST_TEXT = 100_000_000  # characters of a saved model


class Trees:
    """Gradient boosted trees, LightGBM's."""

    def __init__(
        self, booster: lightgbm.Booster, evidence: Sequence[Evidence], added: Added = MappingProxyType({})
    ) -> None:
        self.booster, self.evidence, self.added = booster, tuple(evidence), added
        sums = np.array([added.get(one.name, (0.0, 0.0)) for one in evidence], dtype=np.float64).reshape(-1, 2)
        self._weights, self._usual = sums.T  # (E,) each
        self._adding: list[int] = np.flatnonzero(self._weights).tolist()
        self._owner = _owners(evidence)  # (F,) the evidence of each column

    def score(self, table: Values) -> NDArray[np.float64]:
        """The sum of the leaves that a row falls into, and what is added to it: (C, F) to (C,)."""
        scores: NDArray[np.float64] = (
            np.asarray(self.booster.predict(table)) if self._leaves is None else self._leaves.sums(table)
        )
        for number in self._adding:
            scores = scores + self._linear(table[:, number], number)
        return scores

    @cached_property
    def _leaves(self) -> Leaves | None:
        """The trees as they score fastest, where they can."""
        return Leaves.of(parsed(self.booster.model_to_string(), len(self._owner)))

    def contributions(self, table: Values) -> NDArray[np.float64]:
        """What each piece of evidence adds to each score, (C, E), but for a constant.

        These are tree SHAP values, those of a value and of its place added up.
        """
        found = np.asarray(self.booster.predict(table, pred_contrib=True))[:, :-1]  # (C, F), the last is the mean
        by_evidence = np.zeros((len(found), self._owner.max() + 1))
        np.add.at(by_evidence.T, self._owner, found.T)
        for number in self._adding:
            by_evidence[:, number] = by_evidence[:, number] + self._linear(table[:, number], number)
        return by_evidence

    def _linear(self, values: Values, number: int) -> NDArray[np.float64]:
        """What the values (C,) of a piece of evidence add by themselves, (C,)."""
        return np.asarray((values.astype(np.float64) - self._usual[number]) * self._weights[number])

    def adding(self, name: str, weight: float, usual: float) -> Trees:
        """The same, with a piece of evidence beside the trees: weight * (value - usual value) is added to scores."""
        return Trees(self.booster, self.evidence, {**self.added, name: (weight, usual)})

    def save(self, path: Path) -> None:
        """Write LightGBM's text."""
        write_text(path, self.booster.model_to_string())

    @classmethod
    def load(cls, path: Path, evidence: Sequence[Evidence], added: Added = MappingProxyType({})) -> Trees:
        """Read what `save` wrote; text, of which nothing is executed and every number is checked."""
        try:
            text = checked(read_small(path, _MOST_TEXT), len(_owners(evidence)))
        except KeyError as error:
            raise _unreadable(path, f"{error} is missing") from None
        except (OSError, ValueError, OverflowError) as error:
            raise _unreadable(path, str(error)) from None
        return cls(lightgbm.Booster(model_str=text), evidence, added)


def _unreadable(path: Path, problem: str) -> InputError:
    return InputError(f"the trees cannot be read ({problem}); train the ranker again", source=str(path))


def _owners(evidence: Sequence[Evidence]) -> NDArray[np.int64]:
    numbers = {one.name: number for number, one in enumerate(evidence)}
    return np.array([numbers[one.name] for one, _ in column_evidence(evidence)])
