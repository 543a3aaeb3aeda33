"""Families of score models (Table 1 of Cummins 2012): relevant and non-relevant distributions.

A constrained fit satisfies the recall-fallout convexity hypothesis: the probability of relevance
never falls as the score rises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bayescorr._numbers import FloatArray
from bayescorr._threads import fill
from bayescorr.errors import Argument, OptionError, choose
from bayescorr.scoredist import _kernels
from bayescorr.scoredist import distributions as known
from bayescorr.scoredist.distributions import Distribution

ESTIMATORS = ("likelihood", "moments")


class Moments(NamedTuple):
    """Count, mean and variance (divisor n) of scores and of their logarithms, one per topic.

    Moments of the logarithms are NaN if a score is not positive.
    """

    n: FloatArray
    mean: FloatArray
    variance: FloatArray
    mean_log: FloatArray
    variance_log: FloatArray


def moments(
    scores: ArrayLike, relevant: NDArray[np.bool_], starts: NDArray[np.intp], *, logs: bool = True
) -> tuple[Moments, Moments]:
    """Compute the moments of relevant and of non-relevant scores.

    ``scores`` and ``relevant`` hold one entry per document, sorted by topic; ``starts`` holds the
    position of each topic's first document. Without ``logs``, moments of logarithms are NaN.
    """
    values = np.ascontiguousarray(scores, float)
    found = fill(
        _kernels.class_moments,
        values,
        np.log(np.where(values > 0, values, np.nan)) if logs else np.empty(0),
        np.ascontiguousarray(relevant),
        np.append(starts, len(values)),
        out=np.empty((len(starts), 2, 5)),
        work=len(values),
    )
    return Moments(*found[:, 0].T), Moments(*found[:, 1].T)


#: Scores that a family needs, in words, and the test for those it does not support.
NEEDS: dict[str, Callable[[FloatArray], Any]] = {
    "finite scores": lambda scores: ~np.isfinite(scores),
    "scores of 0 or more": lambda scores: scores < 0,
    "positive scores": lambda scores: scores <= 0,
    "whole scores of 0 or more": lambda scores: (scores < 0) | (scores != np.floor(scores)),
}

#: Parameters of the relevant and the non-relevant scores, one entry per topic.
Parameters = tuple[tuple[FloatArray, ...], tuple[FloatArray, ...]]
#: From relevant moments, non-relevant moments and the shared parameter (or None).
Fit = Callable[[Moments, Moments, str | None], Parameters]


@dataclass(frozen=True)
class Family:
    """Distributions of relevant and non-relevant scores, and their fits."""

    name: str
    relevant: Distribution
    nonrelevant: Distribution
    #: Parameters that the two may share to satisfy the convexity hypothesis; the first is the
    #: default. Empty if the hypothesis always holds or never does.
    constraints: tuple[str, ...]
    #: The scores that the family supports, a key of ``NEEDS``.
    needs: str
    by_moments: Fit
    by_likelihood: Fit

    def unsupported(self, scores: FloatArray) -> Any:
        """Return a mask of the scores that the family does not support."""
        return NEEDS[self.needs](scores)

    def constraint(self, constrained: bool | str) -> str | None:
        """Return the name of the shared parameter, or None."""
        if not isinstance(constrained, str):
            return self.constraints[0] if constrained and self.constraints else None
        if not self.constraints:
            raise OptionError(
                f"The family {self.name!r} has no parameter to share; got {constrained!r}.",
                ("Use ", Argument("constrained", True), "."),
            )
        return choose(constrained, self.constraints, f"constraint of the family {self.name!r}")

    def fit(
        self, relevant: Moments, nonrelevant: Moments, constrained: bool | str, estimator: str
    ) -> Parameters:
        """Fit both distributions; parameters are NaN if the scores do not determine them."""
        chosen = choose(estimator, ESTIMATORS, "estimator")
        method = self.by_moments if chosen == "moments" else self.by_likelihood
        with np.errstate(all="ignore"):
            found = method(_spread(relevant), _spread(nonrelevant), self.constraint(constrained))
        names = self.relevant.parameters + self.nonrelevant.parameters
        pairs = zip(names, found[0] + found[1], strict=True)
        valid = [np.isfinite(value) & ((value > 0) | (name == "mu")) for name, value in pairs]
        usable = np.logical_and.reduce(valid)
        first, second = (tuple(np.where(usable, v, np.nan) for v in part) for part in found)
        return first, second


def get_family(family: str) -> Family:
    """Return the family with this name."""
    return FAMILIES[choose(family, FAMILIES, "family of score distributions")]


def _spread(found: Moments) -> Moments:
    """Set the variance of equal scores to exactly 0, so that no fit divides by rounding error."""
    tiny = 1e-12 * np.abs(found.mean)
    variance = np.where(found.variance <= tiny**2, 0.0, found.variance)
    log_variance = np.where(variance == 0, 0.0, found.variance_log)
    return Moments(found.n, found.mean, variance, found.mean_log, log_variance)


def _gamma_moments(relevant: Moments, nonrelevant: Moments, shared: str | None) -> Parameters:
    shape0 = nonrelevant.mean**2 / nonrelevant.variance
    scale0 = nonrelevant.mean / shape0
    if shared == "scale":
        shape1, scale1 = relevant.mean / scale0, scale0
    elif shared == "shape":
        shape1, scale1 = shape0, relevant.mean / shape0
    else:
        shape1, scale1 = relevant.mean**2 / relevant.variance, relevant.variance / relevant.mean
    return (shape1, scale1), (shape0, scale0)


def _gamma_likelihood(relevant: Moments, nonrelevant: Moments, shared: str | None) -> Parameters:
    both = (relevant, nonrelevant)
    if shared == "scale":
        scale = _common_scale(*both)
        shape1, shape0 = (_inverse_digamma(m.mean_log - np.log(scale)) for m in both)
        return (shape1, scale), (shape0, scale)
    gaps = [np.where(m.variance > 0, np.log(m.mean) - m.mean_log, np.nan) for m in both]
    if shared == "shape":
        total = relevant.n + nonrelevant.n
        pooled = (relevant.n * np.nan_to_num(gaps[0]) + nonrelevant.n * gaps[1]) / total
        gaps = [pooled, pooled]
    shapes = [_gamma_shape(gap) for gap in gaps]
    first, second = ((k, m.mean / k) for k, m in zip(shapes, both, strict=True))
    return first, second


def _gamma_shape(gap: FloatArray) -> FloatArray:
    """Solve log k - digamma(k) = gap for k, where gap is log of mean minus mean of logs."""
    k = (3 - gap + np.sqrt((gap - 3) ** 2 + 24 * gap)) / (12 * gap)
    for _ in range(8):
        # Newton on 1/k, which is nearly linear in the gap.
        slope = k - k**2 * special.polygamma(1, k)
        k = 1 / (1 / k + (np.log(k) - special.digamma(k) - gap) / slope)
    return np.asarray(k)


def _common_scale(relevant: Moments, nonrelevant: Moments) -> FloatArray:
    """Return the maximum likelihood estimate of a scale that two gamma distributions share.

    With the best shapes for each scale, the slope of the likelihood in log(scale) is
    sum(scores)/scale - sum(shapes). It has one root, found by bisection.
    """
    both = (relevant, nonrelevant)
    mean = sum(m.n * m.mean for m in both) / sum(m.n for m in both)

    def slope(log_scale: FloatArray) -> FloatArray:
        first, second = (
            m.n * (m.mean * np.exp(-log_scale) - _inverse_digamma(m.mean_log - log_scale))
            for m in both
        )
        return first + second

    low, high = np.log(mean) - 40.0, np.log(mean) + 40.0
    for _ in range(60):
        middle = (low + high) / 2
        rising = slope(middle) > 0
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    spread = (relevant.variance > 0) | (nonrelevant.variance > 0)
    return np.where(spread, np.exp((low + high) / 2), np.nan)


def _inverse_digamma(y: FloatArray) -> FloatArray:
    """Solve digamma(x) = y by Newton's method from Minka's starting point."""
    x = np.where(y >= -2.22, np.exp(y) + 0.5, -1 / (y + np.euler_gamma))
    for _ in range(5):
        x = x - (special.digamma(x) - y) / special.polygamma(1, x)
    return np.asarray(x)


def _normal_moments(relevant: Moments, nonrelevant: Moments, shared: str | None) -> Parameters:
    sigma0 = np.sqrt(nonrelevant.variance)
    sigma1 = sigma0 if shared else np.sqrt(relevant.variance)
    return (relevant.mean, sigma1), (nonrelevant.mean, sigma0)


def _normal_likelihood(relevant: Moments, nonrelevant: Moments, shared: str | None) -> Parameters:
    if not shared:
        return _normal_moments(relevant, nonrelevant, None)
    squares = relevant.n * relevant.variance + nonrelevant.n * nonrelevant.variance
    sigma = np.sqrt(squares / (relevant.n + nonrelevant.n))
    return (relevant.mean, sigma), (nonrelevant.mean, sigma)


def _lognormal_moments(relevant: Moments, nonrelevant: Moments, shared: str | None) -> Parameters:
    square0 = np.log1p(nonrelevant.variance / nonrelevant.mean**2)
    square1 = square0 if shared else np.log1p(relevant.variance / relevant.mean**2)
    return (
        (np.log(relevant.mean) - square1 / 2, np.sqrt(square1)),
        (np.log(nonrelevant.mean) - square0 / 2, np.sqrt(square0)),
    )


def _lognormal_likelihood(
    relevant: Moments, nonrelevant: Moments, shared: str | None
) -> Parameters:
    return _normal_likelihood(_of_logs(relevant), _of_logs(nonrelevant), shared)


def _of_logs(m: Moments) -> Moments:
    return Moments(m.n, m.mean_log, m.variance_log, m.mean_log, m.variance_log)


def _means(relevant: Moments, nonrelevant: Moments, shared: str | None) -> Parameters:
    return (relevant.mean,), (nonrelevant.mean,)


def _exponential_normal(relevant: Moments, nonrelevant: Moments, shared: str | None) -> Parameters:
    return (relevant.mean, np.sqrt(relevant.variance)), (nonrelevant.mean,)


ANY, NONNEGATIVE, POSITIVE, WHOLE = NEEDS
_SHARED = {
    known.GAMMA: (("scale", "shape"), NONNEGATIVE, _gamma_moments, _gamma_likelihood),
    known.LOGNORMAL: (("sigma",), POSITIVE, _lognormal_moments, _lognormal_likelihood),
    known.NORMAL: (("sigma",), ANY, _normal_moments, _normal_likelihood),
    known.EXPONENTIAL: ((), NONNEGATIVE, _means, _means),
    known.POISSON: ((), WHOLE, _means, _means),
}
#: All families by name; all but the last use one distribution for both kinds of document.
FAMILIES = {part.name: Family(part.name, part, part, *rest) for part, rest in _SHARED.items()}
_MIXED = known.NORMAL, known.EXPONENTIAL, (), NONNEGATIVE, _exponential_normal, _exponential_normal
FAMILIES["exponential-normal"] = Family("exponential-normal", *_MIXED)
