from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from faan.base import distinct, distinct_without


@given(st.lists(st.integers(-5, 5) | st.integers(-(2**62), 2**62)))
def test_distinct_numbers_are_those_that_numpy_finds(numbers: list[int]) -> None:
    found = distinct(np.array(numbers, dtype=np.int64))
    assert found.dtype == np.int64
    assert found.tolist() == sorted(set(numbers))
    halves = distinct(np.array(numbers[::2], dtype=np.int64), np.array(numbers[1::2], dtype=np.int64))
    assert halves.tolist() == found.tolist()
    assert distinct_without(found[::-1], np.array([1, 2])).tolist() == sorted(set(numbers) - {1, 2})


def test_distinct_numbers_of_a_table_are_one_row() -> None:
    assert distinct(np.array([[2, 1], [1, 3]], dtype=np.int32)).tolist() == [1, 2, 3]
