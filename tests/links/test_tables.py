"""The tables of link prediction: from result files, apart from few-shot results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tools.write_results import read_completions, results_page

from faan.links import completion_tables
from faan.rank import ResultFile, read_results

FIGURES = {"mrr": 0.5, "hits@10": 0.7, "hits@5": 0.6, "hits@3": 0.55, "hits@1": 0.4}


def result(method: str, mrr: float, **changes: Any) -> ResultFile:
    figures = FIGURES | {"mrr": mrr}
    groups: list[dict[str, Any]] = [
        {"from": 1, "to": 9, "relations": 1, "queries": 4},
        {"from": 10, "to": None, "relations": 1, "queries": 6},
    ]
    return ResultFile(
        **{
            "method": method,
            "dataset": "land",
            "protocol": "completion",
            "shots": 0,
            "seed": 0,
            "dev": {},
            "test": figures | {"queries": 10, "macro_mrr": 0.3},
            "relations": {
                "lies_in": figures | {"queries": 4, "candidates": 9, "known": 5},
                "rules": figures | {"queries": 6, "candidates": 9, "known": 50},
            },
            "by_known": [group | figures for group in groups],
            "notes": ("Some facts were hidden.",),
            "seconds": {},
            "steps": 0,
            "config": "",
            "command": f"faan evaluate completion land --seed 0 --name land --method {method}",
        }
        | changes
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    said = {"ece": 0.04, "share_at_90": 0.2, "precision_at_90": None}
    result("Evidence", 0.6, calibration=said).write(tmp_path / "land-completion-evidence-seed0.json")
    result("Rules", 0.3).write(tmp_path / "land-completion-rules-seed0.json")
    result("Rules", 0.9, seed=1).write(tmp_path / "land-completion-rules-seed1.json")
    return tmp_path


def test_a_table_has_a_row_for_each_method_of_the_lowest_seed_best_first(folder: Path) -> None:
    methods, known, relations = completion_tables(read_completions(folder)["land"], "land")
    assert [row[:2] for row in methods.rows] == [["Evidence", ".600"], ["Rules", ".300"]]
    assert dict(zip(methods.columns, methods.rows[0], strict=True))["ECE"] == ".040"
    assert dict(zip(methods.columns, methods.rows[1], strict=True))["ECE"] == ""
    assert "Some facts were hidden." in methods.notes
    assert [row[:3] for row in known.rows] == [["1 to 9", "1", "4"], ["10+", "1", "6"]]
    assert known.figure is not None
    assert known.figure.series == {"Evidence": [0.6, 0.6], "Rules": [0.3, 0.3]}
    assert [row[0] for row in relations.rows] == ["rules", "lies_in"]  # most queries first


def test_published_figures_stand_below_those_measured_here() -> None:
    table = completion_tables([result("ComplEx", 0.4, dataset="CoDEx-S")], "CoDEx-S")[0]
    rows = {row[0]: row for row in table.rows}
    assert rows["ComplEx, published"][1:5] == [".465", ".646", "", ".372"]
    assert {len(row) for row in table.rows} == {len(table.columns)}


def test_results_of_completion_are_no_few_shot_results(folder: Path) -> None:
    assert read_results(folder).is_empty()


def test_the_page_of_results_shows_completion(folder: Path) -> None:
    page, figures = results_page(folder, "How to read them.")
    assert "## Completing graphs" in page
    assert "### Completion of land" in page
    assert "land-completion-known" in figures
