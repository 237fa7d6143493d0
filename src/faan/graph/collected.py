"""Facts, types and labels that a reader finds one by one, on their way to the builder, which takes columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from faan.graph.builder import GraphBuilder

CHUNK = 1 << 17  # rows that Python holds before the builder encodes them


@dataclass
class Collected:
    """Rows for a builder. A reader calls `flush(at_least=CHUNK)` now and then, and `flush()` at the end."""

    builder: GraphBuilder
    facts: list[tuple[str, str, str]] = field(default_factory=list)  # head, relation, tail
    types: list[tuple[str, str]] = field(default_factory=list)  # entity, type
    labels: list[tuple[str, str, int]] = field(default_factory=list)  # name, label, rank
    literals: int = 0  # statements about a value

    def flush(self, at_least: int = 0) -> None:
        """Add the rows to the builder, if there are so many."""
        if len(self.facts) + len(self.types) + len(self.labels) < at_least:
            return
        self.builder.add(*_columns(self.facts, 3))
        self.builder.add_types(*_columns(self.types, 2))
        self.builder.add_labels(*_columns(self.labels, 3))
        self.builder.count(literals=self.literals)
        self.facts, self.types, self.labels, self.literals = [], [], [], 0


def _columns(rows: Sequence[tuple[Any, ...]], width: int) -> list[tuple[Any, ...]]:
    """The columns of rows, also where there is no row."""
    return list(zip(*rows, strict=True)) if rows else [()] * width
