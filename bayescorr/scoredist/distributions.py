r"""Distributions of scores, written as exponential families.

The log density of each distribution is

.. math:: \log f(s) = h(s) + \sum_j \eta_j T_j(s) - A

with statistics :math:`T_j` among :math:`s, \log s, s^2, \log^2 s`. This form gives the log ratio of
two densities without infinities at a score of 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from bayescorr._numbers import FloatArray

#: Coefficients of s, log s, s^2 and log^2 s, and the constant A.
Natural = tuple[list[Any], Any]

_LOG_ROOT_2PI = 0.5 * np.log(2 * np.pi)


@dataclass(frozen=True)
class Distribution:
    """A distribution of scores; its functions take arrays of parameters that broadcast."""

    name: str
    #: Names of the parameters, in the order in which functions take them.
    parameters: tuple[str, ...]
    #: The natural form, from the parameters.
    natural: Callable[..., Natural]
    #: P(S > s), or P(S >= s) for a discrete distribution.
    survival: Callable[..., FloatArray]
    #: The score that is exceeded with a given probability.
    upper_quantile: Callable[..., FloatArray]
    #: Lowest score that the distribution supports: 0 or minus infinity.
    lower: float = 0.0
    #: Whether the distribution supports only whole scores.
    discrete: bool = False

    def log_density(self, s: Any, *parameters: Any) -> FloatArray:
        """Return the log density at ``s``, which is minus infinity outside the support."""
        s = np.asarray(s, float)
        inside = s >= self.lower
        # The value outside the support is masked below, so any valid score will do there.
        s = np.where(inside, s, 1.0)
        value = linear(*self.natural(*parameters), s)
        if self.discrete:
            value = value - special.gammaln(s + 1)
        return np.where(inside, value, -np.inf)


def linear(coefficients: list[Any], constant: Any, s: Any) -> FloatArray:
    """Return the sum of coefficients times statistics of ``s``, minus the constant."""
    a, b, c, d = coefficients
    value = a * s - constant
    if not np.any(d):
        return np.asarray(value + special.xlogy(b, s) + c * s * s)
    # b log s + d log^2 s is minus infinity at 0, because the square dominates.
    with np.errstate(divide="ignore"):
        log_s = np.log(s)
    finite = np.where(np.isfinite(log_s), log_s, 0.0)
    return np.where(np.isfinite(log_s), value + finite * (b + d * finite), -np.inf)


def _gamma(shape: Any, scale: Any) -> Natural:
    constant = special.gammaln(shape) + shape * np.log(scale)
    return [-1 / scale, shape - 1, 0.0, 0.0], constant


def _normal(mu: Any, sigma: Any) -> Natural:
    constant = 0.5 * (mu / sigma) ** 2 + np.log(sigma) + _LOG_ROOT_2PI
    return [mu / sigma**2, 0.0, -0.5 / sigma**2, 0.0], constant


def _lognormal(mu: Any, sigma: Any) -> Natural:
    (linear, _, square, _), constant = _normal(mu, sigma)
    return [0.0, linear - 1, 0.0, square], constant


def _log(s: Any) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.maximum(s, 0.0)))


GAMMA = Distribution(
    "gamma",
    ("shape", "scale"),
    _gamma,
    lambda s, shape, scale: special.gammaincc(shape, np.maximum(s, 0.0) / scale),
    lambda p, shape, scale: scale * special.gammainccinv(shape, p),
)
LOGNORMAL = Distribution(
    "lognormal",
    ("mu", "sigma"),
    _lognormal,
    lambda s, mu, sigma: special.ndtr((mu - _log(s)) / sigma),
    lambda p, mu, sigma: np.exp(mu - sigma * special.ndtri(p)),
)
NORMAL = Distribution(
    "normal",
    ("mu", "sigma"),
    _normal,
    lambda s, mu, sigma: special.ndtr((mu - s) / sigma),
    lambda p, mu, sigma: mu - sigma * special.ndtri(p),
    lower=-np.inf,
)
EXPONENTIAL = Distribution(
    "exponential",
    ("scale",),
    lambda scale: ([-1 / scale, 0.0, 0.0, 0.0], np.log(scale)),
    lambda s, scale: np.exp(-np.maximum(s, 0.0) / scale),
    lambda p, scale: -scale * np.log(p),
)
POISSON = Distribution(
    "poisson",
    ("rate",),
    lambda rate: ([np.log(rate), 0.0, 0.0, 0.0], rate),
    lambda s, rate: np.where(s > 0, special.gammainc(np.maximum(np.ceil(s), 1e-300), rate), 1.0),
    lambda p, rate: np.ceil(special.pdtrik(1 - p, rate)),
    discrete=True,
)
