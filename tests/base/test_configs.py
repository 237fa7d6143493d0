from __future__ import annotations

from pathlib import Path

import pytest

from faan.base import InputError, config_file, config_name, config_names, configs, is_config


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_name_is_a_configuration_that_ships() -> None:
    assert {"evidence", "faan", "faan-plus", "embed-transe"} <= set(config_names())
    assert config_file("evidence").read_text(encoding="utf-8").startswith("#")
    assert config_name("evidence") == "evidence"


def test_only_a_file_that_ends_in_toml_wins_over_a_name(tmp_path: Path) -> None:
    (tmp_path / "faan").write_text("mine")
    (tmp_path / "faan.toml").write_text("mine")
    assert config_file("faan") == configs.SHIPPED / "faan.toml"
    assert config_file("faan.toml") == Path("faan.toml")
    assert config_name("faan.toml") == "faan.toml"


def test_a_file_without_the_ending_is_a_file_where_no_configuration_has_its_name(tmp_path: Path) -> None:
    (tmp_path / "settings").write_text("mine")
    assert config_file("settings") == Path("settings")


def test_the_file_that_ships_is_called_by_its_name() -> None:
    assert config_name(configs.SHIPPED / "faan.toml") == "faan"


def test_the_path_in_older_result_files_is_the_configuration_that_ships(tmp_path: Path) -> None:
    assert config_file("configs/faan.toml") == configs.SHIPPED / "faan.toml"
    assert config_name("configs/faan.toml") == "faan"
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "faan.toml").write_text("mine")
    assert config_file("configs/faan.toml") == Path("configs/faan.toml")
    assert config_name("configs/faan.toml") == "configs/faan.toml"


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    assert not is_config("fann")
    with pytest.raises(InputError, match=r"fann: no configuration has this name; expected .*embed-complex, .*TOML"):
        config_file("fann")
