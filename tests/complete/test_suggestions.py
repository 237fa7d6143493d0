"""Suggestions: lazy, kept, and at home in tables, files and notebooks."""

from __future__ import annotations

import csv
import json
import logging
import sys
from collections.abc import Iterator
from dataclasses import asdict
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pyoxigraph as ox
import pytest
from tools.attack.small_graph import facts

import faan
from faan.base import InputError
from faan.complete import Completer, Suggestion, Suggestions, line_writer
from faan.complete.suggestions import Asked
from faan.graph import Graph, Terms
from faan.rank import METRICS, ResultFile
from faan.tasks import SPLITS

from .conftest import CAPITALS

FIVE = CAPITALS[:5]
EVIL = "<img src=x onerror=alert(1)>"


class Counted:
    """A source of suggestions that counts how many were taken from it."""

    def __init__(self, count: int) -> None:
        self.taken, self.count = 0, count

    def __call__(self) -> Iterator[Suggestion]:
        for number in range(self.count):
            self.taken += 1
            yield Suggestion(f"land{number % 30}", "town1a", 1.0, 0.5, number, False, ("a, b", "c"), ())


@pytest.fixture
def found(completer: Completer) -> Suggestions:
    return completer.suggest(FIVE, heads=["land9", "land12"], top=2)


def lazy(land: Graph, source: Counted) -> Suggestions:
    return Suggestions(source, Asked(land, "capital", 30, False))


def test_nothing_is_computed_before_it_is_looked_at(land: Graph) -> None:
    source = Counted(1_000_000)
    suggestions = lazy(land, source)
    assert source.taken == 0
    assert next(iter(suggestions)).rank == 0
    assert source.taken == 1
    assert suggestions[3].rank == 3
    assert [one.rank for one in suggestions[2:5]] == [2, 3, 4]
    assert suggestions
    assert source.taken == 5


def test_slices_are_those_of_a_list(land: Graph) -> None:
    every = list(lazy(land, Counted(7)))
    places = (None, 0, 2, 5, 9, -1, -3)
    for part in (slice(*bounds) for bounds in product(places, places, (None, 1, 2, -1, -2))):
        assert lazy(land, Counted(7))[part] == every[part], part


def test_an_interruption_loses_no_suggestion(land: Graph) -> None:
    class Interrupted(Counted):
        def __call__(self) -> Iterator[Suggestion]:
            for one in super().__call__():
                if self.taken == 4:
                    raise KeyboardInterrupt
                yield one

    suggestions = lazy(land, Interrupted(7))
    with pytest.raises(KeyboardInterrupt):
        len(suggestions)
    assert [one.rank for one in suggestions] == list(range(7))


def test_showing_computes_the_first_rows_only(land: Graph) -> None:
    source = Counted(1_000_000)
    suggestions = lazy(land, source)
    assert "the first 10:" in repr(suggestions)
    assert suggestions._repr_html_().count("<tr>") == 11
    assert source.taken == 11


def test_what_was_computed_is_kept(land: Graph) -> None:
    source = Counted(20)
    suggestions = lazy(land, source)
    assert list(suggestions) == list(suggestions)
    assert (len(suggestions), suggestions[-1].rank, suggestions[::-1][0].rank, source.taken) == (20, 19, 19, 20)
    with pytest.raises(IndexError):
        suggestions[20]


def test_two_loops_at_once_see_the_same(land: Graph) -> None:
    suggestions = lazy(land, Counted(20))
    assert all(one is two for one, two in zip(suggestions, suggestions, strict=True))


def test_a_stream_keeps_nothing(land: Graph) -> None:
    source = Counted(20)
    suggestions = lazy(land, source)
    assert [one.rank for one in suggestions.stream()] == list(range(20))
    assert next(iter(suggestions)).rank == 0
    assert source.taken == 21


def test_no_suggestion_is_said_and_falsy(land: Graph) -> None:
    none = lazy(land, Counted(0))
    assert not none
    assert repr(none) == "Suggested tails for 30 heads, capital: none"
    assert none.to_polars().shape == (0, 8)
    assert none.to_polars().schema == lazy(land, Counted(1)).to_polars().schema


def test_frames_hold_what_suggestions_hold(found: Suggestions) -> None:
    frame = found.to_polars()
    assert [Suggestion(**row | {"because": tuple(row["because"]), "warnings": tuple(row["warnings"])})
            for row in frame.to_dicts()] == list(found)  # fmt: skip
    assert found.to_arrow().to_pylist() == frame.to_dicts()
    pandas = found.to_pandas()
    assert list(pandas.columns) == frame.columns
    assert pandas.to_dict("records") == frame.to_dicts()


@pytest.mark.parametrize(("module", "method"), [("pandas", "to_pandas"), ("pyarrow", "to_arrow")])
def test_a_missing_package_is_named(
    found: Suggestions, module: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=f"pip install {module}"):
        getattr(found, method)()


def test_files_hold_what_suggestions_hold(found: Suggestions, tmp_path: Path) -> None:
    for ending in ("parquet", "tsv", "csv", "jsonl"):
        found.save(str(tmp_path / f"x.{ending}"))
    assert pl.read_parquet(tmp_path / "x.parquet").equals(found.to_polars())
    lines = (tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == json.loads(json.dumps([asdict(one) for one in found]))
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["head"], row["tail"], row["because"]) for row in rows] == [
        (one.head, one.tail, "; ".join(one.because)) for one in found
    ]
    assert len((tmp_path / "x.tsv").read_text(encoding="utf-8").splitlines()) == 1 + len(found)


def test_an_unknown_ending_is_refused_before_anything_is_computed(land: Graph, tmp_path: Path) -> None:
    source = Counted(5)
    for name in ("x.xlsx", "x.nt", "nowhere/x.tsv"):
        with pytest.raises(InputError, match=r"ends in \.parquet|no such folder"):
            lazy(land, source).save(tmp_path / name)
    assert source.taken == 0


def test_by_tail_the_tail_comes_first(completer: Completer) -> None:
    text = repr(completer.suggest(FIVE, tails="town9a", top=1))
    assert text.splitlines()[0] == "Suggested heads for 1 tail, the new relation: 1"
    assert text.splitlines()[1].split()[:2] == ["tail", "head"]


def test_labels_are_shown_and_names_given() -> None:
    graph = faan.read_graph(Path(__file__).parents[2] / "examples" / "rivers.ttl")
    found = faan.fit(graph, method="rules").suggest([("Inn", "Black Sea"), ("Warta", "Baltic Sea")], heads="Vltava")
    assert "Vltava" in repr(found)
    assert found[0].head.startswith("http")


def test_names_cannot_become_part_of_a_page() -> None:
    rows = [(f"{EVIL}{i}", EVIL, f"{EVIL}b{i}") for i in range(6)] + [
        (f"{EVIL}{i}", "r", f"{EVIL}{i + 1}") for i in range(9)
    ]
    completer = faan.fit([*rows, ("a", f"{EVIL}?", "b")], method="rules", without=f"{EVIL}?")
    examples = [(rows[0][0], rows[0][2]), (rows[1][0], rows[1][2])]
    benchmark = faan.Benchmark(EVIL, completer.graph, dict.fromkeys(SPLITS, ()))
    figures = dict.fromkeys(METRICS, 0.5)
    told = {"dev": {}, "test": figures, "relations": {}, "seconds": {}, "steps": 0, "config": "", "command": ""}
    result = ResultFile.model_validate(told | {"method": EVIL, "dataset": EVIL, "shots": 5, "seed": 0})
    explanation = completer.explain(rows[3][0], rows[3][2], examples)
    for shown in (completer.graph, completer, completer.suggest(examples), explanation, benchmark, result):
        html = shown._repr_html_()
        assert "&lt;img" in html
        assert "<img" not in html
        ElementTree.fromstring(html.replace("<br>", "<br/>"))  # well-formed
    ElementTree.fromstring(explanation._repr_svg_())


def test_control_characters_cannot_play_tricks_on_a_terminal() -> None:
    rows = [(f"\x1b[2Ja{i}", "r", f"b{i}") for i in range(6)]
    completer = faan.fit(rows, method="rules")
    assert "\x1b" not in repr(completer.suggest([(rows[0][0], "b0")], heads=rows[3][0]))
    assert "\x1b" not in repr(completer.explain(rows[3][0], "b3", [(rows[0][0], "b0")]))


def test_an_explanation_is_saved_as_a_picture(completer: Completer, tmp_path: Path) -> None:
    completer.explain("land9", "town9a", FIVE).save(tmp_path / "why.svg")
    assert (tmp_path / "why.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.slow
def test_without_a_terminal_the_logger_reports(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.INFO, "faan"):
        completer = faan.fit(facts(trades=12), method="rules")
        len(completer.suggest(FIVE, top=1))
    said = [record.getMessage() for record in caplog.records]
    assert said == ["measuring: done", "measuring known relations: done", "suggesting: done"]
    caplog.clear()
    with caplog.at_level(logging.INFO, "faan"):
        quiet = faan.fit(facts(trades=12), method="rules", progress=False)
        len(quiet.suggest(FIVE, top=1, progress=False))
    assert not caplog.records
    assert capsys.readouterr() == ("", "")


def test_reasons_in_ntriples_stay_in_their_comment() -> None:
    fact = Suggestion("a", "b", 1.0, 0.5, 1, False, ("like c\n<x> <y> <z> .",), ("odd",))
    line = line_writer("nt", "r", Terms())(fact)
    assert line == "<urn:faan:a> <urn:faan:r> <urn:faan:b> . # 0.500: warning: odd; like c\\x0a<x> <y> <z> .\n"
    assert len(list(ox.parse(line, format=ox.RdfFormat.N_TRIPLES))) == 1


def test_no_cell_of_a_csv_file_is_computed_by_a_spreadsheet(tmp_path: Path) -> None:
    completer = faan.fit([(f"=a{i}", "r", f"@b{i % 3}") for i in range(9)], method="rules")
    completer.suggest([("=a0", "@b0")], heads=["=a5"], top=1, progress=False).save(tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as file:
        [row] = csv.DictReader(file)
    assert (row["head"], row["tail"][:2]) == ("'=a5", "'@")
