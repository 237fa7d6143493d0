"""The inner loops that torch has no fast operation for, compiled by numba; each has an oracle in the tests.

They release the interpreter's lock, so that threads run them side by side, and they never allocate: on a machine with
two cores the time of an update was half memory allocation and extra passes before. Floating point may be reordered
(that is what makes a sum of absolute values fast), but NaN and infinity keep their meaning.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

_compiled = njit(nogil=True, cache=True, fastmath={"reassoc", "nsz", "contract"}, error_model="numpy")


@_compiled
def l1_similarities(queries: np.ndarray, candidates: np.ndarray, similarities: np.ndarray) -> None:
    """similarities[k, c, n] = -sum_i |queries[k, c, i] - candidates[k, n, i]|: (K, C, w), (K, N, w) to (K, C, N)."""
    for k in range(len(queries)):
        for c in range(queries.shape[1]):
            for n in range(candidates.shape[1]):
                total = queries.dtype.type(0)
                for i in range(queries.shape[2]):
                    total -= abs(queries[k, c, i] - candidates[k, n, i])
                similarities[k, c, n] = total


@_compiled
def l1_gradients(
    queries: np.ndarray,
    candidates: np.ndarray,
    weights: np.ndarray,
    to_queries: np.ndarray,
    to_candidates: np.ndarray,
) -> None:
    """The gradient of sum weights * similarities: with s = sign(q_c - e_n), -weight * s for q_c, weight * s for e_n."""
    zero = queries.dtype.type(0)
    for k in range(len(queries)):
        for c in range(queries.shape[1]):
            for n in range(candidates.shape[1]):
                weight = weights[k, c, n]
                for i in range(queries.shape[2]):
                    difference = queries[k, c, i] - candidates[k, n, i]
                    signed = weight if difference > zero else (-weight if difference < zero else zero)
                    to_queries[k, c, i] -= signed
                    to_candidates[k, n, i] += signed


@_compiled
def adagrad(rows: np.ndarray, squares: np.ndarray, ids: np.ndarray, gradient: np.ndarray, rate: float) -> None:
    """G += g^2;  x -= rate * g / sqrt(G), for the rows ``ids`` with their gradient (U, w)."""
    rate_, tiny = rows.dtype.type(rate), rows.dtype.type(1e-10)
    for u in range(len(ids)):
        row = ids[u]
        for i in range(rows.shape[1]):
            g = gradient[u, i]
            squares[row, i] += g * g
            rows[row, i] -= rate_ * g / (math.sqrt(squares[row, i]) + tiny)


@_compiled
def adam(
    rows: np.ndarray,
    means: np.ndarray,
    squares: np.ndarray,
    ids: np.ndarray,
    gradient: np.ndarray,
    rate: float,
    step: int,
) -> None:
    """m, v = decayed means of g, g^2;  x -= rate * m' / sqrt(v'), m' and v' corrected for their start at zero."""
    tiny = rows.dtype.type(1e-10)
    keep_mean, keep_squares = rows.dtype.type(0.9), rows.dtype.type(0.999)
    new_mean, new_squares = rows.dtype.type(1 - 0.9), rows.dtype.type(1 - 0.999)
    mean_scale = rows.dtype.type(rate / (1 - 0.9**step))
    square_scale = rows.dtype.type(1 / (1 - 0.999**step))
    for u in range(len(ids)):
        row = ids[u]
        for i in range(rows.shape[1]):
            g = gradient[u, i]
            means[row, i] = keep_mean * means[row, i] + new_mean * g
            squares[row, i] = keep_squares * squares[row, i] + new_squares * g * g
            rows[row, i] -= mean_scale * means[row, i] / (math.sqrt(squares[row, i] * square_scale) + tiny)


@_compiled
def normalize(rows: np.ndarray, ids: np.ndarray) -> None:
    """Bring the rows ``ids`` to length 1."""
    for u in range(len(ids)):
        row = ids[u]
        total = rows.dtype.type(0)
        for i in range(rows.shape[1]):
            total += rows[row, i] * rows[row, i]
        length = math.sqrt(total)
        for i in range(rows.shape[1]):
            rows[row, i] /= length
