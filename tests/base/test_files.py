"""Atomic writes: of files and folders, whenever the process is killed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from faan.base import InputError, write_tensors
from faan.base.files import atomic_file, atomic_folder, check_writable, exchange, read_small, scratch_folder

SMALL = 1 << 24  # characters that `read_small` takes
KILLED = """
import os, sys
from pathlib import Path
from faan.base.files import atomic_file
with atomic_file(Path(sys.argv[1])) as part:
    part.write_text("half")
    os._exit(9)
"""


def test_a_file_that_fails_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), atomic_file(path) as part:
        part.write_text("new")
        raise ZeroDivisionError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_several_may_write_one_file_at_once_and_the_last_to_end_wins(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with atomic_file(path) as first:
        first.write_text("first")
        with atomic_file(path) as second:
            second.write_text("second")
        assert path.read_text() == "second"
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
def test_what_killed_processes_leave_behind_is_removed_by_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "a[1].txt"
    for _ in range(2):
        subprocess.run([sys.executable, "-c", KILLED, path], check=False)
        assert len(list(tmp_path.iterdir())) == 1  # its own; that of the one before is gone
    with atomic_file(path) as part:
        part.write_text("whole")
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_may_be_read_by_whom_the_user_lets(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        with atomic_file(tmp_path / "a.txt") as part:
            part.write_text("mine")
    finally:
        os.umask(old)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o640


def test_every_kind_of_file_may_be_read_by_whom_the_user_lets(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        write_tensors(tmp_path / "vectors.safetensors", {"a": torch.zeros(2)})
    finally:
        os.umask(old)
    assert (tmp_path / "vectors.safetensors").stat().st_mode & 0o777 == 0o644


def write(folder: Path, text: str) -> None:
    """Put a folder of two files in the place of another."""
    with atomic_folder(folder) as new:
        (new / "one").write_text(text)
        (new / "two").write_text(text)


def killed_at(step: int, folder: Path) -> bool:
    """Whether a process that replaces the folder was killed at some step: each call of the system is one."""
    child = os.fork()
    if child == 0:
        left = [step]

        def count(event: str, _: tuple[Any, ...]) -> None:
            if event.startswith(("open", "os.", "shutil.", "ctypes.call")):
                left[0] -= 1
                if left[0] < 0:
                    os._exit(9)

        sys.addaudithook(count)
        write(folder, "new")
        os._exit(0)
    return os.waitpid(child, 0)[1] != 0


@pytest.mark.parametrize("in_one_step", [True, False])
@pytest.mark.slow
def test_a_kill_at_any_step_leaves_one_whole_folder_and_the_next_one_cleans_up(
    tmp_path: Path, in_one_step: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not in_one_step:  # as on systems that cannot swap two folders
        monkeypatch.setattr("faan.base.files.exchange", lambda *_: False)
    seen: set[str] = set()
    for step in range(1000):
        folder = tmp_path / f"{step}" / "model"
        write(folder, "old")
        was_killed = killed_at(step, folder)
        if in_one_step:
            assert folder.exists()
        check_writable(folder)  # what a command does first; also ends what was begun
        texts = {(folder / name).read_text() for name in ("one", "two")}
        assert len(texts) == 1
        seen |= texts
        assert [path.name for path in folder.parent.iterdir()] == ["model"]
        if not was_killed:
            break
    assert step > 10
    assert seen == {"old", "new"}


def test_folders_are_swapped_in_one_step_where_the_system_can(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    if not exchange(tmp_path / "a", tmp_path / "b"):
        pytest.skip("this system cannot swap folders")
    assert (tmp_path / "a" / "b").exists()
    assert (tmp_path / "b" / "a").exists()


def test_a_folder_of_somebody_who_still_writes_stays(tmp_path: Path) -> None:
    with atomic_folder(tmp_path / "model") as first:
        (first / "one").write_text("first")
        write(tmp_path / "model", "second")
        assert (first / "one").exists()
    assert (tmp_path / "model" / "one").read_text() == "first"


def test_scratch_of_killed_processes_is_removed_by_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    if os.fork() == 0:
        scratch_folder()
        os._exit(9)
    os.wait()
    kept, _ = scratch_folder()
    own, remove = scratch_folder()
    assert sorted(tmp_path.iterdir()) == sorted([kept, own])
    remove()
    assert list(tmp_path.iterdir()) == [kept]


def test_a_small_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    path.write_text("é" * SMALL)
    assert read_small(path) == "é" * SMALL
    path.write_text("é" * SMALL + "x")
    with pytest.raises(InputError, match=r"notes.json: has more than 16,777,216 characters"):
        read_small(path)
    assert read_small(path, SMALL + 1).endswith("x")


def test_what_is_no_regular_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    for name in ("pipe", "device"):
        with pytest.raises(InputError, match=rf"{name}: is not a regular file"):
            read_small(tmp_path / name)
    with pytest.raises(IsADirectoryError):
        read_small(tmp_path)


def test_a_small_file_that_is_not_utf8_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_bytes(b"{\xff}")
    with pytest.raises(InputError, match=r"notes.json: is not UTF-8 text"):
        read_small(tmp_path / "notes.json")
