r"""The distributions that score models are made of, in the form of an exponential family.

Every one of them has the log density

.. math:: \log f(s) = h(s) + \sum_j \eta_j T_j(s) - A

with statistics :math:`T_j` among :math:`s, \log s, s^2, \log^2 s`. That one form gives densities,
the log ratio of two of them without infinities at a score of 0, and likelihoods from sums over the
documents instead of the documents themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from bayescorr._numbers import FloatArray

#: The statistics T_j, in this order wherever coefficients are kept in an array.
STATISTICS = ("s", "log_s", "s_squared", "log_s_squared")
_S, _LOG, _SQUARE, _LOG_SQUARE = range(4)
_LOG_ROOT_2PI = 0.5 * np.log(2 * np.pi)


@dataclass(frozen=True)
class Distribution:
    r"""A distribution of scores; its functions take parameters as arrays that broadcast.

    Attributes
    ----------
    name : str
        Name of the distribution.
    parameters : tuple of str
        Names of the parameters, in the order in which functions take them.
    lower : float
        Lowest score that the distribution supports: 0 or minus infinity.
    discrete : bool
        Whether only whole scores are supported.
    natural : callable
        Coefficients of the statistics and the constant A, from the parameters.
    survival : callable
        :math:`P(S > s)`, or :math:`P(S \ge s)` for a discrete distribution.
    upper_quantile : callable
        The score that is exceeded with a given probability.
    """

    name: str
    parameters: tuple[str, ...]
    lower: float
    discrete: bool
    natural: Callable[..., tuple[dict[int, Any], Any]]
    survival: Callable[..., FloatArray]
    upper_quantile: Callable[..., FloatArray]

    def coefficients(self, *parameters: Any) -> tuple[list[Any], Any]:
        """Coefficients of all four :data:`STATISTICS` (0 where one plays no part), and A."""
        found, constant = self.natural(*parameters)
        return [found.get(j, 0.0) for j in range(len(STATISTICS))], constant

    def log_density(self, s: Any, *parameters: Any) -> FloatArray:
        """Log density at ``s``; minus infinity outside of the support.

        Examples
        --------
        >>> float(np.exp(EXPONENTIAL.log_density(2.0, 2.0)).round(4))
        0.1839
        """
        s = np.asarray(s, float)
        coefficients, constant = self.coefficients(*parameters)
        inside = s >= self.lower
        # Outside of the support any score does: the result is masked.
        value = linear(coefficients, constant, np.where(inside, s, 1.0))
        if self.discrete:
            value = value - special.gammaln(np.where(inside, s, 1.0) + 1)
        return np.where(inside, value, -np.inf)


def linear(coefficients: list[Any], constant: Any, s: Any) -> FloatArray:
    """Sum of the coefficients times the statistics of ``s``, less the constant.

    Examples
    --------
    >>> float(linear([2.0, 1.0, 0.0, 0.0], 1.0, 1.0))
    1.0
    """
    value = -np.asarray(constant, float)
    if _used(coefficients[_S]):
        value = value + coefficients[_S] * s
    if _used(coefficients[_LOG]) and not _used(coefficients[_LOG_SQUARE]):
        value = value + special.xlogy(coefficients[_LOG], s)
    if _used(coefficients[_SQUARE]):
        value = value + coefficients[_SQUARE] * s * s
    if _used(coefficients[_LOG_SQUARE]):
        # b log s + c log^2 s, which is minus infinity at 0 as the square outweighs the rest.
        with np.errstate(divide="ignore"):
            log_s = np.log(s)
        finite = np.where(np.isfinite(log_s), log_s, 0.0)
        quadratic = finite * (coefficients[_LOG] + coefficients[_LOG_SQUARE] * finite)
        value = value + np.where(np.isfinite(log_s), quadratic, -np.inf)
    return np.asarray(value)


def _used(coefficient: Any) -> bool:
    return not (np.ndim(coefficient) == 0 and coefficient == 0)


def _gamma(shape: Any, scale: Any) -> tuple[dict[int, Any], Any]:
    return {_S: -1 / scale, _LOG: shape - 1}, special.gammaln(shape) + shape * np.log(scale)


def _exponential(scale: Any) -> tuple[dict[int, Any], Any]:
    return {_S: -1 / scale}, np.log(scale)


def _poisson(rate: Any) -> tuple[dict[int, Any], Any]:
    return {_S: np.log(rate)}, rate


def _normal(mu: Any, sigma: Any) -> tuple[dict[int, Any], Any]:
    constant = 0.5 * (mu / sigma) ** 2 + np.log(sigma) + _LOG_ROOT_2PI
    return {_S: mu / sigma**2, _SQUARE: -0.5 / sigma**2}, constant


def _lognormal(mu: Any, sigma: Any) -> tuple[dict[int, Any], Any]:
    found, constant = _normal(mu, sigma)
    return {_LOG: found[_S] - 1, _LOG_SQUARE: found[_SQUARE]}, constant


def _log(s: Any) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.maximum(s, 0.0)))


GAMMA = Distribution(
    "gamma",
    ("shape", "scale"),
    0.0,
    False,
    _gamma,
    lambda s, shape, scale: special.gammaincc(shape, np.maximum(s, 0.0) / scale),
    lambda p, shape, scale: scale * special.gammainccinv(shape, p),
)
LOGNORMAL = Distribution(
    "lognormal",
    ("mu", "sigma"),
    0.0,
    False,
    _lognormal,
    lambda s, mu, sigma: special.ndtr((mu - _log(s)) / sigma),
    lambda p, mu, sigma: np.exp(mu - sigma * special.ndtri(p)),
)
NORMAL = Distribution(
    "normal",
    ("mu", "sigma"),
    -np.inf,
    False,
    _normal,
    lambda s, mu, sigma: special.ndtr((mu - s) / sigma),
    lambda p, mu, sigma: mu - sigma * special.ndtri(p),
)
EXPONENTIAL = Distribution(
    "exponential",
    ("scale",),
    0.0,
    False,
    _exponential,
    lambda s, scale: np.exp(-np.maximum(s, 0.0) / scale),
    lambda p, scale: -scale * np.log(p),
)
POISSON = Distribution(
    "poisson",
    ("rate",),
    0.0,
    True,
    _poisson,
    lambda s, rate: np.where(s > 0, special.gammainc(np.maximum(np.ceil(s), 1e-300), rate), 1.0),
    lambda p, rate: np.ceil(special.pdtrik(1 - p, rate)),
)
