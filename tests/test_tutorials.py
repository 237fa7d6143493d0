"""Tutorials and examples are run, step by step, as a reader would."""

from __future__ import annotations

import re
import runpy
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
Faan = Callable[..., tuple[int, str, str]]


def commands(page: str) -> list[list[str]]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [shlex.split(line) for block in blocks for line in block.splitlines() if line.strip()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "folders"), [("tutorial-engineer.md", ["examples"]), ("tutorial-researcher.md", ["configs"])]
)
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
