from __future__ import annotations

from pathlib import Path

import pytest

from faan.base import InputError
from faan.tasks import find_benchmark


@pytest.fixture(autouse=True)
def _work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("data/Small", "work"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("FAAN_DATA", str(tmp_path / "data"))


def test_a_bare_name_is_found_in_faan_data(tmp_path: Path) -> None:
    assert find_benchmark("Small") == tmp_path / "data" / "Small"


def test_a_folder_here_comes_first(tmp_path: Path) -> None:
    (tmp_path / "work" / "Small").mkdir()
    assert find_benchmark("Small") == Path("Small")


def test_a_path_is_not_looked_up(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\./Small: there is no such folder or archive$"):
        find_benchmark("./Small")


def test_an_error_names_both_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"Large: there is no such folder .* here, nor .*data/Large \(FAAN_DATA\)"):
        find_benchmark("Large")
    monkeypatch.delenv("FAAN_DATA")
    with pytest.raises(InputError, match="Large: there is no such folder or archive; FAAN_DATA can name the folder"):
        find_benchmark("Large")
