"""A stranger's model must do no harm, whatever its bytes are; checksums prove nothing, he can leave them out."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tools.attack.small_graph import facts

from faan.graph import read_graph

from . import opening
from .conftest import fit_quickly
from .test_folder import copy_with, files_of, harmed


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The default method, whose folder has everything in it, on a graph with labels and types."""
    folder = tmp_path_factory.mktemp("stranger") / "model"
    nodes = folder.with_name("nodes.tsv")
    nodes.write_text("id\tname\nland1\tThe first land\nlies_in\tlies within\n")
    fit_quickly(read_graph(facts(trades=27), type_relations=["is"], nodes=nodes)).save(folder)
    return folder


def outcomes(folders: list[Path]) -> dict[str, str]:
    """What becomes of each folder when it is opened and asked, by its name."""
    script = [sys.executable, opening.__file__]
    run = subprocess.run([*script, *map(str, folders)], capture_output=True, text=True, check=False)
    lines = [line.split(" ") for line in run.stdout.splitlines()]
    assert run.returncode == 0, f"{lines[-1:]} ended the process ({run.returncode}): {run.stderr[-2000:]}"
    return {Path(name).name: what for name, what in lines}


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def wrong_numbers(array: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Arrays of the same kind and length whose numbers are out of range."""
    limits = np.iinfo(array.dtype)
    numbers = {"large": min(1_500_000_000, limits.max), "largest": limits.max, "least": limits.min}
    for name, number in ((name, number) for name, number in numbers.items() if number):
        yield name, np.full_like(array, number)
        last = array.copy()
        last[-1] = number
        yield f"last-{name}", last
    yield "other-kind", array.astype(np.float64)
    if array.itemsize > 1:
        yield "other-order", array.astype(array.dtype.newbyteorder())
    yield "two-ways", array[:, None]


@pytest.mark.slow
def test_any_harm_to_any_file_is_refused_without_checksums(model: Path, tmp_path: Path) -> None:
    copies = [
        copy_with(model, tmp_path / f"{number}-{file.name}-{harm}", file, harmed((model / file).read_bytes(), harm))
        for number, file in enumerate(files_of(model))
        for harm in ("missing", "cut", "nonsense", "empty")
    ]
    found = outcomes([model, *copies])
    assert found.pop("model") == "answered"  # the unharmed one
    assert set(found.values()) == {"refused"}, found


@pytest.mark.slow
def test_numbers_out_of_range_in_a_graph_are_refused(model: Path, tmp_path: Path) -> None:
    copies = []
    for file in files_of(model):
        if file.suffix == ".npy":
            for name, wrong in wrong_numbers(np.load(model / file)):
                copies.append(copy_with(model, tmp_path / f"{file.stem}-{name}", file, npy(wrong)))
    found = outcomes(copies)
    assert set(found.values()) == {"refused"}, found


@pytest.mark.slow
def test_random_bytes_anywhere_end_no_process(model: Path, tmp_path: Path) -> None:
    rng, copies = np.random.default_rng(0), []
    for number, file in enumerate(files_of(model)):
        for turn in range(6):
            content = np.frombuffer((model / file).read_bytes(), np.uint8).copy()
            if len(content):
                places = rng.integers(len(content), size=1 + turn)
                content[places] = rng.integers(256, size=len(places))
            copies.append(copy_with(model, tmp_path / f"{number}-{file.name}-{turn}", file, content.tobytes()))
    assert set(outcomes(copies).values()) == {"refused", "answered"}
