"""Files that are written: figures, and the page of all results."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from tools.write_results import results_page, write_results_page

from faan.base import InputError
from faan.rank import Chart, write_figure

from .conftest import Faan, WriteResult

ROOT = Path(__file__).parent.parent.parent
CHARTS = [
    Chart("dots", "Dots", "MRR", ["price_$_and_$", "b"], {"measured here": [0.2, None], "published": [0.3, 0.1]}),
    Chart("lines", "Lines", "MRR", ["1", "2", "3"], {"FAAN": [0.1, None, 0.3], "Rules": [None, None, None]}),
    Chart("heat", "Heat", "beta", ["x" * 99, "b"], {"reference 1": [0.9, 0.2], "reference 2": [0.1, 0.8]}),
]


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.kind)
@pytest.mark.usefixtures("matplotlib_version")
def test_a_figure_is_the_same_each_time(chart: Chart, tmp_path: Path) -> None:
    first, second = write_figure(chart, tmp_path / "a.b"), write_figure(chart, tmp_path / "c")
    assert [path.name for path in first] == ["a.b.png", "a.b.svg"]
    for one, other in zip(first, second, strict=True):
        assert len(one.read_bytes()) > 2000
        assert one.read_bytes() == other.read_bytes()


def test_without_matplotlib_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"pip install 'faan\[plots\]'"):
        write_figure(CHARTS[0], tmp_path / "a")


@pytest.mark.usefixtures("matplotlib_version")
def test_tables_and_figures_are_written(faan: Faan, write_result: WriteResult, home: Path) -> None:
    write_result("faan")
    assert faan("reproduce", "main", "-o", home / "out" / "here")[0] == 0
    names = sorted(path.name for path in (home / "out" / "here").iterdir())
    assert names == [f"nell-one-main.{kind}" for kind in ("csv", "md", "png", "svg")]
    assert faan("reproduce", "shots", "-o", home / "shots")[0] == 0  # a single K is no line
    assert not list((home / "shots").glob("*.svg"))


@pytest.mark.usefixtures("matplotlib_version")
def test_a_page_has_every_benchmark_that_has_results(write_result: WriteResult, home: Path) -> None:
    write_result("faan", dataset="World")
    (home / "docs" / "figures" / "results").mkdir(parents=True)
    (home / "docs" / "figures" / "results" / "old.svg").write_text("")
    (home / "docs" / "results-reading.md").write_text("What it says.\n")
    written = write_results_page(home / "results", home / "docs")
    page = written[0].read_text()
    assert "What it says." in page
    assert page.index("## NELL-One") < page.index("## World")
    assert "figures/results/world-main.svg" in page
    assert "FAAN and its variants, World" not in page  # no variant has a result
    figures = {path.name for path in (home / "docs" / "figures" / "results").iterdir()}
    assert figures == set(re.findall(r"\(figures/results/(.+?)\)", page))


def test_the_committed_page_is_current() -> None:
    reading = (ROOT / "docs" / "results-reading.md").read_text(encoding="utf-8")
    page, figures = results_page(ROOT / "results", reading)
    assert (ROOT / "docs" / "results.md").read_text(encoding="utf-8") == page, "run `make results`"
    folder = ROOT / "docs" / "figures" / "results"
    assert {path.stem for path in folder.glob("*.svg")} == set(figures), "run `make results`"


@pytest.mark.slow
def test_the_committed_figures_are_current(matplotlib_version: str, tmp_path: Path) -> None:
    if f"matplotlib=={matplotlib_version} " not in (ROOT / "constraints.txt").read_text(encoding="utf-8"):
        pytest.skip("another version of matplotlib draws other bytes")
    _, figures = results_page(ROOT / "results", "")
    for name, chart in figures.items():
        (drawn,) = write_figure(chart, tmp_path / name, ("svg",))
        committed = ROOT / "docs" / "figures" / "results" / f"{name}.svg"
        assert drawn.read_bytes() == committed.read_bytes(), "run `make results`"
