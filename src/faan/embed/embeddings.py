"""Trained vectors: score with them, save them, load them, give them to other tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from faan.base import CONFIG_FILE, InputError, atomic_file, read_small, write_config, write_tensors
from faan.embed.config import EmbedConfig
from faan.embed.models import Model, fill_normal, make_model
from faan.embed.sampling import FIRST_VALUES, random_stream
from faan.embed.similarity import Dot
from faan.graph import Graph

VECTORS_FILE = "vectors.safetensors"
_LARGEST = 1e9  # of a number in a vector: products of three such vectors are still far from infinity


@dataclass(frozen=True)
class Embeddings:
    """One vector per entity and per relation, and the model that scores with them.

    Entities that occur in no triple have a vector too: their first, random values.
    """

    config: EmbedConfig
    entities: Tensor  # (num_entities, w)
    relations: Tensor  # (num_relations, w'), inverses in a second half if the configuration has them
    folder: Path | None = None  # that they are mapped from

    @classmethod
    def first(cls, num_entities: int, num_relations: int, config: EmbedConfig) -> Embeddings:
        """Vectors before any training."""
        model, d = make_model(config), config.dimension
        rng = random_stream(config.seed, FIRST_VALUES)
        entities = np.empty((num_entities, model.entity_width(d)), np.float32)
        relations = np.empty((num_relations * (1 + config.inverse_relations), model.relation_width(d)), np.float32)
        fill_normal(entities, rng, config.init_scale)
        model.first_relations(relations, rng, config.init_scale)
        vectors = cls(config, torch.from_numpy(entities), torch.from_numpy(relations))
        if config.unit_norm:
            vectors.entities.div_(torch.linalg.vector_norm(vectors.entities, dim=-1, keepdim=True))
        return vectors

    @property
    def model(self) -> Model:
        """The scoring function."""
        return make_model(self.config)

    @property
    def num_entities(self) -> int:
        """How many entities have a vector."""
        return len(self.entities)

    @property
    def num_relations(self) -> int:
        """How many relations have a vector, inverses not counted."""
        return len(self.relations) // (1 + self.config.inverse_relations)

    def score(self, heads: Tensor, relations: Tensor, tails: Tensor) -> Tensor:
        """Score of each triple of ids: (B,) each to (B,)."""
        return self.model.score(self.entities[heads], self.relations[relations], self.entities[tails])

    def score_tails(self, heads: Tensor, relations: Tensor, candidates: Tensor | None = None) -> Tensor:
        """Scores of (head, relation, each candidate): (B,), (B,) and (N,) ids, or all entities, to (B, N)."""
        return self._matrix(self.model.tail_query(self.entities[heads], self.relations[relations]), candidates)

    def score_heads(self, relations: Tensor, tails: Tensor, candidates: Tensor | None = None) -> Tensor:
        """Scores of (each candidate, relation, tail): (B,), (B,) and (N,) ids, or all entities, to (B, N)."""
        if self.config.inverse_relations:
            return self.score_tails(tails, relations + self.num_relations, candidates)
        return self._matrix(self.model.head_query(self.relations[relations], self.entities[tails]), candidates)

    def with_inverses(self) -> Tensor:
        """The relations' vectors followed by those of the inverse relations: (2 * num_relations, w')."""
        if self.config.inverse_relations:
            return self.relations
        return torch.cat([self.relations, self.model.inverse(self.relations)])

    def _matrix(self, queries: Tensor, candidates: Tensor | None) -> Tensor:
        entities = self.entities if candidates is None else self.entities[candidates]  # (N, w)
        return self.model.similarity.matrix(queries, entities)  # (B, N)

    def save(self, folder: Path | str) -> None:
        """Write ``config.json`` and ``vectors.safetensors`` into a folder."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        write_config(folder, self.config)
        write_tensors(folder / VECTORS_FILE, {"entities": self.entities, "relations": self.relations})

    @classmethod
    def load(cls, folder: Path | str, *, checked: bool = False) -> Embeddings:
        """Open what ``save`` wrote; safe for folders from strangers, no code is loaded.

        The vectors stay on disk until they are used. To see that all are in range reads them through, which is left out
        where it was ``checked`` before.
        """
        folder = Path(folder)
        for name in (CONFIG_FILE, VECTORS_FILE):
            if not (folder / name).is_file():
                raise InputError(f"holds no trained embeddings: {name} is missing", source=str(folder))
        try:
            config = EmbedConfig.model_validate_json(read_small(folder / CONFIG_FILE))
            tensors = load_file(folder / VECTORS_FILE)
            vectors = cls(config, tensors["entities"], tensors["relations"], folder)
            vectors._check(values=not checked)
            return vectors
        except (SafetensorError, ValueError, KeyError) as error:
            raise InputError(f"the embeddings are damaged ({error}); train them again", source=str(folder)) from None

    def _check(self, *, values: bool) -> None:
        """Refuse vectors of another shape than the settings say; compiled loops do not look where they read."""
        model, d = self.model, self.config.dimension
        for name, found, width in (
            ("entities", self.entities, model.entity_width(d)),
            ("relations", self.relations, model.relation_width(d)),
        ):
            if found.dtype != torch.float32 or found.ndim != 2 or found.shape[1] != width:
                raise ValueError(f"{name} are not rows of {width} numbers")
            if values and found.numel() and not max(map(abs, found.aminmax())) <= _LARGEST:  # not so for NaN either
                raise ValueError(f"{name} hold a number that is not finite, or larger than {_LARGEST:g}")
        if self.config.inverse_relations and len(self.relations) % 2:
            raise ValueError("a relation has no inverse")

    def check_graph(self, graph: Graph) -> None:
        """Refuse a graph that these vectors cannot be of: with other entities, or relations that have no vector."""
        if self.num_entities != graph.num_entities or self.num_relations < graph.num_relations:
            raise InputError(
                f"there are vectors of {self.num_entities:,} entities and {self.num_relations:,} relations, and the "
                f"graph has {graph.num_entities:,} and {graph.num_relations:,}: these do not belong together"
            )


def can_be_joined(config: EmbedConfig) -> bool:
    """Whether vectors of these settings with different seeds can be joined: those whose score is a product."""
    return isinstance(make_model(config).similarity, Dot)


def joined(several: Sequence[Embeddings]) -> Embeddings:
    """Vectors whose score is the mean of the scores of several, for models whose score is a product.

    Coordinates stand side by side, and relations are divided by their number: vectors with different seeds err in
    different places, so that together they are better than one of the same size.
    """
    first = several[0]
    if len(several) == 1:
        return first
    if not can_be_joined(first.config) or len({one.config.model for one in several}) > 1:
        raise ValueError("only vectors of one model, whose score is a product, can be joined")
    config = first.config.model_copy(update={"dimension": sum(one.config.dimension for one in several)})

    def side_by_side(tables: Sequence[Tensor]) -> Tensor:
        blocks = [
            table.chunk(table.shape[1] // one.config.dimension, -1) for table, one in zip(tables, several, strict=True)
        ]
        return torch.cat([part for parts in zip(*blocks, strict=True) for part in parts], -1)

    relations = side_by_side([one.relations for one in several]) / len(several)
    return Embeddings(config, side_by_side([one.entities for one in several]), relations)


def export_tsv(path: Path | str, names: Sequence[str], vectors: Tensor) -> None:
    """Write vectors as text, a line each: the name, then the numbers, separated by tabs.

    This is word2vec's text form without its first line and with tabs, so that names may hold spaces.
    """
    if len(names) != len(vectors):
        raise InputError(f"{len(names):,} names for {len(vectors):,} vectors")
    with atomic_file(Path(path)) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        for name, vector in zip(names, vectors, strict=True):
            if "\t" in name or "\n" in name or "\r" in name:
                raise InputError(f"the name {name!r} holds a tab or a line break, which TSV cannot hold; rename it")
            file.write(name + "\t" + "\t".join(f"{x:.6g}" for x in vector.tolist()) + "\n")
