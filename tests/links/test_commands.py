from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from faan.cli import app
from faan.cli.reading import SourceOptions

from .conftest import facts


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "land.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in facts()))
    return path


def call(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return done.exit_code, done.stdout, done.stderr


def test_a_graph_is_completed_and_results_are_written(graph: Path, tmp_path: Path) -> None:
    rows = ("--method", "rules", "--method", "MostFrequent")
    figure = tmp_path / "known.svg"
    code, out, err = call("evaluate", "completion", graph, *rows, "-o", tmp_path / "results", "--figure", figure)
    assert code == 0, err
    assert "Completion of land" in out
    assert "MRR by the number of known facts" in out
    assert {path.name for path in (tmp_path / "results").iterdir()} == {
        "land-completion-rules-seed0.json",
        "land-completion-mostfrequent-seed0.json",
    }
    result = json.loads((tmp_path / "results" / "land-completion-rules-seed0.json").read_text())
    assert result["command"] == "faan evaluate completion land.tsv --seed 0 --name land --method Rules"
    assert figure.read_text().startswith("<?xml")


def test_the_command_of_a_result_can_be_called_again(graph: Path) -> None:
    asked = ("completion", str(graph), "--most", "1000000", "--sample", "1234567", "--share", "0.25")
    code, out, err = call("evaluate", *asked, "--method", "MostFrequent", "--json")
    assert code == 0, err
    command = json.loads(out)["results"][0]["command"]
    assert "--share 0.25 --most 1000000 --sample 1234567 " in command


def test_the_command_of_a_result_says_how_the_graph_was_read(tmp_path: Path) -> None:
    path = tmp_path / "backwards.csv"
    path.write_text("to,how,from\n" + "".join(f"{tail},{relation},{head}\n" for head, relation, tail in facts()))
    types = tmp_path / "types of all.tsv"
    types.write_text("land1\tland\n")
    read = ("--columns", "from,how,to", "--types", types, "--skip-bad-lines")
    code, out, err = call("evaluate", "completion", path, *read, "--method", "MostFrequent", "--json")
    assert code == 0, err
    command = json.loads(out)["results"][0]["command"]
    assert "--columns from,how,to --types 'types of all.tsv' --skip-bad-lines --method" in command


def test_the_folder_that_one_is_in_has_a_name(graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (graph.parent / "lands").mkdir()
    graph.rename(graph.parent / "lands" / graph.name)
    monkeypatch.chdir(graph.parent / "lands")
    code, out, err = call("evaluate", "completion", ".", "--method", "MostFrequent", "--json")
    assert code == 0, err
    (result,) = json.loads(out)["results"]
    assert result["dataset"] == "lands"
    assert result["command"].startswith("faan evaluate completion lands ")


def test_the_folder_above_has_a_name(graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (graph.parent / "lands" / "below").mkdir(parents=True)
    graph.rename(graph.parent / "lands" / graph.name)
    monkeypatch.chdir(graph.parent / "lands" / "below")
    code, out, err = call("evaluate", "completion", "..", "--method", "MostFrequent", "--json")
    assert code == 0, err
    (result,) = json.loads(out)["results"]
    assert result["dataset"] == "lands"
    assert result["command"].startswith("faan evaluate completion lands ")


def test_the_user_at_an_endpoint_is_not_in_the_command_of_a_result() -> None:
    assert SourceOptions(user="ana", limit=5, predicate=["near"]).words == ["--predicate", "near", "--limit", "5"]


def test_facts_of_files_are_asked_for(graph: Path, tmp_path: Path) -> None:
    (tmp_path / "test.tsv").write_text("land7\tnext_to\tland12\n")
    files = ("--train", graph, "--test", tmp_path / "test.tsv", "--name", "mine")
    code, out, err = call("evaluate", "completion", *files, "--method", "Rules", "--json")
    assert code == 0, err
    (result,) = json.loads(out)["results"]
    assert (result["dataset"], result["test"]["queries"]) == ("mine", 2)


@pytest.mark.slow
def test_every_row_completes_a_graph(graph: Path) -> None:
    code, out, err = call("evaluate", "completion", graph, "--json")
    assert code == 0, err
    results = {one["method"]: one for one in json.loads(out)["results"]}
    assert list(results) == ["Evidence", "ComplEx", "TransE", "Rules", "MostFrequent"]
    assert results["Evidence"]["calibration"]["suggestions"] > 0
    assert results["ComplEx"]["test"]["mrr"] > 0.1


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "give a graph, or facts to learn from"),
        (("GRAPH", "--test", "GRAPH"), 2, "only for facts from files"),
        (("GRAPH", "--method", "Rulez"), 1, "expected one of Evidence, ComplEx"),
        (("GRAPH", "--figure", "known.pdf"), 2, "ends in .svg or .png"),
        (("GRAPH", "--share", "1.5", "--method", "Rules"), 1, "between 0 and 1"),
    ],
)
def test_wrong_calls_say_what_to_do(graph: Path, arguments: tuple[str, ...], code: int, message: str) -> None:
    filled = [str(graph) if argument == "GRAPH" else argument for argument in arguments]
    done = CliRunner().invoke(app, ["evaluate", "completion", *filled])
    assert (done.exit_code, message in " ".join((done.output + str(done.exception)).split())) == (code, True)
