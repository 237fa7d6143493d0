"""What a few-shot model knows of the background graph: a vector for everything, and each entity's neighbours."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from faan.base import Purpose, Stream, offsets_of, places_of
from faan.embed import Embeddings
from faan.graph import Graph, Neighbours


@dataclass(frozen=True, eq=False)
class Background:
    """Vectors of entities and relations, inverse relations after the others, and neighbours cut to a number."""

    entities: Tensor  # (entities, d)
    relations: Tensor  # (2 * relations, d)
    neighbours: Neighbours
    between: Callable[[Tensor, Tensor], Tensor]  # heads (..., d) and tails to the relation that leads from one to other

    @classmethod
    def of(cls, graph: Graph, embeddings: Embeddings, max_neighbours: int = 50, seed: int = 0) -> Background:
        """Take a graph's vectors and sample its neighbours; vectors of relations that it lacks are left out."""
        embeddings.check_graph(graph)
        both = embeddings.with_inverses().unflatten(0, (2, embeddings.num_relations))
        relations = both[:, : graph.num_relations].flatten(0, 1)
        neighbours = sample_neighbours(graph.neighbours, max_neighbours, seed)
        return cls(embeddings.entities, relations, neighbours, embeddings.model.between)

    @property
    def dimension(self) -> int:
        """Numbers in the vector of an entity."""
        return self.entities.shape[1]


def sample_neighbours(neighbours: Neighbours, limit: int, seed: int) -> Neighbours:
    """At most `limit` edges of each entity, chosen once, such that as many relations as possible survive.

    The edges of each relation are put in random order; all first ones are taken before any second one, and so on. (The
    first 50 edges in file order would lose half of the relations of a hub.)
    """
    degrees = neighbours.degrees
    hubs = np.flatnonzero(degrees > limit)
    if not len(hubs):
        return neighbours
    offsets, relations, _ = neighbours.gather(hubs)
    owner = np.repeat(np.arange(len(hubs)), np.diff(offsets))
    chance = Stream(seed, Purpose.NEIGHBOURS).raw(len(owner))
    order = np.lexsort((chance, relations, owner))  # by hub, then by relation: the order of the edges, shuffled inside
    first = np.r_[True, (np.diff(owner[order]) != 0) | (np.diff(relations[order]) != 0)]
    place = np.arange(len(order)) - np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))  # in its relation
    turn = np.lexsort((chance[order], place, owner[order]))  # by hub; inside, all first ones, all second ones, ...
    kept = order[turn[np.arange(len(turn)) - offsets[owner[turn]] < limit]]
    keep = np.ones(len(neighbours.relations), dtype=bool)
    within = places_of(neighbours.offsets[hubs], degrees[hubs])[0]  # where the hubs' edges are
    keep[within] = False
    keep[within[kept]] = True
    return Neighbours(offsets_of(np.minimum(degrees, limit)), neighbours.relations[keep], neighbours.entities[keep])


def scaled(vectors: Tensor) -> Tensor:
    """Vectors times one number, such that the mean square of their coordinates is about 1/4."""
    lengths: Tensor = torch.linalg.vector_norm(vectors, dim=1).mean()
    return vectors * (math.sqrt(vectors.shape[1]) / 2 / lengths.clamp_min(1e-12))


def hold_vectors(model: nn.Module, name: str, vectors: Tensor, *, trained: bool) -> None:
    """Give a model vectors, scaled: a parameter if they are to be trained, else a buffer that is not saved."""
    if trained:
        model.register_parameter(name, nn.Parameter(scaled(vectors)))
    else:
        model.register_buffer(name, scaled(vectors), persistent=False)
