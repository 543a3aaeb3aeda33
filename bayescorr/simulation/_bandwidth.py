"""Direct plug-in bandwidths of a Gaussian kernel, for a cdf or for a density."""

from __future__ import annotations

from math import factorial, pi, sqrt

import numpy as np

from bayescorr._numbers import FloatArray
from bayescorr.errors import choose

_KERNEL_ROUGHNESS = 1 / (2 * sqrt(pi))
_STAGES = 2


def kernel_bandwidth(x: FloatArray, target: str = "cdf") -> float:
    r"""Bandwidth of a Gaussian kernel by two stages of direct plug-in.

    With :math:`\psi_r = \int f^{(r)} f`, the bandwidths that minimise the asymptotic error are
    :math:`(2 R / (-\psi_2 n))^{1/3}` for the cdf (Polansky & Baker, 2000) and
    :math:`(R / (\psi_4 n))^{1/5}` for the density (Wand & Jones, 1995, section 3.6), where
    :math:`R = 1 / (2 \sqrt \pi)`. Each :math:`\psi_r` is estimated by a kernel whose bandwidth
    needs :math:`\psi_{r + 2}`; the last of them is that of a normal distribution with the standard
    deviation of the sample (for a density: or its interquartile range / 1.349, if smaller).

    Parameters
    ----------
    x : array
        A sample with at least two different values.
    target : {"cdf", "density"}
        What the kernel shall estimate.

    Examples
    --------
    >>> round(kernel_bandwidth(np.array([0.1, 0.2, 0.4, 0.5, 0.9])), 4)
    0.3168
    """
    order = {"cdf": 2, "density": 4}[choose(target, ("cdf", "density"), "target of a bandwidth")]
    size = len(x)
    differences = np.subtract.outer(x, x)
    top = order + 2 * _STAGES
    functional = _normal_functional(top, _scale(x, robust=order == 4))
    for r in range(top - 2, order - 1, -2):
        peak = float(_hermite(r, np.zeros(1))[0]) / sqrt(2 * pi)
        pilot = (2 * abs(peak) / (abs(functional) * size)) ** (1 / (r + 3))
        t = differences / pilot
        kernel = _hermite(r, t) * np.exp(-t * t / 2) / (sqrt(2 * pi) * pilot ** (r + 1))
        functional = float(kernel.mean())
    if order == 2:
        return float((2 * _KERNEL_ROUGHNESS / (-functional * size)) ** (1 / 3))
    return float((_KERNEL_ROUGHNESS / (functional * size)) ** (1 / 5))


def _scale(x: FloatArray, robust: bool) -> float:
    deviation = float(np.std(x, ddof=1))
    low, high = np.quantile(x, (0.25, 0.75))
    return min(deviation, float(high - low) / 1.349) if robust and high > low else deviation


def _normal_functional(r: int, sigma: float) -> float:
    sign = (-1) ** (r // 2)
    return float(sign * factorial(r) / ((2 * sigma) ** (r + 1) * factorial(r // 2) * sqrt(pi)))


def _hermite(r: int, t: FloatArray) -> FloatArray:
    """Probabilists' Hermite polynomial of even order, so that phi^(r)(t) = He_r(t) phi(t)."""
    return np.asarray(np.polynomial.hermite_e.hermeval(t, [0.0] * r + [1.0]), dtype=np.float64)
