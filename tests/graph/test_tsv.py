"""Cells of tab-separated lines."""

from __future__ import annotations

import pytest
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


@pytest.mark.parametrize("cell", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "-", "\uff1d1"])
def test_no_spreadsheet_computes_a_cell(cell: str) -> None:
    assert tsv_line([cell, cell]) == f"\\{cell}\t\\{cell}\n"
    assert tsv_cells(tsv_line([cell])) == [cell]


@pytest.mark.parametrize("cell", ["-1.5", "+3", "-1e-05", "a=b", "\\=", ""])
def test_numbers_and_other_names_stay_as_they_are(cell: str) -> None:
    assert tsv_line([cell]) == cell.replace("\\", "\\\\") + "\n"
    assert tsv_cells(tsv_line([cell])) == [cell]


def test_a_name_of_many_digits_is_looked_at_once() -> None:
    long = "-" + "9" * 1_000_000
    assert tsv_line([long]) == f"{long}\n"
    assert tsv_line([f"{long}x"]) == f"\\{long}x\n"  # with every digit tried as the last one, this takes hours
