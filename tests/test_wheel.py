"""The wheel is all that is needed: installed by itself in an empty folder, the commands work."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

import pytest

import faan
from faan.base import config_names

ROOT = Path(__file__).parent.parent
COMMAND = [sys.executable, "-m", "faan"]
pytestmark = pytest.mark.slow

Run = Callable[..., str]


@pytest.fixture(scope="module")
def wheel(require_modules: Callable[..., None], tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_modules("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", str(folder), str(wheel)], check=True)
    return folder


@pytest.fixture
def environment(installed: Path) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "FAAN_DATA"} | {"PYTHONPATH": str(installed)}


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path) -> Run:
    def call(*arguments: str) -> str:
        done = subprocess.run(
            [*COMMAND, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


def _in_wheel(path: Path) -> str:
    """What a file of the project is called in the wheel; nothing for what is no file or was made by Python."""
    if not path.is_file() or "__pycache__" in path.parts:
        return ""
    inside = path.relative_to(ROOT).as_posix()
    return inside.removeprefix("src/") if inside.startswith("src/") else f"faan/{inside}"


def test_the_wheel_holds_all_files_of_the_package_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    package = {name for name in names if name.startswith("faan/")}
    sources = (*(ROOT / "src" / "faan").rglob("*"), *(ROOT / "results").rglob("*.json"))
    assert package == {_in_wheel(path) for path in sources} - {""}
    assert {f"faan/configs/{name}.toml" for name in config_names()} <= package
    wanted = ["py.typed", "data/world.tsv.xz", "paper/published.json", "web/templates/page.html"]
    assert {f"faan/{name}" for name in wanted} <= package
    assert any(re.fullmatch(r"faan/results/nell-one-.*\.json", name) for name in package)
    others = {name.split("/")[0] for name in names - package}
    assert others == {f"faan-{faan.__version__}.dist-info"}


def test_the_installed_command_is_that_of_the_wheel(run: Run, installed: Path, environment: dict[str, str]) -> None:
    program = [sys.executable, "-c", "import faan; print(faan.__file__)"]
    where = subprocess.run(program, env=environment, capture_output=True, text=True, check=True).stdout
    assert Path(where.strip()).is_relative_to(installed)


def test_the_tables_of_the_paper_are_shown_without_a_folder_of_results(run: Run) -> None:
    (table, *_) = json.loads(run("reproduce", "main", "--json"))["tables"]
    measured = {row["method"]: row["MRR"] for row in table["records"]}
    published = json.loads((ROOT / "results" / "nell-one-rules-5shot-seed0.json").read_text(encoding="utf-8"))
    assert measured["Rules"] == pytest.approx(published["test"]["mrr"])


def test_a_configuration_is_found_by_its_name(run: Run, tmp_path: Path) -> None:
    (tmp_path / "graph.tsv").write_text("".join(f"a{i}\tnext\ta{i + 1}\n" for i in range(20)), encoding="utf-8")
    run("embed", "graph.tsv", "--config", "embed-distmult", "--set", "epochs=1", "-o", "run")
    assert json.loads((tmp_path / "run" / "config.json").read_text(encoding="utf-8"))["model"] == "distmult"


def test_a_model_of_world_is_made_and_served(run: Run, environment: dict[str, str], tmp_path: Path) -> None:
    run("fit", "world", "--method", "rules", "--without", "capital", "-o", "model")
    call = [*COMMAND, "serve", "model", "--port", "0"]
    with subprocess.Popen(call, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            address = next(found[0] for line in server.stderr if (found := re.search(r"http://[\d.]+:\d+/?", line)))
            page = urlopen(address).read().decode()
        finally:
            server.terminate()
    assert "<title>" in page
