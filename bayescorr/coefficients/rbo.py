"""Rank-biased overlap of two rankings of the same systems."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayescorr._numbers import FloatArray
from bayescorr.coefficients._pairs import Pairs
from bayescorr.coefficients.coefficient import Coefficient, Correlation, evaluate
from bayescorr.errors import CoefficientError


def rbo(truth: Any, observed: Any, *, p: float = 0.9, higher_is_better: bool = True) -> Correlation:
    r"""Return the rank-biased overlap: the overlap of the top d, averaged over depths d.

    .. math:: RBO = p^m + (1 - p) \sum_{d=1}^{m} p^{d-1} O_d

    with :math:`O_d` the overlap of the true and the observed top d
    (:func:`bayescorr.overlap_at_k`) of m systems. It is the extrapolated RBO of Webber et al. of
    two complete rankings, whose last overlap is 1. Identical rankings have 1, and top ranks weigh
    more.

    Parameters
    ----------
    truth, observed : array_like
        Mean scores, systems on the last axis; leading axes broadcast.
    p : float
        How deep a reader looks: the probability of going on from one rank to the next.
    higher_is_better : bool
        False for measures where the lowest mean is the best.

    Returns
    -------
    float or numpy.ndarray
        A float for two vectors, else an array shaped like the broadcast leading axes.

    Notes
    -----
    Ties are treated as in :func:`bayescorr.overlap_at_k`. The sum is linear in the overlaps, so it
    is the exact expectation over the orders of systems with equal observed means.

    References
    ----------
    W. Webber, A. Moffat, J. Zobel. A similarity measure for indefinite rankings. ACM TOIS 28(4),
    2010.

    Examples
    --------
    >>> import bayescorr as bc
    >>> round(bc.rbo([4, 3, 2, 1], [4, 2, 3, 1]), 3)  # only the top 2 differ
    0.955
    >>> round(bc.rbo([4, 3, 2, 1], [3, 4, 2, 1]), 3)  # only the top 1 differs
    0.9
    """
    number = isinstance(p, int | float | np.number) and not isinstance(p, bool)
    if not number or not 0 < p < 1:
        raise CoefficientError(f"p must be above 0 and below 1; got {p!r}.", "Papers use 0.9.")
    return evaluate(_rbo, truth, observed, higher_is_better, p=p)


def _rbo(pairs: Pairs, p: float = 0.9) -> FloatArray:
    from scipy.stats import rankdata

    m = pairs.systems
    depths = np.arange(1, m + 1)
    weights = (1 - p) * p ** (depths - 1)
    weights[-1] += p**m
    # A system with true rank r adds weight(d) / d at each depth d from r on, times the probability
    # that it is observed in the top d. This probability grows from 0 at depth a, the number of
    # systems observed above it, to 1 at depth a + g, with g systems tied. tails[0, d - 1] is the
    # sum of weight / depth from depth d on, tails[1, d - 1] that of the weights.
    tails = np.zeros((2, m + 1))
    tails[:, :m] = np.array([weights / depths, weights])[:, ::-1].cumsum(axis=1)[:, ::-1]
    ranks = rankdata(-pairs.truth, method="min", axis=1).astype(int)[pairs.truth_row]
    above = rankdata(-pairs.observed, method="min", axis=1).astype(int) - 1
    tied = rankdata(-pairs.observed, method="max", axis=1).astype(int) - above
    a, g = above[pairs.observed_row], tied[pairs.observed_row]
    start = np.maximum(ranks, a + 1)
    full = np.maximum(start, a + g)
    growing = tails[:, start - 1] - tails[:, full - 1]
    shares = (growing[1] - a * growing[0]) / g + tails[0, full - 1]
    # Sorted, so that rounding does not depend on the order of the systems.
    return pairs.shaped(np.sort(shares, axis=1).sum(axis=1))


RBO = Coefficient(
    "rbo",
    "RBO",
    "Rank-biased overlap with p = 0.9: top ranks weigh more.",
    "Webber, Moffat & Zobel 2010",
    rbo,
    of_pairs=_rbo,
)
