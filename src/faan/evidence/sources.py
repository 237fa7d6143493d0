"""What evidence is taken from: the background graph, vectors of it, methods that have learnt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints
from faan.embed import Embeddings
from faan.evidence.names import EntityNames
from faan.evidence.profiles import Profiles
from faan.graph import Graph, has_readable_names
from faan.tasks import Method

Values = NDArray[np.float32]

_AT_ONCE = 1 << 11  # vectors that stay in the processor's cache


@dataclass(frozen=True, eq=False)
class Sources:
    """What evidence is taken from: the background graph, vectors of it, methods that have learnt."""

    graph: Graph
    translation: Embeddings | None = None  # of TransE
    matching: Embeddings | None = None  # of a model whose score is a product: ComplEx or DistMult
    learnt: Mapping[str, Method] = field(default_factory=dict)
    completion: Embeddings | None = None  # trained to complete the relations of the graph
    saved_names: EntityNames | None = None  # the entities' names, if they were loaded from disk

    @cached_property
    def profiles(self) -> Profiles:
        """The relations that each entity takes part in."""
        return Profiles.of(self.graph)

    @cached_property
    def has_names(self) -> bool:
        """Whether entities have readable names."""
        return has_readable_names(self.graph)

    @cached_property
    def names(self) -> EntityNames:
        """The names of the entities."""
        return EntityNames.of(self.graph) if self.saved_names is None else self.saved_names

    def vectors(self, kind: str) -> Embeddings:
        """The vectors of a kind: `translation`, `matching` or `completion`."""
        found: Embeddings | None = getattr(self, kind)
        assert found is not None, f"evidence from {kind} vectors needs such vectors, and there are none"
        return found

    def units(self, entities: Ints) -> dict[str, Values]:
        """The vectors of some entities, normalised, by kind, (n, w); those of all entities may not fit in memory."""
        return {kind: unit(self.vectors(kind).entities.numpy()[entities]) for kind in self.kinds}

    @property
    def kinds(self) -> list[str]:
        """The kinds of vectors that there are, without those for relations of the graph."""
        return [kind for kind in ("translation", "matching") if getattr(self, kind) is not None]


def unit(vectors: Values) -> Values:
    """Vectors (n, w), normalised to length 1."""
    units = np.empty_like(vectors)
    for start in range(0, len(vectors), _AT_ONCE):
        some = vectors[start : start + _AT_ONCE]
        units[start : start + _AT_ONCE] = some / np.maximum(np.linalg.norm(some, axis=1, keepdims=True), 1e-12)
    return units
