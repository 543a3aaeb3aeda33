"""Smooth densities of coefficients, for figures and for the page."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def density(draws: NDArray[Any], points: int = 400) -> tuple[NDArray[Any], NDArray[Any]]:
    """Smooth density of a coefficient, which ends at -1 and 1: mass beyond is reflected.

    Parameters
    ----------
    draws : array
        Draws of the coefficient.
    points : int
        How many points of the curve.

    Returns
    -------
    array, array
        Values of the coefficient, and the density there up to a factor.

    Examples
    --------
    >>> grid, height = density(np.array([0.7, 0.8, 0.8, 0.9]), points=101)
    >>> len(grid), round(float(grid[height.argmax()]), 1)
    (101, 0.8)
    """
    sd = float(draws.std())
    distinct = np.unique(draws)
    # Few systems allow few values: the bandwidth bridges the steps between them.
    gap = float(np.median(np.diff(distinct))) if 1 < len(distinct) < 100 else 0.0
    width = max(0.9 * sd * len(draws) ** -0.2, 0.7 * gap, 1e-3)
    low, high = draws.min() - 3 * width, draws.max() + 3 * width
    bounded = draws.min() >= -1 and draws.max() <= 1
    if bounded:
        low, high = max(low, -1.0), min(high, 1.0)
    # Binned first: with thousands of draws this is much quicker, and as good.
    edges = np.linspace(low, high, points + 1)
    grid = (edges[1:] + edges[:-1]) / 2
    counts = np.histogram(np.clip(draws, low, high), edges)[0]

    def kernel(centres: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.exp(-0.5 * ((grid[:, None] - centres) / width) ** 2) @ counts)

    heights = kernel(grid)
    if bounded:
        heights = heights + kernel(2 - grid) + kernel(-2 - grid)
    return grid, np.asarray(heights)
