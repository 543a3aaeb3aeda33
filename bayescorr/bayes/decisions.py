"""Decisions between systems: the better of two, the top k, and those not told apart."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import comb
from scipy.stats import hypergeom

from bayescorr._draws import interval
from bayescorr._numbers import FloatArray, check_level
from bayescorr.errors import OptionError, listing

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit


@dataclass(frozen=True, eq=False)
class SystemComparison:
    """Two systems compared by the posterior of the difference of their true means.

    Attributes
    ----------
    a, b
        The systems.
    rope : float
        Differences up to this size count as none (region of practical equivalence).
    p_a, p_equal, p_b : float
        Probabilities that a is better, that they are practically equal, that b is better; the sum
        is 1.
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
        """Credible interval of the difference, positive where a is better."""
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
        How many systems.
    systems : list
        The observed top k; with equal means at its end, those that come first by label.
    probability : float
        P(the observed top k are k truly best systems), in whatever order.
    overlap : float
        Expected number of the observed top k that are among the truly best k.
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


class DecisionMethods:
    """What :class:`~bayescorr.Fit` decides."""

    def compare_systems(self, a: Hashable, b: Hashable, rope: float = 0.01) -> SystemComparison:
        """P(a better), P(practically equal), P(b better), by the draws of their true means.

        Parameters
        ----------
        a, b
            Labels of two systems.
        rope : float
            Region of practical equivalence: the largest difference of true means, on the scale of
            the scores, that counts as none. With 0, only true means that are exactly the same
            are equal.

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
        >>> found = fit.compare_systems("bm25", "bm25-title", rope=0.02)
        >>> round(found.p_a, 2), round(found.p_equal, 2), round(found.p_b, 2)
        (0.69, 0.3, 0.01)
        """
        return compare_systems(self, a, b, rope)

    def top(self, k: int) -> Top:
        """P(the observed top k is the true one), in whatever order, and the expected overlap.

        Parameters
        ----------
        k : int
            How many systems, from 1 to all.

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
        return top(self, k)

    def groups(self, level: float = 0.95) -> list[list[Any]]:
        """List runs of neighbours in the observed order that cannot be told apart.

        Parameters
        ----------
        level : float
            Probability from which a pair of systems counts as ordered.

        Returns
        -------
        list of list
            Systems of each run, runs from the best to the worst; they may overlap.

        Examples
        --------
        >>> import bayescorr
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> fit.groups(0.8)
        [['bm25-b0.4', 'bm25', 'bm25-stop'], ['bm25-title']]
        """
        return groups(self, level)


def compare_systems(fit: Any, a: Hashable, b: Hashable, rope: float = 0.01) -> SystemComparison:
    r"""Compare two systems by the posterior of the difference of their true means.

    .. math:: P(\mu_a - \mu_b > r), \quad P(|\mu_a - \mu_b| \le r), \quad P(\mu_b - \mu_a > r)

    with r the region of practical equivalence (Kruschke 2018).

    Parameters
    ----------
    fit : Fit
        A fit.
    a, b
        Labels of two systems.
    rope : float
        Largest difference, on the scale of the scores, that counts as none.

    Returns
    -------
    SystemComparison
        The three probabilities, and draws of the difference.

    References
    ----------
    J. K. Kruschke. Rejecting or accepting parameter values in Bayesian estimation. Advances in
    Methods and Practices in Psychological Science 1(2), 2018.

    Examples
    --------
    >>> import bayescorr, pandas as pd
    >>> scores = pd.DataFrame({"x": [0.5, 0.7], "y": [0.2, 0.3]})
    >>> draws = [[0.6, 0.2], [0.5, 0.3], [0.3, 0.305], [0.6, 0.1]]
    >>> print(bayescorr.Fit.from_draws(draws, scores).compare_systems("x", "y"))
    P(x better) = 0.750, P(equal within 0.01) = 0.250, P(y better) = 0.000; difference ...
    """
    if not 0 <= rope < np.inf:
        raise OptionError(
            f"rope is {rope!r}, a number of at least 0 is needed.",
            "Give the largest difference of means that does not matter, such as 0.01.",
        )
    positions = [_position(fit, system) for system in (a, b)]
    means = _better_is_higher(fit)
    difference = means[:, positions[0]] - means[:, positions[1]]
    return SystemComparison(
        a=a,
        b=b,
        rope=rope,
        p_a=float((difference > rope).mean()),
        p_equal=float((np.abs(difference) <= rope).mean()),
        p_b=float((difference < -rope).mean()),
        draws=difference,
    )


def top(fit: Any, k: int) -> Top:
    """Find whether the k systems with the best observed means are the k truly best.

    Equal observed means at the end of the top k count by expectation over the systems that could
    be chosen; a system whose true mean equals that of the k-th best may take its place.

    Parameters
    ----------
    fit : Fit
        A fit.
    k : int
        How many systems, from 1 to all.

    Returns
    -------
    Top
        The probability that they are, and the expected overlap.

    Examples
    --------
    >>> import bayescorr, pandas as pd
    >>> scores = pd.DataFrame({"x": [0.5, 0.7], "y": [0.2, 0.3], "z": [0.1, 0.2]})
    >>> draws = [[0.6, 0.2, 0.1], [0.5, 0.3, 0.4], [0.3, 0.4, 0.1], [0.6, 0.3, 0.1]]
    >>> print(bayescorr.Fit.from_draws(draws, scores).top(2))
    The observed top 2 is the true one with probability 0.750; 1.75 of its systems are expected ...
    """
    m = len(fit.systems)
    if not isinstance(k, int | np.integer) or isinstance(k, bool) or not 1 <= k <= m:
        raise OptionError(
            f"k is {k!r}, a whole number from 1 to {m} is needed.", "There are that many systems."
        )
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


def groups(fit: Any, level: float = 0.95) -> list[list[Any]]:
    """Find the systems that cannot be told apart.

    Maximal runs of neighbours in the observed order none of whose pairs is ordered, either way,
    with probability of at least ``level``. Runs may overlap, as letters in a table of means do; a
    system that is told apart from all others is a run of its own.

    Parameters
    ----------
    fit : Fit
        A fit.
    level : float
        Probability from which a pair counts as ordered.

    Returns
    -------
    list of list
        Systems of each run in observed order, runs from the best to the worst.

    Examples
    --------
    >>> import bayescorr, pandas as pd
    >>> scores = pd.DataFrame({"x": [0.5, 0.7], "y": [0.4, 0.6], "z": [0.1, 0.2]})
    >>> draws = [[0.6, 0.5, 0.1], [0.5, 0.6, 0.1], [0.6, 0.7, 0.1], [0.6, 0.5, 0.1]]
    >>> bayescorr.Fit.from_draws(draws, scores).groups(0.9)
    [['x', 'y'], ['z']]
    """
    means, systems = _better_is_higher(fit), fit.systems
    ends = unordered_runs(means, check_level(level))
    return [systems[start:end] for start, end in ends]


def unordered_runs(means: FloatArray, level: float) -> list[tuple[int, int]]:
    """Maximal runs (start, end) of neighbours no two of which are ordered; systems on columns."""
    m = means.shape[1]
    # How far a run from each system may go: up to the first system ordered against any in it.
    reach = np.full(m, m)
    for i in range(m - 1):
        better = (means[:, i, None] > means[:, i + 1 :]).mean(axis=0)
        worse = (means[:, i, None] < means[:, i + 1 :]).mean(axis=0)
        ordered = np.flatnonzero(np.maximum(better, worse) >= level)
        reach[i] = i + 1 + ordered[0] if len(ordered) else m
    ends = np.minimum.accumulate(reach[::-1])[::-1]
    return [(i, int(ends[i])) for i in range(m) if i == 0 or ends[i] > ends[i - 1]]


def _better_is_higher(fit: Fit) -> FloatArray:
    """Draws x systems in observed order, turned so that higher is better."""
    means = fit._ordered()
    return means if fit.higher_is_better else -means


def _position(fit: Fit, system: Hashable) -> int:
    systems = fit.systems
    if system not in systems:
        raise OptionError(f"There is no system {system!r}.", f"There are: {listing(systems)}.")
    return systems.index(system)
