"""What the draws say about systems: ranks, the best one, pairs, the top k and groups."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.special import comb
from scipy.stats import hypergeom

from bayescorr._draws import interval
from bayescorr._numbers import FloatArray, check_level
from bayescorr.bayes.posterior import estimates_of
from bayescorr.coefficients.ranks import order_shares, rank_shares, swap_shares, true_ranks
from bayescorr.errors import OptionError, listing

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
    labels = pd.Index(fit.systems, name="system")
    columns = pd.RangeIndex(1, len(labels) + 1, name="rank")
    return pd.DataFrame(rank_shares(_ranks(fit)), index=labels, columns=columns)


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
    first = (_ranks(fit) == 1).mean(axis=0)
    series = pd.Series(first, index=pd.Index(fit.systems, name="system"), name="p_best")
    return series.sort_values(ascending=False, kind="stable")


def ranking(fit: Fit, level: float = 0.95) -> pd.DataFrame:
    """Return observed and true means, ranks and P(best) of the systems, in observed order.

    Parameters
    ----------
    level : float
        Level of the credible intervals of true means and true ranks.

    Returns
    -------
    DataFrame
        One row per system: system, observed_mean, true_mean (posterior mean), lower, upper,
        rank_lower, rank_upper, p_best.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
    >>> fit.ranking()[["system", "observed_mean", "rank_lower", "rank_upper"]].round(2)
           system  observed_mean  rank_lower  rank_upper
    0   bm25-b0.4           0.24           1           3
    1        bm25           0.22           1           4
    2   bm25-stop           0.22           1           4
    3  bm25-title           0.19           2           4
    """
    ranks = _ranks(fit)
    low_rank, high_rank = interval(ranks, level)
    means = estimates_of(fit.ordered_means, level)
    return pd.DataFrame(
        {
            "system": fit.systems,
            "observed_mean": fit.observed_means.to_numpy(),
            "true_mean": means["estimate"],
            "lower": means["lower"],
            "upper": means["upper"],
            "rank_lower": np.floor(low_rank).astype(int),
            "rank_upper": np.ceil(high_rank).astype(int),
            "p_best": (ranks == 1).mean(axis=0),
        }
    )


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
    labels = pd.Index(fit.systems, name="system")
    values = swap_shares(_better_is_higher(fit), fit.observed_means.to_numpy())
    return pd.DataFrame(values, index=labels, columns=labels)


@dataclass(frozen=True, eq=False)
class SystemComparison:
    """Two systems compared by the posterior of the difference of their true means.

    Attributes
    ----------
    a, b
        The systems.
    rope : float
        Differences up to this size count as equal (region of practical equivalence).
    p_a, p_equal, p_b : float
        Probabilities that a is better, that they are practically equal, that b is better.
    draws : array
        Draws of the difference, positive where a is better.
    """

    a: Hashable
    b: Hashable
    rope: float
    p_a: float
    p_equal: float
    p_b: float
    draws: FloatArray = field(repr=False)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the credible interval of the difference, positive where a is better."""
        lower, upper = interval(self.draws, level)
        return float(lower), float(upper)

    def __str__(self) -> str:
        lower, upper = self.interval()
        return (
            f"P({self.a} better) = {self.p_a:.3f}, P(equal within {self.rope:g}) = "
            f"{self.p_equal:.3f}, P({self.b} better) = {self.p_b:.3f}; difference "
            f"{self.draws.mean():.4f} (95% interval {lower:.4f} to {upper:.4f})"
        )


@dataclass(frozen=True)
class Top:
    """Whether the observed top k is the true one.

    Attributes
    ----------
    k : int
        Number of systems.
    systems : list
        The observed top k. Of systems with equal means at its end, the first by label.
    probability : float
        P(the observed top k is the true top k), in any order.
    overlap : float
        Expected number of systems that the observed and the true top k share.
    """

    k: int
    systems: list[Hashable]
    probability: float
    overlap: float

    def __str__(self) -> str:
        return (
            f"The observed top {self.k} is the true one with probability {self.probability:.3f}; "
            f"{self.overlap:.2f} of its systems are expected to be in the true one."
        )


def compare_systems(fit: Fit, a: Hashable, b: Hashable, rope: float = 0.01) -> SystemComparison:
    r"""Compare two systems by the posterior of the difference of their true means.

    .. math:: P(\mu_a - \mu_b > r), \quad P(|\mu_a - \mu_b| \le r), \quad P(\mu_b - \mu_a > r)

    with r the region of practical equivalence.

    Parameters
    ----------
    a, b
        Labels of two systems.
    rope : float
        Region of practical equivalence: the largest difference of true means, on the scale of the
        scores, that counts as equal. With 0, only identical true means are equal.

    Returns
    -------
    SystemComparison
        Prints as a sentence; has ``p_a``, ``p_equal``, ``p_b``, which sum to 1, and
        ``interval(level)`` of the difference.

    References
    ----------
    J. K. Kruschke. Rejecting or accepting parameter values in Bayesian estimation. Advances in
    Methods and Practices in Psychological Science 1(2), 2018.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
    >>> print(fit.compare_systems("bm25", "bm25-title", rope=0.02))
    P(bm25 better) = 0.688, P(equal within 0.02) = 0.304, P(bm25-title better) = 0.008; ...
    """
    if not 0 <= rope < np.inf:
        raise OptionError(
            f"rope must be at least 0; got {rope!r}.",
            "Give the largest difference of means that does not matter, such as 0.01.",
        )
    systems, means = fit.systems, _better_is_higher(fit)
    for system in (a, b):
        if system not in systems:
            raise OptionError(f"Unknown system {system!r}.", f"Systems: {listing(systems)}.")
    difference = means[:, systems.index(a)] - means[:, systems.index(b)]
    return SystemComparison(
        a=a,
        b=b,
        rope=rope,
        p_a=float((difference > rope).mean()),
        p_equal=float((np.abs(difference) <= rope).mean()),
        p_b=float((difference < -rope).mean()),
        draws=difference,
    )


def top(fit: Fit, k: int) -> Top:
    """Return P(the observed top k is the true top k), in any order, and their expected overlap.

    Equal observed means at the end of the top k count by expectation over the systems that could
    be chosen. A system whose true mean equals that of the k-th best may take its place.

    Parameters
    ----------
    k : int
        Number of systems.

    Returns
    -------
    Top
        Prints as a sentence; has ``systems``, ``probability`` and ``overlap``.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
    >>> fit.top(3).systems, round(fit.top(3).probability, 2)
    (['bm25-b0.4', 'bm25', 'bm25-stop'], 0.84)
    """
    m = len(fit.systems)
    if not isinstance(k, int | np.integer) or isinstance(k, bool) or not 1 <= k <= m:
        raise OptionError(f"k must be a whole number between 1 and {m}; got {k!r}.")
    observed = fit.observed_means.to_numpy()
    probability, overlap = top_overlap(_better_is_higher(fit), observed, int(k))
    return Top(int(k), fit.systems[:k], probability, overlap)


def top_overlap(means: FloatArray, observed: FloatArray, k: int) -> tuple[float, float]:
    """P(observed top k is a true one) and the expected overlap.

    Parameters
    ----------
    means : array, draws x systems
        Draws of the true means, higher is better, systems in observed order.
    observed : array
        Observed means, the best first.
    k : int
        How many systems.
    """
    tied = observed == observed[k - 1]
    first = int(tied.argmax())
    size, slots = int(tied.sum()), k - int(tied.argmax())
    threshold = -np.sort(-means, axis=1)[:, k - 1, None]
    above, level = means > threshold, means == threshold
    # Per draw: systems surely in the top, tied for its end; truly above the k-th best, level with.
    counts = np.stack(
        [
            above[:, :first].sum(axis=1),
            level[:, :first].sum(axis=1),
            above[:, tied].sum(axis=1),
            level[:, tied].sum(axis=1),
            above.sum(axis=1),
        ],
        axis=1,
    )
    kinds, repeats = np.unique(counts, axis=0, return_counts=True)
    found = [_expected_overlap(kind.tolist(), first, size, slots, k) for kind in kinds]
    probability, overlap = np.average(found, axis=0, weights=repeats)
    return float(probability), float(overlap)


def _expected_overlap(
    counts: list[int], sure: int, size: int, slots: int, k: int
) -> tuple[float, float]:
    """P(match) and expected overlap over all choices of ``slots`` out of ``size`` tied systems."""
    sure_above, sure_level, tied_above, tied_level, all_above = counts
    room = k - all_above
    chosen = np.arange(min(tied_level, slots) + 1)
    weights = hypergeom.pmf(chosen, size, tied_level, slots)
    overlap = sure_above + slots * tied_above / size
    overlap += float(weights @ np.minimum(sure_level + chosen, room))
    fits = sure_above + sure_level == sure and sure_above + tied_above == all_above
    extra = slots - tied_above
    match = comb(tied_level, extra) / comb(size, slots) if fits and extra >= 0 else 0.0
    return float(match), overlap


def groups(fit: Fit, level: float = 0.95) -> list[list[Any]]:
    """Return maximal runs of neighbours in the observed order that cannot be told apart.

    No pair of a run is ordered, either way, with probability at least ``level``. Runs may overlap,
    as letters in a table of means do. A system that differs from all others is a run of its own.

    Parameters
    ----------
    level : float
        Probability from which a pair of systems counts as ordered.

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
    ends = unordered_runs(_better_is_higher(fit), check_level(level))
    return [fit.systems[start:end] for start, end in ends]


def unordered_runs(means: FloatArray, level: float) -> list[tuple[int, int]]:
    """Return maximal runs (start, end) of columns no two of which are ordered, draws x systems."""
    above = order_shares(means)
    # The first system after each one that is ordered against it.
    ordered = np.triu(np.maximum(above, above.T) >= level, 1)
    reach = np.where(ordered.any(axis=1), ordered.argmax(axis=1), len(above))
    ends = np.minimum.accumulate(reach[::-1])[::-1]
    return [(i, int(end)) for i, end in enumerate(ends) if i == 0 or end > ends[i - 1]]


def _better_is_higher(fit: Fit) -> FloatArray:
    """Draws x systems in observed order, signed so that higher is better."""
    return fit.ordered_means if fit.higher_is_better else -fit.ordered_means


def _ranks(fit: Fit) -> np.ndarray[Any, Any]:
    """Ranks of the true means, draws x systems in observed order."""
    return true_ranks(fit.ordered_means, higher_is_better=fit.higher_is_better)
