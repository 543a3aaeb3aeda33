"""The estimators as the text of the paper has them: one pair at a time, one draw at a time."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy import stats
from scipy.special import erfinv, gamma

from bayescorr.frequentist.bandwidth import plugin_bandwidth


def ranked(values):
    """Scores with systems best first; equal means keep their order."""
    return values[:, np.argsort(-np.round(values.mean(axis=0), 12), kind="stable")]


def expected(p):
    """E[tau] and E[tau_ap] by equations 3 and 4, averaged over the orders of tied systems.

    ``p`` is (i, j, probability) for all i < j; ``tied`` pairs of it are left to the caller.
    """
    m = max(j for _, j, _ in p) + 1
    tau = 1 - 4 / (m * (m - 1)) * sum(x for _, _, x in p)
    tau_ap = 1 - 2 / (m - 1) * sum(x / j for _, j, x in p)  # j counts from 0
    return tau, tau_ap


def pairs(values):
    for i, j in itertools.combinations(range(values.shape[1]), 2):
        yield i, j, values[:, i] - values[:, j]


def ml_probability(x):
    n = len(x)
    factor = math.sqrt((n - 1) / 2) * gamma((n - 1) / 2) / gamma(n / 2)
    if np.ptp(x) < 1e-12:
        return 0.0
    return float(stats.t.cdf(-math.sqrt(n) * x.mean() / (x.std(ddof=1) * factor), n - 1))


def msqd_probability(x):
    n = len(x)
    if np.ptp(x) < 1e-12:
        return 0.0
    e = erfinv(2 * stats.rankdata(x) / (n + 1) - 1)
    sigma = math.sqrt(2) * (x * e).sum() / (2 * (e**2).sum())
    if sigma <= 1e-12:
        return ml_probability(x)
    return float(stats.t.cdf(-math.sqrt(n) * x.mean() / sigma, n - 1))


def res_probability(x, size, rng):
    return np.mean([rng.choice(x, len(x)).mean() < -1e-12 for _ in range(size)])


def kd_probability(x, size, rng):
    n, h = len(x), plugin_bandwidth(x)
    swapped = 0
    for _ in range(size):
        swapped += (rng.choice(x, n) + h * rng.standard_normal(n)).mean() < 0
    return swapped / size


def correlation(truth, observed):
    """Tau and tau_ap of equations 1 and 2; no ties."""
    order = np.argsort(-observed)
    m = len(order)
    discordant = [sum(truth[order[j]] < truth[order[i]] for j in range(i)) for i in range(m)]
    tau = 1 - 4 * sum(discordant) / (m * (m - 1))
    tau_ap = 1 - 2 / (m - 1) * sum(discordant[i] / i for i in range(1, m))
    return tau, tau_ap


def split_half(values, replace, rng):
    """E[tau] and E[tau_ap] by split halves, as section 4.2 and the code of the paper have it."""
    n = len(values)
    sizes = sorted(set(np.round(np.linspace(1, n // 2, 21)).astype(int)))[1:]
    if len(sizes) == 1:
        sizes = [1, *sizes]
    observations = []
    for size in sizes:
        for _ in range(min(100, 2000 // len(sizes))):
            if replace:
                first, second = rng.choice(n, size), rng.choice(n, size)
            else:
                both = rng.permutation(n)
                first, second = both[:size], both[size : 2 * size]
            found = correlation(values[first].mean(axis=0), values[second].mean(axis=0))
            observations.append((size, *found))
    table = np.array(observations)
    estimates = []
    for column in (1, 2):
        y = (1 - table[:, column]) / 2
        some = y > 0
        slope, intercept = np.polyfit(table[some, 0], np.log(y[some]), 1)
        estimates.append(1 - 2 * min(1.0, math.exp(intercept + slope * n)))
    return tuple(estimates)
