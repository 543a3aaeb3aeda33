"""Distributions of the scores of one system: what they have in common, and the parametric ones.

They follow Urbano & Nagler (2018), whose R package simIReff has the same families.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special, stats

from bayescorr._numbers import FloatArray
from bayescorr._optional import require
from bayescorr.errors import OptionError
from bayescorr.simulation._quadrature import unit_rule

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_EDGE = 1e-6


class Margin(ABC):
    """Distribution of the scores of one system.

    A margin of your own needs ``low``, ``high``, ``df``, ``density``, ``cdf`` and ``quantile``;
    the rest follows.
    """

    name: ClassVar[str]
    df: float
    low: float = 0.0
    high: float = 1.0

    @abstractmethod
    def density(self, x: ArrayLike) -> FloatArray:
        """Density at ``x``, or the probability of ``x`` if the distribution is discrete."""

    @abstractmethod
    def cdf(self, x: ArrayLike) -> FloatArray:
        """Probability of a score of at most ``x``."""

    @abstractmethod
    def quantile(self, p: ArrayLike) -> FloatArray:
        """Smallest score whose cdf is at least ``p``."""

    def normal_quantile(self, z: ArrayLike) -> FloatArray:
        """Quantile at the probability that a standard normal variable is below ``z``."""
        return self.quantile(special.ndtr(np.asarray(z, dtype=float)))

    @cached_property
    def mean(self) -> float:
        """Expected score, by quadrature of the cdf."""
        return self._moments[0]

    @cached_property
    def variance(self) -> float:
        """Variance of the scores, by quadrature of the cdf."""
        return self._moments[1]

    @cached_property
    def _moments(self) -> tuple[float, float]:
        x, _, weights = unit_rule()
        width = self.high - self.low
        survival = 1 - self._nodal_cdf
        first = width * float(weights @ survival)
        second = 2 * width**2 * float(weights @ (x * survival))
        return self.low + first, second - first**2

    @cached_property
    def _nodal_cdf(self) -> FloatArray:
        """Cdf at the nodes of the quadrature, kept because it is what costs."""
        x, rest, _ = unit_rule()
        width = self.high - self.low
        return self.cdf(np.where(x < 0.5, self.low + width * x, self.high - width * rest))

    def log_likelihood(self, x: ArrayLike) -> float:
        """Sum of the log-densities of a sample."""
        with np.errstate(divide="ignore"):
            return float(np.log(self.density(x)).sum())

    def aic(self, x: ArrayLike) -> float:
        """Akaike's information criterion, 2 df - 2 log-likelihood: lower is better."""
        return 2 * self.df - 2 * self.log_likelihood(x)

    def bic(self, x: ArrayLike) -> float:
        """Bayesian information criterion, log(n) df - 2 log-likelihood: lower is better."""
        return float(np.log(np.size(x)) * self.df - 2 * self.log_likelihood(x))

    def with_mean(self, mean: float) -> Margin:
        """Transform the distribution so that its expected value is ``mean``.

        See :class:`bayescorr.simulation.margins_mean.MeanMargin`.

        Examples
        --------
        >>> round(BetaMargin(2.0, 5.0).with_mean(0.4).mean, 6)
        0.4
        """
        from bayescorr.simulation.margins_mean import match_mean

        return match_mean(self, mean)

    def plot(self, data: ArrayLike | None = None, ax: Axes | None = None) -> Axes:
        """Draw the cdf, over the empirical cdf of ``data`` if given."""
        if ax is None:
            ax = require("matplotlib.pyplot", extra="report").subplots()[1]
        if data is not None:
            ax.ecdf(np.asarray(data, dtype=float), color="0.6", label="observed")
        x = np.linspace(self.low, self.high, 1001)
        ax.plot(x, self.cdf(x), label=self.name)
        ax.set(xlabel="score", ylabel="cumulative probability", xlim=(self.low, self.high))
        ax.legend()
        return ax

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters by name, as plain numbers and lists."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {"family": self.name} | {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in values.items()
        }

    @classmethod
    def from_dict(cls, parameters: dict[str, Any]) -> Self:
        """Make a margin again from the parameters that ``to_dict`` gave."""
        return cls(**parameters)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(mean={self.mean:.4f}, df={self.df:.2f})"


@dataclass(frozen=True, eq=False, repr=False)
class PointMargin(Margin):
    """A system that has the same score on every topic.

    Examples
    --------
    >>> PointMargin(0.25).quantile([0.1, 0.9])
    array([0.25, 0.25])
    """

    name: ClassVar[str] = "point"
    value: float
    df: float = 1.0

    def density(self, x: ArrayLike) -> FloatArray:
        """Probability of ``x``."""
        return np.asarray(np.isclose(np.asarray(x, dtype=float), self.value), dtype=float)

    def cdf(self, x: ArrayLike) -> FloatArray:
        """Probability of a score of at most ``x``."""
        return (np.asarray(x, dtype=float) >= self.value).astype(float)

    def quantile(self, p: ArrayLike) -> FloatArray:
        """Return the one score there is."""
        return np.full(np.shape(p), self.value)

    @cached_property
    def _moments(self) -> tuple[float, float]:
        return self.value, 0.0

    def with_mean(self, mean: float) -> Margin:
        """Move the score to ``mean``."""
        return PointMargin(float(mean), self.df)


@dataclass(frozen=True, eq=False, repr=False)
class NormalMargin(Margin):
    """Normal distribution truncated to [0, 1], fitted by maximum likelihood.

    Examples
    --------
    >>> margin = NormalMargin(0.4, 0.1)
    >>> margin.quantile(0.5).round(4)
    np.float64(0.4)
    """

    name: ClassVar[str] = "normal"
    mu: float
    sigma: float
    df: float = 2.0

    @classmethod
    def fit(cls, x: FloatArray) -> NormalMargin:
        """Fit to a sample; sigma is at least .01, so that equal scores keep some spread."""
        first, second = float(x.mean()), float((x**2).mean())

        def loss(parameters: FloatArray) -> float:
            mu, sigma = parameters[0], np.exp(parameters[1])
            squares = second - 2 * mu * first + mu**2
            mass = _log_normal_mass(-mu / sigma, (1 - mu) / sigma)
            return float(parameters[1] + squares / (2 * sigma**2) + mass)

        start = np.array([first, np.log(max(float(x.std()), 0.02))])
        fitted = minimise(loss, start, [(-10.0, 11.0), (np.log(0.01), np.log(5.0))])
        return cls(float(fitted[0]), float(np.exp(fitted[1])))

    @cached_property
    def _frozen(self) -> Any:
        ends = (np.array([0.0, 1.0]) - self.mu) / self.sigma
        return stats.truncnorm(*ends, loc=self.mu, scale=self.sigma)

    @cached_property
    def _moments(self) -> tuple[float, float]:
        mean, variance = self._frozen.stats("mv")
        return float(mean), float(variance)

    def density(self, x: ArrayLike) -> FloatArray:
        """Density at ``x``."""
        return np.asarray(self._frozen.pdf(x), dtype=float)

    def cdf(self, x: ArrayLike) -> FloatArray:
        """Probability of a score of at most ``x``."""
        return np.asarray(self._frozen.cdf(x), dtype=float)[()]

    def quantile(self, p: ArrayLike) -> FloatArray:
        """Score below which there is the probability ``p``."""
        return np.asarray(self._frozen.ppf(p), dtype=float)[()]


def _log_normal_mass(low: float, high: float) -> float:
    """Log of the standard normal probability between two points, also far in a tail."""
    if low > 0:
        low, high = -high, -low
    upper = special.log_ndtr(high)
    return float(upper + np.log1p(-np.exp(special.log_ndtr(low) - upper)))


@dataclass(frozen=True, eq=False, repr=False)
class BetaMargin(Margin):
    """Beta distribution, fitted by maximum likelihood; scores of 0 and 1 are moved in by 1e-6.

    Examples
    --------
    >>> round(BetaMargin(2.0, 6.0).mean, 4)
    0.25
    """

    name: ClassVar[str] = "beta"
    a: float
    b: float
    df: float = 2.0

    @classmethod
    def fit(cls, x: FloatArray) -> BetaMargin:
        """Fit to a sample."""
        inside = inner(x)
        logs = float(np.log(inside).mean()), float(np.log1p(-inside).mean())

        def loss(parameters: FloatArray) -> float:
            a, b = np.exp(parameters)
            return float(special.betaln(a, b) - (a - 1) * logs[0] - (b - 1) * logs[1])

        mean, spread = float(inside.mean()), max(float(inside.var()), 1e-6)
        total = max(mean * (1 - mean) / spread - 1, 0.1)
        start = np.log([mean * total, (1 - mean) * total])
        fitted = minimise(loss, start, [(np.log(1e-3), np.log(1e5))] * 2)
        return cls(*np.exp(fitted).tolist())

    @cached_property
    def _moments(self) -> tuple[float, float]:
        total = self.a + self.b
        return self.a / total, self.a * self.b / (total**2 * (total + 1))

    def density(self, x: ArrayLike) -> FloatArray:
        """Density at ``x``."""
        inside = inner(np.asarray(x, dtype=float))
        logs = (self.a - 1) * np.log(inside) + (self.b - 1) * np.log1p(-inside)
        return np.asarray(np.exp(logs - special.betaln(self.a, self.b)))

    def cdf(self, x: ArrayLike) -> FloatArray:
        """Probability of a score of at most ``x``."""
        return np.asarray(special.betainc(self.a, self.b, np.clip(x, 0, 1)))[()]

    def quantile(self, p: ArrayLike) -> FloatArray:
        """Score below which there is the probability ``p``."""
        return np.asarray(special.betaincinv(self.a, self.b, p))[()]


def minimise(
    loss: Callable[[FloatArray], float], start: FloatArray, bounds: list[tuple[float, float]]
) -> FloatArray:
    """Minimise a function of a few parameters within bounds, without its derivatives."""
    low, high = np.array(bounds).T
    options = {"xatol": 1e-6, "fatol": 1e-10, "maxiter": 1000}
    start = np.clip(start, low, high)
    found = optimize.minimize(loss, start, method="Nelder-Mead", bounds=bounds, options=options)
    return np.asarray(found.x, dtype=np.float64)


def inner(x: FloatArray) -> FloatArray:
    """Move scores of 0 and 1 in by 1e-6, where densities on (0, 1) are finite."""
    return np.clip(x, _EDGE, 1 - _EDGE)


def check_mean(margin: Margin, mean: float) -> float:
    """Return ``mean`` if the margin can have it."""
    if not margin.low < mean < margin.high:
        raise OptionError(
            f"A mean of {mean} was asked for, scores lie between {margin.low} and {margin.high}.",
            "Ask for a mean inside that range.",
        )
    return float(mean)
