"""Ranks and orders in draws of the true means: arrays in, arrays out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from bayescorr._numbers import FloatArray
from bayescorr._threads import fill


def true_ranks(means: FloatArray, *, higher_is_better: bool = True) -> NDArray[np.int64]:
    """Return the rank of every system in every draw: one more than the number of better systems.

    Parameters
    ----------
    means : array, draws x systems
        Draws of the true means.
    higher_is_better : bool
        Whether the highest mean has rank 1.

    Examples
    --------
    >>> true_ranks(np.array([[0.3, 0.2, 0.5], [0.4, 0.4, 0.1]]))
    array([[2, 3, 1],
           [1, 1, 3]])
    """
    signed = -means if higher_is_better else means
    return np.asarray(rankdata(signed, method="min", axis=1), dtype=np.int64)


def rank_shares(ranks: NDArray[np.int64]) -> FloatArray:
    """Return the share of draws (draws x systems) that give each system (rows) each rank (columns).

    Examples
    --------
    >>> rank_shares(np.array([[1, 2], [1, 2], [2, 1], [1, 2]]))
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    m = ranks.shape[1]
    counts = np.stack([np.bincount(column - 1, minlength=m) for column in ranks.T])
    return np.asarray(counts / len(ranks), dtype=float)


def order_shares(means: FloatArray, *, threshold: float = 0.0) -> FloatArray:
    """Return the share of draws that put each system (rows) strictly above each other (columns).

    Parameters
    ----------
    means : array, draws x systems
        Draws of the true means, higher is better.
    threshold : float
        Means that differ by at most this much tie.

    Examples
    --------
    >>> order_shares(np.array([[0.4, 0.3], [0.4, 0.3], [0.3, 0.4], [0.4, 0.4]]))
    array([[0.  , 0.5 ],
           [0.25, 0.  ]])
    """
    from bayescorr.coefficients import _counts

    draws = np.ascontiguousarray(np.asarray(means, dtype=np.float64).T)
    m, size = draws.shape
    return fill(_counts.orders, draws, threshold, out=np.zeros((m, m)), work=m * m / 2 * size)


def swap_shares(means: FloatArray, observed: FloatArray, *, threshold: float = 0.0) -> FloatArray:
    """Return the share of draws that swap each pair of systems.

    A pair with equal observed means is swapped in half of its orders, unless its true means tie:
    identical systems are never swapped.

    Parameters
    ----------
    means : array, draws x systems
        Draws of the true means, higher is better.
    observed : array, systems
        Observed means, from the best to the worst.
    threshold : float
        True means that differ by at most this much tie.

    Examples
    --------
    >>> draws = np.array([[0.4, 0.3], [0.4, 0.3], [0.4, 0.3], [0.3, 0.4]])
    >>> swap_shares(draws, np.array([0.5, 0.2]))
    array([[0.  , 0.25],
           [0.25, 0.  ]])
    >>> swap_shares(draws, np.array([0.5, 0.5]))
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    above = order_shares(means, threshold=threshold)
    swapped = np.where(observed[:, None] == observed, (above + above.T) / 2, above.T)
    upper = np.triu(swapped, 1)
    return np.asarray(upper + upper.T)
