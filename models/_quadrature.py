"""Means over topics on the scale of the scores, of latent normal variables."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from bayescorr._numbers import FloatArray

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


def logistic_mean(mean: FloatArray, sd: FloatArray) -> FloatArray:
    """E[1 / (1 + exp(-y))] of y ~ Normal(mean, sd), by Gauss-Hermite quadrature.

    Examples
    --------
    >>> float(logistic_mean(np.array(0.0), np.array(2.0)).round(6))
    0.5
    """
    total = np.zeros(np.broadcast(mean, sd).shape)
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        total += weight * expit(mean + sd * node)
    return total


def logistic_location(target: FloatArray, sd: FloatArray) -> FloatArray:
    """Find the mean of y at which ``logistic_mean`` is ``target``, by bisection.

    Examples
    --------
    >>> y = logistic_location(np.array(0.3), np.array(1.5))
    >>> float(logistic_mean(y, np.array(1.5)).round(6))
    0.3
    """
    high = np.full(np.broadcast(target, sd).shape, 50.0)
    low = -high
    for _ in range(50):
        middle = (low + high) / 2
        above = logistic_mean(middle, sd) > target
        high = np.where(above, middle, high)
        low = np.where(above, low, middle)
    return (low + high) / 2
