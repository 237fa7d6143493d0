"""What all settings have in common: checked when they are given, never changed after, read from TOML."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from faan.base.configs import config_file
from faan.base.errors import InputError, first_problem

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from typing_extensions import Self


class Settings(BaseModel):
    """A frozen object in which every name and every type is checked."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)

    @classmethod
    def from_toml(cls, path: Path | str) -> Self:
        """Read a configuration, given by name or file. Its ``[result]`` table holds measured figures, not settings."""
        try:
            settings = tomllib.loads(config_file(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise InputError(f"cannot be read as TOML ({error})", source=str(path)) from None
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


class UnknownSettingError(InputError):
    """There is no such setting."""


def parse_setting(text: str) -> Any:
    """A value as it would stand in a TOML file, or a number such as .5; what is neither is a string."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        pass
    try:
        return float(text)
    except ValueError:
        return text
