"""Distributions of the scores of one system: the base class and the parametric families.

The families are those of Urbano & Nagler (2018) and their R package simIReff.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special, stats

from bayescorr._numbers import FloatArray
from bayescorr._optional import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_EDGE = 1e-6


class Margin(ABC):
    """Distribution of the scores of one system.

    A subclass sets ``name``, ``df``, ``low`` and ``high`` and defines ``density``, ``cdf`` and
    ``quantile``. To offer it by name to :func:`fit_margins`, add a class method ``fit`` and a line
    to ``MARGINS`` in ``bayescorr/simulation/fitting.py``.
    """

    name: ClassVar[str]
    df: float
    low: float = 0.0
    high: float = 1.0

    @abstractmethod
    def density(self, x: ArrayLike) -> FloatArray:
        """Return the density at ``x``, or its probability for a discrete distribution."""

    @abstractmethod
    def cdf(self, x: ArrayLike) -> FloatArray:
        """Return the probability of a score of at most ``x``."""

    @abstractmethod
    def quantile(self, p: ArrayLike) -> FloatArray:
        """Return the smallest score whose cdf is at least ``p``."""

    @classmethod
    def candidates(cls, x: FloatArray, *support: FloatArray) -> list[Self]:
        """Return the fits to a sample among which :func:`select_margin` chooses."""
        return [cls.fit(x, *support)]  # type: ignore[attr-defined]

    def normal_quantile(self, z: ArrayLike) -> FloatArray:
        """Return the quantile at the standard normal probability of ``z``."""
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
        """Cdf at the nodes of the quadrature, cached because it is slow."""
        x, rest, _ = unit_rule()
        width = self.high - self.low
        return self.cdf(np.where(x < 0.5, self.low + width * x, self.high - width * rest))

    def log_likelihood(self, x: ArrayLike) -> float:
        """Return the sum of the log densities of a sample."""
        with np.errstate(divide="ignore"):
            return float(np.log(self.density(x)).sum())

    def aic(self, x: ArrayLike) -> float:
        """Return Akaike's information criterion, 2 df - 2 log-likelihood."""
        return 2 * self.df - 2 * self.log_likelihood(x)

    def bic(self, x: ArrayLike) -> float:
        """Return the Bayesian information criterion, log(n) df - 2 log-likelihood."""
        return float(np.log(np.size(x)) * self.df - 2 * self.log_likelihood(x))

    def with_mean(self, mean: float) -> Margin:
        """Return the distribution transformed to the expected value ``mean``."""
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
        """Return the parameters by name, as plain numbers, lists and dicts."""

        def plain(value: Any) -> Any:
            if isinstance(value, Margin):
                return value.to_dict()
            return value.tolist() if isinstance(value, np.ndarray) else value

        values = {f.name: plain(getattr(self, f.name)) for f in fields(self)}  # type: ignore[arg-type]
        return {"family": self.name, **values}

    def __repr__(self) -> str:
        return f"{type(self).__name__}(mean={self.mean:.4f}, df={self.df:.2f})"


@dataclass(frozen=True, eq=False, repr=False)
class PointMargin(Margin):
    """The distribution of a system with the same score on every topic."""

    name: ClassVar[str] = "point"
    value: float
    df: float = 1.0

    def density(self, x: ArrayLike) -> FloatArray:
        """Return the probability of ``x``."""
        return np.asarray(np.isclose(np.asarray(x, dtype=float), self.value), dtype=float)

    def cdf(self, x: ArrayLike) -> FloatArray:
        """Return the probability of a score of at most ``x``."""
        return (np.asarray(x, dtype=float) >= self.value).astype(float)

    def quantile(self, p: ArrayLike) -> FloatArray:
        """Return the constant score."""
        return np.full(np.shape(p), self.value)

    @cached_property
    def _moments(self) -> tuple[float, float]:
        return self.value, 0.0

    def with_mean(self, mean: float) -> Margin:
        """Move the score to ``mean``."""
        return PointMargin(float(mean), self.df)


@dataclass(frozen=True, eq=False, repr=False)
class NormalMargin(Margin):
    """Normal distribution truncated to [0, 1], fitted by maximum likelihood."""

    name: ClassVar[str] = "normal"
    mu: float
    sigma: float
    df: float = 2.0

    @classmethod
    def fit(cls, x: FloatArray) -> NormalMargin:
        """Fit to a sample; sigma is at least 0.01, so that equal scores keep some spread."""
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
        """Return the density at ``x``."""
        return np.asarray(self._frozen.pdf(x), dtype=float)

    def cdf(self, x: ArrayLike) -> FloatArray:
        """Return the probability of a score of at most ``x``."""
        return np.asarray(self._frozen.cdf(x), dtype=float)[()]

    def quantile(self, p: ArrayLike) -> FloatArray:
        """Return the score whose cdf is ``p``."""
        return np.asarray(self._frozen.ppf(p), dtype=float)[()]


def _log_normal_mass(low: float, high: float) -> float:
    """Return the log standard normal probability of an interval, accurate in the tails."""
    if low > 0:
        low, high = -high, -low
    upper = special.log_ndtr(high)
    return float(upper + np.log1p(-np.exp(special.log_ndtr(low) - upper)))


@dataclass(frozen=True, eq=False, repr=False)
class BetaMargin(Margin):
    """Beta distribution, fitted by maximum likelihood after moving 0 and 1 inwards by 1e-6."""

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
        """Return the density at ``x``."""
        inside = inner(np.asarray(x, dtype=float))
        logs = (self.a - 1) * np.log(inside) + (self.b - 1) * np.log1p(-inside)
        return np.asarray(np.exp(logs - special.betaln(self.a, self.b)))

    def cdf(self, x: ArrayLike) -> FloatArray:
        """Return the probability of a score of at most ``x``."""
        return np.asarray(special.betainc(self.a, self.b, np.clip(x, 0, 1)))[()]

    def quantile(self, p: ArrayLike) -> FloatArray:
        """Return the score whose cdf is ``p``."""
        return np.asarray(special.betaincinv(self.a, self.b, p))[()]


def minimise(
    loss: Callable[[FloatArray], float], start: FloatArray, bounds: list[tuple[float, float]]
) -> FloatArray:
    """Minimise a function of a few parameters within bounds, without derivatives."""
    low, high = np.array(bounds).T
    options = {"xatol": 1e-6, "fatol": 1e-10, "maxiter": 1000}
    start = np.clip(start, low, high)
    found = optimize.minimize(loss, start, method="Nelder-Mead", bounds=bounds, options=options)
    return np.asarray(found.x, dtype=np.float64)


def inner(x: FloatArray) -> FloatArray:
    """Move scores of 0 and 1 inwards by 1e-6, where densities on (0, 1) are finite."""
    return np.clip(x, _EDGE, 1 - _EDGE)


@cache
def unit_rule(size: int = 2001) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return nodes x, 1 - x and weights of the double-exponential rule on [0, 1].

    The trapezium rule in t under x = (1 + tanh(pi/2 sinh t)) / 2 (Takahasi & Mori, 1974) converges
    fast for smooth functions, even if their slope at 0 or 1 is infinite.
    """
    t = np.linspace(-4, 4, size)
    s = np.pi / 2 * np.sinh(t)
    x = 1 / (1 + np.exp(-2 * s))
    rest = 1 / (1 + np.exp(2 * s))
    return x, rest, (t[1] - t[0]) * np.pi * np.cosh(t) * x * rest
