# mypy: disable-error-code="untyped-decorator"
"""Compiled loops: tau, tau_AP and tau_GAP of many pairs of vectors, and the counts behind tau_b.

Every loop works on the truths put in observed order, best first, so that its inner loop runs over
contiguous memory. A pair of vectors is always computed by one thread in one order, so results do
not depend on the number of threads.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Sums over systems may be reordered for speed; NaN and infinities never come this far.
_SUM = {"reassoc", "nsz"}

# Groups of tied systems up to this size are enumerated; beyond it quadrature costs less.
LARGEST_ENUMERATED = 10


@njit(cache=True, nogil=True)
def expected(
    begin: int,
    end: int,
    truth: np.ndarray,
    order: np.ndarray,
    first: np.ndarray,
    strict: bool,
    gaps: bool,
    nodes: np.ndarray,
    weights: np.ndarray,
    truth_row: np.ndarray,
    observed_row: np.ndarray,
    out: np.ndarray,
) -> None:
    """Fill rows of ``out`` (pairs x 3) with tau, tau_AP and tau_GAP, expected over observed ties.

    ``order[o]`` sorts observed vector o, best first; ``first[o, p]`` is the first position of the
    tied group that position p belongs to. Pair k compares truth ``truth_row[k]`` with observed
    ``observed_row[k]``. tau_GAP is left alone unless ``gaps``.
    """
    m = truth.shape[1]
    x = np.empty(m)
    for k in range(begin, end):
        o = observed_row[k]
        t = truth_row[k]
        for p in range(m):
            x[p] = truth[t, order[o, p]]
        swapped = 0.0
        swapped_ap = 0.0
        swapped_gap = 0.0
        p = 0
        while p < m:
            stop = p + 1
            while stop < m and first[o, stop] == p:
                stop += 1
            if stop == p + 1:
                if gaps:
                    count, gap, total = _gaps_above(x, p, x[p])
                    swapped_gap += gap / total if total > 0.0 else 0.0
                else:
                    count = _count_above(x, p, x[p])
                swapped += count
                swapped_ap += count / p if p > 0 else 0.0
            else:
                # Sorted by truth, a tied group is the same whatever the order of the columns.
                _sort(x, p, stop)
                pairs, pairs_ap = _tied_group(x, p, stop, strict)
                swapped += pairs
                swapped_ap += pairs_ap
                if gaps:
                    swapped_gap += _tied_group_gaps(x, p, stop, strict, nodes, weights)
            p = stop
        out[k, 0] = 1.0 - 4.0 * swapped / (m * (m - 1))
        out[k, 1] = 1.0 - 2.0 * swapped_ap / (m - 1)
        if gaps:
            out[k, 2] = 1.0 - 2.0 * swapped_gap / (m - 1)


@njit(cache=True, nogil=True)
def _sort(x: np.ndarray, start: int, end: int) -> None:
    """Sort a few places downwards by insertion: numpy's sort takes seconds to compile."""
    for i in range(start + 1, end):
        value = x[i]
        j = i
        while j > start and x[j - 1] < value:
            x[j] = x[j - 1]
            j -= 1
        x[j] = value


@njit(cache=True, nogil=True, fastmath=_SUM)
def _count_above(x: np.ndarray, n: int, mine: float) -> float:
    count = 0.0
    for j in range(n):
        count += 1.0 if x[j] < mine else 0.0
    return count


@njit(cache=True, nogil=True, fastmath=_SUM)
def _gaps_above(x: np.ndarray, n: int, mine: float) -> tuple[float, float, float]:
    """Of the first n systems: how many are truly worse, by how much, and the sum of all gaps."""
    count = 0.0
    twice = 0.0
    total = 0.0
    for j in range(n):
        difference = mine - x[j]
        size = abs(difference)
        # Exactly 0 or twice the difference: without a branch the loop is vectorised.
        twice += difference + size
        total += size
        count += 1.0 if difference > 0.0 else 0.0
    return count, twice / 2.0, total


@njit(cache=True, nogil=True)
def _tied_group(x: np.ndarray, start: int, end: int, strict: bool) -> tuple[float, float]:
    """Count the pairs below or in a tied group that are discordant: plainly, and weighted as AP."""
    g = end - start
    above = 0.0
    inside = 0.0
    for i in range(start, end):
        above += _count_above(x, start, x[i])
        if not strict:
            inside += _count_above(x[start:end], g, x[i])
    # Each of the g positions is as likely for every system; at the k-th, k of the other g - 1 are
    # above, any k of them as likely.
    weighted = 0.0
    for k in range(g):
        if start + k > 0:
            weighted += (above + inside * k / (g - 1)) / (start + k)
    return above + inside / 2.0, weighted / g


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
    """E[(gap + sum of discordant over A) / (total + sum of others over A)], all A enumerated.

    A is the random set of tied systems placed above: its size is uniform on 0..n and, given the
    size, every set is as likely.
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


@njit(cache=True, nogil=True, fastmath=_SUM)
def _share_integrated(
    gap: float,
    total: float,
    discordant: np.ndarray,
    others: np.ndarray,
    nodes: np.ndarray,
    weights: np.ndarray,
) -> float:
    r"""Return the expectation of ``_share_enumerated`` as a double integral, for large groups.

    Give each tied system a uniform arrival time; those above system i are the ones that arrive
    before it. Given that i arrives at u, they are above independently with probability u. With
    1/s = \int exp(-t s) dt the expectation of the ratio N/S becomes

        \int_0^1 \int_0^\infty E_u[N exp(-t S)] dt du,

    a product over systems. In u it is a polynomial (Gauss-Legendre ``nodes`` on [0, 1]); in t a
    mixture of exponentials, for which the trapezoid rule after t = exp(w - exp(-w)) converges
    exponentially, on every scale alike.
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
    # Shares of the scale, so that t stays a number however small the gaps are.
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


@njit(cache=True, nogil=True)
def signs(
    begin: int,
    end: int,
    truth: np.ndarray,
    observed: np.ndarray,
    truth_row: np.ndarray,
    observed_row: np.ndarray,
    out: np.ndarray,
) -> None:
    """Fill rows of ``out`` (pairs x 3): concordant minus discordant, true ties, observed ties."""
    m = truth.shape[1]
    for k in range(begin, end):
        x = truth[truth_row[k]]
        y = observed[observed_row[k]]
        difference = 0
        tied_x = 0
        tied_y = 0
        for i in range(1, m):
            for j in range(i):
                sign_x = (x[i] > x[j]) - (x[i] < x[j])
                sign_y = (y[i] > y[j]) - (y[i] < y[j])
                difference += sign_x * sign_y
                tied_x += sign_x == 0
                tied_y += sign_y == 0
        out[k, 0] = difference
        out[k, 1] = tied_x
        out[k, 2] = tied_y


@njit(cache=True, nogil=True)
def above_groups(
    begin: int,
    end: int,
    other: np.ndarray,
    order: np.ndarray,
    first: np.ndarray,
    other_row: np.ndarray,
    order_row: np.ndarray,
    out: np.ndarray,
) -> None:
    """Fill rows of ``out`` (pairs x 1) with one direction of tau_AP,b, as a share.

    Over the systems below the top group, the mean share of concordant systems among those above the
    system's own tied group.
    """
    m = other.shape[1]
    x = np.empty(m)
    for k in range(begin, end):
        o = order_row[k]
        for p in range(m):
            x[p] = other[other_row[k], order[o, p]]
        share = 0.0
        below_top = 0
        for p in range(m):
            start = first[o, p]
            if start > 0:
                concordant = 0
                for j in range(start):
                    concordant += x[j] > x[p]
                share += concordant / start
                below_top += 1
        out[k, 0] = share / below_top
