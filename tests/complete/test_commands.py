"""fit, suggest, explain and info as a person calls them."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from tools.attack.small_graph import facts

from faan.cli.fit import _print_curve
from faan.complete import Bin, Completer, Point, fit
from faan.complete.output import COLUMNS
from faan.graph import read_graph

from .conftest import CAPITALS, COUNTRIES

Faan = Callable[..., tuple[int, str, str]]

EXAMPLES = [argument for head, tail in CAPITALS[:5] for argument in ("--example", f"{head},{tail}")]


@pytest.fixture
def model(completer: Completer, tmp_path: Path) -> Path:
    completer.save(tmp_path / "model")
    return tmp_path / "model"


def test_fit_writes_a_model_and_says_what_to_expect(faan: Faan, tmp_path: Path) -> None:
    graph = tmp_path / "land.tsv"
    graph.write_text("".join("\t".join(fact) + "\n" for fact in facts()), encoding="utf-8")
    arguments = ("--type-relation", "is", "--method", "rules", "--without", "custom5")
    code, out, err = faan("fit", graph, "-o", tmp_path / "model", *arguments)
    assert code == 0, err
    assert "On 3 relations that it had never seen" in out
    assert "left out: custom5" in out
    assert faan("info", tmp_path / "model")[1] == out
    about = json.loads(faan("info", tmp_path / "model", "--json")[1])
    assert about["source"]["without"] == ["custom5"]
    assert about["measured"]["shots"] == 5
    assert faan("fit", graph, "-o", tmp_path / "model", *arguments)[0] == 0  # a model may be replaced
    code, _, err = faan("fit", graph, "-o", tmp_path)
    assert code == 1
    assert "exists and is not a model" in err


def test_fit_replaces_a_model_of_another_graph_only_if_forced(faan: Faan, tmp_path: Path) -> None:
    rows = [(f"a{i}", "r", f"b{i % 5}") for i in range(20)]

    def fitted(name: str, rows: list[tuple[str, str, str]], *arguments: str) -> tuple[int, str, str]:
        graph = tmp_path / name
        graph.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
        return faan("fit", graph, "-o", tmp_path / "model", "--method", "rules", *arguments)

    assert fitted("one.tsv", rows)[0] == 0
    assert fitted("two.tsv", [*rows, ("a0", "r", "c")])[0] == 0  # it has grown, and has another name
    others = [(f"c{i}", "r", f"b{i % 5}") for i in range(20)]
    code, out, err = fitted("two.tsv", others)
    assert (code, out) == (1, "")
    assert "holds a model of another graph (two.tsv, 26 entities; this one is two.tsv, 25 entities)" in err
    assert "overwrite it (--force) or choose another folder" in " ".join(err.split())
    assert json.loads(faan("info", tmp_path / "model", "--json")[1])["source"]["triples"] == 21
    assert fitted("two.tsv", others, "--force")[0] == 0
    (tmp_path / "model" / "config.json").write_text("{}", encoding="utf-8")
    assert fitted("one.tsv", rows)[0] == 0  # one that cannot be used need not be kept


def test_a_reversed_example_is_named_and_the_answers_go_on(faan: Faan, model: Path) -> None:
    turned = [*EXAMPLES[2:], "--example", f"{CAPITALS[0][1]},{CAPITALS[0][0]}"]
    for arguments in (("suggest", model, "--head", "land9"), ("explain", model, "land9", "town9a")):
        code, out, err = faan(*arguments, *turned)
        assert code == 0
        assert "note: the example town0a → land0 looks reversed" in " ".join(err.split())
        assert "town9a" in out
        assert "note" not in faan(*arguments, *EXAMPLES)[2]


def test_without_a_terminal_fit_says_in_lines_what_it_does(faan: Faan, tmp_path: Path) -> None:
    graph = tmp_path / "land.tsv"
    graph.write_text("".join("\t".join(fact) + "\n" for fact in facts()), encoding="utf-8")
    err = faan("fit", graph, "-o", tmp_path / "model", "--type-relation", "is", "--method", "rules")[2]
    assert err.split(" wrote ")[0].endswith("town0a, lies_in, land0 measuring measuring known relations")


def test_fit_says_how_it_read_the_file(faan: Faan, tmp_path: Path) -> None:
    graph = tmp_path / "land.csv"
    rows = ["Kopf,Beziehung,Ziel", "only,two", *map(",".join, facts())]
    graph.write_text("\n".join(rows), encoding="utf-8")
    err = faan("fit", graph, "-o", tmp_path / "model", "--method", "rules", "--skip-bad-lines")[2]
    assert "the first triple is: Kopf, Beziehung, Ziel; if this is the header" in err
    assert "1 bad line was skipped, such as: " in err


def test_thresholds_that_no_first_suggestion_reaches_take_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    reached = [Point(threshold=0.5, answered=0.25, right=0.8)]
    unreached = [Point(threshold=threshold, answered=0) for threshold in (0.6, 0.7, 0.9)]
    _print_curve([Bin(count=9, said=0.4, true=0.3)], [*reached, *unreached])
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "50% or more: 25% of heads have such a first suggestion, 80% of these are right",
        "60% or more: no head has such a first suggestion",
    ]


def test_an_interrupted_fit_says_that_nothing_was_kept(
    faan: Faan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr("faan.complete.fitting.fit", interrupted)
    code, out, err = faan("fit", "world", "-o", tmp_path / "model")
    assert (code != 0, out) == (True, "")
    assert "interrupted; nothing was saved, run `faan fit` again" in err
    assert not (tmp_path / "model").exists()


def test_info_does_not_load_torch(model: Path) -> None:
    program = (
        "import sys; from faan.cli import app\n"
        "app(['info', sys.argv[1]], standalone_mode=False)\n"
        "sys.exit('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program, model], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_suggest_prints_a_table_with_reasons(faan: Faan, model: Path) -> None:
    code, out, _ = faan("suggest", model, *EXAMPLES, "--head", "land9", "--top", "2", "--explain")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "land9"
    assert lines[1].split()[0] == "1"
    assert lines[1].endswith("town9a")
    assert "right for 5 of 5 that it reaches" in lines[2]


def test_suggest_takes_the_name_of_a_new_relation(faan: Faan, model: Path) -> None:
    asked = ("suggest", model, "--relation", "sits in or lies", "--head", "court3", "--top", "1")
    code, out, err = faan(*asked)
    assert code == 0
    assert "as if like: sits_in" in err
    assert "low evidence: there are no examples" in out
    _, _, err = faan(*asked, "--not-like", "sits_in")
    assert "as if like: " in err
    assert "sits_in" not in err
    examples = [part for i in range(2) for part in ("--example", f"court{i},town{i}a")]
    code, out, err = faan(*asked, *examples, "--format", "nt")
    assert "as if like" not in err
    assert "<urn:faan:court3> <urn:faan:sits%20in%20or%20lies> <urn:faan:" in out
    assert "low evidence: there are only one or two examples" in faan(*asked, *examples)[1]


def test_suggest_takes_a_relation_a_file_or_standard_input(
    faan: Faan, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "".join(f"{head}\t{tail}\n" for head, tail in CAPITALS[:5]) + "\n"
    (tmp_path / "pairs.tsv").write_text(text, encoding="utf-8")
    by_hand = faan("suggest", model, *EXAMPLES, "--head", "land9")
    assert faan("suggest", model, "--examples", tmp_path / "pairs.tsv", "--head", "land9") == by_hand
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert faan("suggest", model, "--examples", "-", "--head", "land9") == by_hand
    code, out, _ = faan("suggest", model, "--relation", "lies_in", "--head", "town9a", "--known", "--top", "1")
    assert code == 0
    assert "land9  ! this fact is known already" in out


def test_names_with_commas_are_told_apart(faan: Faan, tmp_path: Path) -> None:
    graph = tmp_path / "graph.tsv"
    graph.write_text("".join(f"Lima, {i}\tin\tPeru, {i}\n" for i in range(4)), encoding="utf-8")
    assert faan("fit", graph, "-o", tmp_path / "model", "--method", "rules")[0] == 0
    code, out, _ = faan("suggest", tmp_path / "model", "--example", "Peru, 0,Lima, 0", "--head", "Peru, 1", "--json")
    assert code == 0
    assert json.loads(out.splitlines()[0])["tail"] == "Lima, 1"
    code, _, err = faan("suggest", tmp_path / "model", "--example", "Peru 0,Lima 0")
    assert code == 1
    assert "no entity is called 'Peru 0'. Did you mean 'Peru, 0'" in err


def test_without_heads_those_that_lack_the_fact_are_asked(faan: Faan, model: Path) -> None:
    _, out, err = faan("suggest", model, *EXAMPLES, "--top", "1")
    assert f"{COUNTRIES - 5} entities look like heads of the relation and lack the fact; these are the first 10" in err
    assert sum(line.startswith("land") for line in out.splitlines()) == 10
    _, out, _ = faan("suggest", model, *EXAMPLES, "--top", "1", "--format", "tsv")
    assert len(out.splitlines()) == 1 + COUNTRIES - 5
    _, out, _ = faan("suggest", model, *EXAMPLES, "--top", "1", "--limit", "3", "--format", "tsv")
    assert len(out.splitlines()) == 1 + 3


def test_where_nobody_lacks_the_fact_it_says_how_to_ask_for_further_ones(faan: Faan, model: Path) -> None:
    code, out, err = faan("suggest", model, "--relation", "speaks")
    assert (code, out) == (0, "")
    assert "0 entities look like heads of the relation and lack the fact: name the heads to ask about" in err


def test_suggestions_as_lines_for_programs(faan: Faan, model: Path) -> None:
    asked = ("suggest", model, *EXAMPLES, "--head", "land9", "--top", "2", "--format")
    header, first, _ = faan(*asked, "tsv")[1].splitlines()
    row = dict(zip(header.split("\t"), first.split("\t"), strict=True))
    assert (row["head"], row["tail"], row["rank"], row["low_evidence"]) == ("land9", "town9a", "1", "no")
    assert 0 <= float(row["probability"]) <= 1
    found = [json.loads(line) for line in faan(*asked, "jsonl")[1].splitlines()]
    assert [one["rank"] for one in found] == [1, 2]
    triple = faan(*asked, "nt", "--name", "seat", "--base", "http://a.org/")[1].splitlines()[0]
    assert triple.startswith("<http://a.org/land9> <http://a.org/seat> <http://a.org/town9a> . # ")
    told = "; ".join(found[0]["because"])
    assert triple.partition(" # ")[2] == f"{found[0]['probability']:.3f}: {told}"
    triple = faan(*asked, "nt", "--name", "http://b.org/seat")[1].splitlines()[0]
    assert triple.startswith("<urn:faan:land9> <http://b.org/seat> <urn:faan:town9a> . # ")


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("x.tsv", "head\ttail"),
        ("x.jsonl", '{"head": '),
        ("x.NT", "<urn:faan:town9a> <urn:faan:lies_in>"),
        ("x_edges.tsv", "id\tsubject\tpredicate\tobject\t"),
        ("x_edges.jsonl", '{"id": "urn:uuid:'),
    ],
)
def test_a_file_is_written_as_its_ending_says(faan: Faan, model: Path, tmp_path: Path, name: str, begin: str) -> None:
    asked = ("suggest", model, "--relation", "lies_in", "--head", "town9a", "--known", "-o", tmp_path / name)
    code, _, err = faan(*asked)
    assert code == 0, err
    assert (tmp_path / name).read_text().startswith(begin)
    (tmp_path / name).write_text("mine")
    code, _, err = faan(*asked)
    assert (code, (tmp_path / name).read_text()) == (1, "mine")
    assert "exists; continue it (--resume), overwrite it (--force) or choose another file" in err
    assert faan(*asked, "--force")[0] == 0
    assert (tmp_path / name).read_text().startswith(begin)


def test_that_everything_is_known_is_said(faan: Faan, model: Path) -> None:
    everything = [argument for head, tail in CAPITALS for argument in ("--example", f"{head},{tail}")]
    code, out, err = faan("suggest", model, *everything, "--tail", "town9b")
    assert (code, out) == (0, "")
    assert "all candidates are known already (--known shows them)" in err


def test_tails_alone_ask_for_heads(faan: Faan, model: Path) -> None:
    _, out, err = faan("suggest", model, *EXAMPLES, "--tail", "town9a", "--top", "1", "--json")
    assert (json.loads(out)["head"], json.loads(out)["tail"]) == ("land9", "town9a")
    assert "heads that already have one are skipped (--known shows them)" in err
    assert "skipped" not in faan("suggest", model, *EXAMPLES, "--tail", "town9a", "--known")[2]
    assert "skipped" not in faan("suggest", model, *EXAMPLES[:4], "--tail", "town9a")[2]  # two examples say nothing yet


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["tsv", "jsonl"])
def test_an_interrupted_job_goes_on_where_it_was(faan: Faan, model: Path, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"out.{suffix}"
    asked = ("suggest", model, *EXAMPLES, "--top", "3", "-o", path)
    code, out, err = faan(*asked)
    assert (code, out) == (0, "")
    assert "wrote 75 suggestions" in err
    whole = path.read_bytes()
    assert f"nothing was left to do: {path} is complete" in " ".join(faan(*asked, "--resume")[2].split())
    code, _, err = faan(*asked)
    assert code == 1
    assert "continue it (--resume)" in err
    assert path.read_bytes() == whole
    for kept in (0, 1, len(whole) // 3, len(whole) - 5, len(whole)):
        path.write_bytes(whole[:kept])
        assert faan(*asked, "--resume")[0] == 0
        assert path.read_bytes() == whole
    path.unlink()
    assert faan(*asked, "--resume")[0] == 0
    assert path.read_bytes() == whole
    path.write_bytes(b"something else\nentirely\n")
    code, _, err = faan(*asked, "--resume")
    assert code == 1
    assert "line 1" in err
    assert path.read_bytes() == b"something else\nentirely\n"


def test_an_interrupted_job_asks_about_a_name_that_is_given_twice_once(faan: Faan, model: Path, tmp_path: Path) -> None:
    path = tmp_path / "out.tsv"
    heads = [argument for number in (5, 6, 5, 7) for argument in ("--head", f"land{number}")]
    asked = ("suggest", model, *EXAMPLES, *heads, "--top", "2", "-o", path)
    assert faan(*asked)[0] == 0
    whole = path.read_bytes()
    assert [line.split(b"\t")[0] for line in whole.splitlines()[1::2]] == [b"land5", b"land6", b"land7"]
    path.write_bytes(whole[: whole.index(b"land6") + 20])
    assert faan(*asked, "--resume")[0] == 0
    assert path.read_bytes() == whole
    path.write_bytes(whole[: whole.index(b"land7")])
    assert faan(*asked, "--resume")[0] == 0
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("suffix", "content"),
    [
        ("jsonl", b"notes without a line's end"),
        ("tsv", b"notes without a line's end"),
        ("jsonl", b'{"mine": 1}'),
        ("jsonl", b'{"head": "land9", "tail": "town9a"}\n'),
        ("tsv", "\t".join(COLUMNS).encode() + b"\n\xff\tx\n"),
        ("jsonl", b'{"head": ' + b"[" * 100_000 + b"\n"),
        ("jsonl", b'{"head": "' + b"x" * (1 << 24)),
    ],
)
def test_a_refused_resumption_changes_nothing(
    faan: Faan, model: Path, tmp_path: Path, suffix: str, content: bytes
) -> None:
    path = tmp_path / f"out.{suffix}"
    path.write_bytes(content)
    code, _, err = faan("suggest", model, *EXAMPLES, "--head", "land8", "-o", path, "--resume")
    assert code == 1
    assert "error:" in err
    assert path.read_bytes() == content


def test_a_pipe_is_not_resumed(faan: Faan, model: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "out.jsonl")
    code, _, err = faan("suggest", model, *EXAMPLES, "--head", "land8", "-o", tmp_path / "out.jsonl", "--resume")
    assert code == 1
    assert "not a regular file" in err


def test_a_job_about_names_with_backslashes_goes_on(faan: Faan, tmp_path: Path) -> None:
    rows = [(rf"C:\temp{i}", "on", rf"D:\new{i % 3}") for i in range(9)]
    fit(read_graph(rows), method="rules").save(tmp_path / "model")
    path = tmp_path / "out.tsv"
    heads = [argument for head, _, _ in rows[3:6] for argument in ("--head", head)]
    asked = ("suggest", tmp_path / "model", "--example", r"C:\temp0,D:\new0", *heads, "-o", path)
    assert faan(*asked)[0] == 0
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    assert faan(*asked, "--resume")[0] == 0
    assert path.read_bytes() == whole


def test_only_line_feeds_end_a_name_in_a_file(faan: Faan, tmp_path: Path) -> None:
    rows = [(f"a\u2028{i}", "on", f"b\u2028{i % 3}") for i in range(9)]
    fit(read_graph(rows), method="rules").save(tmp_path / "model")
    (tmp_path / "examples.tsv").write_bytes("\ufeffa\u20280\tb\u20280\r\n".encode())
    (tmp_path / "heads.txt").write_bytes("a\u20285\r\n".encode())
    given = ("--examples", tmp_path / "examples.tsv", "--heads-file", tmp_path / "heads.txt", "--json")
    code, out, err = faan("suggest", tmp_path / "model", *given)
    assert code == 0, err
    assert json.loads(out.split("\n")[0])["head"] == "a\u20285"
    (tmp_path / "heads.txt").write_bytes(b"\n")
    code, _, err = faan("suggest", tmp_path / "model", *given)
    assert (code, "holds no name" in err) == (1, True)


def test_blanks_around_a_name_in_a_file_do_not_count_unless_the_name_has_them(faan: Faan, tmp_path: Path) -> None:
    rows = [*((f"a{i}", "on", f"b{i % 3}") for i in range(9)), ("c ", "on", "b0")]
    fit(read_graph(rows), method="rules").save(tmp_path / "model")
    (tmp_path / "examples.tsv").write_text(" a0\tb0  \na1 ,b1\nc \tb0\n")
    (tmp_path / "heads.txt").write_text(" a5 \nc \n")
    given = ("--examples", tmp_path / "examples.tsv", "--heads-file", tmp_path / "heads.txt", "--json")
    code, out, err = faan("suggest", tmp_path / "model", *given)
    assert code == 0, err
    assert {json.loads(line)["head"] for line in out.splitlines()} == {"a5", "c "}


def test_standard_input_that_is_no_text_is_an_error(faan: Faan, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xd9\x00\n")))
    code, _, err = faan("suggest", model, "--examples", "-")
    assert code == 1
    assert "standard input: not UTF-8" in err


def test_a_model_with_decisions_is_refused_before_it_is_fitted(
    faan: Faan, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (model / "decisions.sqlite").touch()
    monkeypatch.setattr("faan.complete.fitting.fit", lambda *_, **__: pytest.fail("work that would be lost"))
    graph = tmp_path / "land.tsv"
    graph.write_text("a\tb\tc\n", encoding="utf-8")
    code, _, err = faan("fit", graph, "-o", model)
    assert code == 1
    assert "decisions" in err


@pytest.mark.parametrize("place", ["a-file/model", "a-file"])
def test_a_place_that_cannot_be_written_is_refused_before_the_graph_is_read(
    faan: Faan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    (tmp_path / "a-file").touch()
    monkeypatch.setattr("faan.cli.reading.SourceOptions.read", lambda *_: pytest.fail("the graph was read"))
    code, _, error = faan("fit", "world", "-o", str(tmp_path / place))
    assert code == 1
    assert place in error
    assert "cannot be written" in error or "choose another folder" in error


def test_heads_come_from_a_file(faan: Faan, model: Path, tmp_path: Path) -> None:
    (tmp_path / "heads.txt").write_text("land9\n\nland8\n", encoding="utf-8")
    _, out, _ = faan("suggest", model, *EXAMPLES, "--heads-file", tmp_path / "heads.txt", "--top", "1", "--json")
    assert [json.loads(line)["head"] for line in out.splitlines()] == ["land9", "land8"]


def test_explain_prints_and_draws(faan: Faan, model: Path, tmp_path: Path) -> None:
    code, out, err = faan("explain", model, "land9", "town9a", *EXAMPLES, "--draw", tmp_path / "evidence.svg")
    assert code == 0
    for expected in ("land9 → town9a", "Because", "Examples it resembles", "What counts about land9"):
        assert expected in out
    assert "evidence.svg" in err
    assert (tmp_path / "evidence.svg").read_text(encoding="utf-8").startswith("<svg")
    code, out, err = faan("explain", model, "land9", "town9a", *EXAMPLES, "--draw", tmp_path / "evidence.svg")
    assert (code, out) == (1, "")
    assert "--force" in err
    assert faan("explain", model, "land9", "town9a", *EXAMPLES, "--draw", tmp_path / "evidence.svg", "--force")[0] == 0
    found = json.loads(faan("explain", model, "land9", "town9a", *EXAMPLES, "--json")[1])
    assert found["suggestion"]["tail"] == "town9a"
    assert found["paths"][0]["entities"][0] == "land9"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("suggest", "MODEL"), 2, "give --relation, --examples or --example"),
        (("suggest", "MODEL", "--examples", "x", "--example", "a,b"), 2, "only one of --examples and --example"),
        (("suggest", "MODEL", "--relation", "lies_in", "--not-like", "is"), 1, "for one that it lacks"),
        (("suggest", "MODEL", "--relation", "xyzzy"), 1, "give examples of it as pairs"),
        (("suggest", "MODEL", "--relation", "lies_in", "--format", "xml"), 2, "table, tsv, csv, jsonl, nt"),
        (("suggest", "MODEL", "--relation", "lies_in", "-o", "x.json"), 2, ".tsv, .csv, .jsonl, .nt"),
        (("suggest", "MODEL", "--relation", "lies_in", "-o", "x"), 2, "or pass --format"),
        (("suggest", "MODEL", "--relation", "lies_in", "--format", "table", "-o", "x.tsv"), 2, "for the screen"),
        (("suggest", "MODEL", "--example", "land1,town1a", "--format", "nt"), 2, "the new relation, for N-Triples"),
        (("suggest", "MODEL", "--relation", "lies_in", "--format", "nt", "--name", "x"), 2, "only for a new relation"),
        (("suggest", "MODEL", "--relation", "lies_in", "--format", "nt", "--base", "x"), 1, "is not an IRI"),
        (("suggest", "MODEL", "--relation", "lies_in", "--format", "tsv", "--json"), 2, "--json means jsonl, not tsv"),
        (("suggest", "MODEL", "--relation", "lies_in", "--resume"), 2, "only with -o"),
        (("suggest", "MODEL", "--relation", "lies_in", "--json", "--base", "urn:x:"), 2, "only for N-Triples"),
        (("suggest", "MODEL", "--relation", "lies_in", "--knowledge-source", "infores:x"), 2, "only for KGX"),
        (
            ("suggest", "MODEL", "--relation", "lies_in", "--format", "kgx", "--knowledge-source", "my lab"),
            1,
            "expected a knowledge source such as infores:my-lab",
        ),
        (("suggest", "MODEL", "--relation", "lies_in", "--json", "--explain"), 2, "only for a table"),
        (("suggest", "MODEL", "--relation", "lies_in", "--force"), 2, "only for a new file"),
        (("suggest", "MODEL", "--relation", "lies_in", "-o", "x.tsv", "--resume", "--force"), 2, "only for a new file"),
        (("suggest", "MODEL", "--relation", "lies_in", "--head", "town1a", "--limit", "1"), 2, "without heads and"),
        (("suggest", "MODEL", "--relation", "lies_in", "--heads-file", "x", "--limit", "1"), 2, "without heads and"),
        (("suggest", "MODEL", "--relation", "lies_in", "--tail", "land1", "--limit", "1"), 2, "without heads and"),
        (("suggest", "MODEL", "--relation", "lies_in", "--known"), 2, "needs --head, --heads-file or --tail"),
        (("suggest", "MODEL", "--relation", "lies_inn"), 1, "Did you mean 'lies_in'"),
        (("suggest", "MODEL", "--example", "land1,town1"), 1, "Did you mean"),
        (("suggest", "MODEL", "--example", "land1"), 1, "expected HEAD,TAIL"),
        (("suggest", "MODEL", "--example", "land1,town1a", "--head", "lnad9"), 1, "Did you mean 'land9'"),
        (("suggest", "MODEL", "--examples", "nowhere.tsv"), 1, "nowhere.tsv"),
        (("explain", "MODEL", "land9", "town9a", "--relation", "lies_in", "--draw", "x.gif"), 2, ".svg or .png"),
        (("explain", "MODEL", "land9", "town9a", "--relation", "lies_in", "--force"), 2, "only for a drawing"),
        (("info", "nowhere"), 1, "`faan fit` makes one"),
        (("fit", "no-such-graph", "-o", "x", "--method", "magic"), 1, "expected one of evidence, gmatching"),
        (("fit", "no-such-graph", "-o", "x", "--config", "magic"), 1, "no configuration has this name"),
    ],
)
def test_a_wrong_call_says_what_to_do(
    faan: Faan, model: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], code: int, message: str
) -> None:
    monkeypatch.chdir(model.parent)
    got, out, err = faan(*(str(model) if argument == "MODEL" else argument for argument in arguments))
    assert (got, out) == (code, "")
    assert message in err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no pair"),
        ("land1\ttown1a\tx\n", "line 1: expected two columns"),
        ("land1\ttwn1a\n", "line 1: no entity"),
    ],
)
def test_a_bad_file_of_examples_is_told_by_line(
    faan: Faan, model: Path, tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "pairs.tsv").write_text(text, encoding="utf-8")
    code, _, err = faan("suggest", model, "--examples", tmp_path / "pairs.tsv")
    assert code == 1
    assert message in err


def test_unlikely_suggestions_are_left_out(faan: Faan, model: Path) -> None:
    heads = [word for name in ("land8", "land9", "land10") for word in ("--head", name)]
    rows = [json.loads(line) for line in faan("suggest", model, *EXAMPLES, *heads, "--json")[1].splitlines()]
    least = sorted(row["probability"] for row in rows)[len(rows) // 2]
    code, out, err = faan("suggest", model, *EXAMPLES, *heads, "--json", "--min-probability", str(least))
    assert code == 0, err
    assert [json.loads(line) for line in out.splitlines()] == [row for row in rows if row["probability"] >= least]
    code, out, err = faan("suggest", model, *EXAMPLES, *heads, "--min-probability", "1")
    assert (code, out) == (0, "")
    assert "no suggestion has a probability of 1 or more" in err


def test_the_surest_of_all_heads_come_first(faan: Faan, model: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in faan("suggest", model, *EXAMPLES, "--top", "3", "--json")[1].splitlines()]
    code, out, err = faan("suggest", model, *EXAMPLES, "--top", "3", "--surest", "7", "-o", tmp_path / "sure.jsonl")
    assert code == 0, err
    assert "all of them are ranked first" in err
    sure = [json.loads(line) for line in (tmp_path / "sure.jsonl").read_text().splitlines()]
    assert sure == sorted(rows, key=lambda row: -row["probability"])[:7]
    code, out, err = faan("suggest", model, *EXAMPLES, "--top", "3", "--surest", "2")
    first = sure[0]
    assert f"{first['probability']:.1%}  {first['head']} → {first['tail']}" in out
    assert len(out.splitlines()) == 2


def test_a_summary_says_how_many_facts_to_expect(faan: Faan, model: Path) -> None:
    rows = [json.loads(line) for line in faan("suggest", model, *EXAMPLES, "--json")[1].splitlines()]
    code, out, err = faan("suggest", model, *EXAMPLES, "--summary", "--json")
    assert code == 0, err
    said = json.loads(out)
    assert said["asked"] == len({row["head"] for row in rows})
    for one in said["expected"]:
        above = [row for row in rows if row["probability"] >= one["least"]]
        assert (one["suggestions"], one["heads"]) == (len(above), len({row["head"] for row in above}))
        assert one["true"] == pytest.approx(sum(row["probability"] for row in above))
        assert one["wrong"] == pytest.approx(sum(1 - row["probability"] for row in above))
    assert said["expected"][-1]["suggestions"] > 0
    table = faan("suggest", model, *EXAMPLES, "--summary")[1]
    assert "probability at least" in table
    for wrong in (["--explain"], ["--surest", "3"], ["--min-probability", ".5"], ["--format", "tsv"]):
        assert faan("suggest", model, *EXAMPLES, "--summary", *wrong)[0] == 2
    assert faan("suggest", model, *EXAMPLES, "--surest", "3", "--resume", "-o", "x.jsonl")[0] == 2
