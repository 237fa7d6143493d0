"""Atomic writes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from faan.base.files import atomic_file

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
