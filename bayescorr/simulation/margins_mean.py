"""Margins transformed to have a prescribed expected value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize

from bayescorr._numbers import FloatArray
from bayescorr.errors import OptionError
from bayescorr.simulation.margins import Margin, check_mean
from bayescorr.simulation.margins_discrete import DiscreteMargin

_LARGEST_POWER = 30.0  # its natural logarithm: by then the mean lies at an end of the range


class _Powered:
    """How a cdf is bent by the power a > 0 (up, F^a) or b (down, 1 - (1 - F)^b)."""

    base: Margin
    log_power: float

    def _bend(self, p: ArrayLike) -> FloatArray:
        return self._raise(p, np.exp(abs(self.log_power)))

    def _unbend(self, p: ArrayLike) -> FloatArray:
        return self._raise(p, np.exp(-abs(self.log_power)))

    def _raise(self, p: ArrayLike, power: float) -> FloatArray:
        p = np.asarray(p, dtype=float)
        with np.errstate(divide="ignore"):
            return np.asarray(p**power if self.log_power >= 0 else -np.expm1(power * np.log1p(-p)))

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters by name, as plain numbers and lists."""
        from bayescorr.simulation.fitting import margin_to_dict

        return {
            "family": self.name,  # type: ignore[attr-defined]
            "base": margin_to_dict(self.base),
            "log_power": self.log_power,
        }

    @classmethod
    def from_dict(cls, parameters: dict[str, Any]) -> Self:
        """Make a margin again from the parameters that ``to_dict`` gave."""
        from bayescorr.simulation.fitting import margin_from_dict

        return cls(margin_from_dict(parameters["base"]), parameters["log_power"])  # type: ignore[call-arg]


@dataclass(frozen=True, eq=False, repr=False)
class MeanMargin(_Powered, Margin):
    r"""A continuous margin whose cdf is raised to a power, so that its mean is what was asked for.

    The cdf is :math:`F(x)^a` with a > 1 to raise the mean, :math:`1 - (1 - F(x))^b` with b > 1 to
    lower it: the Beta(a, 1) or Beta(1, b) cdf of F(x), after Urbano & Nagler (2018).

    Parameters
    ----------
    base : Margin
        The margin to transform.
    log_power : float
        The logarithm of a, or minus the logarithm of b.
    """

    name: ClassVar[str] = "mean"
    base: Margin
    log_power: float

    @property
    def df(self) -> float:  # type: ignore[override]
        """Degrees of freedom of the margin that was transformed."""
        return self.base.df

    @property
    def low(self) -> float:  # type: ignore[override]
        """Lowest possible score."""
        return self.base.low

    @property
    def high(self) -> float:  # type: ignore[override]
        """Highest possible score."""
        return self.base.high

    def density(self, x: ArrayLike) -> FloatArray:
        """Density at ``x``."""
        p = self.base.cdf(x)
        kept = p if self.log_power >= 0 else 1 - p
        power = np.exp(abs(self.log_power))
        return np.asarray(power * kept ** (power - 1) * self.base.density(x))

    def cdf(self, x: ArrayLike) -> FloatArray:
        """Probability of a score of at most ``x``."""
        return self._bend(self.base.cdf(x))

    @cached_property
    def _nodal_cdf(self) -> FloatArray:
        return self._bend(self.base._nodal_cdf)

    def quantile(self, p: ArrayLike) -> FloatArray:
        """Score below which there is the probability ``p``."""
        return self.base.quantile(self._unbend(p))


@dataclass(frozen=True, eq=False, repr=False)
class DiscreteMeanMargin(_Powered, DiscreteMargin):
    """A discrete margin whose cdf is raised to a power; see :class:`MeanMargin`."""

    name: ClassVar[str] = "discrete-mean"
    base: DiscreteMargin
    log_power: float

    @property
    def df(self) -> float:  # type: ignore[override]
        """Degrees of freedom of the margin that was transformed."""
        return self.base.df

    @property
    def support(self) -> FloatArray:  # type: ignore[override]
        """Scores that are possible."""
        return self.base.support

    @cached_property
    def probabilities(self) -> FloatArray:
        """Probability of each point of the support."""
        return np.diff(self._bend(self.base.steps), prepend=0.0)


def match_mean(margin: Margin, mean: float) -> Margin:
    """Transform a margin so that its expected value is ``mean``.

    Parameters
    ----------
    margin : Margin
        Any margin; one that was transformed before is transformed anew.
    mean : float
        Strictly between the lowest and the highest score.

    Examples
    --------
    >>> from bayescorr.simulation.margins import NormalMargin
    >>> round(match_mean(NormalMargin(0.3, 0.2), 0.25).mean, 6)
    0.25
    """
    base = margin.base if isinstance(margin, _Powered) else margin
    mean = check_mean(base, mean)
    kind = DiscreteMeanMargin if isinstance(base, DiscreteMargin) else MeanMargin

    def excess(log_power: float) -> float:
        return kind(base, log_power).mean - mean  # type: ignore[arg-type]

    bound = 1.0
    while excess(-bound) > 0 or excess(bound) < 0:
        if bound > _LARGEST_POWER:
            raise OptionError(
                f"A mean of {mean} was asked for, but scores so far out have no probability.",
                "Ask for a mean inside the range of the scores, or choose a smoother margin.",
            )
        bound *= 2
    power = optimize.brentq(excess, -bound, bound, xtol=1e-12, rtol=1e-12)
    return kind(base, float(power))  # type: ignore[arg-type]
