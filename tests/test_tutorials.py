"""Tutorials and examples are run, step by step, as a reader would."""

from __future__ import annotations

import json
import re
import runpy
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
Faan = Callable[..., tuple[int, str, str]]


def commands(page: str) -> list[list[str]]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [shlex.split(line) for block in blocks for line in block.splitlines() if line.strip()]


@pytest.mark.slow
@pytest.mark.parametrize(("page", "folders"), [("tutorial-engineer.md", ["examples"]), ("tutorial-researcher.md", [])])
def test_the_commands_of_a_tutorial_work_one_after_the_other(
    page: str, folders: list[str], faan: Faan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in folders:
        shutil.copytree(ROOT / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    steps = commands(page)
    assert len(steps) >= 6
    for program, *arguments in steps:
        assert program == "faan"
        code, _, err = faan(*arguments)
        assert code == 0, f"{page}: faan {shlex.join(arguments)}: {err}"


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("own_table.py", ["service-10 → building-A", "service-60 → building-B", "in_room"]),
        ("rdf_labels.py", ["Vltava → North Sea", "Pripyat → Black Sea", "Ticino → Adriatic Sea", "tributary of"]),
        ("new_relation.py", ["Sodium → Rubidium", "Oxygen → Selenium", "element_below", "similar example: Lithium"]),
    ],
)
def test_an_example_prints_what_a_person_expects(
    program: str, expected: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    runpy.run_path(str(ROOT / "examples" / program), run_name="__main__")
    out = capsys.readouterr().out
    for text in expected:
        assert text in out


def test_the_notebook_runs_and_shows_what_is_saved_in_it() -> None:
    path = ROOT / "examples" / "notebook.ipynb"
    run = runpy.run_path(str(ROOT / "tools" / "run_notebook.py"))["run_notebook"]
    saved, now = outputs(json.loads(path.read_text(encoding="utf-8"))), outputs(run(path))
    assert [kinds(one) for one in now] == [kinds(one) for one in saved]
    assert sum("text/html" in one.get("data", {}) for one in now) >= 5
    assert any("image/svg+xml" in one.get("data", {}) for one in now)
    printed = ["".join(one["text"]) for one in now if one["output_type"] == "stream"]
    assert "service-10 → building-A" in printed[0]


def outputs(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [output for cell in notebook["cells"] for output in cell.get("outputs", ())]


def kinds(output: dict[str, Any]) -> tuple[str, list[str]]:
    return output["output_type"], sorted(output.get("data", ()))
