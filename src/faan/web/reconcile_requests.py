"""What a reconciliation client may ask: queries for cells, and columns to fill (Reconciliation API 0.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError, model_validator
from pydantic_core import from_json

from faan.base import InputError, first_problem
from faan.web.limits import (
    MAX_CANDIDATES,
    MAX_ENTITIES,
    MAX_NAME,
    MAX_PROPERTIES,
    MAX_QUERIES,
    MAX_TOP,
    MAX_VALUES,
)
from faan.web.requests import Name

_FORBID = ConfigDict(extra="forbid", frozen=True)

Strictness = Literal["any", "all", "should"]
Source = Literal["best", "known", "suggested"]


class TooManyError(InputError):
    """A batch is larger than the manifest allows."""


@dataclass(frozen=True)
class Value:
    """A value of a property: a text, or the id of an entity."""

    text: str
    is_id: bool


def _value(given: object) -> Value:
    if isinstance(given, dict) and isinstance(given.get("id"), str):
        text, is_id = given["id"], True
    elif isinstance(given, (str, int, float)):
        text, is_id = given if isinstance(given, str) else str(given).lower(), False
    else:
        raise ValueError("expected a text, a number, true, false or an object with an id")
    if len(text) > MAX_NAME:
        raise ValueError(f"expected a text of at most {MAX_NAME} letters, found {len(text):,}")
    return Value(text, is_id)


def _values(given: object) -> tuple[Value, ...]:
    listed = given if isinstance(given, list) else [given]
    if len(listed) > MAX_VALUES:
        raise ValueError(f"expected at most {MAX_VALUES} values, found {len(listed):,}")
    return tuple(map(_value, listed))


def _names(given: object) -> object:
    return [given] if isinstance(given, str) else given


def _cell(given: object) -> object:
    if isinstance(given, str) and len(given) > MAX_NAME:
        raise ValueError(f"the cell has {len(given):,} letters; expected at most {MAX_NAME:,}")
    return given


def _number(given: object) -> object:
    """OpenRefine sends what was typed as a text, nothing at all for an empty field."""
    if isinstance(given, str):
        return given.strip().replace(",", ".") or None
    return given


def _switch(given: object) -> object:
    """OpenRefine sends a ticked box as `on`, and leaves out one that is not."""
    return True if given == "on" else given


class KnownValue(BaseModel):
    """What else is known about the entity of a cell."""

    model_config = _FORBID

    pid: Name
    v: Annotated[tuple[Value, ...], BeforeValidator(_values)]


class CellQuery(BaseModel):
    """Asks which entities a cell may mean."""

    model_config = _FORBID

    query: Annotated[str, BeforeValidator(_cell)] = ""
    type: Annotated[tuple[Name, ...], BeforeValidator(_names), Field(max_length=MAX_VALUES)] = ()
    type_strict: Strictness = "should"
    limit: Annotated[int, Field(ge=1)] = 10
    properties: Annotated[tuple[KnownValue, ...], Field(max_length=MAX_PROPERTIES)] = ()

    @model_validator(mode="after")
    def _asks_something(self) -> CellQuery:
        if not self.query and not self.properties:
            raise ValueError("expected a text to look for in `query`, or `properties`")
        return self

    @property
    def most(self) -> int:
        """How many entities are given at most."""
        return min(self.limit, MAX_CANDIDATES)


class ColumnSettings(BaseModel):
    """How a column is filled; settings that clients leave out or empty have their defaults."""

    model_config = _FORBID

    min_probability: Annotated[Annotated[float, Field(ge=0, le=1)] | None, BeforeValidator(_number)] = None
    limit: Annotated[Annotated[int, Field(ge=1, le=MAX_TOP)] | None, BeforeValidator(_number)] = None
    source: Source = "best"
    strict: Annotated[bool, BeforeValidator(_switch)] = False


class Column(BaseModel):
    """A property whose values fill a column."""

    model_config = _FORBID

    id: Name
    settings: ColumnSettings = ColumnSettings()
    name: Annotated[str, StringConstraints(max_length=MAX_NAME)] | None = None  # clients may repeat what they show


class Extension(BaseModel):
    """Asks for values of some properties of some entities."""

    model_config = _FORBID

    ids: list[Name] = Field(max_length=MAX_ENTITIES)
    properties: list[Column] = Field(min_length=1, max_length=MAX_PROPERTIES)


def read_queries(text: str) -> dict[str, CellQuery | str]:
    """A batch of queries; in the place of one that is wrong, what is wrong with it.

    Where all are wrong the whole batch is refused.
    """
    batch = _json("queries", text)
    if not isinstance(batch, dict):
        raise InputError('queries: expected an object of queries, such as {"q0": {"query": "Peru"}}')
    if len(batch) > MAX_QUERIES:
        raise TooManyError(f"queries: expected at most {MAX_QUERIES} in a batch, found {len(batch):,}")
    read: dict[str, CellQuery | str] = {}
    for key, query in batch.items():
        try:
            read[key] = CellQuery.model_validate(query)
        except ValidationError as error:
            read[key] = first_problem(error)
    return read


def read_extension(text: str) -> Extension:
    """What columns to fill."""
    try:
        return Extension.model_validate(_json("extend", text))
    except ValidationError as error:
        raise InputError(f"extend: {first_problem(error)}") from None


def _json(name: str, text: str) -> Any:
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise InputError(f"{name}: is not JSON ({error})") from None
