"""The types of entities: given by the source, or extracted from names by a pattern."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from faan.base import InputError, Ints, are_below, distinct, is_ragged, offsets_of, places_of, shorten
from faan.graph.names import Names, damaged
from faan.graph.numbering import codes, number_by_first_use


@dataclass(frozen=True, eq=False)
class Types:
    """The types of each entity, ragged: those of entity `i` are `ids[offsets[i]:offsets[i + 1]]`."""

    names: Names
    offsets: Ints  # (entities + 1,)
    ids: Ints
    labels: Names | None = None  # "" where a type has none

    def check(self) -> None:
        """Refuse numbers out of range in types that were loaded from disk."""
        if not (is_ragged(self.offsets, len(self.ids)) and are_below(self.ids, len(self.names))):
            raise damaged("its types are out of range")
        self.names.check()
        if self.labels is not None:
            self.labels.check()

    def label(self, kind: int) -> str:
        """What to show a person for a type: its label, or its name if it has none."""
        return (self.labels[kind] if self.labels else "") or self.names[kind]

    def of(self, entity: int) -> Ints:
        """The type ids of one entity."""
        return self.ids[self.offsets[entity] : self.offsets[entity + 1]]

    def having(self, kinds: Ints) -> NDArray[np.bool_]:
        """Which entities have one of some types, (entities,)."""
        wanted = np.zeros(len(self.names), dtype=bool)
        wanted[kinds] = True
        found = np.zeros(len(self.offsets) - 1, dtype=bool)
        found[self.owners_of(np.flatnonzero(wanted[self.ids]))] = True
        return found

    @cached_property
    def is_typed(self) -> NDArray[np.bool_]:
        """Which entities have a type, (entities,)."""
        found: NDArray[np.bool_] = self.offsets[1:] > self.offsets[:-1]
        return found

    def gather(self, entities: Ints) -> tuple[Ints, Ints]:
        """The types of many entities at once: the place of each type's entity among these, and the type."""
        starts = self.offsets[entities]
        places, offsets = places_of(starts, self.offsets[np.asarray(entities) + 1] - starts)
        return np.repeat(np.arange(len(entities)), np.diff(offsets)), self.ids[places]

    @cached_property
    def owners(self) -> Ints:
        """The entity that each element of `ids` belongs to."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def owners_of(self, places: Ints) -> Ints:
        """The entities that some elements of `ids` belong to, without looking at all of them."""
        return np.searchsorted(self.offsets, places, side="right") - 1

    @property
    def num_typed(self) -> int:
        """How many entities have a type."""
        return int(np.count_nonzero(self.is_typed))


def types_from_pattern(names: Names, pattern: str) -> Types:
    """Extract each entity's type from its name: the pattern's first group, as in `^concept:([^:]+):` for NELL."""
    try:
        found = names.to_series().str.extract(pattern, 1)
    except pl.exceptions.ComputeError as error:
        said = str(error).partition("\n\nThis error occurred")[0]  # what follows is polars' own expression
        reason = said.splitlines()[-1].removeprefix("regex ").removeprefix("error: ")
        raise InputError(
            f"the type pattern {shorten(pattern)!r} is not a regular expression: {shorten(reason)}"
        ) from None
    owner = found.is_not_null().arg_true().to_numpy().astype(np.int32)
    if not len(owner):
        raise InputError(
            f"the type pattern {pattern!r} fits no entity name, such as {names[0]!r}; its first (...) must be the type"
        )
    return ragged_types(owner, found.drop_nulls().cast(pl.Categorical), len(names))


def ragged_types(owner: Ints, types: pl.Series, num_entities: int) -> Types:
    """Pairs of an entity and its type, a dictionary-encoded column, grouped by entity."""
    number, places = number_by_first_use(codes(types))
    names = types.gather(places).cast(pl.String)
    pairs = distinct(owner.astype(np.int64) * len(names) + number[codes(types)])
    offsets = offsets_of(np.bincount(pairs // len(names), minlength=num_entities))
    return Types(Names.from_strings(names), offsets, (pairs % len(names)).astype(np.int32))
