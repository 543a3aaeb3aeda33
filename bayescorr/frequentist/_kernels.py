"""Compiled loops over pairs of systems: moments, swaps and smoothed swaps.

Systems come best first. Matrices over pairs have the lower-ranked system j as row and the
higher-ranked system i < j as column; the rest stays as it is given. A kernel fills rows
``begin`` to ``end`` of its last argument and nothing else, so results do not depend on threads.
"""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

import math

import numpy as np
from numba import njit

# Sums may be reordered for speed. NaN is meaningful here, so that nothing else is relaxed.
_SUM = {"reassoc", "nsz"}

# The normal cdf and density on a grid: a cubic around the nearest point is within 2e-11 of the cdf
# and several times quicker than erfc. Beyond the grid the cdf is 0 or 1 to sixteen digits.
_FAR = 8.5
_PER_UNIT = 128
_POINTS = np.arange(-_FAR * _PER_UNIT, _FAR * _PER_UNIT + 1) / _PER_UNIT
_CDF = np.array([0.5 * math.erfc(-x / math.sqrt(2.0)) for x in _POINTS])
_DENSITY = np.exp(-0.5 * _POINTS**2) / math.sqrt(2.0 * math.pi)


@njit(cache=True, nogil=True, fastmath=_SUM)
def pair_sd(begin: int, end: int, systems: np.ndarray, noise: float, out: np.ndarray) -> None:
    """Fill in the standard deviation of the differences of each pair; noise counts as 0."""
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
    begin: int,
    end: int,
    values: np.ndarray,
    topics: np.ndarray,
    sizes: np.ndarray,
    out: np.ndarray,
) -> None:
    """Add up scores over the first ``sizes[s]`` of ``topics[s]``; identical systems stay so."""
    for s in range(begin, end):
        for k in range(sizes[s]):
            topic = topics[s, k]
            for i in range(values.shape[1]):
                out[s, i] += values[topic, i]


@njit(cache=True, nogil=True)
def pair_quantile_sd(
    begin: int,
    end: int,
    systems: np.ndarray,
    quantiles: np.ndarray,
    out: np.ndarray,
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


@njit(cache=True, nogil=True, fastmath=_SUM)
def pair_swaps(
    begin: int, end: int, draws: np.ndarray, first: np.ndarray, noise: float, out: np.ndarray
) -> None:
    """Fill in the share of draws (systems x draws) of the true means that swap each pair.

    Of systems tied in the observed means, half the orders are swapped unless the draw ties too.
    """
    size = draws.shape[1]
    for j in range(begin, end):
        for i in range(j):
            count = 0.0
            if i < first[j]:
                for t in range(size):
                    count += 1.0 if draws[i, t] - draws[j, t] < -noise else 0.0
            else:
                for t in range(size):
                    count += 0.5 if abs(draws[i, t] - draws[j, t]) > noise else 0.0
            out[j, i] = count / size


@njit(cache=True, nogil=True, fastmath=_SUM)
def pair_smoothed(
    begin: int, end: int, draws: np.ndarray, width: np.ndarray, out: np.ndarray
) -> None:
    """Fill in the mean over draws (systems x draws) of P(difference + N(0, width^2) < 0).

    Pairs whose width is not a number are left alone.
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


@njit(cache=True, nogil=True, fastmath=_SUM)
def _swapped(
    centre: np.ndarray, noisy: bool, noise: np.ndarray, spread: np.ndarray, j: int, stop: int,
    threshold: float,
) -> float:  # fmt: skip
    count = 0.0
    if noisy:
        for i in range(stop):
            d = centre[i] - centre[j] + spread[i] * (noise[i] - noise[j])
            count += 1.0 if d < -threshold else 0.0
    else:
        for i in range(stop):
            count += 1.0 if centre[i] - centre[j] < -threshold else 0.0
    return count


@njit(cache=True, nogil=True)
def draw_swaps(
    begin: int,
    end: int,
    centre: np.ndarray,
    noise: np.ndarray,
    spread: np.ndarray,
    first: np.ndarray,
    above: np.ndarray,
    within: np.ndarray,
    threshold: float,
    out: np.ndarray,
) -> None:
    """Add to ``out`` (draws x 2) the discordant pairs of each draw, plain and AP-weighted.

    In draw t the difference of systems i and j is
    ``centre[t, i] - centre[t, j] + spread[j, i] * (noise[t, i] - noise[t, j])``. One row of
    ``centre`` serves all draws; no rows of ``noise`` means that there is none. Comparisons with NaN
    are false, so that a pair whose spread is NaN is left out.
    """
    m = centre.shape[1]
    noisy = noise.shape[0] > 0
    for t in range(begin, end):
        c = centre[t] if centre.shape[0] > 1 else centre[0]
        u = noise[t] if noisy else c
        for j in range(1, m):
            s = spread[j] if noisy else c
            count = _swapped(c, noisy, u, s, j, first[j], threshold)
            tied = 0.0
            for i in range(first[j], j):
                d = c[i] - c[j]
                if noisy:
                    d += s[i] * (u[i] - u[j])
                if abs(d) > threshold:
                    tied += 0.5
            out[t, 0] += count + tied
            out[t, 1] += count * above[j] + tied * within[j]
