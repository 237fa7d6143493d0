from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from faan.base import InputError, OnProgress, ignore_progress
from faan.cli import app
from faan.complete import fit
from faan.graph import Graph, read_graph
from faan.links import Judged, judge_facts, probabilities
from faan.links.facts import area_under_curve, best_threshold

from .conftest import facts

labelled = st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]), st.booleans()), min_size=1, max_size=12)


@given(labelled)
def test_no_threshold_makes_fewer_errors(pairs: list[tuple[float, bool]]) -> None:
    said, true = np.array([said for said, _ in pairs]), np.array([true for _, true in pairs])
    errors = {limit: int(((said >= limit) != true).sum()) for limit in (0.0, 0.1, 0.3, 0.6, 0.95, 1.1)}
    assert int(((said >= best_threshold(said, true)) != true).sum()) == min(errors.values())


@given(labelled)
def test_the_area_is_the_share_of_pairs_in_the_right_order(pairs: list[tuple[float, bool]]) -> None:
    said, true = np.array([said for said, _ in pairs]), np.array([true for _, true in pairs])
    wins = [(a > b) + (a == b) / 2 for a in said[true] for b in said[~true]]
    found = area_under_curve(said, true)
    assert found is None if not wins else found == pytest.approx(np.mean(wins))


def test_each_relation_has_its_own_threshold_and_strangers_the_common_one() -> None:
    valid = Judged(np.array([[0, 0, 1]] * 4 + [[0, 1, 1]] * 4), np.array([True, True, False, False] * 2))
    valid_said = [0.9, 0.8, 0.7, 0.1, 0.3, 0.25, 0.1, 0.05]
    test = Judged(
        np.array([[2, 0, 1], [2, 0, 3], [2, 1, 1], [2, 1, 3], [2, 2, 3]]), np.array([True, False] * 2 + [True])
    )
    figures = judge_facts(test, [0.78, 0.72, 0.26, 0.12, 0.2], valid, valid_said)
    assert figures["relations"][0]["threshold"] == pytest.approx(0.75)
    assert figures["relations"][1]["threshold"] == pytest.approx(0.175)
    assert figures["relations"][2]["threshold"] == pytest.approx(0.175)  # the best for all
    assert (figures["accuracy"], figures["f1"]) == (1.0, 1.0)
    assert judge_facts(test, [0.78, 0.72, 0.26, 0.12, 0.2], None, [])["accuracy"] == pytest.approx(2 / 5)


def test_facts_are_judged_by_the_probability_of_the_completer(land: Graph) -> None:
    completer = fit(land, method="rules", progress=False)
    judged = Judged.of(land, read_graph([("land6", "twin_of", "land7")]), read_graph([("land6", "twin_of", "land9")]))
    said = probabilities(completer, judged.facts)
    expected = completer.score([("land6", "land7"), ("land6", "land9")], "twin_of")
    assert said.tolist() == [one.probability for one in expected]
    with pytest.raises(InputError, match="no fact has entities"):
        Judged.of(land, read_graph([("mars", "orbits", "sun")]), read_graph([("land6", "twin_of", "land9")]))


def test_the_command_never_shows_one_progress_bar_in_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_bars: list[str] = []

    @contextmanager
    def alone(*_: object) -> Iterator[OnProgress]:
        assert open_bars == []  # rich before 14.1 refuses a second one
        open_bars.append("bars")
        yield ignore_progress
        open_bars.clear()

    monkeypatch.setattr("faan.cli.printing.progress_bars", alone)
    monkeypatch.setattr("faan.complete.fitting.fit", lambda *_, **__: fit(facts(), method="rules", progress=False))
    for name, row in (("graph", ("a", "r", "b")), ("true", ("land6", "twin_of", "land7"))):
        (tmp_path / f"{name}.tsv").write_text("\t".join(row) + "\n")
    files = [str(tmp_path / "true.tsv"), "--false", str(tmp_path / "true.tsv")]
    done = CliRunner().invoke(app, ["evaluate", "facts", *files, "--graph", str(tmp_path / "graph.tsv")])
    assert (done.exit_code, done.exception) == (0, None)


@pytest.mark.slow
def test_the_command_judges_facts_by_a_model_or_a_graph(tmp_path: Path) -> None:
    rows = {"graph": facts(), "true": [("land6", "twin_of", "land7"), ("mars", "orbits", "sun")]}
    rows["false"] = [("land6", "twin_of", "land9")]
    for name, some in rows.items():
        (tmp_path / f"{name}.tsv").write_text("".join("\t".join(row) + "\n" for row in some))
    fit(rows["graph"], method="rules", progress=False).save(tmp_path / "model")
    call = ["evaluate", "facts", str(tmp_path / "true.tsv"), "--false", str(tmp_path / "false.tsv")]
    done = CliRunner().invoke(app, [*call, "--model", str(tmp_path / "model"), "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["facts"], found["true"], found["skipped"]) == (2, 1, 1)
    assert 0 <= found["accuracy"] <= 1
    done = CliRunner().invoke(app, [*call, "--model", str(tmp_path / "model")])
    assert "(threshold 50 %)" in done.stdout
    done = CliRunner().invoke(app, call)
    assert (done.exit_code, "--model" in done.output) == (2, True)
