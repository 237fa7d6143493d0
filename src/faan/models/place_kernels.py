"""The inner loops of a block over three places, compiled by numba: attention between the places, sums and norms.

Rows of many numbers are what a processor is good at, and the slice of an attention head is short. So the pairs come
last in the arrays of `attend`, and its loops run over them.
"""

from __future__ import annotations

import math

import numpy as np

from faan.models.kernels import compiled

_AT_ONCE = 256  # pairs whose numbers stay in the cache


@compiled
def attend(
    queries: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    factors: np.ndarray,
    scale: float,
    first: int,
    last: int,
    weights: np.ndarray,
    kept: np.ndarray,
    mixed: np.ndarray,
) -> None:
    """Attention between three places, for each head h of the pairs n from first to last.

    weights = softmax over the places p of scale * queries[h, :, a, n] . keys[h, :, p, n]; kept = weights * factors;
    mixed[h, :, a, n] = sum_p kept[p] values[h, :, p, n].
    Queries, keys, values and mixed (heads, s, 3, n), factors, if any, (n, 3, heads, 3), weights and kept
    (heads, 3, 3, n).
    """
    scale_, one = queries.dtype.type(scale), queries.dtype.type(1)
    for start in range(first, last, _AT_ONCE):
        end = min(start + _AT_ONCE, last)
        for h in range(len(queries)):
            _products(queries[h], keys[h], start, end, weights[h])
            for a in range(3):
                w0, w1, w2 = weights[h, a, 0, start:end], weights[h, a, 1, start:end], weights[h, a, 2, start:end]
                k0, k1, k2 = kept[h, a, 0, start:end], kept[h, a, 1, start:end], kept[h, a, 2, start:end]
                for n in range(len(w0)):
                    highest = max(w0[n], w1[n], w2[n])
                    e0 = math.exp(scale_ * (w0[n] - highest))
                    e1 = math.exp(scale_ * (w1[n] - highest))
                    e2 = math.exp(scale_ * (w2[n] - highest))
                    share = one / (e0 + e1 + e2)
                    w0[n], w1[n], w2[n] = e0 * share, e1 * share, e2 * share
                    k0[n], k1[n], k2[n] = w0[n], w1[n], w2[n]
                if len(factors):
                    for n in range(len(w0)):
                        factor = factors[start + n, a, h]
                        k0[n], k1[n], k2[n] = w0[n] * factor[0], w1[n] * factor[1], w2[n] * factor[2]
            _mix(kept[h], values[h], start, end, mixed[h])


@compiled
def attend_gradients(
    queries: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    scale: float,
    weights: np.ndarray,
    kept: np.ndarray,
    gradient: np.ndarray,
    to_queries: np.ndarray,
    to_keys: np.ndarray,
    to_values: np.ndarray,
) -> None:
    """The gradients of sum gradient * mixed."""
    scale_, end = queries.dtype.type(scale), queries.shape[-1]
    slopes = np.empty_like(weights[0])
    for h in range(len(queries)):
        _products(gradient[h], values[h], 0, end, slopes)
        for a in range(3):
            w0, w1, w2 = weights[h, a, 0], weights[h, a, 1], weights[h, a, 2]
            k0, k1, k2 = kept[h, a, 0], kept[h, a, 1], kept[h, a, 2]
            s0, s1, s2 = slopes[a, 0], slopes[a, 1], slopes[a, 2]
            for n in range(end):
                g0, g1, g2 = k0[n] * s0[n], k1[n] * s1[n], k2[n] * s2[n]
                total = g0 + g1 + g2
                s0[n] = scale_ * (g0 - w0[n] * total)
                s1[n] = scale_ * (g1 - w1[n] * total)
                s2[n] = scale_ * (g2 - w2[n] * total)
        _mix(slopes, keys[h], 0, end, to_queries[h])
        _mix(np.ascontiguousarray(slopes.transpose(1, 0, 2)), queries[h], 0, end, to_keys[h])
        _mix(np.ascontiguousarray(kept[h].transpose(1, 0, 2)), gradient[h], 0, end, to_values[h])


@compiled
def _products(left: np.ndarray, right: np.ndarray, start: int, end: int, found: np.ndarray) -> None:
    """found[a, p, n] = sum_i left[i, a, n] right[i, p, n] for n from start to end."""
    for a in range(3):
        for p in range(3):
            total = found[a, p, start:end]
            total[:] = 0
            for i in range(len(left)):
                one, other = left[i, a, start:end], right[i, p, start:end]
                for n in range(len(total)):
                    total[n] += one[n] * other[n]


@compiled
def _mix(weights: np.ndarray, given: np.ndarray, start: int, end: int, found: np.ndarray) -> None:
    """found[i, a, n] = sum_p weights[a, p, n] given[i, p, n] for n from start to end."""
    for a in range(3):
        w0, w1, w2 = weights[a, 0, start:end], weights[a, 1, start:end], weights[a, 2, start:end]
        for i in range(len(given)):
            g0, g1, g2 = given[i, 0, start:end], given[i, 1, start:end], given[i, 2, start:end]
            total = found[i, a, start:end]
            for n in range(len(total)):
                total[n] = w0[n] * g0[n] + w1[n] * g1[n] + w2[n] * g2[n]


@compiled
def attend_inputs(
    asked: np.ndarray,
    x: np.ndarray,
    factors: np.ndarray,
    scale: float,
    first: int,
    last: int,
    weights: np.ndarray,
    seen: np.ndarray,
    shares: np.ndarray,
) -> None:
    """Attention of one asker to the bare inputs of three places, for each head h of the pairs n from first to last.

    weights = softmax over the places p of scale * asked[h, n] . x[p, n]; with kept = weights * factors,
    seen[h, n] = sum_p kept[p] x[p, n] and shares[h, n] = sum_p kept[p].
    Asked and seen (heads, n, w), x (3, n, w), factors, if any, (n, heads, 3), weights (heads, n, 3).
    """
    scale_, one = x.dtype.type(scale), x.dtype.type(1)
    for n in range(first, last):
        x0, x1, x2 = x[0, n], x[1, n], x[2, n]
        for h in range(len(asked)):
            query, weight, found = asked[h, n], weights[h, n], seen[h, n]
            w0 = w1 = w2 = x.dtype.type(0)
            for i in range(len(query)):
                w0 += query[i] * x0[i]
                w1 += query[i] * x1[i]
                w2 += query[i] * x2[i]
            highest = max(w0, w1, w2)
            w0 = math.exp(scale_ * (w0 - highest))
            w1 = math.exp(scale_ * (w1 - highest))
            w2 = math.exp(scale_ * (w2 - highest))
            share = one / (w0 + w1 + w2)
            w0, w1, w2 = w0 * share, w1 * share, w2 * share
            weight[0], weight[1], weight[2] = w0, w1, w2
            if len(factors):
                factor = factors[n, h]
                w0, w1, w2 = w0 * factor[0], w1 * factor[1], w2 * factor[2]
            shares[h, n] = w0 + w1 + w2
            for i in range(len(query)):
                found[i] = w0 * x0[i] + w1 * x1[i] + w2 * x2[i]


@compiled
def attend_inputs_gradients(
    scale: float,
    asked: np.ndarray,
    x: np.ndarray,
    factors: np.ndarray,
    weights: np.ndarray,
    gradient: np.ndarray,
    to_shares: np.ndarray,
    to_asked: np.ndarray,
    to_x: np.ndarray,
) -> None:
    """The gradients of sum gradient * seen + sum to_shares * shares; those for x are added to what is there."""
    scale_ = x.dtype.type(scale)
    for n in range(x.shape[1]):
        x0, x1, x2, to_x0, to_x1, to_x2 = x[0, n], x[1, n], x[2, n], to_x[0, n], to_x[1, n], to_x[2, n]
        for h in range(len(asked)):
            query, weight, arriving, to_query = asked[h, n], weights[h, n], gradient[h, n], to_asked[h, n]
            w0, w1, w2 = weight[0], weight[1], weight[2]
            if len(factors):
                factor = factors[n, h]
                w0, w1, w2 = w0 * factor[0], w1 * factor[1], w2 * factor[2]
            g0 = g1 = g2 = to_shares[h, n]
            for i in range(len(query)):
                g0 += arriving[i] * x0[i]
                g1 += arriving[i] * x1[i]
                g2 += arriving[i] * x2[i]
            total = w0 * g0 + w1 * g1 + w2 * g2
            g0 = scale_ * (w0 * g0 - weight[0] * total)
            g1 = scale_ * (w1 * g1 - weight[1] * total)
            g2 = scale_ * (w2 * g2 - weight[2] * total)
            for i in range(len(query)):
                to_query[i] = g0 * x0[i] + g1 * x1[i] + g2 * x2[i]
            for i in range(len(query)):  # one array a loop, or the compiler does not see that they are apart
                to_x0[i] += w0 * arriving[i] + g0 * query[i]
            for i in range(len(query)):
                to_x1[i] += w1 * arriving[i] + g1 * query[i]
            for i in range(len(query)):
                to_x2[i] += w2 * arriving[i] + g2 * query[i]


@compiled
def add_and_norm(
    epsilon: float,
    x: np.ndarray,
    added: np.ndarray,
    factors: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray,
    normed: np.ndarray,
    scales: np.ndarray,
    found: np.ndarray,
) -> None:
    """LayerNorm(x + factors * added), row by row; also what gradients need: without weight and bias, 1 / deviation.

    x, added, normed and found (places, n, w), factors, if any, (n, places, w), scales (places, n).
    """
    size, zero, epsilon_ = x.dtype.type(x.shape[2]), x.dtype.type(0), x.dtype.type(epsilon)
    for p in range(len(x)):
        for n in range(x.shape[1]):
            row, other, unit, out, mean, square = x[p, n], added[p, n], normed[p, n], found[p, n], zero, zero
            if len(factors):
                factor = factors[n, p]
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
            scales[p, n] = scale
            for i in range(len(row)):
                unit[i] = (unit[i] - mean) * scale
                out[i] = unit[i] * weight[i] + bias[i]


@compiled
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
    for p in range(len(normed)):
        for n in range(normed.shape[1]):
            arriving, unit, mean, slope = gradient[p, n], normed[p, n], zero, zero
            to_row, to_other, scale = to_x[p, n], to_added[p, n], scales[p, n]
            for i in range(len(weight)):
                mean += arriving[i] * weight[i]
                slope += arriving[i] * weight[i] * unit[i]
            mean, slope = mean / size, slope / size
            for i in range(len(weight)):
                to_row[i] = (arriving[i] * weight[i] - mean - unit[i] * slope) * scale
            for i in range(len(weight)):
                to_weight[i] += arriving[i] * unit[i]
                to_bias[i] += arriving[i]
            if len(factors):
                factor = factors[n, p]
                for i in range(len(weight)):
                    to_other[i] = to_row[i] * factor[i]
            else:
                for i in range(len(weight)):
                    to_other[i] = to_row[i]
