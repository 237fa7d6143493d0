"""The base class of settings: checked at construction, immutable, read from TOML."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from faan.base.configs import config_file
from faan.base.errors import InputError, first_problem, shorten

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from typing_extensions import Self


_TOML_SIZE = 1 << 18  # characters in a configuration
_TOML_DOTS = 200  # in a line of it


class Settings(BaseModel):
    """A frozen object in which every name and every type is checked."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)

    @classmethod
    def from_toml(cls, path: Path | str) -> Self:
        """Read a configuration, given by name or file. Its ``[result]`` table holds measured figures, not settings."""
        settings = _read_toml(path)
        settings.pop("result", None)
        try:
            return cls.model_validate(settings)
        except ValidationError as error:
            raise InputError(first_problem(error), source=str(path)) from None

    def changed(self, changes: Sequence[str]) -> Self:
        """These settings with some changed by NAME=VALUE, those of a table by TABLE.NAME=VALUE."""
        content = self.model_dump()
        for change in changes:
            path, equals, value = change.partition("=")
            *tables, name = path.split(".")
            place, table = content, cast(object, self)
            for part in tables:
                place, table = place.get(part, {}), getattr(table, part, None)
            if not equals or not isinstance(table, Settings) or name not in type(table).model_fields:
                known = type(table if isinstance(table, Settings) else self).model_fields
                raise UnknownSettingError(f"expected NAME=VALUE with one of {', '.join(known)}, found {change!r}")
            place[name] = parse_setting(value)
        return type(self).model_validate(content)


def _read_toml(path: Path | str) -> dict[str, Any]:
    try:
        with config_file(path).open(encoding="utf-8") as file:
            text = file.read(_TOML_SIZE + 1)
        if len(text) > _TOML_SIZE:
            raise ValueError(f"it has more than {_TOML_SIZE:,} characters")
        if max(line.count(".") for line in text.split("\n")) > _TOML_DOTS:  # n parts of a key take n times n memory
            raise ValueError(f"a line has more than {_TOML_DOTS} dots")
        return tomllib.loads(text)
    except InputError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot be read as TOML ({reason})", source=shorten(str(path))) from None


class UnknownSettingError(InputError):
    """There is no such setting."""


def parse_setting(text: str) -> Any:
    """A value as in a TOML file, or a number such as .5; anything else is a string."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        pass
    try:
        return float(text)
    except ValueError:
        return text
