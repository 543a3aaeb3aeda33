"""What the draws say about systems: ranks, the best one, swapped pairs, and groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescorr._numbers import FloatArray, check_level
from bayescorr.coefficients.ranks import order_shares, rank_shares, swap_shares

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit


def rank_probabilities(fit: Fit) -> pd.DataFrame:
    """Return the probability of every true rank (1 is best) of every system.

    Systems that tie in the truth, which only identical ones do, share the better rank.

    Returns
    -------
    DataFrame
        Systems in observed order x ranks; every row sums to 1.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
    >>> fit.rank_probabilities().round(2)
    rank           1     2     3     4
    system
    bm25-b0.4   0.70  0.15  0.13  0.02
    bm25        0.15  0.46  0.35  0.04
    bm25-stop   0.14  0.35  0.40  0.10
    bm25-title  0.00  0.04  0.11  0.84
    """
    shares = rank_shares(fit.true_ranks)
    columns = pd.RangeIndex(1, len(shares) + 1, name="rank")
    return pd.DataFrame(shares, index=fit.observed_means.index, columns=columns)


def best(fit: Fit) -> pd.Series:
    """Return the probability that each system is truly the best, highest first.

    Returns
    -------
    Series
        Probabilities by system.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
    >>> fit.best().round(2).to_dict()
    {'bm25-b0.4': 0.7, 'bm25': 0.15, 'bm25-stop': 0.14, 'bm25-title': 0.0}
    """
    first = rank_probabilities(fit)[1].rename("p_best")
    return first.sort_values(ascending=False, kind="stable")


def discordance(fit: Fit) -> pd.DataFrame:
    """Return P(truth swaps i and j), one half for equal observed means.

    Returns
    -------
    DataFrame
        Systems x systems in observed order, symmetric, with a zero diagonal.
        :func:`bayescorr.discordance` is the frequentist counterpart.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
    >>> fit.discordance().round(2)
    system      bm25-b0.4  bm25  bm25-stop  bm25-title
    system
    bm25-b0.4        0.00  0.22       0.22        0.02
    bm25             0.22  0.00       0.43        0.07
    bm25-stop        0.22  0.43       0.00        0.12
    bm25-title       0.02  0.07       0.12        0.00
    """
    observed = fit.observed_means
    values = swap_shares(better_is_higher(fit), observed.to_numpy())
    return pd.DataFrame(values, index=observed.index, columns=observed.index)


def groups(fit: Fit, level: float = 0.95) -> list[list[Any]]:
    """Return maximal runs of neighbours in the observed order that cannot be told apart.

    A pair is ordered if the posterior probability of one order is at least ``level``. This is a
    one-sided convention: at level 0.95, a pair is ordered if the 90% interval of its difference
    excludes 0. :meth:`Fit.compare_systems` prints that interval. No pair of a run is ordered. Runs
    may overlap, as letters in a table of means do. A system that is ordered against both of its
    neighbours is a run of its own.

    Parameters
    ----------
    level : float
        Probability of one order (one-sided) from which a pair of systems counts as ordered.

    Returns
    -------
    list of list
        Systems of each run in observed order, runs from the best to the worst.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
    >>> fit.groups(0.8)
    [['bm25-b0.4', 'bm25', 'bm25-stop'], ['bm25-title']]
    """
    ends = unordered_runs(better_is_higher(fit), check_level(level))
    return [fit.systems[start:end] for start, end in ends]


def unordered_runs(means: FloatArray, level: float) -> list[tuple[int, int]]:
    """Return maximal runs (start, end) of columns no two of which are ordered, draws x systems."""
    above = order_shares(means)
    # The first system after each one that is ordered against it.
    ordered = np.triu(np.maximum(above, above.T) >= level, 1)
    reach = np.where(ordered.any(axis=1), ordered.argmax(axis=1), len(above))
    ends = np.minimum.accumulate(reach[::-1])[::-1]
    return [(i, int(end)) for i, end in enumerate(ends) if i == 0 or end > ends[i - 1]]


def better_is_higher(fit: Fit) -> FloatArray:
    """Draws x systems in observed order, signed so that higher is better."""
    return fit.ordered_means if fit.higher_is_better else -fit.ordered_means
