# mypy: disable-error-code="untyped-decorator"
"""Compiled loops: tau, tau_AP and tau_GAP of many pairs of vectors.

Loops over systems run on truths in observed order, best first, so that the inner loop reads
contiguous memory. One thread computes each pair of vectors, always in the same order, so results do
not depend on the number of threads.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Sums over systems may be reordered for speed. NaN keeps its meaning: comparisons are false.
REORDERED = {"reassoc", "nsz"}

# Groups of tied systems up to this size are enumerated; above it, quadrature costs less.
LARGEST_ENUMERATED = 10


@njit(cache=True, nogil=True)
def expected(
    begin: int,
    end: int,
    truth: np.ndarray,
    order: np.ndarray,
    first: np.ndarray,
    threshold: float,
    strict: bool,
    gaps: bool,
    nodes: np.ndarray,
    weights: np.ndarray,
    noise: np.ndarray,
    spread: np.ndarray,
    truth_row: np.ndarray,
    observed_row: np.ndarray,
    out: np.ndarray,
) -> None:
    """Fill rows of ``out`` (pairs x 3) with tau, tau_AP and tau_GAP, expected over observed ties.

    ``order[o]`` sorts observed vector o, best first; ``first[o, p]`` is the first position of the
    tied group of position p. Pair k compares truth ``truth_row[k]`` with observed
    ``observed_row[k]``. tau_GAP is left alone unless ``gaps``.

    True means within ``threshold`` tie. Unless ``noise`` has no rows, systems come in observed
    order, and ``spread[j, i] * (noise[k, i] - noise[k, j])`` is added to the true difference of
    systems i < j; a pair whose spread is NaN is left out.
    """
    m = truth.shape[1]
    noisy = noise.shape[0] > 0
    x = np.empty(m)
    for k in range(begin, end):
        o = observed_row[k]
        t = truth_row[k]
        for p in range(m):
            x[p] = truth[t, order[o, p]]
        swapped = 0.0
        swapped_ap = 0.0
        swapped_gap = 0.0
        start = 0
        while start < m:
            stop = start + 1
            while stop < m and first[o, stop] == start:
                stop += 1
            inside = 0.0
            if noisy:
                above, inside = _noisy_group(x, noise[k], spread, start, stop, threshold)
            elif stop > start + 1:
                # Sorted by truth, a tied group is the same whatever the order of the columns.
                _sort(x, start, stop)
                above, inside = _tied_group(x, start, stop, threshold, strict)
                if gaps:
                    swapped_gap += _tied_group_gaps(x, start, stop, strict, nodes, weights)
            elif gaps:
                above, gap, total = _gaps_above(x, start, x[start])
                swapped_gap += gap / total if total > 0.0 else 0.0
            else:
                above = _count_above(x, start, x[start] - threshold)
            swapped += above + inside / 2.0
            swapped_ap += _mean_share(above, inside, start, stop - start)
            start = stop
        out[k, 0] = 1.0 - 4.0 * swapped / (m * (m - 1))
        out[k, 1] = 1.0 - 2.0 * swapped_ap / (m - 1)
        if gaps:
            out[k, 2] = 1.0 - 2.0 * swapped_gap / (m - 1)


@njit(cache=True, nogil=True)
def _sort(x: np.ndarray, start: int, end: int) -> None:
    """Sort a few values in descending order by insertion: NumPy's sort takes seconds to compile."""
    for i in range(start + 1, end):
        value = x[i]
        j = i
        while j > start and x[j - 1] < value:
            x[j] = x[j - 1]
            j -= 1
        x[j] = value


@njit(cache=True, nogil=True, fastmath=REORDERED)
def _count_above(x: np.ndarray, n: int, mine: float) -> float:
    count = 0.0
    for j in range(n):
        count += 1.0 if x[j] < mine else 0.0
    return count


@njit(cache=True, nogil=True, fastmath=REORDERED)
def _gaps_above(x: np.ndarray, n: int, mine: float) -> tuple[float, float, float]:
    """Return how many of the first n are truly worse, by how much, and the sum of all gaps."""
    count = 0.0
    twice = 0.0
    total = 0.0
    for j in range(n):
        difference = mine - x[j]
        size = abs(difference)
        # 0 or twice the difference, without a branch, so that the loop is vectorised.
        twice += difference + size
        total += size
        count += 1.0 if difference > 0.0 else 0.0
    return count, twice / 2.0, total


@njit(cache=True, nogil=True)
def _tied_group(
    x: np.ndarray, start: int, end: int, threshold: float, strict: bool
) -> tuple[float, float]:
    """Count discordant pairs of a tied group with systems above it, and untied pairs inside it."""
    above = 0.0
    inside = 0.0
    for i in range(start, end):
        above += _count_above(x, start, x[i] - threshold)
        if not strict:
            inside += _count_above(x[start:end], end - start, x[i] - threshold)
    return above, inside


@njit(cache=True, nogil=True, fastmath=REORDERED)
def _noisy_group(
    x: np.ndarray, u: np.ndarray, spread: np.ndarray, start: int, end: int, threshold: float
) -> tuple[float, float]:
    """Count as ``_tied_group`` does, with noise ``u`` added to every difference."""
    above = 0.0
    inside = 0.0
    for j in range(start, end):
        s = spread[j]
        for i in range(start):
            above += 1.0 if x[i] - x[j] + s[i] * (u[i] - u[j]) < -threshold else 0.0
        for i in range(start, j):
            inside += 1.0 if abs(x[i] - x[j] + s[i] * (u[i] - u[j])) > threshold else 0.0
    return above, inside


@njit(cache=True, nogil=True)
def _mean_share(above: float, inside: float, start: int, g: int) -> float:
    """Sum the expected shares of discordant systems over the g ranks of a tied group."""
    # Each position is equally likely for every system. At the k-th, k of the other g - 1 systems
    # are above, and any k of them are equally likely.
    weighted = 0.0
    for k in range(g):
        if start + k > 0:
            weighted += (above + inside * k / max(g - 1, 1)) / (start + k)
    return weighted / g


@njit(cache=True, nogil=True)
def _tied_group_gaps(
    x: np.ndarray, start: int, end: int, strict: bool, nodes: np.ndarray, weights: np.ndarray
) -> float:
    """Sum the expected shares of discordant gaps over the ranks of a tied group."""
    g = end - start
    others = np.empty(g - 1)
    discordant = np.empty(g - 1)
    result = 0.0
    share = 0.0
    for i in range(start, end):
        if i == start or x[i] != x[i - 1]:
            _, gap, total = _gaps_above(x, start, x[i])
            j = 0
            for other in range(start, end):
                if other != i:
                    difference = x[i] - x[other]
                    others[j] = abs(difference)
                    discordant[j] = difference if difference > 0.0 and not strict else 0.0
                    j += 1
            if gap == 0.0 and discordant.max() == 0.0:
                share = 0.0
            elif g <= LARGEST_ENUMERATED:
                share = _share_enumerated(gap, total, discordant, others)
            else:
                share = _share_integrated(gap, total, discordant, others, nodes, weights)
        result += share
    return result


@njit(cache=True, nogil=True)
def _share_enumerated(
    gap: float, total: float, discordant: np.ndarray, others: np.ndarray
) -> float:
    """Return E[(gap + sum of discordant over A) / (total + sum of others over A)].

    A is the random set of tied systems placed above, all enumerated: its size is uniform on 0..n
    and, given the size, all sets are equally likely.
    """
    n = len(others)
    numerator = np.empty(1 << n)
    denominator = np.empty(1 << n)
    size = np.empty(1 << n, np.int64)
    numerator[0] = gap
    denominator[0] = total
    size[0] = 0
    sums = np.zeros(n + 1)
    for j in range(n):
        half = 1 << j
        for a in range(half):
            numerator[half + a] = numerator[a] + discordant[j]
            denominator[half + a] = denominator[a] + others[j]
            size[half + a] = size[a] + 1
    for a in range(1 << n):
        if denominator[a] > 0.0:
            sums[size[a]] += numerator[a] / denominator[a]
    mean = 0.0
    sets = 1.0
    for k in range(n + 1):
        mean += sums[k] / sets
        sets = sets * (n - k) / (k + 1)
    return mean / (n + 1)


@njit(cache=True, nogil=True, fastmath=REORDERED)
def _share_integrated(
    gap: float,
    total: float,
    discordant: np.ndarray,
    others: np.ndarray,
    nodes: np.ndarray,
    weights: np.ndarray,
) -> float:
    r"""Return the expectation of ``_share_enumerated`` as a double integral, for large groups.

    Give each tied system a uniform arrival time, so that those above system i arrive before it.
    Given that i arrives at u, each is above independently with probability u. With
    1/s = \int exp(-t s) dt the expectation of the ratio N/S becomes

        \int_0^1 \int_0^\infty E_u[N exp(-t S)] dt du,

    a product over systems. In u it is a polynomial (Gauss-Legendre ``nodes`` on [0, 1]); in t a
    mixture of exponentials, for which the trapezoid rule after t = exp(w - exp(-w)) converges
    exponentially, at any scale.
    """
    n = len(others)
    scale = total
    smallest = total
    for j in range(n):
        scale += others[j]
        if total == 0.0 and others[j] > 0.0 and (smallest == 0.0 or others[j] < smallest):
            smallest = others[j]
    step = 0.28
    lowest = -3.6
    highest = np.log(40.0) + min(np.log(scale) - np.log(smallest), 230.0)
    # Relative to the scale, so that t stays finite however small the gaps are.
    gap, total = gap / scale, total / scale
    others, discordant = others / scale, discordant / scale
    decay = np.empty(n)
    result = 0.0
    for index in range(int(np.ceil((highest - lowest) / step)) + 1):
        w = lowest + index * step
        t = np.exp(w - np.exp(-w))
        for j in range(n):
            decay[j] = np.exp(-t * others[j])
        inner = 0.0
        for q in range(len(nodes)):
            u = nodes[q]
            product = weights[q]
            terms = 0.0
            for j in range(n):
                factor = 1.0 - u + u * decay[j]
                product *= factor
                terms += discordant[j] * decay[j] / factor
            inner += product * (gap + u * terms)
        result += inner * np.exp(-t * total) * t * (1.0 + np.exp(-w))
    return result * step
