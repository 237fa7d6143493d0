"""Streams of random numbers."""

from __future__ import annotations

import pytest

from faan.base import Purpose, Stream


@pytest.mark.parametrize("first", [0, 1, 7, 99, 100, 200])
def test_the_first_of_a_permutation_are_those_of_all(first: int) -> None:
    whole = Stream(3, Purpose.RESERVED, 5).permutation(100)
    assert sorted(whole.tolist()) == list(range(100))
    assert Stream(3, Purpose.RESERVED, 5).permutation(100, first).tolist() == whole[:first].tolist()
