"""The inner loops of attention to ragged neighbours, compiled by numba.

torch has many small operations for each, most of them passes over memory. `ragged_attention.py` makes differentiable
functions of these loops. Floating point may be reordered (sums are fast that way), but NaN and infinity keep their
meaning. All of them fill arrays that they are given. The innermost loops are written out in each: as a shared
function, which numba does not inline, they took 2.4 times as long.

A loop that sums and also stores must not be reordered: the compiler makes two versions of it, and chooses by how near
the arrays are in memory. Their sums differed in the last bit, and so did a training from the same training.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

compiled = njit(nogil=True, cache=True, fastmath={"reassoc", "nsz", "contract"}, error_model="numpy")
in_order = njit(nogil=True, cache=True, error_model="numpy")


@compiled
def edge_products(
    starts: np.ndarray,
    offsets: np.ndarray,
    rows: np.ndarray,
    table: np.ndarray,
    factors: np.ndarray,
    left: np.ndarray,
    products: np.ndarray,
) -> None:
    """products[j] = sum_i left[n, i] factors[e, i] table[rows[e], i] for each edge e of each entity n.

    e runs from starts[n] and j from offsets[n] to offsets[n + 1]; without `factors` (their length is 0) they are 1.
    """
    for n in range(len(starts)):
        shift, own = starts[n] - offsets[n], left[n]
        for j in range(offsets[n], offsets[n + 1]):
            other, total = table[rows[j + shift]], left.dtype.type(0)
            if len(factors):
                factor = factors[j + shift]
                for i in range(len(own)):
                    total += own[i] * factor[i] * other[i]
            else:
                for i in range(len(own)):
                    total += own[i] * other[i]
            products[j] = total


@compiled
def edge_sums(
    starts: np.ndarray,
    offsets: np.ndarray,
    rows: np.ndarray,
    table: np.ndarray,
    factors: np.ndarray,
    weights: np.ndarray,
    sums: np.ndarray,
) -> None:
    """sums[n, i] += sum_j weights[j] factors[e, i] table[rows[e], i], e and j as in `edge_products`."""
    for n in range(len(starts)):
        shift, total = starts[n] - offsets[n], sums[n]
        for j in range(offsets[n], offsets[n + 1]):
            other, weight = table[rows[j + shift]], weights[j]
            if len(factors):
                factor = factors[j + shift]
                for i in range(len(total)):
                    total[i] += weight * factor[i] * other[i]
            else:
                for i in range(len(total)):
                    total[i] += weight * other[i]


@compiled
def edge_scatter(
    starts: np.ndarray,
    offsets: np.ndarray,
    rows: np.ndarray,
    table: np.ndarray,
    factors: np.ndarray,
    weights: np.ndarray,
    left: np.ndarray,
) -> None:
    """table[rows[e], i] += weights[j] factors[e, i] left[n, i], e and j as in `edge_products`."""
    for n in range(len(starts)):
        shift, own = starts[n] - offsets[n], left[n]
        for j in range(offsets[n], offsets[n + 1]):
            other, weight = table[rows[j + shift]], weights[j]
            if len(factors):
                factor = factors[j + shift]
                for i in range(len(own)):
                    other[i] += weight * factor[i] * own[i]
            else:
                for i in range(len(own)):
                    other[i] += weight * own[i]


@in_order
def edge_softmax(offsets: np.ndarray, psi: np.ndarray, weights: np.ndarray) -> None:
    """The softmax over offsets[n] to offsets[n + 1] for each n; where all are minus infinity, weights are 0."""
    zero = psi.dtype.type(0)
    for n in range(len(offsets) - 1):
        highest, total = psi.dtype.type(-np.inf), psi.dtype.type(1e-30)
        for j in range(offsets[n], offsets[n + 1]):
            highest = max(highest, psi[j])
        highest = zero if math.isinf(highest) else highest
        for j in range(offsets[n], offsets[n + 1]):
            weights[j] = math.exp(psi[j] - highest)
            total += weights[j]
        for j in range(offsets[n], offsets[n + 1]):
            weights[j] /= total


@compiled
def edge_softmax_gradients(offsets: np.ndarray, weights: np.ndarray, gradient: np.ndarray, to_psi: np.ndarray) -> None:
    """to_psi = w * (g - sum w g), the sum over the edges of the same entity."""
    for n in range(len(offsets) - 1):
        total = weights.dtype.type(0)
        for j in range(offsets[n], offsets[n + 1]):
            total += weights[j] * gradient[j]
        for j in range(offsets[n], offsets[n + 1]):
            to_psi[j] = weights[j] * (gradient[j] - total)
