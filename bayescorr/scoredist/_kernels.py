"""Compiled loops over the documents of a run; :func:`bayescorr._threads.fill` runs them.

Documents are sorted by topic. ``starts`` holds the position of each topic's first document and, as
its last entry, the number of documents. ``slopes`` and ``constants`` describe log densities or log
odds that are linear in s, log s, s^2 and log^2 s.
"""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

import math

import numpy as np
from numba import njit

# Sums may be reordered for speed. NaN has a meaning here, so no other rule is relaxed.
_SUM = {"reassoc", "nsz"}


@njit(cache=True, nogil=True)
def sum_of_precisions(
    begin: int, end: int, relevant: np.ndarray, starts: np.ndarray, out: np.ndarray
) -> None:
    """Sum the precisions at the relevant documents of each topic."""
    for t in range(begin, end):
        labels = relevant[starts[t] : starts[t + 1]]
        # Most relevant documents rank near the top, so stop at the last one.
        left = np.sum(labels)
        found = i = 0
        out[t] = 0.0
        while found < left:
            if labels[i]:
                found += 1
                out[t] += found / (i + 1)
            i += 1


@njit(cache=True, nogil=True, fastmath=_SUM)
def class_moments(
    begin: int,
    end: int,
    scores: np.ndarray,
    log_scores: np.ndarray,
    relevant: np.ndarray,
    starts: np.ndarray,
    out: np.ndarray,
) -> None:
    """Compute moments of relevant (0) and non-relevant (1) scores, the fields of ``Moments``.

    The shape is topic x class x 5. Moments of logarithms are NaN if ``log_scores`` is empty.
    """
    for t in range(begin, end):
        first, last = starts[t], starts[t + 1]
        labels = relevant[first:last]
        n = np.sum(labels)
        out[t, 0, 0], out[t, 1, 0] = n, last - first - n
        two_means(scores[first:last], labels, n, out[t, :, 1:3])
        if len(log_scores) > 0:
            two_means(log_scores[first:last], labels, n, out[t, :, 3:5])
        else:
            out[t, :, 3:5] = np.nan


# Inlined: a compiled copy of its own may sum in another order than the copy in the cache on disk,
# and the smallest difference grows into other draws of a sampler.
@njit(inline="always", fastmath=_SUM)
def two_means(values: np.ndarray, labels: np.ndarray, n: int, out: np.ndarray) -> None:
    """Compute mean and variance of the labelled (0) and the other (1) values: class x 2.

    Two passes, because a one-pass formula loses digits. The loops have no branches.
    """
    total = good = 0.0
    for i in range(len(values)):
        total += values[i]
        good += values[i] if labels[i] else 0.0
    mean1 = good / n if n > 0 else np.nan
    rest = len(values) - n
    mean0 = (total - good) / rest if rest > 0 else np.nan
    squares1 = squares0 = 0.0
    for i in range(len(values)):
        squares1 += (values[i] - mean1) ** 2 if labels[i] else 0.0
        squares0 += 0.0 if labels[i] else (values[i] - mean0) ** 2
    out[0, 0], out[1, 0] = mean1, mean0
    out[0, 1] = squares1 / n if n > 0 else np.nan
    out[1, 1] = squares0 / rest if rest > 0 else np.nan


@njit(cache=True, nogil=True)
def expected_ap(
    begin: int,
    end: int,
    scores: np.ndarray,
    starts: np.ndarray,
    slopes: np.ndarray,
    constants: np.ndarray,
    out: np.ndarray,
) -> None:
    """Compute equation 1 of Cummins 2012 for every topic from ``ScoreDistribution.evidence``."""
    for t in range(begin, end):
        a, b, c, d = slopes[0, t], slopes[1, t], slopes[2, t], slopes[3, t]
        logs = b != 0 or d != 0
        probability = np.empty(starts[t + 1] - starts[t])
        for i in range(len(probability)):
            s = scores[starts[t] + i]
            odds = (a + c * s) * s - constants[t]
            # Skipped if the coefficients are 0, because 0 * log(0) is NaN.
            if logs:
                log_s = math.log(s) if s > 0 else -math.inf
                odds += (b + d * log_s) * log_s if d != 0 else b * log_s
            probability[i] = 1 / (1 + math.exp(-odds))
        out[t] = expected_precision(probability)


@njit(cache=True, nogil=True)
def expected_precision(probability: np.ndarray) -> float:
    """Compute equation 1 of Cummins 2012 from the probabilities of relevance, in ranked order."""
    gain = before = 0.0
    for i in range(len(probability)):
        gain += probability[i] / (i + 1) * (1 + before)
        before += probability[i]
    return gain / before if before > 0 else 0.0


@njit(cache=True, nogil=True)
def aupr(
    begin: int,
    end: int,
    lower: np.ndarray,
    width: np.ndarray,
    points: np.ndarray,
    mixing: np.ndarray,
    slopes: np.ndarray,
    constants: np.ndarray,
    supports: np.ndarray,
    lowest: np.ndarray,
    discrete: bool,
    out: np.ndarray,
) -> None:
    """Run Algorithm 1 of Cummins 2012: area, final recall, final fallout, largest rectangle.

    ``slopes`` is class x statistic x model; ``constants`` and ``lowest`` are class x model;
    ``supports`` holds the lowest score of each class (relevant is 0). ``lowest`` is the probability
    of the lowest rectangle, which replaces its area if the density at its lower end is infinite.
    """
    log_steps = np.empty(0)
    for m in range(begin, end):
        count = points[m]
        steps = np.arange(count)
        s = lower[m] + width[m] * steps
        common = np.zeros(count)
        if discrete:
            for i in range(count):
                common[i] = math.lgamma(s[i] + 1)
        if len(log_steps) != count:
            log_steps = np.log(steps)
        # Only distributions on positive scores use logarithms, and their rectangles start at 0.
        log_s = math.log(width[m]) + log_steps
        mass = np.zeros((2, count))
        largest = 0.0
        for kind in range(2):
            a, b, c, d = slopes[kind, :, m]
            for i in range(count):
                if s[i] >= supports[kind]:
                    value = (a + c * s[i]) * s[i] - constants[kind, m] - common[i]
                    if b != 0 or d != 0:
                        value += b * log_s[i] if d == 0 else (b + d * log_s[i]) * log_s[i]
                    mass[kind, i] = math.exp(value) * width[m]
            if mass[kind, 0] == math.inf:
                mass[kind, 0] = lowest[kind, m]
            largest = max(largest, mass[kind, 1:].max())
        area = recall = fallout = precision = 0.0
        for i in range(count - 1, -1, -1):
            before = precision
            recall += mass[0, i]
            fallout += mass[1, i]
            hits = mixing[m] * recall
            returned = hits + (1 - mixing[m]) * fallout
            precision = hits / returned if returned > 0 else 0.0
            if i < count - 1:
                area += mass[0, i] * (precision + before) / 2
        out[m, 0], out[m, 1], out[m, 2], out[m, 3] = area, recall, fallout, largest
