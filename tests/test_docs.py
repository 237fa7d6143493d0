"""The documentation is true: its commands and programs are run."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(language: str) -> list[tuple[str, str]]:
    pattern = re.compile(rf"^```{language}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    return [(page.name, block) for page in PAGES for block in pattern.findall(page.read_text(encoding="utf-8"))]


@pytest.mark.slow
@pytest.mark.parametrize(("page", "block"), blocks("console"))
def test_a_command_prints_what_the_page_shows(page: str, block: str, tmp_path: Path) -> None:
    command, _, expected = block.partition("\n")
    program, *arguments = shlex.split(command.removeprefix("$ "))
    assert program == "faan"
    python = [sys.executable, "-m", "faan", *arguments]
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = subprocess.run(python, capture_output=True, cwd=tmp_path, check=True)
    shown = "\n".join(line.rstrip() for line in done.stdout.decode().splitlines())
    assert shown.strip("\n") == expected.strip("\n"), f"{page} is out of date"


@pytest.mark.slow
@pytest.mark.parametrize(("page", "program"), blocks("python"))
def test_a_program_runs(page: str, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    exec(compile(program, page, "exec"), {"__name__": "__main__"})


def test_links_between_pages_lead_somewhere() -> None:
    pages = [*PAGES, ROOT / "CONTRIBUTING.md"]
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not target.startswith(("http:", "https:")):
                assert (page.parent / target).exists(), f"{page.name} points at {target}"


def test_every_command_is_documented() -> None:
    from faan.cli import app
    from faan.cli.evaluate import evaluate_app
    from faan.cli.graphs import benchmark_app

    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    for prefix, group in (("faan", app), ("faan benchmark", benchmark_app), ("faan evaluate", evaluate_app)):
        for command in group.registered_commands:
            assert command.callback is not None
            assert f"{prefix} {command.name or command.callback.__name__}" in text


def test_the_walk_of_a_file_names_functions_that_are_there() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    walk = text[text.index("## A TSV file's walk") : text.index("## Where is")]
    rows = [row.split("|", 2)[2] for row in walk.splitlines() if row.startswith("| ") and "`" in row]
    assert len(rows) > 15
    for row in rows:
        words = re.findall(r"`([\w./]+)`", row)
        files = [ROOT / "src" / "faan" / word for word in words if re.search(r"/.*\.(py|js|html)$", word)]
        code = "\n".join(file.read_text(encoding="utf-8") for file in files)
        for word in words:
            name = word.rpartition(".")[2]
            assert "/" in word or re.search(rf"(def|class|function) {name}\b", code), f"{word} is not in {files}"


def test_the_architecture_names_every_file_of_the_package_and_no_other() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## ([\w ]+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    package = ROOT / "src" / "faan"
    for title, section in sections.items():
        rooms = [name for name in title.split(" and ") if (package / name).is_dir()]
        files = (path for room in rooms for path in (package / room).rglob("[!_]*.*") if "vendor" not in path.parts)
        there = {path.name for path in files if path.suffix in (".py", ".js", ".css", ".html")}
        tables = "".join(line for line in section.splitlines() if line.startswith("| `")) if rooms else ""
        named = set(re.findall(r"`(\w+\.(?:py|js|css|html))`", tables))
        assert there == named, f"{title}: {there ^ named}"
    rooms = [path.parent.name for path in package.glob("*/__init__.py")]
    assert set(rooms) <= {name for title in sections for name in title.split(" and ")}
    for path in re.findall(r"`([a-z]+/[\w/]+\.(?:py|js|html))`", text):
        assert (package / path).is_file() or (ROOT / path).is_file(), path
