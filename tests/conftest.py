"""What many tests share."""

from __future__ import annotations

import atexit
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import hypothesis
import pytest

# One thread, here and in processes that tests start: figures do not depend on the machine, and small work is faster.
# Tests that are about threads ask for them. Before any of ours is imported, else it comes too late.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["FAAN_CACHE"] = tempfile.mkdtemp(prefix="faan-cache-")
atexit.register(shutil.rmtree, os.environ["FAAN_CACHE"], ignore_errors=True)
for name in ("COLUMNS", "FORCE_COLOR", "FAAN_TOKEN"):  # what would change what commands print, or ask for
    os.environ.pop(name, None)

from faan.cli import main
from faan.graph import Graph, read_graph
from faan.tasks import Benchmark, read_benchmark

# No time limits: machines are noisy, and speed belongs in benchmarks/. In CI the same examples each time: a change is
# not to be blamed for what was wrong before it.
hypothesis.settings.register_profile("faan", deadline=None, derandomize=bool(os.environ.get("CI")))
hypothesis.settings.load_profile("faan")

COUNTRIES = [
    ("Peru", "currency", "Sol"),
    ("Peru", "capital", "Lima"),
    ("Japan", "currency", "Yen"),
    ("Japan", "capital", "Tokyo"),
    ("Lima", "in", "Peru"),
    ("Tokyo", "in", "Japan"),
    ("Peru", "borders", "Chile"),
    ("Chile", "borders", "Peru"),
]


def missing(what: str) -> NoReturn:
    """Skip a test for want of something or, where nothing may be skipped, fail it."""
    if os.environ.get("FAAN_REQUIRE_ALL"):
        pytest.fail(what)
    pytest.skip(what)


def _benchmark_folder(name: str) -> Path:
    folder = Path(os.environ.get("FAAN_DATA", "")) / name
    if not os.environ.get("FAAN_DATA") or not folder.is_dir():
        missing(f"FAAN_DATA names no folder with {name} in it")
    return folder


@pytest.fixture(scope="session")
def oxigraph_program() -> str:
    """The server of the package `oxigraph`, beside this Python or on the path."""
    beside = Path(sys.executable).with_name("oxigraph")
    found = str(beside) if beside.is_file() else shutil.which("oxigraph")
    return found or missing("no Oxigraph server: pip install 'faan[dev]'")


@pytest.fixture(scope="session")
def codex() -> Path:
    """The folder of CoDEx-S."""
    return _benchmark_folder("CoDEx-S")


@pytest.fixture(scope="session")
def require_modules() -> Callable[..., None]:
    """Skip a test unless some modules can be imported."""

    def check(*names: str) -> None:
        for name in names:
            if importlib.util.find_spec(name) is None:
                missing(f"{name} is not installed: pip install 'faan[dev]'")

    return check


@pytest.fixture(scope="session")
def nell() -> Benchmark:
    return read_benchmark(_benchmark_folder("NELL-One"))


@pytest.fixture
def matplotlib_version() -> str:
    try:
        import matplotlib as mpl
    except ImportError:
        missing("matplotlib is not installed")
    return str(mpl.__version__)


@pytest.fixture(scope="session")
def chromium() -> tuple[str, str]:
    """A browser and what drives it."""
    browser, driver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
    if not browser or not driver:
        missing("no Chromium with chromedriver: apt-get install chromium chromium-driver")
    return browser, driver


@pytest.fixture
def countries() -> Graph:
    return read_graph(COUNTRIES)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    def write_file(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


@pytest.fixture
def faan(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """The command in this process: its exit code, what it prints, and what it says on the way in one line."""

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["faan", *map(str, arguments)])
        code: Any = 0
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        captured = capsys.readouterr()
        return code, captured.out, " ".join(captured.err.replace("│", "").split())

    return run
