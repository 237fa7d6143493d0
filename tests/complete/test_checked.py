"""A model folder is read through and checked once on a machine, and again whenever a file has changed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from faan.base import InputError
from faan.complete import Completer
from faan.complete.checksums import check_files


@pytest.fixture
def model(trained: Completer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FAAN_CACHE", str(tmp_path / "cache"))
    trained.save(tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def is_read_through(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], bool]:
    """Whether opening a folder reads all of its files."""
    read: list[Path] = []

    def reading(folder: Path) -> None:
        read.append(folder)
        check_files(folder)

    monkeypatch.setattr("faan.complete.folder.check_files", reading)

    def opened(folder: Path) -> bool:
        read.clear()
        Completer.load(folder)
        return bool(read)

    return opened


def test_what_was_made_here_is_not_read_through(model: Path, is_read_through: Callable[[Path], bool]) -> None:
    assert not is_read_through(model)


def test_a_strangers_folder_is_read_through_once(
    model: Path, tmp_path: Path, is_read_through: Callable[[Path], bool]
) -> None:
    shutil.copytree(model, tmp_path / "copy")
    assert [is_read_through(tmp_path / "copy") for _ in range(2)] == [True, False]


def test_a_cache_that_came_with_the_folder_is_of_no_use(
    model: Path, tmp_path: Path, is_read_through: Callable[[Path], bool]
) -> None:
    shutil.copytree(model, tmp_path / "copy")
    (note,) = (tmp_path / "cache" / "checked").iterdir()
    for place in (tmp_path / "copy", tmp_path / "copy" / "checked"):
        place.mkdir(exist_ok=True)
        shutil.copy(note, place)
    assert is_read_through(tmp_path / "copy")


@pytest.mark.parametrize("name", ["graph/tails.npy", "method/transe/vectors.safetensors", "method/ranker.json"])
def test_a_change_is_noticed_though_size_and_date_are_the_same(model: Path, name: str) -> None:
    file = model / name
    before, content = file.stat(), bytearray(file.read_bytes())
    content[-9] ^= 1
    with file.open("r+b") as writing:
        writing.write(content)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(InputError, match="is not what was written"):
        Completer.load(model)


def test_a_damaged_folder_is_not_remembered(model: Path) -> None:
    np.save(model / "graph" / "tails.npy", np.zeros(3, np.int32))
    for _ in range(2):
        with pytest.raises(InputError, match="is not what was written"):
            Completer.load(model)


def test_where_nothing_can_be_noted_down_all_is_checked(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_read_through: Callable[[Path], bool]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("FAAN_CACHE", str(tmp_path / "file"))
    assert [is_read_through(model) for _ in range(2)] == [True, True]
