"""The commands as a person runs them: in a process of their own, or in this one (`here`) where that needs torch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from faan.graph import read_graph, save_graph
from faan.tasks import read_benchmark

Write = Callable[[str, str | bytes], Path]
Here = Callable[..., tuple[int, str, str]]


def faan(*arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "faan", *map(str, arguments)]
    done = subprocess.run(command, input=stdin, capture_output=True, cwd=cwd, check=False)
    out, err = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in err
    return subprocess.CompletedProcess(command, done.returncode, out, err)


@pytest.fixture(name="here")
def _here(faan: Here) -> Here:
    """The command in this process, under a name beside `faan` above."""
    return faan


def test_check_shows_the_bundled_graph(tmp_path: Path) -> None:
    done = faan("check", "world", cwd=tmp_path)
    assert done.returncode == 0
    for expected in (
        "entities",
        "How many triples the relations have",
        "█",
        "rare: what few-shot",
        "official_language",
    ):
        assert expected in done.stdout
    assert done.stderr == ""


def test_check_as_json_is_for_programs(write: Write) -> None:
    done = faan("check", write("graph.tsv", "a\tr\tb\na\tr\tb\n"), "--json")
    content = json.loads(done.stdout)
    assert (content["entities"], content["triples"], content["read"]["duplicates"]) == (2, 1, 1)
    assert content["relations"] == [{"name": "r", "triples": 1, "heads": 1, "tails": 1}]
    assert "1 duplicate triple was dropped" in content["problems"]


def test_check_reads_standard_input() -> None:
    done = faan("check", "-", stdin=b"Peru\tcapital\tLima\n")
    assert "2 entities, 1 relation, 1 triple (table from standard input)" in done.stdout


@pytest.mark.slow
def test_check_takes_the_readers_options(write: Write) -> None:
    path = write("graph.csv", "id,land,stadt,was\n1,Peru,Lima,capital\n2,bad\n3,Lima,city,is\n")
    arguments = ("--columns", "land,was,stadt", "--type-relation", "is", "--skip-bad-lines", "--json")
    content = json.loads(faan("check", path, *arguments).stdout)
    assert (content["triples"], content["types"], content["read"]["skipped"]) == (1, 1, 1)
    nodes = write("nodes.tsv", "id\tname\nPeru\tRepublic of Peru\n")
    content = json.loads(faan("check", path, *arguments, "--nodes", nodes, "--type-pattern", "^(P)").stdout)
    assert (content["labelled"], content["typed"]) == (1, 1)


def test_relations_that_are_not_rare_are_not_called_frequent(write: Write) -> None:
    done = faan("check", write("graph.tsv", "a\tr\tb\n" + "".join(f"a\ts\tc{i}\n" for i in range(60))))
    rare, other = done.stdout.index("Rare relations (1 of 1)"), done.stdout.index("Other relations (1 of 1)")
    assert rare < other
    assert "Frequent" not in done.stdout


@pytest.mark.slow
def test_names_and_paths_are_printed_as_they_are_but_harmless(write: Write) -> None:
    path = write("d[/b]/my [x].tsv", "[red]a[/red]:book:\t[bold]r\t[/x]\nz\x1b[31m\t[bold]r\tz\x1b[31m\n")
    done = faan("check", path)
    assert done.returncode == 0, done.stderr
    for expected in ("[bold]r", "my [x].tsv", "(z\\x1b[31m)"):
        assert expected in done.stdout
    assert "\x1b" not in done.stdout
    assert "a[/red]:book:" in faan("check", write("b.tsv", "[red]a[/red]:book:\tr\tb\n")).stdout
    wrong = faan("check", path.with_name("evil\x1b[31m[b].tsv"))
    assert "evil\\x1b[31m[b].tsv" in wrong.stderr
    assert "\x1b" not in wrong.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("graph.tsv", b"a\tr\tb\na\tb\n", "graph.tsv, line 2: expected 3 columns"),
        ("graph.tsv", b"", "graph.tsv: the file is empty"),
        ("graph.bin", b"\x00\x01", "graph.bin: this is a binary file"),
        ("graph.nt", b"<http://a/b> <http://a/c <http://a/d> .\n", "graph.nt, line 1: not n-triples"),
        ("graph.tsv.gz", b"\x1f\x8b\x08\x00\x00", "graph.tsv.gz: the compressed file ends too early"),
        ("graph.tsv", b"a" * (1 << 21) + b"\tr\tb\n", "graph.tsv, line 1: the line is too long"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_1(write: Write, name: str, content: bytes, message: str) -> None:
    done = faan("check", write(name, content))
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "--nonsense"),
        ("benchmark", "build", "world"),
        ("nonsense",),
        ("check", "world", "--columns", "a,b"),
        ("check", "world", "--format", "excel"),
        ("benchmark", "build", "world", "-o", "x", "--min-triples", "9", "--max-triples", "5"),
        ("benchmark", "build", "world", "-o", "x", "--split", "s.json", "--dev-share", "0.1"),
        ("benchmark", "build", "world", "-o", "x", "--seed", "-1"),
    ],
)
def test_a_wrong_call_is_exit_code_2(here: Here, arguments: tuple[str, ...]) -> None:
    code, out, _ = here(*arguments)
    assert (code, out) == (2, "")


def test_help_names_every_command(here: Here) -> None:
    _, out, _ = here("--help")
    for command in (
        "check",
        "fit",
        "suggest",
        "explain",
        "info",
        "benchmark",
        "embed",
        "train",
        "resume",
        "evaluate",
        "reproduce",
    ):
        assert command in out
    _, out, _ = here("benchmark", "--help")
    for command in ("build", "info"):
        assert command in out
    assert faan("--version").stdout.startswith("faan 0.")


@pytest.mark.slow
def test_world_becomes_a_benchmark_with_its_own_split(here: Here, tmp_path: Path) -> None:
    folder = tmp_path / "world-benchmark"
    code, out, err = here("benchmark", "build", "world", "-o", folder)
    assert code == 0, err
    assert "candidates by types: on average the rule finds 100.0% of the tails" in out
    benchmark = read_benchmark(folder)
    assert len(benchmark.splits["test"]) >= 6
    assert "currency" in {task.relation for task in benchmark.splits["test"]}
    info = json.loads(here("benchmark", "info", folder, "--json")[1])
    assert len(info["tasks"]["test"]) == len(benchmark.splits["test"])
    assert "linked head to tail in the background" in here("benchmark", "info", folder)[1]
    assert info["build"]["split"]["test"] == [task.relation for task in benchmark.splits["test"]]
    _, out, _ = here("benchmark", "build", "world", "-o", tmp_path / "drawn", "--min-triples", "100", "--json")
    assert min(task["triples"] for tasks in json.loads(out)["tasks"].values() for task in tasks) >= 100
    code, _, err = here("benchmark", "build", "world", "-o", folder)
    assert code == 1
    assert "exists and is not empty" in err


@pytest.mark.slow
def test_a_benchmark_can_be_built_with_settings_and_split(here: Here, write: Write, tmp_path: Path) -> None:
    rows = [f"c{i}\tin\ts{i % 3}" for i in range(40)]
    rows += [f"c{i}\trare{r}\tc{i + r}" for r in range(1, 5) for i in range(6)]
    path = write("graph.tsv", "\n".join(rows))
    drawn = ("-o", tmp_path / "a", "--min-triples", "5", "--max-triples", "9", "--json")
    content = json.loads(here("benchmark", "build", path, *drawn)[1])
    assert content["build"]["settings"]["min_triples"] == 5
    assert sum(len(tasks) for tasks in content["tasks"].values()) == 4
    split = write("split.json", json.dumps({"train": ["rare1"], "dev": ["rare2"], "test": ["rare3"]}))
    assert here("benchmark", "build", path, "-o", tmp_path / "b", "--split", split)[0] == 0
    assert [task.relation for task in read_benchmark(tmp_path / "b").tasks] == ["rare1", "rare2", "rare3"]
    for wrong, message in (
        ("{", "line 1: not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"train": 1}', "expected a list"),
        ("[]", "expected a list"),
    ):
        code, _, err = here("benchmark", "build", path, "-o", tmp_path / "c", "--split", write("wrong.json", wrong))
        assert code == 1
        assert message in err
    assert not (tmp_path / "c").exists()


def test_a_path_that_no_file_can_have_is_one_line() -> None:
    done = faan("check", "x" * 300)
    assert done.returncode == 1
    assert "File name too long" in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_a_full_disk_is_one_line(write: Write) -> None:
    path = write("graph.tsv", "a\tr\tb\n")
    for option in ((), ("--json",)):
        command = [sys.executable, "-m", "faan", "check", str(path), *option]
        buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False, env=buffered)
        assert done.returncode == 1
        assert done.stderr.decode() == "error: No space left on device\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_forbidden_file_is_one_line(write: Write) -> None:
    path = write("graph.tsv", "a\tr\tb\n")
    path.chmod(0)
    done = faan("check", path)
    assert done.returncode == 1
    assert "Permission denied" in done.stderr


TINY = ("--set", "dimension=8", "--set", "epochs=2", "--set", "batch_size=64", "--set", "chunk_size=16")


@pytest.mark.slow
def test_embeddings_are_trained_reported_and_exported(here: Here, write: Write, tmp_path: Path) -> None:
    graph = write("graph.tsv", "".join(f"n{i}\tnext\tn{(i + 1) % 30}\n" for i in range(30)))
    test = write("test.tsv", "n1\tnext\tn2\nn1\tnext\tstranger\n")
    done = faan("embed", graph, "-o", tmp_path / "run", "--model", "distmult", "--test", test, "--tsv", *TINY)
    assert done.returncode == 0, done.stderr
    assert "distmult: 30 entities, 1 relations, 8 numbers each" in done.stdout
    assert "Filtered link prediction" in done.stdout
    assert "1 triples skipped" in done.stderr
    assert len((tmp_path / "run" / "entities.tsv").read_text().splitlines()) == 30
    _, out, _ = here("resume", tmp_path / "run", "--json")
    assert json.loads(out)["test"]["both"]["queries"] == 2
    code, _, err = here("embed", graph, "-o", tmp_path / "run")
    assert code == 1
    assert "exists and is not empty" in err


@pytest.mark.slow
def test_held_out_triples_need_no_types(here: Here, write: Write, tmp_path: Path) -> None:
    rows = [f"n{i}\tnext\tn{(i + 1) % 30}\nn{i}\tis\tnode\n" for i in range(30)]
    graph, test = write("graph.tsv", "".join(rows)), write("test.tsv", "n1\tnext\tn2\n")
    code, out, err = here("embed", graph, "-o", tmp_path / "run", "--type-relation", "is", "--test", test, *TINY)
    assert code == 0, err
    assert "30 entities, 1 relation" in out
    save_graph(read_graph(graph, type_relations=["is"]), tmp_path / "saved")
    table = write("test.csv", "when,from,how,to\n1,n1,next,n2\n")
    call = ("embed", tmp_path / "saved", "--test", table, "--columns", "from,how,to", *TINY)
    code, _, err = here(*call, "-o", tmp_path / "other")  # the columns are the table's
    assert code == 0, err
    code, _, err = here("embed", graph, "-o", tmp_path / "third", "--test", tmp_path / "saved", *TINY)
    assert code == 0, err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--model", "word2vec"), 2, "expected one of transe, distmult"),
        (("--set", "epochs"), 2, "expected NAME=VALUE"),
        (("--set", "speed=11"), 2, "expected NAME=VALUE"),
        (("--set", "epochs=many"), 2, "error: epochs: expected a whole number"),
        (("--config", "nowhere.toml"), 1, "nowhere.toml: cannot be read as TOML"),
        (("--model", "distmult", "--set", "learning_rate=1e30"), 1, "Lower learning_rate"),
        (("--model", "rotate", "--config", "transe.toml"), 2, "--config already sets the model; pass one of them"),
    ],
)
def test_embeddings_that_cannot_be_trained_say_why(
    here: Here, write: Write, tmp_path: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    graph = write("graph.tsv", "".join(f"n{i}\tnext\tn{(i + 1) % 30}\n" for i in range(30)))
    found, _, err = here("embed", graph, "-o", tmp_path / "run", *TINY, *arguments)
    assert found == code
    assert message in err


@pytest.mark.slow
def test_an_embedding_model_is_evaluated_on_a_benchmark(here: Here, write: Write, tmp_path: Path) -> None:
    rows = [f"c{i}\tin\ts{i % 3}" for i in range(40)]
    rows += [f"c{i}\trare{r}\tc{i + r}" for r in range(1, 5) for i in range(9)]
    graph = write("graph.tsv", "\n".join(rows))
    here("benchmark", "build", graph, "-o", tmp_path / "b", "--min-triples", "8", "--max-triples", "9")
    config = write("tiny.toml", 'model = "transe"\ndimension = 8\nepochs = 2\nbatch_size = 64\nchunk_size = 16\n')
    call = ("evaluate", config, "--benchmark", tmp_path / "b")
    code, out, err = here(*call, "-o", tmp_path / "result.json", "--set", "seed=7")
    assert code == 0, err
    assert "TransE on b, 5-shot, strict, seed 7" in out
    assert "test MRR with 95 % confidence" in out
    result = json.loads((tmp_path / "result.json").read_text())
    assert (result["method"], result["seed"], result["shots"]) == ("TransE", 7, 5)
    assert result["command"].endswith("--shots 5 --set seed=7")
    _, out, _ = here(*call, "--translation", "--json")
    assert json.loads(out)["method"] == "Translation"
    _, out, _ = here(*call, "--likeness", "--set", "model=distmult", "--json")
    assert json.loads(out)["method"] == "TailLikeness"
    assert "--likeness --set model=distmult" in json.loads(out)["command"]
    assert here(*call, "--translation", "--set", "model=distmult")[0] == 2


@pytest.mark.slow
def test_commands_load_lightgbm_alone_and_leave_other_libraries_to_be_loaded() -> None:
    program = (
        "import sys; from faan.cli.loading import load_lightgbm; load_lightgbm(); "
        "import lightgbm; print('sklearn' in sys.modules, 'pandas' in sys.modules); import pandas; print(pandas.NA)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "<NA>"]
