"""Kernel-smoothed distributions of continuous scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import factorial, pi, sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bayescorr._numbers import FloatArray
from bayescorr.errors import choose
from bayescorr.simulation.margins import Margin, inner

_GRID = 2049
_FAR = 7.0  # bandwidths beyond the data; the probability further out is below 1e-12
_CROWD = np.geomspace(1e-9, 0.05, 350)
_CENTRE_OF_KERNEL = 1 / sqrt(2 * pi)
_ROUGHNESS = 1 / (2 * sqrt(pi))  # of the Gaussian kernel


@dataclass(frozen=True, eq=False, repr=False)
class NormalKernelMargin(Margin):
    r"""Gaussian kernel estimate, truncated to [low, high] and scaled to integrate to 1.

    .. math:: F(x) = \frac{\hat F(x) - \hat F(low)}{\hat F(high) - \hat F(low)}, \quad
       \hat F(x) = \frac 1 n \sum_i \Phi\left(\frac{x - x_i}{h}\right)

    The cdf is exact. Quantiles are interpolated in a table of at least 2,049 points, linearly on
    the scale of normal quantiles; their error is below 1e-5 of the range of the data.
    """

    name: ClassVar[str] = "normal-kernel"
    data: FloatArray
    bandwidth: float
    low: float = 0.0
    high: float = 1.0

    @classmethod
    def fit(cls, x: FloatArray) -> NormalKernelMargin:
        """Fit to a sample on [0, 1] with the plug-in bandwidth for a density."""
        return cls(x, kernel_bandwidth(x, "density"))

    @cached_property
    def df(self) -> float:  # type: ignore[override]
        """Effective degrees of freedom: the mean share of observations in their own density."""
        return float(np.mean(_CENTRE_OF_KERNEL / self.bandwidth / self._kernel_density(self.data)))

    @cached_property
    def _ends(self) -> tuple[float, float, float]:
        below, above = float(self._below(self.low)), float(self._below(self.high, -1))
        return below, above, 1 - below - above

    def _distances(self, x: ArrayLike) -> FloatArray:
        """Return distances from each observation in bandwidths, points by observations."""
        distances = np.asarray(x, dtype=float)[..., None] - self.data
        return np.asarray(distances / self.bandwidth)

    def _below(self, x: ArrayLike, sign: int = 1) -> FloatArray:
        """Return the smoothed share of observations below ``x``; above it with sign -1."""
        return np.asarray(special.ndtr(sign * self._distances(x)).mean(axis=-1))

    def _kernel_density(self, x: ArrayLike) -> FloatArray:
        t = self._distances(x)
        return np.asarray(np.exp(-t * t / 2).mean(axis=-1) * _CENTRE_OF_KERNEL / self.bandwidth)

    def density(self, x: ArrayLike) -> FloatArray:
        """Return the density at ``x``."""
        x = np.asarray(x, dtype=float)
        inside = (x >= self.low) & (x <= self.high)
        return np.where(inside, self._kernel_density(x) / self._ends[2], 0.0)

    def cdf(self, x: ArrayLike) -> FloatArray:
        """Return the probability of a score of at most ``x``."""
        inside = np.clip(np.asarray(x, dtype=float), self.low, self.high)
        below, _, mass = self._ends
        return np.clip((self._below(inside) - below) / mass, 0, 1)

    @cached_property
    def _table(self) -> tuple[FloatArray, FloatArray]:
        """Scores and their normal quantiles, each tail computed from its own end."""
        reach = _FAR * self.bandwidth
        first, last = self.data.min() - reach, self.data.max() + reach
        x = np.linspace(max(self.low, first), min(self.high, last), _GRID)
        # Normal quantiles diverge where the density is cut off, so points must be dense there.
        crowd = _CROWD * (x[-1] - x[0])
        left = self.low + crowd if first < self.low else []
        right = self.high - crowd if last > self.high else []
        # Narrow kernels need points of their own.
        near = np.unique(self.data)[:, None] + self.bandwidth * np.linspace(-5, 5, 201)
        near = near[(near > x[0]) & (near < x[-1])]
        x = np.sort(np.concatenate([left, x, near, right]))
        below, above, mass = self._ends
        p = (self._below(x) - below) / mass
        upper = p > 0.5
        q = (self._below(x[upper], -1) - above) / mass
        with np.errstate(divide="ignore"):
            z = special.ndtri(np.clip(p, 0, 0.5))
            z[upper] = -special.ndtri(np.clip(q, 0, 0.5))
        return np.maximum.accumulate(np.clip(z, -40, 40)), x

    def normal_quantile(self, z: ArrayLike) -> FloatArray:
        """Return the quantile at the standard normal probability of ``z``."""
        return np.asarray(np.interp(np.asarray(z, dtype=float), *self._table))[()]

    def quantile(self, p: ArrayLike) -> FloatArray:
        """Return the score whose cdf is ``p``."""
        p = np.asarray(p, dtype=float)
        scores = self.normal_quantile(special.ndtri(p))
        return np.where(p <= 0, self.low, np.where(p >= 1, self.high, scores))[()]


@dataclass(frozen=True, eq=False, repr=False)
class BetaKernelMargin(Margin):
    r"""Beta kernel estimate (Chen, 1999), scaled to integrate to 1.

    .. math:: \hat f(x) = \frac 1 n \sum_i
       \mathrm{Beta}\left(x_i; \frac x b + 1, \frac{1 - x} b + 1\right), \quad b = n^{-2/5}
    """

    name: ClassVar[str] = "beta-kernel"
    data: FloatArray
    bandwidth: float

    @classmethod
    def fit(cls, x: FloatArray) -> BetaKernelMargin:
        """Fit to a sample with bandwidth n^(-2/5)."""
        return cls(x, float(len(x) ** -0.4))

    def _kernel(self, x: FloatArray, data: FloatArray) -> FloatArray:
        first, second = x / self.bandwidth, (1 - x) / self.bandwidth
        logs = first * np.log(data) + second * np.log1p(-data)
        return np.asarray(np.exp(logs - special.betaln(first + 1, second + 1)))

    def _kernel_density(self, x: ArrayLike) -> FloatArray:
        points = np.asarray(x, dtype=float)[..., None]
        return np.asarray(self._kernel(points, inner(self.data)).mean(axis=-1))

    @cached_property
    def df(self) -> float:  # type: ignore[override]
        """Effective degrees of freedom: the mean share of observations in their own density."""
        inside = inner(self.data)
        return float(np.mean(self._kernel(inside, inside) / self._kernel_density(inside)))

    @cached_property
    def _table(self) -> tuple[FloatArray, FloatArray, float]:
        x = np.linspace(0, 1, _GRID)
        density = self._kernel_density(x)
        p = np.append(0.0, np.cumsum((density[1:] + density[:-1]) / 2 * (x[1] - x[0])))
        return x, p / p[-1], float(p[-1])

    def density(self, x: ArrayLike) -> FloatArray:
        """Return the density at ``x``."""
        x = np.asarray(x, dtype=float)
        inside = (x >= 0) & (x <= 1)
        return np.where(inside, self._kernel_density(np.clip(x, 0, 1)) / self._table[2], 0.0)

    def cdf(self, x: ArrayLike) -> FloatArray:
        """Return the probability of a score of at most ``x``."""
        grid, p, _ = self._table
        return np.asarray(np.interp(np.asarray(x, dtype=float), grid, p))[()]

    def quantile(self, p: ArrayLike) -> FloatArray:
        """Return the score whose cdf is ``p``."""
        grid, values, _ = self._table
        return np.asarray(np.interp(np.asarray(p, dtype=float), values, grid))[()]


def kernel_bandwidth(x: FloatArray, target: str = "cdf") -> float:
    r"""Return the bandwidth of a Gaussian kernel by two stages of direct plug-in.

    With :math:`\psi_r = \int f^{(r)} f`, the bandwidths that minimise the asymptotic error are
    :math:`(2 R / (-\psi_2 n))^{1/3}` for the cdf (Polansky & Baker, 2000) and
    :math:`(R / (\psi_4 n))^{1/5}` for the density (Wand & Jones, 1995, section 3.6), where
    :math:`R = 1 / (2 \sqrt \pi)`. Each :math:`\psi_r` is estimated with a kernel whose bandwidth
    needs :math:`\psi_{r + 2}`. The last one is that of a normal distribution with the standard
    deviation of the sample (for a density, or its interquartile range / 1.349 if smaller).

    This function is exact. :func:`bayescorr.frequentist.bandwidth.plugin_bandwidth` has the density
    rule only and bins the sample as R does, for speed over many pairs of systems.
    """
    order = {"cdf": 2, "density": 4}[choose(target, ("cdf", "density"), "target of a bandwidth")]
    size = len(x)
    differences = np.subtract.outer(x, x)
    scale = float(np.std(x, ddof=1))
    low, high = np.quantile(x, (0.25, 0.75))
    if order == 4 and high > low:
        scale = min(scale, float(high - low) / 1.349)
    top = order + 4  # two stages
    functional = (-1) ** (top // 2) * factorial(top)
    functional /= (2 * scale) ** (top + 1) * factorial(top // 2) * sqrt(pi)
    for r in range(top - 2, order - 1, -2):
        peak = float(_hermite(r, np.zeros(1))[0]) / sqrt(2 * pi)
        pilot = (2 * abs(peak) / (abs(functional) * size)) ** (1 / (r + 3))
        t = differences / pilot
        kernel = _hermite(r, t) * np.exp(-t * t / 2) / (sqrt(2 * pi) * pilot ** (r + 1))
        functional = float(kernel.mean())
    if order == 2:
        return float((2 * _ROUGHNESS / (-functional * size)) ** (1 / 3))
    return float((_ROUGHNESS / (functional * size)) ** (1 / 5))


def _hermite(r: int, t: FloatArray) -> FloatArray:
    """Return the probabilists' Hermite polynomial of order r."""
    return np.asarray(np.polynomial.hermite_e.hermeval(t, [0.0] * r + [1.0]), dtype=np.float64)
