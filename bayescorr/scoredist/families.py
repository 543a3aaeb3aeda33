"""Families of score models (Table 1 of Cummins 2012): a distribution for either kind of document.

A family is constrained where its parameters obey the recall-fallout convexity hypothesis, that is,
where the probability of relevance never falls as the score rises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from bayescorr._numbers import FloatArray
from bayescorr.errors import OptionError, choose
from bayescorr.scoredist.distributions import (
    EXPONENTIAL,
    GAMMA,
    LOGNORMAL,
    NORMAL,
    POISSON,
    Distribution,
)
from bayescorr.scoredist.statistics import Moments

ESTIMATORS = ("likelihood", "moments")

#: Parameters of the relevant and of the non-relevant scores, one entry per topic.
Parameters = tuple[tuple[FloatArray, ...], tuple[FloatArray, ...]]
#: Relevant moments, non-relevant moments, the constraint or None.
Fit = Callable[[Moments, Moments, str | None], Parameters]


@dataclass(frozen=True)
class Family:
    """Distributions of relevant and non-relevant scores, and how they are fitted.

    Attributes
    ----------
    name : str
        Name of the family.
    relevant, nonrelevant : Distribution
        The two distributions.
    constraints : tuple of str
        Parameters that the two may share so that the convexity hypothesis holds; the first is the
        default. Empty where it always holds or never does.
    least : str
        Which scores are supported: "any", "zero" (0 or more), "positive" or "whole".
    by_moments, by_likelihood : callable
        Fits by the method of moments and by maximum likelihood.
    """

    name: str
    relevant: Distribution
    nonrelevant: Distribution
    constraints: tuple[str, ...]
    least: str
    by_moments: Fit
    by_likelihood: Fit

    def constraint(self, constrained: bool | str) -> str | None:
        """Name of the shared parameter that ``constrained`` asks for; None for none."""
        if isinstance(constrained, str):
            if not self.constraints:
                raise OptionError(
                    f"The family {self.name!r} has no parameter to share.", "Use constrained=True."
                )
            return choose(constrained, self.constraints, f"constraint of the family {self.name!r}")
        return self.constraints[0] if constrained and self.constraints else None

    def fit(
        self, relevant: Moments, nonrelevant: Moments, constrained: bool | str, estimator: str
    ) -> Parameters:
        """Fit both distributions; NaN for topics whose scores do not determine them."""
        chosen = choose(estimator, ESTIMATORS, "estimator")
        method = self.by_moments if chosen == "moments" else self.by_likelihood
        with np.errstate(all="ignore"):
            found = method(_spread(relevant), _spread(nonrelevant), self.constraint(constrained))
        broken = ~np.logical_and.reduce(
            [
                np.isfinite(values) & ((values > 0) | (name == "mu"))
                for part, distribution in zip(found, (self.relevant, self.nonrelevant), strict=True)
                for name, values in zip(distribution.parameters, part, strict=True)
            ]
        )
        first, second = (tuple(np.where(broken, np.nan, v) for v in part) for part in found)
        return first, second


def get_family(family: str) -> Family:
    """Find a family by its name.

    Examples
    --------
    >>> get_family("gamma").constraints
    ('scale', 'shape')
    """
    return FAMILIES[choose(family, FAMILIES, "family of score distributions")]


def _spread(found: Moments) -> Moments:
    """Make the variance of scores that are all equal exactly 0, so that no fit divides by noise."""
    tiny = 1e-12 * np.abs(found.mean)
    variance = np.where(found.variance <= tiny**2, 0.0, found.variance)
    log_variance = np.where(variance == 0, 0.0, found.variance_log)
    return Moments(found.n, found.mean, variance, found.mean_log, log_variance)


# Gamma --------------------------------------------------------------------------------------------


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
    """Solve log k - digamma(k) = gap (the log of the mean less the mean of the logs) for k."""
    k = (3 - gap + np.sqrt((gap - 3) ** 2 + 24 * gap)) / (12 * gap)
    for _ in range(8):
        # Newton on 1/k, which is nearly linear in the gap.
        slope = k - k**2 * special.polygamma(1, k)
        k = 1 / (1 / k + (np.log(k) - special.digamma(k) - gap) / slope)
    return np.asarray(k)


def _common_scale(relevant: Moments, nonrelevant: Moments) -> FloatArray:
    """Maximum likelihood of a scale that two gamma distributions share.

    With the shapes at their best for the scale, the slope of the likelihood in log(scale) is
    sum(scores)/scale - sum(shapes), which has one root, found by bisection.
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


# Normal and lognormal -----------------------------------------------------------------------------


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


# One parameter: the mean is both the moment and the maximum likelihood estimate ------------------


def _means(relevant: Moments, nonrelevant: Moments, shared: str | None) -> Parameters:
    return (relevant.mean,), (nonrelevant.mean,)


def _exponential_normal(relevant: Moments, nonrelevant: Moments, shared: str | None) -> Parameters:
    return (relevant.mean, np.sqrt(relevant.variance)), (nonrelevant.mean,)


def _same(
    distribution: Distribution,
    constraints: tuple[str, ...],
    least: str,
    by_moments: Fit,
    by_likelihood: Fit,
) -> Family:
    return Family(
        distribution.name,
        distribution,
        distribution,
        constraints,
        least,
        by_moments,
        by_likelihood,
    )


#: All families by name.
FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        _same(GAMMA, ("scale", "shape"), "zero", _gamma_moments, _gamma_likelihood),
        _same(LOGNORMAL, ("sigma",), "positive", _lognormal_moments, _lognormal_likelihood),
        _same(NORMAL, ("sigma",), "any", _normal_moments, _normal_likelihood),
        _same(EXPONENTIAL, (), "zero", _means, _means),
        _same(POISSON, (), "whole", _means, _means),
        Family(
            "exponential-normal",
            NORMAL,
            EXPONENTIAL,
            (),
            "zero",
            _exponential_normal,
            _exponential_normal,
        ),
    )
}
