from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from faan.graph import read_graph
from faan.paper import running
from faan.tasks import BuildSettings, build_benchmark, write_benchmark

from .conftest import Faan, WriteResult

ROWS = "FAAN,TransE,Translation,TailCounts"


def test_tables_are_printed_and_for_programs_json(faan: Faan, write_result: WriteResult) -> None:
    write_result("faan", 0.25)
    code, out, err = faan("reproduce", "main")
    assert code == 0, err
    line = next(line for line in out.splitlines() if line.startswith("FAAN "))
    assert line.split()[:4] == ["FAAN", ".250", ".279", "-.029"]
    assert "To compute: `faan reproduce main" in out
    code, out, _ = faan("reproduce", "main", "--rows", "FAAN", "--json")
    content = json.loads(out)
    assert content["dataset"] == "NELL-One"
    assert content["tables"][0]["records"][0]["MRR"] == 0.25


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("best",), 2, "expected one of main, ablation, shots"),
        (("main", "--rows", " , "), 2, "names no row"),
        (("main", "--rows", "A1"), 1, "'A1' is not a row of this table; it is one of `faan reproduce ablation`"),
        (("attention", "--rows", "Rules"), 1, "'Rules' is not a row of this table"),
        (("datasets", "--rows", "nonsense"), 1, "no benchmark is called 'nonsense'"),
        (("relations", "--rows", "Evidence,Evidence open"), 1, "they cannot be compared"),
        (("main", "--rows", "FAN"), 1, "no row is called 'FAN'. Did you mean 'FAAN'"),
        (("main", "--dataset", "nowhere"), 1, "nowhere: there is no such benchmark, and no result of it"),
        (("main", "--dataset", "nowhere", "--run"), 1, "there is no such folder"),
        (("main", "--run", "--set", "train.steps=3"), 2, "only for ablation and shots with --run"),
        (("main", "--from", "x"), 2, "only for attention with --run"),
        (
            ("main", "--dataset", "data/Tiny", "--run", "--rows", "MetaR"),
            1,
            "faan ships no configuration of it",
        ),
        (("ablation", "--dataset", "data/Tiny", "--run", "--set", "train.stepps=3"), 1, "expected NAME=VALUE"),
    ],
)
def test_a_wrong_call_says_why(arguments: tuple[str, ...], code: int, message: str, faan: Faan, tiny: Path) -> None:
    found, out, err = faan("reproduce", *arguments)
    assert (found, out) == (code, "")
    assert message in err


def test_what_is_missing_is_computed_once(faan: Faan, tiny: Path, home: Path) -> None:
    code, out, err = faan("reproduce", "main", "--dataset", tiny, "--rows", ROWS, "--seeds", "2", "--run")
    assert code == 0, err
    assert "7 to compute, about" in err
    files = sorted(path.name for path in (home / "results").glob("*.json"))
    assert len(files) == 7
    assert {"tiny-faan-5shot-seed1.json", "tiny-tailcounts-5shot-seed0.json"} <= set(files)
    assert "missing" not in out
    result = json.loads((home / "results" / "tiny-faan-5shot-seed1.json").read_text())
    assert (result["dataset"], result["seed"], result["config"]) == ("Tiny", 1, "faan")
    assert result["command"] == (
        "faan train faan --benchmark Tiny -o faan-seed1 --set seed=1 && faan evaluate faan-seed1 --shots 5"
    )
    result = json.loads((home / "results" / "tiny-transe-5shot-seed1.json").read_text())
    assert result["command"] == "faan evaluate embed-transe --benchmark Tiny --shots 5 --set seed=1"
    before = {path: path.read_bytes() for path in (home / "results").glob("*.json")}
    code, _, err = faan("reproduce", "main", "--dataset", tiny, "--rows", ROWS, "--seeds", "2", "--run")
    assert code == 0
    assert "nothing is missing that could be computed" in err
    assert before == {path: path.read_bytes() for path in (home / "results").glob("*.json")}


def test_an_interrupted_job_goes_on(faan: Faan, tiny: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call = ("reproduce", "main", "--dataset", tiny, "--rows", "TailCounts,FAAN", "--run")

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(running, "evaluate_shots", stop)  # after training, before the result
        assert faan(*call)[0] != 0
    assert [path.name for path in (home / "results").glob("*.json")] == ["tiny-tailcounts-5shot-seed0.json"]
    run = home / "runs" / "reproduce" / "tiny" / "main" / "faan-seed0"
    checkpoint = (run / "checkpoint.safetensors").stat().st_mtime_ns
    code, _, err = faan(*call)
    assert code == 0, err
    assert "1 to compute" in err
    assert (run / "checkpoint.safetensors").stat().st_mtime_ns == checkpoint  # not trained again
    assert (home / "results" / "tiny-faan-5shot-seed0.json").is_file()


def test_a_run_with_other_settings_is_not_taken_for_this_one(faan: Faan, tiny: Path, home: Path) -> None:
    call = ("reproduce", "main", "--dataset", tiny, "--rows", "FAAN", "--run")
    assert faan(*call)[0] == 0
    (home / "results" / "tiny-faan-5shot-seed0.json").unlink()
    config = home / "configs" / "faan.toml"
    config.write_text(config.read_text().replace("steps = 4", "steps = 5"))
    code, _, err = faan(*call)
    assert code == 1
    assert "holds a run with other settings than faan has now" in err


def test_the_ablation_changes_the_model_and_shares_a_schedule(faan: Faan, tiny: Path, home: Path) -> None:
    call = ("reproduce", "ablation", "--dataset", tiny, "--rows", "A3,FAAN", "--run", "--set", "train.steps=2")
    code, out, err = faan(*call)
    assert code == 0, err
    assert "one schedule (faan with train.steps=2); training ended after 2 steps" in out
    result = json.loads((home / "results" / "ablation" / "tiny-faan-a3-5shot-seed0.json").read_text())
    assert (result["method"], result["variant"]) == ("FAAN", "A3")
    assert "--set variant=A3 --set train.steps=2 --set seed=0" in result["command"]
    same = ("reproduce", "ablation", "--dataset", tiny, "--rows", "A3", "--run", "--set", "train.steps = 2")
    assert "nothing is missing" in faan(*same)[2]
    for changes in ((), ("--set", "train.steps=3"), ("--set", "train.steps=2", "--set", "model.layers=2")):
        code, _, err = faan("reproduce", "ablation", "--dataset", tiny, "--rows", "B1", "--run", *changes)
        assert code == 1
        assert "holds FAAN trained with train.steps=2, not with" in err
    assert not list((home / "results" / "ablation").glob("*b1*"))


def test_results_of_another_benchmark_with_the_same_name_are_refused(faan: Faan, tiny: Path, home: Path) -> None:
    call = ("reproduce", "relations", "--rows", "TailCounts", "--run", "--dataset")
    assert faan(*call, tiny)[0] == 0
    other = home / "other" / "Tiny"
    rows = [(f"c{i}", "next", f"c{(i + 1) % 40}") for i in range(40)]
    rows += [(f"c{i}", f"odd{r}", f"c{(i + r) % 40}") for r in range(2, 12) for i in range(0, 40, 3)]
    write_benchmark(build_benchmark(read_graph(rows), BuildSettings(min_triples=8, max_triples=20))[0], other)
    code, _, err = faan(*call, other)
    assert code == 1
    assert "of another benchmark, 'Tiny': its name, test relations, queries or candidates" in " ".join(err.split())


def test_names_that_share_a_file_name_do_not_overwrite_each_other(faan: Faan, tiny: Path, home: Path) -> None:
    tiny.rename(home / "data" / "TINY")
    call = ("reproduce", "main", "--rows", "TailCounts", "--run", "--dataset")
    assert faan(*call, home / "data" / "TINY")[0] == 0
    (home / "data" / "tiny").symlink_to("TINY")
    code, _, err = faan(*call, home / "data" / "tiny")
    assert code == 1
    assert "of another benchmark, 'TINY'" in " ".join(err.split())


def test_an_archive_is_found_again_by_its_name(faan: Faan, tiny: Path, home: Path) -> None:
    with tarfile.open(home / "Tiny.tar.gz", "w:gz") as archive:
        archive.add(tiny, "Tiny")
    code, out, err = faan("reproduce", "main", "--rows", "TailCounts", "--run", "--dataset", home / "Tiny.tar.gz")
    assert code == 0, err
    assert "missing" not in out


def test_numbers_of_references_that_no_task_allows_are_left_out(faan: Faan, tiny: Path, home: Path) -> None:
    for split in ("dev", "test"):
        path = tiny / f"{split}_tasks.json"
        tasks = {relation: triples[:8] for relation, triples in json.loads(path.read_text()).items()}
        path.write_text(json.dumps(tasks))
    code, out, err = faan("reproduce", "shots", "--dataset", tiny, "--rows", "TailCounts", "--run")
    assert code == 0, err
    assert "K = 8, 9, 10 skipped" in err
    assert len(list((home / "results" / "shots").glob("*.json"))) == 7
    assert "Not for every K" not in out
    (home / "results" / "shots" / "tiny-tailcounts-3shot-seed0.json").unlink()
    assert "Not for every K: TailCounts." in faan("reproduce", "shots", "--dataset", tiny, "--rows", "TailCounts")[1]


def test_nothing_is_computed_that_could_not_be_written(
    faan: Faan, tiny: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "file").write_text("mine")
    monkeypatch.setattr(running, "_results", lambda *_: pytest.fail("computed"))
    for place in (("--results", home / "file"), ("-o", home / "file")):
        code, _, err = faan("reproduce", "main", "--dataset", tiny, "--rows", "TailCounts", "--run", *place)
        assert code == 1
        assert "cannot be written" in err


def test_what_goes_on_after_an_interruption_is_the_same_command(
    faan: Faan, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "_results", interrupt)
    code, _, err = faan("reproduce", "main", "--dataset", tiny, "--rows", "FAAN", "--run")
    assert code == 130
    assert f"continue with `faan reproduce main --dataset {tiny} --rows FAAN --run`" in " ".join(err.split())


def test_a_model_is_trained_once_for_all_shots(faan: Faan, tiny: Path, home: Path) -> None:
    code, out, err = faan("reproduce", "shots", "--dataset", tiny, "--rows", "FAAN,TailCounts", "--run", "--quick")
    assert code == 0, err
    assert "missing" not in out
    folder = home / "results" / "quick" / "shots"
    assert len(list(folder.glob("*.json"))) == 20
    result = json.loads((folder / "tiny-faan-9shot-seed0.json").read_text())
    assert (result["shots"], result["steps"]) == (9, 4)
    assert result["command"] == "faan reproduce shots --dataset Tiny --rows FAAN --quick --run"
    (run,) = (home / "runs" / "reproduce" / "tiny" / "shots-quick").iterdir()
    assert json.loads((run / "config.json").read_text())["train"]["shots"] == [1, 10]
    assert not list((home / "results").glob("*.json"))


def test_rows_without_settings_are_left_out(faan: Faan, tiny: Path) -> None:
    code, out, err = faan("reproduce", "relations", "--dataset", tiny, "--run")
    assert code == 0, err
    assert "MetaR is skipped" in err
    assert "Missing: MetaR, FAAN plus, Evidence." in out
    assert any(line.startswith("rare") for line in out.splitlines())


def test_the_statistics_of_a_benchmark_are_counted(faan: Faan, tiny: Path, home: Path) -> None:
    code, out, err = faan("reproduce", "datasets", "--dataset", tiny)
    assert code == 0, err
    assert f"Missing: Tiny. To compute: `faan reproduce datasets --dataset {tiny} --run`" in " ".join(out.split())
    code, out, err = faan("reproduce", "datasets", "--dataset", tiny, "--run")
    assert code == 0, err
    line = next(line for line in out.splitlines() if line.startswith("Tiny, measured here"))
    assert line.split()[3:9] == ["40", "11", "40", "7", "1", "2"]
    assert "NELL-One, published" in out
    (home / "results" / "datasets" / "tiny.json").write_text("{}")
    assert "holds no statistics" in faan("reproduce", "datasets")[2]


def test_case_studies_come_from_a_trained_run(faan: Faan, tiny: Path, home: Path) -> None:
    code, out, err = faan("reproduce", "attention", "--dataset", tiny, "--rows", "FAAN", "--run")
    assert code == 0, err
    content = json.loads((home / "results" / "attention" / "tiny-faan.json").read_text())
    for case in content["neighbours"]:
        assert sum(case["weights"].values()) == pytest.approx(1, abs=1e-5)
        assert set(case["weights"]) <= {"next", "next_inv"}
    for case in content["references"]:
        assert sum(case["weights"]) == pytest.approx(1, abs=1e-5)
        assert len(case["references"]) == 2
    assert "Neighbour attention of FAAN, Tiny, seed 0" in out
    assert "Astana-Kazakhstan" in out
    run = home / "runs" / "reproduce" / "tiny" / "main" / "faan-seed0"
    (home / "results" / "attention" / "tiny-faan.json").unlink()
    code, out, err = faan("reproduce", "attention", "--dataset", tiny, "--run", "--from", run)
    assert code == 0, err
    assert json.loads((home / "results" / "attention" / "tiny-faan.json").read_text())["references"]
    (home / "results" / "attention" / "tiny-faan.json").write_text("{}")
    assert "holds no case studies" in faan("reproduce", "attention", "--dataset", tiny)[2]
    content["references"][0]["weights"] = [1.0]
    (home / "results" / "attention" / "tiny-faan.json").write_text(json.dumps(content))
    assert "expected a weight for each reference" in faan("reproduce", "attention", "--dataset", tiny)[2]


def test_case_studies_of_another_benchmark_are_not_in_the_way(faan: Faan, tiny: Path, home: Path) -> None:
    assert faan("reproduce", "attention", "--dataset", tiny, "--rows", "FAAN", "--run")[0] == 0
    own = home / "results" / "attention" / "tiny-faan.json"
    other = json.loads(own.read_text()) | {"dataset": "World"}
    (own.parent / "world-faan.json").write_text(json.dumps(other))
    code, out, err = faan("reproduce", "attention", "--dataset", tiny)
    assert code == 0, err
    assert "Neighbour attention of FAAN, Tiny, seed 0" in out


def test_a_row_that_cannot_be_computed_does_not_keep_the_others_from_it(faan: Faan, tiny: Path, home: Path) -> None:
    config = home / "configs" / "faan.toml"
    config.write_text(config.read_text() + "\nmin_candidates = 10000\n")
    code, out, err = faan("reproduce", "relations", "--dataset", tiny, "--run")
    assert code == 0, err
    assert "skipped: none of the" in err
    assert "Missing: MetaR, FAAN" in out
    assert (home / "results" / "tiny-rules-5shot-seed0.json").is_file()
    assert faan("reproduce", "main", "--dataset", tiny, "--rows", "FAAN", "--run")[0] == 1


def test_case_studies_of_a_run_that_is_no_row_are_shown_too(faan: Faan, tiny: Path, home: Path) -> None:
    call = ("reproduce", "ablation", "--dataset", tiny, "--rows", "B2", "--run", "--quick")
    assert faan(*call)[0] == 0
    run = home / "runs" / "reproduce" / "tiny" / "main-quick" / "faan-b2-seed0"
    code, out, err = faan("reproduce", "attention", "--dataset", tiny, "--run", "--quick", "--from", run)
    assert code == 0, err
    assert "Neighbour attention of FAAN B2, Tiny, seed 0, QUICK SCHEDULE" in out
