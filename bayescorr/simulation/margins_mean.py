"""Margins transformed to have a given expected value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize

from bayescorr._numbers import FloatArray
from bayescorr.errors import OptionError
from bayescorr.simulation.margins import Margin
from bayescorr.simulation.margins_discrete import DiscreteMargin

_LARGEST_LOG_POWER = 30.0  # the mean then lies at an end of the range


class _Powered(Margin):
    """A margin with cdf F^a to raise the mean, or 1 - (1 - F)^b to lower it."""

    base: Margin
    log_power: float
    _kept: ClassVar[tuple[str, ...]] = ("df", "low", "high")

    def __post_init__(self) -> None:
        for name in self._kept:
            object.__setattr__(self, name, getattr(self.base, name))

    def _bend(self, p: ArrayLike, *, invert: bool = False) -> FloatArray:
        """Transform probabilities of the base margin, or invert the transformation."""
        power = np.exp(-abs(self.log_power) if invert else abs(self.log_power))
        p = np.asarray(p, dtype=float)
        with np.errstate(divide="ignore"):
            return np.asarray(p**power if self.log_power >= 0 else -np.expm1(power * np.log1p(-p)))


@dataclass(frozen=True, eq=False, repr=False)
class MeanMargin(_Powered):
    r"""A continuous margin whose cdf is raised to a power, to have a given mean.

    The cdf is :math:`F(x)^a` with a > 1 to raise the mean, :math:`1 - (1 - F(x))^b` with b > 1 to
    lower it: the Beta(a, 1) or Beta(1, b) cdf of F(x), after Urbano & Nagler (2018). ``log_power``
    is log(a) or -log(b).
    """

    name: ClassVar[str] = "mean"
    base: Margin
    log_power: float

    def density(self, x: ArrayLike) -> FloatArray:
        """Return the density at ``x``."""
        p = self.base.cdf(x)
        kept = p if self.log_power >= 0 else 1 - p
        power = np.exp(abs(self.log_power))
        return np.asarray(power * kept ** (power - 1) * self.base.density(x))

    def cdf(self, x: ArrayLike) -> FloatArray:
        """Return the probability of a score of at most ``x``."""
        return self._bend(self.base.cdf(x))

    @cached_property
    def _nodal_cdf(self) -> FloatArray:
        return self._bend(self.base._nodal_cdf)

    def quantile(self, p: ArrayLike) -> FloatArray:
        """Return the score whose cdf is ``p``."""
        return self.base.quantile(self._bend(p, invert=True))


@dataclass(frozen=True, eq=False, repr=False)
class DiscreteMeanMargin(_Powered, DiscreteMargin):
    """A discrete margin whose cdf is raised to a power; see :class:`MeanMargin`."""

    name: ClassVar[str] = "discrete-mean"
    base: DiscreteMargin
    log_power: float
    _kept: ClassVar[tuple[str, ...]] = ("df", "support")

    @cached_property
    def probabilities(self) -> FloatArray:
        """Probability of each point of the support."""
        return np.diff(self._bend(self.base.steps), prepend=0.0)


def match_mean(margin: Margin, mean: float) -> Margin:
    """Transform a margin, or the base of a transformed margin, to a mean."""
    base = margin.base if isinstance(margin, _Powered) else margin
    if not base.low < mean < base.high:
        raise OptionError(f"The mean must be between {base.low} and {base.high}; got {mean}.")
    kind = DiscreteMeanMargin if isinstance(base, DiscreteMargin) else MeanMargin

    def excess(log_power: float) -> float:
        return kind(base, log_power).mean - mean  # type: ignore[arg-type]

    bound = 1.0
    while excess(-bound) > 0 or excess(bound) < 0:
        if bound > _LARGEST_LOG_POWER:
            raise OptionError(
                f"The margin cannot have a mean of {mean}: it gives no probability to such scores.",
                "Choose a mean within the observed scores, or a smoother margin.",
            )
        bound *= 2
    power = optimize.brentq(excess, -bound, bound, xtol=1e-12, rtol=1e-12)
    return kind(base, float(power))  # type: ignore[arg-type]
