"""From evidence to a score: trees that were trained on tasks.

They look at the columns of `faan.evidence.Measure`: values of all evidence, then places.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import lightgbm
import numpy as np
from numpy.typing import NDArray

from faan.base import InputError, read_small, write_text
from faan.evidence import Evidence, Values, column_evidence
from faan.models.tree_text import checked

_MOST_TEXT = 100_000_000  # characters of a saved model


class Trees:
    """Gradient boosted trees, LightGBM's."""

    def __init__(self, booster: lightgbm.Booster, evidence: Sequence[Evidence]) -> None:
        self.booster, self.evidence = booster, tuple(evidence)
        self._owner = _owners(evidence)  # (F,) the evidence of each column

    def score(self, table: Values) -> NDArray[np.float64]:
        """The sum of the leaves that a row falls into: (C, F) to (C,)."""
        return np.asarray(self.booster.predict(table), dtype=np.float64)

    def contributions(self, table: Values) -> NDArray[np.float64]:
        """What each piece of evidence adds to each score, (C, E), but for a constant.

        These are tree SHAP values, those of a value and of its place added up.
        """
        found = np.asarray(self.booster.predict(table, pred_contrib=True))[:, :-1]  # (C, F), the last is the mean
        by_evidence = np.zeros((len(found), self._owner.max() + 1))
        np.add.at(by_evidence.T, self._owner, found.T)
        return by_evidence

    def save(self, path: Path) -> None:
        """Write LightGBM's text."""
        write_text(path, self.booster.model_to_string())

    @classmethod
    def load(cls, path: Path, evidence: Sequence[Evidence]) -> Trees:
        """Read what `save` wrote; text, of which nothing is executed and every number is checked."""
        try:
            text = checked(read_small(path, _MOST_TEXT), len(_owners(evidence)))
        except KeyError as error:
            raise _unreadable(path, f"{error} is missing") from None
        except (OSError, ValueError, OverflowError) as error:
            raise _unreadable(path, str(error)) from None
        return cls(lightgbm.Booster(model_str=text), evidence)


def _unreadable(path: Path, problem: str) -> InputError:
    return InputError(f"the trees cannot be read ({problem}); train the ranker again", source=str(path))


def _owners(evidence: Sequence[Evidence]) -> NDArray[np.int64]:
    numbers = {one.name: number for number, one in enumerate(evidence)}
    return np.array([numbers[one.name] for one, _ in column_evidence(evidence)])
