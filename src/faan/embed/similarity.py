"""How close a query vector is to an entity vector: pair by pair, and for many at once as matrix work."""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor


class Similarity(Protocol):
    """Compares queries with entities; larger is closer."""

    def pairs(self, queries: Tensor, entities: Tensor) -> Tensor:
        """Similarity of each query to its own entity: (..., w) and (..., w) to (...)."""
        ...

    def matrix(self, queries: Tensor, candidates: Tensor) -> Tensor:
        """Similarity of each query to each candidate: (C, w) and (N, w) to (C, N)."""
        ...


class Dot:
    """The dot product q . e."""

    def pairs(self, queries: Tensor, entities: Tensor) -> Tensor:
        """Similarity of each query to its own entity."""
        return (queries * entities).sum(-1)

    def matrix(self, queries: Tensor, candidates: Tensor) -> Tensor:
        """Similarity of each query to each candidate."""
        return queries @ candidates.transpose(-1, -2)  # (C, N)


class NegativeDistance:
    """The negative distance -||q - e||_p.

    For p = 2, ``torch.cdist`` expands the square, ||q||^2 + ||e||^2 - 2 q . e, so that the work is a matrix product.
    For p = 1 there is no such way; its kernel reads both matrices once and writes (C, N), forward and backward,
    without the (C, N, w) differences that autograd of the plain formula would keep.
    """

    def __init__(self, p: int) -> None:
        self.p = float(p)

    def pairs(self, queries: Tensor, entities: Tensor) -> Tensor:
        """Similarity of each query to its own entity."""
        distances: Tensor = torch.linalg.vector_norm(queries - entities, ord=self.p, dim=-1)
        return -distances

    def matrix(self, queries: Tensor, candidates: Tensor) -> Tensor:
        """Similarity of each query to each candidate."""
        return -torch.cdist(queries, candidates, p=self.p, compute_mode="use_mm_for_euclid_dist")  # (C, N)
