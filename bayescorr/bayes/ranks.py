"""Ranks and swaps of draws of the true means: arrays in, arrays out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from bayescorr.bayes.data import Array


def true_ranks(means: Array, *, higher_is_better: bool = True) -> NDArray[np.int64]:
    """Rank of every system in every draw: one more than the number of better systems.

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


def rank_shares(ranks: NDArray[np.int64]) -> Array:
    """Share of the draws that give each system (rows) each rank (columns).

    Examples
    --------
    >>> rank_shares(np.array([[1, 2], [1, 2], [2, 1], [1, 2]]))
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    m = ranks.shape[1]
    counts = np.stack([np.bincount(column - 1, minlength=m) for column in ranks.T])
    return np.asarray(counts / len(ranks), dtype=float)


def swap_shares(means: Array, observed: Array) -> Array:
    """Share of the draws that swap each pair of systems, which are in observed order, best first.

    A pair with equal observed means is swapped in half of its orders, unless its true means are
    equal too: identical systems are never swapped.

    Parameters
    ----------
    means : array, draws x systems
        Draws of the true means, higher is better.
    observed : array, systems
        Observed means, from the best to the worst.

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
    m = means.shape[1]
    swapped = np.zeros((m, m))
    for i in range(m - 1):
        first, others = means[:, i, None], means[:, i + 1 :]
        share = (first < others).mean(axis=0)
        tied = observed[i] == observed[i + 1 :]
        if tied.any():
            share[tied] = (first != others[:, tied]).mean(axis=0) / 2
        swapped[i, i + 1 :] = swapped[i + 1 :, i] = share
    return swapped
