"""Five embedding models, each defined by the query vector it makes of (head, relation) or of (relation, tail).

All five have one form: the score of a triple is the similarity of a *query* vector and an entity vector,

    score(h, r, t) = similarity(tail_query(h, r), t) = similarity(head_query(r, t), h),

so one query is compared with any number of entities by the matrix product or distance matrix of ``similarity.py``, and
a new model is two short functions. Signs and norms are PyKEEN's: a larger score is a more plausible triple.

Notation: d is the dimension, * the product coordinate by coordinate, <a, b, c> = sum_i a_i b_i c_i. A complex vector
is stored as [real part; imaginary part].
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import torch
from torch import Tensor

from faan.embed.config import EmbedConfig
from faan.embed.similarity import Dot, NegativeL1, NegativeL2, Similarity

_TINY = 1e-30  # the square of a modulus that counts as zero


class Model(ABC):
    """A scoring function over entity rows and relation rows; it holds no vectors itself."""

    similarity: Similarity = Dot()
    entity_parts = 1  # numbers in the row of an entity, for each dimension
    relation_parts = 1  # and in that of a relation

    def entity_width(self, dimension: int) -> int:
        """Numbers in the row of one entity."""
        return self.entity_parts * dimension

    def relation_width(self, dimension: int) -> int:
        """Numbers in the row of one relation."""
        return self.relation_parts * dimension

    def first_relations(self, rows: np.ndarray, rng: np.random.Generator, scale: float) -> None:
        """Fill the relation rows with their first values; entity rows are always normal."""
        fill_normal(rows, rng, scale)

    @abstractmethod
    def tail_query(self, heads: Tensor, relations: Tensor) -> Tensor:
        """Where the tail is expected: (..., entity_width)."""

    @abstractmethod
    def head_query(self, relations: Tensor, tails: Tensor) -> Tensor:
        """Where the head is expected: (..., entity_width)."""

    @abstractmethod
    def inverse(self, relations: Tensor) -> Tensor:
        """The rows of the inverse relations, (t, r^-1, h) for (h, r, t), with the same scores."""

    @abstractmethod
    def between(self, heads: Tensor, tails: Tensor) -> Tensor:
        """The row of a relation that leads from each head to its tail, as far as the model can say: (..., w')."""

    def score(self, heads: Tensor, relations: Tensor, tails: Tensor) -> Tensor:
        """Score of each triple: rows (..., w) to (...)."""
        return self.similarity.pairs(self.tail_query(heads, relations), tails)

    def entity_sizes(self, rows: Tensor) -> Tensor:
        """Absolute values of the coordinates, which a regulariser penalises: (..., d)."""
        return rows.abs()

    def relation_sizes(self, rows: Tensor) -> Tensor:
        """Absolute values of the coordinates of relations: (..., d)."""
        return rows.abs()


class TransE(Model):
    """A relation is a translation: score = -||h + r - t||_p, p = 1 or 2.

    Bordes et al.: Translating Embeddings for Modeling Multi-relational Data. NIPS 2013.
    """

    def __init__(self, norm: int = 1) -> None:
        self.similarity = NegativeL1() if norm == 1 else NegativeL2()

    def tail_query(self, heads: Tensor, relations: Tensor) -> Tensor:
        """The head, moved forward: h + r."""
        return heads + relations

    def head_query(self, relations: Tensor, tails: Tensor) -> Tensor:
        """The tail, moved back: t - r."""
        return tails - relations

    def inverse(self, relations: Tensor) -> Tensor:
        """The way back: -r."""
        return -relations

    def between(self, heads: Tensor, tails: Tensor) -> Tensor:
        """The way from one to the other: t - h."""
        return tails - heads


class DistMult(Model):
    """A relation weighs coordinates: score = <h, r, t>, the same in both directions.

    Yang et al.: Embedding Entities and Relations for Learning and Inference in Knowledge Bases. ICLR 2015.
    """

    def tail_query(self, heads: Tensor, relations: Tensor) -> Tensor:
        """The head, weighed: h * r."""
        return heads * relations

    def head_query(self, relations: Tensor, tails: Tensor) -> Tensor:
        """The tail, weighed: t * r."""
        return tails * relations

    def inverse(self, relations: Tensor) -> Tensor:
        """The relation itself: this model knows no direction."""
        return relations

    def between(self, heads: Tensor, tails: Tensor) -> Tensor:
        """The direction in which <h, r, t> rises: h * t."""
        return heads * tails


class ComplEx(Model):
    """DistMult over complex numbers, which tells directions apart: score = Re <h, r, conj(t)>.

    Trouillon et al.: Complex Embeddings for Simple Link Prediction. ICML 2016.
    """

    entity_parts = relation_parts = 2  # real and imaginary

    def tail_query(self, heads: Tensor, relations: Tensor) -> Tensor:
        """Re <h, r, conj(t)> is the real dot product of h * r and t."""
        return complex_product(heads, relations)

    def head_query(self, relations: Tensor, tails: Tensor) -> Tensor:
        """Re <h, r, conj(t)> is the real dot product of conj(r) * t and h."""
        return complex_product(tails, conjugate(relations))

    def inverse(self, relations: Tensor) -> Tensor:
        """The conjugate."""
        return conjugate(relations)

    def between(self, heads: Tensor, tails: Tensor) -> Tensor:
        """The direction in which Re <h, r, conj(t)> rises: conj(h) * t."""
        return complex_product(conjugate(heads), tails)

    def entity_sizes(self, rows: Tensor) -> Tensor:
        """The moduli."""
        return moduli(rows)

    def relation_sizes(self, rows: Tensor) -> Tensor:
        """The moduli."""
        return moduli(rows)


class SimplE(Model):
    """Each entity has a vector as head and one as tail: score = (<h_head, r, t_tail> + <t_head, r', h_tail>) / 2.

    An entity's row is [as head; as tail], a relation's [r; r'] with r' for the inverse.
    Kazemi and Poole: SimplE Embedding for Link Prediction in Knowledge Graphs. NeurIPS 2018.
    """

    entity_parts = 2  # as head and as tail
    relation_parts = 2  # forward and inverse

    def tail_query(self, heads: Tensor, relations: Tensor) -> Tensor:
        """[r' * h_tail; r * h_head] / 2, to be multiplied with [t_head; t_tail]."""
        h_head, h_tail = heads.chunk(2, -1)
        r, r_inverse = relations.chunk(2, -1)
        return torch.cat([r_inverse * h_tail, r * h_head], -1) / 2

    def head_query(self, relations: Tensor, tails: Tensor) -> Tensor:
        """[r * t_tail; r' * t_head] / 2, to be multiplied with [h_head; h_tail]."""
        t_head, t_tail = tails.chunk(2, -1)
        r, r_inverse = relations.chunk(2, -1)
        return torch.cat([r * t_tail, r_inverse * t_head], -1) / 2

    def inverse(self, relations: Tensor) -> Tensor:
        """[r'; r]."""
        return torch.cat(relations.chunk(2, -1)[::-1], -1)

    def between(self, heads: Tensor, tails: Tensor) -> Tensor:
        """The direction in which the score rises: [h_head * t_tail; t_head * h_tail]."""
        h_head, h_tail = heads.chunk(2, -1)
        t_head, t_tail = tails.chunk(2, -1)
        return torch.cat([h_head * t_tail, t_head * h_tail], -1)


class RotatE(Model):
    """A relation turns each complex coordinate by an angle: score = -||h * exp(i theta) - t||_2.

    A relation's row holds its angles theta. A turn keeps lengths, so the head is as far from the tail turned back.
    Sun et al.: RotatE: Knowledge Graph Embedding by Relational Rotation in Complex Space. ICLR 2019.
    """

    similarity = NegativeL2()
    entity_parts = 2  # real and imaginary

    def first_relations(self, rows: np.ndarray, rng: np.random.Generator, scale: float) -> None:
        """Any angle is as good as any other."""
        rows[:] = rng.uniform(-math.pi, math.pi, rows.shape)

    def tail_query(self, heads: Tensor, relations: Tensor) -> Tensor:
        """The head, turned: h * exp(i theta)."""
        return complex_product(heads, torch.cat([relations.cos(), relations.sin()], -1))

    def head_query(self, relations: Tensor, tails: Tensor) -> Tensor:
        """The tail, turned back: t * exp(-i theta)."""
        return complex_product(tails, torch.cat([relations.cos(), -relations.sin()], -1))

    def inverse(self, relations: Tensor) -> Tensor:
        """The turn back: -theta."""
        return -relations

    def between(self, heads: Tensor, tails: Tensor) -> Tensor:
        """The angle from each coordinate of h to that of t."""
        real, imaginary = complex_product(conjugate(heads), tails).chunk(2, -1)
        return torch.atan2(imaginary, real)

    def entity_sizes(self, rows: Tensor) -> Tensor:
        """The moduli."""
        return moduli(rows)

    def relation_sizes(self, rows: Tensor) -> Tensor:
        """|exp(i theta)| = 1: an angle has no size to penalise."""
        return torch.ones_like(rows)


def make_model(config: EmbedConfig) -> Model:
    """The model that a configuration names."""
    if config.model == "transe":
        return TransE(config.norm)
    others: dict[str, type[Model]] = {"distmult": DistMult, "complex": ComplEx, "simple": SimplE, "rotate": RotatE}
    return others[config.model]()


def fill_normal(rows: np.ndarray, rng: np.random.Generator, scale: float) -> None:
    """Normal values in place: a table of millions of rows never exists twice."""
    rng.standard_normal(dtype=np.float32, out=rows)
    rows *= scale


def complex_product(a: Tensor, b: Tensor) -> Tensor:
    """(a + bi)(c + di) = (ac - bd) + (ad + bc)i for vectors stored as [real; imaginary]."""
    a_real, a_imaginary = a.chunk(2, -1)
    b_real, b_imaginary = b.chunk(2, -1)
    return torch.cat([a_real * b_real - a_imaginary * b_imaginary, a_real * b_imaginary + a_imaginary * b_real], -1)


def conjugate(a: Tensor) -> Tensor:
    """The complex conjugate of [real; imaginary]."""
    real, imaginary = a.chunk(2, -1)
    return torch.cat([real, -imaginary], -1)


def moduli(a: Tensor) -> Tensor:
    """|x| of each complex coordinate; unlike ``hypot`` it has a gradient, zero, at zero; faster than a norm."""
    sizes: Tensor = _Moduli.apply(a)  # type: ignore[no-untyped-call]
    return sizes


class _Moduli(torch.autograd.Function):
    """The gradient of |x| is x / |x|; autograd would find it in four times as many passes."""

    @staticmethod
    def forward(ctx: Any, a: Tensor) -> Tensor:
        squares = a * a
        sizes = (squares[..., : a.shape[-1] // 2] + squares[..., a.shape[-1] // 2 :]).clamp_min_(_TINY).sqrt_()
        ctx.save_for_backward(a, sizes)
        return sizes

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        a, sizes = ctx.saved_tensors
        directions: Tensor = a.unflatten(-1, (2, -1)) * (gradients[0] / sizes).unsqueeze(-2)
        return directions.flatten(-2)
