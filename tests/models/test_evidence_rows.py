"""Which wrong tails are the hardest."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from faan.models.evidence_rows import _highest


@given(st.lists(st.sampled_from([0.0, 1.0, 2.5, -1.0]), max_size=12), st.integers(0, 14))
def test_the_highest_values_are_the_first_of_all_in_order(values: list[float], count: int) -> None:
    own = np.array(values, np.float32)
    expected = np.argsort(-own, kind="stable")[:count]
    assert sorted(_highest(own, count).tolist()) == sorted(expected.tolist())
