from __future__ import annotations

from pathlib import Path

import pytest

from faan.base import InputError, Settings, parse_setting


class Cake(Settings):
    layers: int = 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("layers = " + "[" * 20_000, "cannot be read as TOML"),
        ("layers = " + "9" * 5000, "cannot be read as TOML"),
        (".".join(["a"] * 1000) + " = 1", "a line has more than 200 dots"),
        ("# " + "a" * 300_000, "it has more than 262,144 characters"),
        ("layers = \x00", "cannot be read as TOML"),
    ],
)
def test_settings_that_only_hurt_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("cake.toml")
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        Cake.from_toml(path)
    assert str(caught.value).startswith("cake.toml: ")


def test_an_overlong_path_of_settings_is_an_input_error() -> None:
    with pytest.raises(InputError, match=r"File name too long|no configuration has this name"):
        Cake.from_toml("x" * 5000)


def test_a_value_that_toml_cannot_hold_is_a_text() -> None:
    assert parse_setting("9" * 5000) == float("inf")
    assert parse_setting("[" * 20_000) == "[" * 20_000
