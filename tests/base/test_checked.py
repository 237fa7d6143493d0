from __future__ import annotations

from pathlib import Path

import pytest

from faan.base import Checked

pwd = pytest.importorskip("pwd")  # Windows has none


def test_a_user_without_a_home_has_files_checked_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_: int) -> None:
        raise KeyError

    for name in ("HOME", "FAAN_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", nobody)  # as in a container whose user is a number
    (tmp_path / "file").write_text("text")
    Checked(tmp_path, ["file"]).remember()
    assert not Checked(tmp_path, ["file"]).is_known
