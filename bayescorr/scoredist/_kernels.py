"""Loops over all documents of a run, topic after topic, compiled."""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def class_moments(
    scores: np.ndarray, relevant: np.ndarray, starts: np.ndarray, logs: bool
) -> np.ndarray:
    """Moments of relevant (0) and non-relevant (1) scores: class x statistic x topic.

    The statistics are number, mean, variance and, with ``logs``, mean and variance of the
    logarithms, NaN otherwise. Two passes: the sum of squares less the square of the sum would
    cancel.
    """
    found = np.full((2, 5, len(starts)), np.nan)
    for t in range(len(starts)):
        end = starts[t + 1] if t + 1 < len(starts) else len(scores)
        for kind in range(2):
            wanted = kind == 0
            n = 0
            total = total_log = 0.0
            for i in range(starts[t], end):
                if relevant[i] == wanted:
                    n += 1
                    total += scores[i]
                    if logs:
                        total_log += math.log(scores[i]) if scores[i] > 0 else math.nan
            found[kind, 0, t] = n
            if n == 0:
                continue
            mean, mean_log = total / n, total_log / n
            squares = squares_log = 0.0
            for i in range(starts[t], end):
                if relevant[i] == wanted:
                    squares += (scores[i] - mean) ** 2
                    if logs:
                        squares_log += (math.log(max(scores[i], 1e-300)) - mean_log) ** 2
            found[kind, 1, t], found[kind, 2, t] = mean, squares / n
            if logs:
                found[kind, 3, t], found[kind, 4, t] = mean_log, squares_log / n
    return found


@njit(cache=True, nogil=True)
def probabilities(
    scores: np.ndarray, starts: np.ndarray, slopes: np.ndarray, constants: np.ndarray
) -> np.ndarray:
    """Probability of relevance of every document; see ``ScoreDistribution.evidence``.

    ``slopes`` is statistic x topic, in the order of ``distributions.STATISTICS``.
    """
    found = np.zeros(len(scores))
    for t in range(len(starts)):
        end = starts[t + 1] if t + 1 < len(starts) else len(scores)
        a, b, c, d = slopes[0, t], slopes[1, t], slopes[2, t], slopes[3, t]
        for i in range(starts[t], end):
            s = scores[i]
            odds = (a + c * s) * s - constants[t]
            if b != 0 or d != 0:
                if s > 0:
                    log_s = math.log(s)
                    odds += (b + d * log_s) * log_s
                else:
                    # The limit: the square of the logarithm outweighs the logarithm.
                    odds = math.copysign(math.inf, d if d != 0 else -b)
            found[i] = 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0
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
