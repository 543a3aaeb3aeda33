"""Loops over all documents of a run, topic after topic, compiled."""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

import math

import numpy as np
from numba import njit

# Sums may be reordered for speed. NaN is meaningful here, so that nothing else is relaxed.
_SUM = {"reassoc", "nsz"}


@njit(cache=True, nogil=True, fastmath=_SUM)
def class_moments(
    scores: np.ndarray, log_scores: np.ndarray, relevant: np.ndarray, starts: np.ndarray
) -> np.ndarray:
    """Moments of relevant (0) and non-relevant (1) scores: class x statistic x topic.

    The statistics are number, mean, variance, and mean and variance of the logarithms, which are
    NaN where ``log_scores`` is empty.
    """
    found = np.full((2, 5, len(starts)), np.nan)
    for t in range(len(starts)):
        end = starts[t + 1] if t + 1 < len(starts) else len(scores)
        labels = relevant[starts[t] : end]
        n = 0
        for label in labels:
            n += label
        found[0, 0, t], found[1, 0, t] = n, end - starts[t] - n
        two_means(scores[starts[t] : end], labels, n, found[:, 1:3, t])
        if len(log_scores) > 0:
            two_means(log_scores[starts[t] : end], labels, n, found[:, 3:5, t])
    return found


@njit(cache=True, nogil=True, fastmath=_SUM)
def two_means(values: np.ndarray, labels: np.ndarray, n: int, out: np.ndarray) -> None:
    """Mean and variance of the labelled and of the other values, without a branch in the loops.

    Two passes: the sum of squares less the square of the sum would cancel.
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
def log_odds(
    scores: np.ndarray,
    log_scores: np.ndarray,
    starts: np.ndarray,
    slopes: np.ndarray,
    constants: np.ndarray,
) -> np.ndarray:
    """Log odds of relevance of every document; see ``ScoreDistribution.evidence``.

    ``slopes`` is statistic x topic, in the order of ``distributions.STATISTICS``. Where
    ``log_scores`` is empty, the logarithms play no part.
    """
    found = np.empty(len(scores))
    logs = len(log_scores) > 0
    for t in range(len(starts)):
        end = starts[t + 1] if t + 1 < len(starts) else len(scores)
        a, b, c, d = slopes[0, t], slopes[1, t], slopes[2, t], slopes[3, t]
        for i in range(starts[t], end):
            found[i] = (a + c * scores[i]) * scores[i] - constants[t]
            # Skipped where it plays no part, for 0 times the logarithm of 0 is not a number.
            if logs and d != 0:
                found[i] += (b + d * log_scores[i]) * log_scores[i]
            elif logs and b != 0:
                found[i] += b * log_scores[i]
    return found


@njit(cache=True, nogil=True)
def expected_ap(probability: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Equation 1 of Cummins 2012 for every topic, documents in the order of the ranking."""
    found = np.zeros(len(starts))
    for t in range(len(starts)):
        end = starts[t + 1] if t + 1 < len(starts) else len(probability)
        gain = before = 0.0
        for i in range(starts[t], end):
            gain += probability[i] / (i - starts[t] + 1) * (1 + before)
            before += probability[i]
        found[t] = gain / before if before > 0 else 0.0
    return found


@njit(cache=True, nogil=True)
def aupr(
    lower: np.ndarray,
    width: np.ndarray,
    points: np.ndarray,
    mixing: np.ndarray,
    slopes: np.ndarray,
    constants: np.ndarray,
    supports: np.ndarray,
    lowest: np.ndarray,
    discrete: bool,
) -> np.ndarray:
    """Algorithm 1 of Cummins 2012 for every model.

    The log densities of relevant (0) and non-relevant (1) scores are linear in the statistics:
    ``slopes`` is class x statistic x model, ``constants`` and ``lowest`` are class x model, and
    ``supports`` has the lowest score of either class. ``lowest`` is the probability of the lowest
    rectangle, used where the density at its lower end is infinite.
    """
    areas = np.zeros(len(mixing))
    for m in range(len(mixing)):
        recall = fallout = precision = 0.0
        # From the bottom up, so that the last score is the lower end to the last bit.
        for i in range(points[m] - 1, -1, -1):
            s = lower[m] + width[m] * i
            log_s = math.log(s) if s > 0 else -math.inf
            common = math.lgamma(s + 1) if discrete else 0.0
            before, precision_before = recall, precision
            for kind in range(2):
                density = 0.0
                if s >= supports[kind]:
                    value = (slopes[kind, 0, m] + slopes[kind, 2, m] * s) * s
                    b, d = slopes[kind, 1, m], slopes[kind, 3, m]
                    if b != 0 or d != 0:
                        value += b * log_s if d == 0 else (b + d * log_s) * log_s
                    density = math.exp(value - constants[kind, m] - common)
                mass = density * width[m] if density < math.inf else lowest[kind, m]
                if kind == 0:
                    recall += mass
                else:
                    fallout += mass
            hits = mixing[m] * recall
            returned = hits + (1 - mixing[m]) * fallout
            precision = hits / returned if returned > 0 else 0.0
            if i < points[m] - 1:
                areas[m] += (recall - before) * (precision + precision_before) / 2
    return areas
