from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from faan.paper import running

from .conftest import Faan, WriteResult

ROWS = "FAAN,TransE,Translation,TailCounts"


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def test_showing_tables_does_not_load_torch(home: Path) -> None:
    program = (
        "import sys; from faan.cli import app\n"
        "for table in ('main', 'ablation', 'shots', 'relations', 'attention', 'datasets'):\n"
        "    app(['reproduce', table], standalone_mode=False)\n"
        "sys.exit('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, cwd=home, check=False)
    assert done.returncode == 0, done.stderr.decode()


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
        (("main", "--rows", "FAN"), 1, "no row is called 'FAN'. Did you mean 'FAAN'"),
        (("main", "--dataset", "nowhere"), 1, "nowhere: there is no such benchmark, and no result of it"),
        (("main", "--dataset", "nowhere", "--run"), 1, "there is no such folder"),
        (("main", "--run", "--set", "train.steps=3"), 2, "only for ablation and shots with --run"),
        (("main", "--from", "x"), 2, "only for attention with --run"),
        (("main", "--dataset", "data/Tiny", "--run", "--rows", "MetaR"), 1, "there is no configs/metar.toml"),
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
    assert (result["dataset"], result["seed"], result["config"]) == ("Tiny", 1, "configs/faan.toml")
    assert result["command"] == (
        "faan train configs/faan.toml --benchmark Tiny -o faan-seed1 --set seed=1 && faan evaluate faan-seed1 --shots 5"
    )
    result = json.loads((home / "results" / "tiny-transe-5shot-seed1.json").read_text())
    assert result["command"] == "faan evaluate configs/embed-transe.toml --benchmark Tiny --shots 5 --set seed=1"
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
    assert "holds a run with other settings than configs/faan.toml has now" in err


def test_a_config_that_gives_another_row_is_refused(faan: Faan, tiny: Path, home: Path) -> None:
    (home / "configs" / "metar.toml").write_text((home / "configs" / "faan.toml").read_text())
    code, _, err = faan("reproduce", "main", "--dataset", tiny, "--rows", "MetaR", "--run")
    assert code == 1
    assert "configs/metar.toml: is called FAAN in results, not MetaR" in err


def test_the_ablation_changes_the_model_and_shares_a_schedule(faan: Faan, tiny: Path, home: Path) -> None:
    call = ("reproduce", "ablation", "--dataset", tiny, "--rows", "A3,FAAN", "--run", "--set", "train.steps=2")
    code, out, err = faan(*call)
    assert code == 0, err
    assert "one schedule (configs/faan.toml with train.steps=2); training ended after 2 steps" in out
    result = json.loads((home / "results" / "ablation" / "tiny-faan-a3-5shot-seed0.json").read_text())
    assert (result["method"], result["variant"]) == ("FAAN", "A3")
    assert "--set variant=A3 --set train.steps=2 --set seed=0" in result["command"]


def test_a_model_is_trained_once_for_all_shots(faan: Faan, tiny: Path, home: Path) -> None:
    code, out, err = faan("reproduce", "shots", "--dataset", tiny, "--rows", "FAAN,TailCounts", "--run", "--quick")
    assert code == 0, err
    assert "missing" not in out
    folder = home / "results" / "quick" / "shots"
    assert len(list(folder.glob("*.json"))) == 20
    result = json.loads((folder / "tiny-faan-9shot-seed0.json").read_text())
    assert (result["shots"], result["steps"]) == (9, 4)
    assert "train.shots=[1, 10]" in result["command"]
    assert len(list((home / "runs" / "reproduce" / "tiny" / "shots-quick").iterdir())) == 1
    assert not list((home / "results").glob("*.json"))


def test_rows_without_settings_are_left_out(faan: Faan, tiny: Path) -> None:
    code, out, err = faan("reproduce", "relations", "--dataset", tiny, "--run")
    assert code == 0, err
    assert "MetaR is left out" in err
    assert "Missing: MetaR, FAAN plus, Evidence." in out
    assert any(line.startswith("rare") for line in out.splitlines())


def test_the_statistics_of_a_benchmark_are_counted(faan: Faan, tiny: Path, home: Path) -> None:
    code, out, err = faan("reproduce", "datasets", "--dataset", tiny)
    assert code == 0, err
    assert "Missing: Tiny. To compute: `faan reproduce datasets --dataset Tiny --run`" in out
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
