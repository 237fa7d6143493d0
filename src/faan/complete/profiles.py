"""What entities are like: the roles that they play, weighed by how rare a role is (tf-idf).

A role is a relation and the side of it on which an entity stands (`relation_label` of the side: `capital`,
`capital_inv`). Two entities are alike if they play the same rare roles; how often does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from faan.graph import Graph
from faan.graph.ragged import Ints, offsets_of, places_of


@dataclass(frozen=True, eq=False)
class Profiles:
    """The roles of each entity, ragged, and what each role is worth."""

    offsets: Ints  # (entities + 1,)
    roles: Ints
    idf: NDArray[np.float64]  # (2 * relations,)

    @classmethod
    def of(cls, graph: Graph) -> Profiles:
        """Look at each entity's edges once; they are sorted by relation, so that a role begins where it changes."""
        edges = graph.neighbours
        first = np.ones(len(edges.relations), dtype=bool)
        first[1:] = edges.relations[1:] != edges.relations[:-1]
        first[edges.offsets[:-1][edges.degrees > 0]] = True
        counts = np.concatenate([[0], np.cumsum(first)])[edges.offsets]
        roles = edges.relations[first]
        having = np.bincount(roles, minlength=2 * graph.num_relations)
        idf = np.log1p(graph.num_entities / np.maximum(having, 1))
        return cls(offsets_of(np.diff(counts)), roles, idf)

    def shares(self, entities: Ints, hidden: Ints) -> NDArray[np.float64]:
        """Which share of some entities plays each role, (2 * relations,); hidden roles count as played by none."""
        owners = np.unique(entities)
        places, _ = places_of(self.offsets[owners], self.offsets[owners + 1] - self.offsets[owners])
        share = np.bincount(self.roles[places], minlength=len(self.idf)) / max(len(owners), 1)
        share[hidden] = 0
        return share

    def similarity(self, entities: Ints, likes: Ints, hidden: Ints) -> NDArray[np.float64]:
        """How much each entity resembles a group of others, 0 to 1: the cosine with their mean profile, (n,)."""
        worth = self.idf**2
        worth[hidden] = 0
        wanted = self.shares(likes, hidden)
        places, offsets = places_of(self.offsets[entities], self.offsets[entities + 1] - self.offsets[entities])
        owner, roles = np.repeat(np.arange(len(entities)), np.diff(offsets)), self.roles[places]
        common = np.bincount(owner, worth[roles] * wanted[roles], minlength=len(entities))
        own = np.bincount(owner, worth[roles], minlength=len(entities))
        return np.asarray(common / np.sqrt(np.maximum(own * (worth * wanted**2).sum(), 1e-12)))
