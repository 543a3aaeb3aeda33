"""The direct plug-in bandwidth of Wand & Jones, as R's ks::hpi and KernSmooth::dpik compute it."""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from bayescorr.errors import ScoresError

_GRID = 401
# The interquartile range of a standard normal distribution, as KernSmooth rounds it.
_NORMAL_IQR = 1.349


@njit(cache=True, nogil=True)
def _functional(counts: np.ndarray, total: float, step: float, order: int, h: float) -> float:
    """Estimate psi_4 or psi_6 with a kernel of width h, given counts of pairs by lag."""
    # exp(-x^2 / 2) along the grid by recurrence: one call of exp instead of one per lag.
    x = step / h
    density = 1.0
    ratio = math.exp(-0.5 * x * x)
    decay = ratio * ratio
    result = 0.0
    for lag in range(min(int((4 + order) * h / step), _GRID - 1) + 1):
        a = (lag * x) ** 2
        hermite = ((a - 15.0) * a + 45.0) * a - 15.0 if order == 6 else (a - 6.0) * a + 3.0
        result += counts[lag] * hermite * density
        density *= ratio
        ratio *= decay
    return result / (math.sqrt(2.0 * math.pi) * h ** (order + 1) * total * total)


@njit(cache=True, nogil=True)
def _bandwidth(x: np.ndarray, noise: float, keep_largest: bool) -> float:
    """Return the bandwidth of the sorted sample ``x``, or NaN where its spread is zero."""
    n = len(x)
    mean = x.mean()
    sd = math.sqrt(((x - mean) ** 2).sum() / (n - 1))
    low = 0.25 * (n - 1)
    high = 0.75 * (n - 1)
    i, j = int(low), min(int(high), n - 2)
    quartile = x[i] + (low - i) * (x[i + 1] - x[i])
    upper = x[j] + (high - j) * (x[j + 1] - x[j])
    scale = min((upper - quartile) / _NORMAL_IQR, sd)
    if scale <= noise:
        return math.nan
    step = (x[n - 1] - x[0]) / (_GRID - 1)
    weight = np.zeros(_GRID)
    for k in range(n):
        if x[k] < x[n - 1] - noise:
            position = (x[k] - x[0]) / step
            cell = min(int(position), _GRID - 2)
            weight[cell] += 1.0 - (position - cell)
            weight[cell + 1] += position - cell
        elif keep_largest:
            weight[_GRID - 1] += 1.0
    used = np.flatnonzero(weight)
    counts = np.zeros(_GRID)
    for a in range(len(used)):
        counts[0] += weight[used[a]] ** 2
        for b in range(a):
            counts[used[a] - used[b]] += 2.0 * weight[used[a]] * weight[used[b]]
    total = weight.sum()
    step /= scale
    h6 = (2.0 * math.sqrt(2.0) ** 9 / (7.0 * n)) ** (1.0 / 9.0)
    psi6 = _functional(counts, total, step, 6, h6)
    if psi6 >= 0.0:
        return math.nan
    h4 = (-3.0 * math.sqrt(2.0 / math.pi) / (psi6 * n)) ** (1.0 / 7.0)
    psi4 = _functional(counts, total, step, 4, h4)
    if psi4 <= 0.0:
        return math.nan
    h: float = scale * (1.0 / (2.0 * math.sqrt(math.pi) * psi4 * n)) ** 0.2
    return h


@njit(cache=True, nogil=True)
def pair_bandwidths(
    begin: int, end: int, systems: np.ndarray, noise: float, out: np.ndarray
) -> None:
    """Fill in the bandwidth of each pair's differences (systems x topics), NaN where undefined."""
    for j in range(begin, end):
        for i in range(j):
            out[j, i] = _bandwidth(np.sort(systems[i] - systems[j]), noise, False)


def plugin_bandwidth(x: ArrayLike, *, keep_largest: bool = False) -> float:
    r"""Return the bandwidth of a Gaussian kernel density by the two-stage direct plug-in rule.

    .. math:: h = \left( \frac{1}{2 \sqrt\pi \, \hat\psi_4 \, n} \right)^{1/5}

    where :math:`\psi_r = \int f^{(r)} f` is estimated by a kernel whose own bandwidth needs
    :math:`\psi_{r+2}`, down to :math:`\psi_8`, which is that of a normal distribution whose scale
    is the smaller of the standard deviation and the interquartile range / 1.349 (Wand & Jones 1995,
    section 3.6). Observations are binned linearly on 401 points.

    R's ``ks::hpi`` and ``KernSmooth::dpik`` leave the largest observation out of the estimates of
    :math:`\psi_r`: their binning stops short of the last point, unless rounding error keeps it.
    Here it is always left out, which gives R's numbers without depending on rounding.

    Parameters
    ----------
    x : array_like
        A sample of at least two values.
    keep_largest : bool
        Use all observations, as the formula does.

    Returns
    -------
    float
        The bandwidth; NaN if at least half of the sample has the same value (an error in R).

    Examples
    --------
    >>> round(plugin_bandwidth([0.1, -0.2, 0.4, 0.0, 0.3, 0.15]), 6)
    0.151081
    """
    values = np.sort(np.asarray(x, dtype=np.float64).ravel())
    if len(values) < 2 or not np.isfinite(values).all():
        raise ScoresError(
            "A bandwidth needs at least 2 values, all of them finite; got "
            f"{np.isfinite(values).sum()} finite of {len(values)}."
        )
    return float(_bandwidth(values, 1e-12 * float(np.abs(values).max()), keep_largest))
