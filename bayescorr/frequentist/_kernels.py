"""Compiled loops over pairs of systems: standard deviations, sums over topics, smoothed swaps.

Systems come best first. Matrices over pairs have the lower-ranked system j as row and the
higher-ranked system i < j as column; other cells are left alone. A kernel fills rows ``begin`` to
``end`` of its last argument and nothing else, so results do not depend on threads.
"""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

import math

import numpy as np
from numba import njit

from bayescorr.coefficients._kernels import REORDERED

# The normal cdf and density on a grid: a cubic around the nearest point is within 2e-11 of the cdf
# and several times faster than erfc. Outside the grid the cdf is 0 or 1 to sixteen digits.
_FAR = 8.5
_PER_UNIT = 128
_POINTS = np.arange(-_FAR * _PER_UNIT, _FAR * _PER_UNIT + 1) / _PER_UNIT
_CDF = np.array([0.5 * math.erfc(-x / math.sqrt(2.0)) for x in _POINTS])
_DENSITY = np.exp(-0.5 * _POINTS**2) / math.sqrt(2.0 * math.pi)


@njit(cache=True, nogil=True, fastmath=REORDERED)
def pair_sd(begin: int, end: int, systems: np.ndarray, noise: float, out: np.ndarray) -> None:
    """Fill in the standard deviation of each pair's differences (systems x topics); noise is 0."""
    n = systems.shape[1]
    for j in range(begin, end):
        for i in range(j):
            mean = 0.0
            for k in range(n):
                mean += systems[i, k] - systems[j, k]
            mean /= n
            squares = 0.0
            for k in range(n):
                squares += (systems[i, k] - systems[j, k] - mean) ** 2
            sd = math.sqrt(squares / (n - 1))
            out[j, i] = sd if sd > noise else 0.0


@njit(cache=True, nogil=True)
def topic_sums(
    begin: int, end: int, values: np.ndarray, topics: np.ndarray, sizes: np.ndarray, out: np.ndarray
) -> None:
    """Add to ``out`` (samples x systems) the scores on the first ``sizes[s]`` of ``topics[s]``."""
    for s in range(begin, end):
        for k in range(sizes[s]):
            topic = topics[s, k]
            for i in range(values.shape[1]):
                out[s, i] += values[topic, i]


@njit(cache=True, nogil=True)
def pair_quantile_sd(
    begin: int, end: int, systems: np.ndarray, quantiles: np.ndarray, out: np.ndarray
) -> None:
    """Fill in MSQD's sigma of each pair; ``quantiles[2 R]`` is the normal quantile of rank R."""
    n = systems.shape[1]
    for j in range(begin, end):
        for i in range(j):
            x = np.sort(systems[i] - systems[j])
            product = 0.0
            squares = 0.0
            k = 0
            while k < n:
                last = k
                total = x[k]
                while last + 1 < n and x[last + 1] == x[last]:
                    last += 1
                    total += x[last]
                q = quantiles[k + last + 2]
                product += total * q
                squares += (last - k + 1) * q * q
                k = last + 1
            out[j, i] = product / squares if squares > 0.0 else 0.0


@njit(cache=True, nogil=True, fastmath=REORDERED)
def pair_smoothed(
    begin: int, end: int, draws: np.ndarray, width: np.ndarray, out: np.ndarray
) -> None:
    """Fill in the mean over draws (systems x draws) of P(difference + N(0, width^2) < 0).

    Pairs whose width is NaN are left alone.
    """
    size = draws.shape[1]
    for j in range(begin, end):
        for i in range(j):
            if not math.isnan(width[j, i]):
                scale = -1.0 / width[j, i]
                total = 0.0
                for t in range(size):
                    x = (draws[i, t] - draws[j, t]) * scale
                    x = min(max(x, -_FAR), _FAR)
                    k = int((x + _FAR) * _PER_UNIT + 0.5)
                    d = x - _POINTS[k]
                    curve = 1.0 - d * (0.5 * _POINTS[k] - d * (_POINTS[k] ** 2 - 1.0) / 6.0)
                    total += _CDF[k] + _DENSITY[k] * d * curve
                out[j, i] = total / size
