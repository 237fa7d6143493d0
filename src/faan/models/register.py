"""The register of methods: one class of settings for each method says all that the rest of faan needs to know of it.

A class registers itself when it has a `method`, and `faan.models` imports every file of this folder. So a method is one
file here, and one file in `configs/` where it is trained; commands, tables, help texts and contract tests find it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import BeforeValidator, SerializeAsAny

from faan.base import Settings
from faan.tasks import Protocol

Kind: TypeAlias = Literal["trained", "embedding", "translation", "likeness", "untrained"]
"""How a method gets its result: trained on tasks, by vectors that know the references or not, or without training."""
TableName: TypeAlias = Literal["main", "ablation", "shots", "relations", "attention"]

METHODS: dict[str, type[MethodConfig]] = {}
"""All methods by the `method` of their settings."""


@dataclass(frozen=True)
class Row:
    """A row of the tables: what it is called there, and the settings that give it."""

    label: str
    config: str = ""  # the name of its configuration
    changes: Mapping[str, Any] = field(default_factory=dict, hash=False)  # of the settings, for methods without a file
    variant: str | None = None
    protocol: Protocol = "strict"
    tables: tuple[TableName, ...] = ("main",)
    meaning: str = ""  # what a variant changes
    kind: Kind = "trained"  # this and `unit` are the method's: `all_rows` fills them in
    unit: str = "steps"

    @property
    def method(self) -> str:
        """The row that it is a variant of, or its own label."""
        return self.label.removesuffix(f" {self.variant}")


@dataclass(frozen=True)
class Variant:
    """A method with something changed, for an ablation."""

    meaning: str  # in a few words, for the table of the ablation
    changes: Mapping[str, Any] = field(default_factory=dict)  # of the settings
    config: str = ""  # a file of its own in `configs/`, where changes are not enough
    protocol: Protocol = "strict"


class MethodConfig(Settings):
    """The settings of a method, told apart by `method: Literal[...]`; class variables say what the method is."""

    kind: ClassVar[Kind] = "trained"
    trainer: ClassVar[str] = "episodes"
    """Which part of `faan.train` trains it."""
    unit: ClassVar[str] = "steps"
    """What its training counts."""
    order: ClassVar[int] = 100
    """Its place among the methods: lower comes first in tables and help texts."""
    rows: ClassVar[tuple[Row, ...]] = ()
    """Its rows in the tables; those of variants are made from `variants`."""
    variants: ClassVar[Mapping[str, Variant]] = {}
    """Changes that have a name; `variant = NAME` in the settings of a run makes them."""
    title: ClassVar[str] = ""
    """What titles call it, where that is not its name."""
    fit_config: ClassVar[str | None] = None
    """The configuration that `faan fit` trains it with, empty where it needs none; None: `faan fit` lacks it."""
    samples: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Small settings by name, which the contract tests try beside the default ones and the variants."""

    method: str
    """Which method."""

    @property
    def display_name(self) -> str:
        """The method's name in the tables of the literature."""
        return self.rows[0].label

    @property
    def protocol(self) -> Protocol:
        """`open` if the method learns from more than the training tasks, else `strict`."""
        return "strict"

    def quick_changes(self, epochs: int) -> list[str]:
        """Changes NAME=VALUE of a run's settings that make it quick to try out, beside shorter schedules."""
        return []

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        name = cls.model_fields["method"].default
        if isinstance(name, str):
            METHODS[name] = cls

    @classmethod
    def all_rows(cls) -> list[Row]:
        """All rows: of the method itself, and of its variants in the ablation."""
        rows = list(cls.rows)
        for name, variant in cls.variants.items():
            label, config = f"{rows[0].label} {name}", variant.config or rows[0].config
            tables: tuple[TableName, ...] = ("ablation",) if variant.protocol == "strict" else ("main",)
            rows.append(Row(label, config, {}, name, variant.protocol, tables, variant.meaning))
        return [replace(row, kind=cls.kind, unit=cls.unit) for row in rows]


def methods() -> list[type[MethodConfig]]:
    """All methods in their order."""
    return sorted(METHODS.values(), key=lambda one: (one.order, one.__name__))


def rows_of(table: str) -> list[Row]:
    """The rows of a table, in its order; in the ablation a method follows its variants."""
    found: list[Row] = []
    for method in methods():
        own = method.all_rows()
        found += [row for row in own if table in row.tables]
        found += own[:1] if table == "ablation" and method.variants else []
    return found


def ablated() -> dict[str, str]:
    """The methods that have variants, by label, and what titles call them."""
    return {method.rows[0].label: method.title or method.rows[0].label for method in methods() if method.variants}


def _settings(value: object) -> object:
    """Settings as the class that their `method` names."""
    if not isinstance(value, Mapping):
        return value
    known = METHODS.get(str(value.get("method")))
    if known is None:
        names = ", ".join(one.model_fields["method"].default for one in methods())
        raise ValueError(f"expected a method, one of {names}, found {value.get('method')!r}")
    return known.model_validate(dict(value))


AnyMethod: TypeAlias = Annotated[SerializeAsAny[MethodConfig], BeforeValidator(_settings)]
"""The settings of any method, as a field of other settings."""
as_method = BeforeValidator(_settings)
"""The same for a field that takes some kind of method."""
