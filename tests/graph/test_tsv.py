"""Cells of tab-separated lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from faan.graph.tsv import tsv_cells, tsv_line


@given(st.lists(st.text(), min_size=1))
def test_any_cells_are_one_line_and_come_back(cells: list[str]) -> None:
    line = tsv_line(cells)
    assert line.count("\n") == 1
    assert "\r" not in line
    assert line.count("\t") == len(cells) - 1
    assert tsv_cells(line) == cells
