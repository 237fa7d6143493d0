"""FAAN: adaptive attention over an entity's neighbours and over the example pairs.

Sheng, Guo, Chen, Yue, Wang, Liu, Xu: Adaptive Attentional Network for Few-Shot Knowledge Graph Completion. EMNLP 2020.
Its three parts are in `neighbours.py`, `pairs.py` and `matching.py`; equation numbers are those of the paper.

Where this differs from the paper, and why:
- Blocks are as wide as the vectors; the paper's runs repeat it `heads` times (`repeat_input`): 16 times the work.
- Attention between the places is the usual one; that of the published runs mixes up places and heads (`attention`).
- Neighbours are kept ragged, and are sampled such that relations survive (`sample_neighbours`).
- Entity and relation vectors are scaled to a common length first, so that settings do not depend on the embeddings.
- `middle = "relation"` and `loss = "softmax"` are ours. With the former the middle place carries the task relation
  itself, and everything else starts at zero: before training, pairs are matched by their bare relations.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional

from faan.base import InputError, Ints
from faan.models.background import Background, hold_vectors
from faan.models.initial import start_neighbours, start_pairs
from faan.models.interface import PAIRS_AT_ONCE, FewShotConfig, SharingModel, evaluating, margin_loss, to_tensor
from faan.models.matching import AdaptiveMatching, LstmMatching, Matching, MeanMatching, NearestMatching
from faan.models.neighbours import BackgroundVectors, NeighbourEncoder, Weighing
from faan.models.pairs import Attention, PairEncoder
from faan.models.precision import Precision
from faan.models.ragged_attention import Edges
from faan.models.register import Row, Variant
from faan.tasks import Episode, Task


class FaanConfig(FewShotConfig):
    """The settings of FAAN; the defaults are the paper's for NELL, at the width of the vectors."""

    order: ClassVar[int] = 50
    rows: ClassVar[tuple[Row, ...]] = (
        Row("FAAN", "faan", tables=("main", "shots", "relations", "attention")),
        Row("FAAN plus", "faan-plus", tables=("main", "shots", "relations", "attention")),
    )
    variants: ClassVar[Mapping[str, Variant]] = {
        "A1": Variant("neighbours averaged", {"neighbours": "mean"}),
        "A2": Variant("attention that does not look at the task", {"neighbours": "attention"}),
        "A3": Variant("neighbours alone", {"own_vector": False}),
        "B1": Variant("head and tail concatenated", {"pair": "concatenation"}),
        "B2": Variant("no positions", {"positions": False}),
        "C1": Variant("references averaged", {"matching": "mean"}),
        "C2": Variant("the most similar reference alone", {"matching": "nearest"}),
        "C3": Variant("LSTM matching", {"matching": "lstm"}),
    }
    """The paper's ablation."""
    fit_config: ClassVar[str | None] = "faan-plus"
    samples: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "small": {"heads": 2, "margin": 1.0},
        "plus": {"heads": 2, "middle": "relation", "loss": "softmax"},
        "repeated": {"heads": 2, "repeat_input": True},
        "published": {"heads": 2, "repeat_input": True, "attention": "published"},
        "published-4": {"heads": 4, "repeat_input": True, "attention": "published", "layers": 1},
        "translation": {"heads": 2, "repeat_input": True, "layers": 2, "initial": "translation"},
        "trained": {"heads": 2, "train_vectors": True},
    }

    method: Literal["faan"] = "faan"
    """Which few-shot model."""
    neighbours: Weighing = "adaptive"
    """What decides the weight of a neighbour: the task relation, the neighbour alone (FSRL), nothing (GMatching)."""
    own_vector: bool = True
    """Whether an entity is represented by its own vector too, or by its neighbours alone."""
    pair: Literal["transformer", "concatenation"] = "transformer"
    """How a pair is represented: by the middle place of a Transformer, or by head and tail concatenated."""
    layers: int = Field(3, ge=1)
    """Blocks of the Transformer."""
    heads: int = Field(4, ge=1)
    """Attention heads of each block."""
    repeat_input: bool = False
    """Repeat the Transformer's input `heads` times, as the paper's runs did."""
    attention: Attention = "standard"
    """The usual attention between the three places, or the attention of the published runs."""
    positions: bool = True
    """Add position vectors, which tell head, relation and tail apart."""
    middle: Literal["mask", "relation"] = "mask"
    """The input of the middle place: a learnt token, the same for all pairs, or the relation from head to tail."""
    initial: Literal["random", "translation"] = "random"
    """Where training begins: at random values, or where pairs are matched by their translation, t - h."""
    matching: Literal["adaptive", "mean", "nearest", "lstm"] = "adaptive"
    """How references are weighted for a query: by similarity, equally, only the most similar one, or by GMatching's
    network."""
    neighbour_dropout: float = Field(0.3, ge=0.0, lt=1.0)
    """Dropout rate of the neighbours' vectors."""
    dropout: float = Field(0.2, ge=0.0, lt=1.0)
    """Dropout rate inside the Transformer."""
    train_vectors: bool = False
    """Also train the vectors of entities and relations; otherwise they stay fixed."""
    loss: Literal["margin", "softmax"] = "margin"
    """Margin loss of a true tail against each wrong one, or softmax over the true tail and all wrong ones."""
    margin: float = Field(5.0, gt=0.0)
    """The margin of the margin loss; wider blocks need a larger one."""
    precision: Precision = "float32"
    """Precision of the Transformer's matrix products. bfloat16 is faster; processors without it use float32."""

    def build(self, background: Background) -> Faan:
        """The model before training."""
        return Faan(background, self)


@dataclass(frozen=True, eq=False)
class NeighbourWeights:
    """The neighbours of an entity and how much each counts under a task (alpha, eq. 3)."""

    relations: Ints  # (n,)
    entities: Ints  # (n,)
    weights: NDArray[np.float32]  # (n,), their sum is 1 where there are neighbours


@dataclass(frozen=True, eq=False)
class Attentions:
    """What FAAN looks at when it scores a pair."""

    head: NeighbourWeights
    tail: NeighbourWeights
    references: NDArray[np.float32]  # (K,) how much each reference counts (beta, eq. 8)


class Faan(SharingModel):
    """Scores a pair by how much it resembles those references that resemble it."""

    entities: Tensor
    relations: Tensor

    def __init__(self, background: Background, config: FaanConfig) -> None:
        super().__init__()
        d, d_relation = background.dimension, background.relations.shape[1]
        self.config, self.between, self.graph = config, background.between, background.neighbours
        self.num_relations = len(background.relations) // 2
        hold_vectors(self, "entities", background.entities, trained=config.train_vectors)
        hold_vectors(self, "relations", background.relations, trained=config.train_vectors)
        self.neighbours = NeighbourEncoder(background, config.neighbours, config.own_vector, config.neighbour_dropout)
        width = 2 * d
        if config.pair == "transformer":
            repeats = config.heads if config.repeat_input else 1
            width = d * repeats
            if width % config.heads:
                raise InputError(f"{config.heads} attention heads do not divide a width of {width}: change model.heads")
            from_relation, by_translation = config.middle == "relation", config.initial == "translation"
            self.token = nn.Parameter(torch.zeros(d) if from_relation else torch.rand(d))  # x_r
            self.transformer = PairEncoder(
                d,
                config.layers,
                config.heads,
                repeats=repeats,
                attention=config.attention,
                positions="none" if not config.positions else "learnt" if from_relation or by_translation else "fixed",
                dropout=config.dropout,
                start_as_identity=from_relation or by_translation,
                precision=config.precision,
            )
            if from_relation:
                self._start_from_relations(d, d_relation)
            if by_translation:
                start_pairs(self.transformer, self.token)
        if config.initial == "translation":
            start_neighbours(self.neighbours)
        self.matching = make_matching(config.matching, width)
        self.log_scale = nn.Parameter(torch.tensor(-math.log(width) / 2)) if config.loss == "softmax" else None

    def _start_from_relations(self, d: int, d_relation: int) -> None:
        """The middle place is x_r + LayerNorm(r + W r), and all that is added to it starts at zero."""
        if d != d_relation:
            raise InputError(
                f"middle = 'relation' needs relations as wide as entities, found {d_relation} and {d}: choose another "
                "embed.model"
            )
        self.bend = nn.Linear(d, d, bias=False)
        self.norm = nn.LayerNorm(d)
        nn.init.zeros_(self.bend.weight)
        if self.neighbours.weighing == "adaptive":
            self.neighbours.fit.data = torch.eye(d_relation) / 10

    def encode(self, heads: Ints, tails: Ints, head_of: Ints, hidden: int | None = None) -> Tensor:
        """Represent n pairs: the heads (G,) numbered `head_of` (n,) with the tails (n,), to (n, D).

        A head that is scored with many tails is given once. Edges of the relation `hidden` between a pair's head and
        tail are not seen.
        """
        vectors, edges = BackgroundVectors(self.entities, self.relations), self._edges(heads, tails, head_of)
        x = vectors.entities[to_tensor(np.concatenate([heads[head_of], tails]))]  # (2 n, d)
        task = self.between(*x.chunk(2))  # (n, d_relation): r = t - h for translations  (eq. 1)
        unseen = None if hidden is None else self._unseen(edges, heads[head_of], tails, hidden)
        f_head, f_tail = self.neighbours(edges, x, task, vectors, unseen).chunk(2)  # (n, d) each
        if self.config.pair == "concatenation":
            return torch.cat([f_head, f_tail], -1)
        middle = self.token.expand_as(f_tail)
        if self.config.middle == "relation":
            middle = middle + self.norm(task + self.bend(task))
        encoded: Tensor = self.transformer(torch.stack([f_head, middle, f_tail]))
        return encoded

    def _edges(self, heads: Ints, tails: Ints, head_of: Ints) -> Edges:
        """The edges of the heads of n pairs, then of their tails."""
        rows = np.concatenate([head_of, np.arange(len(heads), len(heads) + len(tails))])
        return Edges.of(self.graph, np.concatenate([heads, tails])).of_rows(rows)

    def _unseen(self, edges: Edges, heads: Ints, tails: Ints, hidden: int) -> Tensor:
        """Which edges of heads and tails (e,) lead to the pair's other side by a hidden relation."""
        inverse = (hidden + self.num_relations) % (2 * self.num_relations)
        return edges.lead_to(np.repeat([hidden, inverse], len(heads)), np.concatenate([tails, heads]))

    def encode_references(self, references: Ints, hidden: int | None) -> Tensor:
        """Represent reference pairs: (K, 2) to (K, D)."""
        return self.encode(references[:, 0], references[:, 1], np.arange(len(references)), hidden)

    def loss(self, episodes: Sequence[Episode]) -> Tensor:
        """The loss of the queries' true tails, averaged over the episodes (eq. 11)."""
        return torch.stack([self._episode_loss(episode) for episode in episodes]).mean()

    def _episode_loss(self, episode: Episode) -> Tensor:
        known, asked = len(episode.references), np.arange(len(episode.queries))
        choices = np.concatenate([episode.queries[:, 1:], episode.negatives], axis=1)  # (Q, 1 + N), the true ones first
        pairs = self.encode(
            np.concatenate([episode.references[:, 0], episode.queries[:, 0]]),
            np.concatenate([episode.references[:, 1], choices.ravel()]),
            np.concatenate([np.arange(known), np.repeat(known + asked, choices.shape[1])]),
            episode.task.hidden,
        )  # (K + Q (1 + N), D)
        scores = self.matching(pairs[known:], pairs[:known]).view(choices.shape)
        if self.log_scale is None:
            return margin_loss(scores, self.config.margin)
        return functional.cross_entropy(scores * self.log_scale.exp(), torch.zeros(len(choices), dtype=torch.long))

    def prepare_sets(self, task: Task, sets: Sequence[Ints]) -> _FaanScorers:
        """Represent the references."""
        with evaluating(self):
            return _FaanScorers(self, [self.encode_references(one, task.hidden) for one in sets], task.hidden)

    def attentions(self, references: Ints, head: int, tail: int, hidden: int | None = None) -> Attentions:
        """What the model looks at when it scores (head, tail), given references (K, 2)."""
        vectors = BackgroundVectors(self.entities, self.relations)
        heads, tails, first = np.array([head]), np.array([tail]), np.array([0])
        edges = self._edges(heads, tails, first)
        with evaluating(self):
            task = self.between(vectors.entities[heads], vectors.entities[tails])  # (1, d_relation)
            unseen = None if hidden is None else self._unseen(edges, heads, tails, hidden)
            alpha = self.neighbours.weights(edges, task, vectors, unseen).numpy()
            known = self.encode_references(references, hidden)
            beta = self.matching.weights(self.encode(heads, tails, first, hidden), known)[0].numpy()
        head_side, tail_side = (
            NeighbourWeights(edges.relations[start:end], edges.entities[start:end], alpha[start:end])
            for start, end in itertools.pairwise(edges.offsets)
        )
        return Attentions(head_side, tail_side, beta)


class _FaanScorers:
    """A pair is represented once and compared with each set of references."""

    def __init__(self, model: Faan, sets: Sequence[Tensor], hidden: int | None) -> None:
        self._model, self._sets, self._hidden = model, sets, hidden

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        model = self._model
        scores = np.empty((len(self._sets), len(heads), len(candidates)), dtype=np.float32)
        with evaluating(model):
            for start in range(0, len(candidates), PAIRS_AT_ONCE):
                tails = candidates[start : start + PAIRS_AT_ONCE]
                for row in range(len(heads)):
                    pairs = model.encode(heads[row : row + 1], tails, np.zeros_like(tails), self._hidden)  # (m, D)
                    for number, references in enumerate(self._sets):
                        scores[number, row, start : start + len(tails)] = model.matching(pairs, references).numpy()
        return scores


def make_matching(kind: str, width: int) -> Matching:
    """The matching that a configuration names."""
    makers: dict[str, Callable[[], Matching]] = {
        "adaptive": AdaptiveMatching,
        "mean": MeanMatching,
        "nearest": NearestMatching,
        "lstm": lambda: LstmMatching(width),
    }
    return makers[kind]()
