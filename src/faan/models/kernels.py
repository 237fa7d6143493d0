"""The inner loops of FAAN, compiled by numba: attention to ragged neighbours and to three places, sums and norms.

torch has many small operations for each, most of them passes over memory; two thirds of a training step were those.
`edges.py` and `places.py` make differentiable functions of these loops. Floating point may be reordered (sums are
fast that way), but NaN and infinity keep their meaning. All of them fill arrays that they are given.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

_compiled = njit(nogil=True, cache=True, fastmath={"reassoc", "nsz", "contract"}, error_model="numpy")


@_compiled
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


@_compiled
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


@_compiled
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


@_compiled
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


@_compiled
def edge_softmax_gradients(offsets: np.ndarray, weights: np.ndarray, gradient: np.ndarray, to_psi: np.ndarray) -> None:
    """to_psi = w * (g - sum w g), the sum over the edges of the same entity."""
    for n in range(len(offsets) - 1):
        total = weights.dtype.type(0)
        for j in range(offsets[n], offsets[n + 1]):
            total += weights[j] * gradient[j]
        for j in range(offsets[n], offsets[n + 1]):
            to_psi[j] = weights[j] * (gradient[j] - total)


@_compiled
def attend(
    queries: np.ndarray,
    keys_values: np.ndarray,
    factors: np.ndarray,
    scale: float,
    weights: np.ndarray,
    mixed: np.ndarray,
) -> None:
    """Attention to three places by one or more that ask, for each head h of each pair n.

    weights = softmax over the places p of scale * queries[n, a, h] . keys[n, p, h];
    mixed[n, a, h] = sum_p weights[p] factors[p] values[n, p, h].
    Queries (n, asking, heads, s), keys and values (n, 3, 2, heads, s), factors, if any, and weights
    (n, asking, heads, 3).
    """
    pairs, asking, heads, size = queries.shape
    scale_, one = queries.dtype.type(scale), queries.dtype.type(1)
    for n in range(pairs):
        for h in range(heads):
            k0, k1, k2 = keys_values[n, 0, 0, h], keys_values[n, 1, 0, h], keys_values[n, 2, 0, h]
            v0, v1, v2 = keys_values[n, 0, 1, h], keys_values[n, 1, 1, h], keys_values[n, 2, 1, h]
            for a in range(asking):
                query, weight, found = queries[n, a, h], weights[n, a, h], mixed[n, a, h]
                w0 = w1 = w2 = queries.dtype.type(0)
                for i in range(size):
                    w0 += query[i] * k0[i]
                    w1 += query[i] * k1[i]
                    w2 += query[i] * k2[i]
                highest = max(w0, w1, w2)
                w0, w1, w2 = (
                    math.exp(scale_ * (w0 - highest)),
                    math.exp(scale_ * (w1 - highest)),
                    math.exp(scale_ * (w2 - highest)),
                )
                share = one / (w0 + w1 + w2)
                w0, w1, w2 = w0 * share, w1 * share, w2 * share
                weight[0], weight[1], weight[2] = w0, w1, w2
                if len(factors):
                    factor = factors[n, a, h]
                    w0, w1, w2 = w0 * factor[0], w1 * factor[1], w2 * factor[2]
                for i in range(size):
                    found[i] = w0 * v0[i] + w1 * v1[i] + w2 * v2[i]


@_compiled
def attend_gradients(
    queries: np.ndarray,
    keys_values: np.ndarray,
    factors: np.ndarray,
    scale: float,
    weights: np.ndarray,
    gradient: np.ndarray,
    to_queries: np.ndarray,
    to_keys_values: np.ndarray,
) -> None:
    """The gradients of sum gradient * mixed; those for keys and values are added to what is there."""
    pairs, asking, heads, size = queries.shape
    scale_ = queries.dtype.type(scale)
    for n in range(pairs):
        for h in range(heads):
            k0, k1, k2 = keys_values[n, 0, 0, h], keys_values[n, 1, 0, h], keys_values[n, 2, 0, h]
            v0, v1, v2 = keys_values[n, 0, 1, h], keys_values[n, 1, 1, h], keys_values[n, 2, 1, h]
            to_k0, to_k1, to_k2 = to_keys_values[n, 0, 0, h], to_keys_values[n, 1, 0, h], to_keys_values[n, 2, 0, h]
            to_v0, to_v1, to_v2 = to_keys_values[n, 0, 1, h], to_keys_values[n, 1, 1, h], to_keys_values[n, 2, 1, h]
            for a in range(asking):
                query, weight = queries[n, a, h], weights[n, a, h]
                arriving, to_query = gradient[n, a, h], to_queries[n, a, h]
                w0, w1, w2 = weight[0], weight[1], weight[2]
                if len(factors):
                    factor = factors[n, a, h]
                    w0, w1, w2 = w0 * factor[0], w1 * factor[1], w2 * factor[2]
                g0 = g1 = g2 = queries.dtype.type(0)
                for i in range(size):
                    g0 += arriving[i] * v0[i]
                    g1 += arriving[i] * v1[i]
                    g2 += arriving[i] * v2[i]
                total = w0 * g0 + w1 * g1 + w2 * g2
                g0 = scale_ * (w0 * g0 - weight[0] * total)
                g1 = scale_ * (w1 * g1 - weight[1] * total)
                g2 = scale_ * (w2 * g2 - weight[2] * total)
                for i in range(size):
                    to_query[i] = g0 * k0[i] + g1 * k1[i] + g2 * k2[i]
                for i in range(size):  # one array a loop, or the compiler does not see that they are apart
                    to_v0[i] += w0 * arriving[i]
                for i in range(size):
                    to_v1[i] += w1 * arriving[i]
                for i in range(size):
                    to_v2[i] += w2 * arriving[i]
                for i in range(size):
                    to_k0[i] += g0 * query[i]
                for i in range(size):
                    to_k1[i] += g1 * query[i]
                for i in range(size):
                    to_k2[i] += g2 * query[i]


@_compiled
def add_and_norm(
    x: np.ndarray,
    added: np.ndarray,
    factors: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray,
    normed: np.ndarray,
    scales: np.ndarray,
    found: np.ndarray,
    epsilon: float,
) -> None:
    """LayerNorm(x + factors * added), row by row; also what gradients need: without weight and bias, 1 / deviation."""
    size, zero, epsilon_ = x.dtype.type(x.shape[1]), x.dtype.type(0), x.dtype.type(epsilon)
    for n in range(len(x)):
        row, other, unit, out, mean, square = x[n], added[n], normed[n], found[n], zero, zero
        if len(factors):
            factor = factors[n]
            for i in range(len(row)):
                unit[i] = row[i] + factor[i] * other[i]
        else:
            for i in range(len(row)):
                unit[i] = row[i] + other[i]
        for i in range(len(row)):
            mean += unit[i]
        mean /= size
        for i in range(len(row)):
            square += (unit[i] - mean) * (unit[i] - mean)
        scale = x.dtype.type(1) / math.sqrt(square / size + epsilon_)
        scales[n] = scale
        for i in range(len(row)):
            unit[i] = (unit[i] - mean) * scale
            out[i] = unit[i] * weight[i] + bias[i]


@_compiled
def add_and_norm_gradients(
    factors: np.ndarray,
    weight: np.ndarray,
    normed: np.ndarray,
    scales: np.ndarray,
    gradient: np.ndarray,
    to_x: np.ndarray,
    to_added: np.ndarray,
    to_weight: np.ndarray,
    to_bias: np.ndarray,
) -> None:
    """The gradients of sum gradient * found; those for weight and bias are added to what is there.

    With u what was normed and h = gradient * weight, to_x = (h - mean h - u * mean(h u)) / deviation.
    """
    size, zero = weight.dtype.type(len(weight)), weight.dtype.type(0)
    for n in range(len(normed)):
        arriving, unit, to_row, to_other, mean, slope = gradient[n], normed[n], to_x[n], to_added[n], zero, zero
        for i in range(len(weight)):
            mean += arriving[i] * weight[i]
            slope += arriving[i] * weight[i] * unit[i]
        mean, slope, scale = mean / size, slope / size, scales[n]
        for i in range(len(weight)):
            to_row[i] = (arriving[i] * weight[i] - mean - unit[i] * slope) * scale
        for i in range(len(weight)):
            to_weight[i] += arriving[i] * unit[i]
            to_bias[i] += arriving[i]
        if len(factors):
            factor = factors[n]
            for i in range(len(weight)):
                to_other[i] = to_row[i] * factor[i]
        else:
            for i in range(len(weight)):
                to_other[i] = to_row[i]
