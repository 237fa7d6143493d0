"""How much a graph lacks, estimated from facts of its own that were hidden.

Hide a fact of a head and ask for it. The first suggestion is the hidden fact, another true fact that the graph lacks,
or wrong. Only the first of these can be seen: found or not. Let a head have n known and h hidden facts, and lack m for
each of these on average. If the first suggestion is true, it is a hidden one with probability h / (h + u), where u, the
number of others that are missing, is a Poisson number with mean m (n + h). So

    P(found) = r E[h / (h + u)],

r being how often first suggestions for the relation are true. The more values a head has, the less is found if facts
are missing; wrong suggestions do not depend on that. Both m and r explain a low share, and hidden facts alone cannot
tell a rule with exceptions from a rule with missing facts. What decides are assumptions, stated as priors: m is the
same for all relations and about a tenth (log-normal); r differs from relation to relation (beta distribution, whose
mean and spread are fitted too), and methods that find much are mostly right (the mean is near 1, exponential).
The estimate is the posterior median of m, summed on a grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from scipy.special import logsumexp

from faan.complete.calibration import MISSING, Answered, Floats

_GRID = np.geomspace(0.002, 2, 41)  # of m
_USUAL, _SPREAD = 0.1, 1.0  # m before anything was asked, and the standard deviation of its logarithm
_TRUE = (np.arange(50) + 0.5) / 50  # grid of r
_MEANS = (0.02, 0.05, *(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9), 0.95, 0.98)  # of the beta distribution of r
_COUNTS = (2, 5, 20, 100)  # its spread: how many questions it is worth
_DOUBT = 0.05  # how far its mean is from 1, before anything was asked
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


def estimate_missing(relations: Sequence[Sequence[Answered]]) -> float:
    """How many facts heads lack for each that they have, from hidden facts; unknown if no relation has several values.

    Heads lack nothing beside the hidden fact if their relation has one value: this shows how good the method is.
    """
    asked = [own for own in ([one for one in some if len(one.count)] for some in relations) if own]
    if all(one.one_value for own in asked for one in own):
        return MISSING
    by_relation, found = np.array([_likelihood(own) for own in asked]), []  # (relations, m, r)
    for mean, count in product(_MEANS, _COUNTS):
        prior = (mean * count - 1) * np.log(_TRUE) + ((1 - mean) * count - 1) * np.log1p(-_TRUE)
        prior -= logsumexp(prior)
        found.append(logsumexp(by_relation + prior, axis=2).sum(0) - (1 - mean) / _DOUBT)
    log = logsumexp(found, axis=0) - ((np.log(_GRID) - np.log(_USUAL)) / _SPREAD) ** 2 / 2
    below = np.cumsum(np.exp(log - logsumexp(log)))
    return float(np.exp(np.interp(0.5, below, np.log(_GRID))))


def share_found(hidden: Floats, missing: Floats) -> Floats:
    """E[h / (h + u)] for a Poisson number u with a mean: how often a true suggestion is one of h hidden facts.

    h / (h + u) is the integral of h t^(h + u - 1) over t from 0 to 1, and the mean of t^u is e^-(1 - t) mean.
    """
    t, weights = (_NODES + 1) / 2, _WEIGHTS / 2
    h = np.asarray(hidden, dtype=np.float64)[..., None]
    inner = h * t ** (h - 1) * np.exp(-(1 - t) * np.asarray(missing, dtype=np.float64)[..., None])
    return np.asarray(inner @ weights)


def _likelihood(questions: Sequence[Answered]) -> Floats:
    """The log-likelihood of what was found of one relation, for each m and r: (m, r)."""
    hidden = np.array([one.hidden for one in questions], dtype=np.float64)
    facts = np.array([0 if one.one_value else one.hidden + (one.values or 0) for one in questions])
    found = np.array([one.right[0] > 0 for one in questions])
    share = share_found(np.broadcast_to(hidden, (len(_GRID), len(hidden))), _GRID[:, None] * facts)  # (m, q)
    chance = np.minimum(_TRUE[:, None] * share[:, None, :], 1 - 1e-9)  # (m, r, q)
    return np.asarray(np.where(found, np.log(chance), np.log1p(-chance)).sum(2))
