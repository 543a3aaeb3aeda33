"""Decisions: whether one system beats another, and whether the observed top k is the true one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import comb
from scipy.stats import hypergeom

from bayescorr._draws import interval
from bayescorr._numbers import FloatArray
from bayescorr.claims.systems import better_is_higher
from bayescorr.claims.together import check_k
from bayescorr.errors import Argument, OptionError, listing

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

    @property
    def p_order(self) -> float:
        """The larger of P(difference > 0) and P(difference < 0), whatever ``rope`` is.

        The pair is ordered at a level if this is at least the level, as in :meth:`Fit.groups`.
        """
        return float(max((self.draws > 0).mean(), (self.draws < 0).mean()))

    def __str__(self) -> str:
        # Its ends are the one-sided 95% bounds, so it excludes 0 if the pair is ordered at 95%.
        lower, upper = self.interval(0.9)
        return (
            f"P({self.a} better) = {self.p_a:.3f}, P(equal within {self.rope:g}) = "
            f"{self.p_equal:.3f}, P({self.b} better) = {self.p_b:.3f}; difference "
            f"{self.draws.mean():.4f} (one-sided 95% bounds, a 90% interval: {lower:.4f} to "
            f"{upper:.4f}; P(order) = {self.p_order:.3f})"
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

    with r the region of practical equivalence. The pair is ordered at level 0.95 if P(order), the
    larger of :math:`P(\mu_a > \mu_b)` and :math:`P(\mu_a < \mu_b)`, is at least 0.95. This is the
    one-sided convention of :meth:`Fit.groups`. The two-sided interval that agrees with it has level
    0.9; it is the one that is printed.

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
    check_rope(rope)
    first, second = positions(fit.systems, (a, b))
    means = better_is_higher(fit)
    difference = means[:, first] - means[:, second]
    regions = (difference > rope, np.abs(difference) <= rope, difference < -rope)
    p_a, p_equal, p_b = (float(region.mean()) for region in regions)
    return SystemComparison(a, b, rope, p_a, p_equal, p_b, difference)


def check_rope(rope: float) -> None:
    """Raise an error unless ``rope`` is a difference of means."""
    if not 0 <= rope < np.inf:
        raise OptionError(
            (Argument("rope"), f" must be at least 0; got {rope!r}."),
            "Give the largest difference of means that does not matter, such as 0.01.",
        )


def positions(known: list[Hashable], systems: Iterable[Hashable]) -> list[int]:
    """Return the positions of systems among the known ones; list these if one is unknown."""
    for system in systems:
        if system not in known:
            raise OptionError(f"Unknown system {system!r}.", f"Systems: {listing(known)}.")
    return [known.index(system) for system in systems]


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
    size = check_k(fit, k)
    observed = fit.observed_means.to_numpy()
    probability, overlap = top_overlap(better_is_higher(fit), observed, size)
    return Top(size, fit.systems[:size], probability, overlap)


def top_overlap(means: FloatArray, observed: FloatArray, k: int) -> tuple[float, float]:
    """P(observed top k is a true one) and expected overlap; draws x systems in observed order."""
    tied = observed == observed[k - 1]
    first, size = int(tied.argmax()), int(tied.sum())
    threshold = -np.sort(-means, axis=1)[:, k - 1, None]
    above, level = means > threshold, means == threshold
    # Per draw, how many systems of the sure top and of those tied for its end are truly above the
    # k-th best system, and how many equal it; then how many of all systems are above it.
    parts = (above[:, :first], level[:, :first], above[:, tied], level[:, tied], above)
    counts = np.column_stack([part.sum(axis=1) for part in parts])
    kinds, repeats = np.unique(counts, axis=0, return_counts=True)
    found = [_expected_overlap(kind.tolist(), first, size, k - first, k) for kind in kinds]
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
