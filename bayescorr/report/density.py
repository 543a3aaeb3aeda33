"""Smooth densities of coefficients, for figures and for the page."""

from __future__ import annotations

import numpy as np

from bayescorr._numbers import FloatArray


def density(draws: FloatArray, points: int = 400) -> tuple[FloatArray, FloatArray]:
    """Estimate the density of a coefficient; mass beyond its bounds of -1 and 1 is reflected.

    Parameters
    ----------
    draws : array
        Draws of the coefficient.
    points : int
        Number of points of the curve.

    Returns
    -------
    array, array
        Values of the coefficient and the density there, scaled to a maximum of 1.

    Examples
    --------
    >>> grid, height = density(np.array([0.7, 0.8, 0.8, 0.9]), points=101)
    >>> len(grid), round(float(grid[height.argmax()]), 1)
    (101, 0.8)
    """
    distinct = np.unique(draws)
    # With few systems a coefficient has few values: smooth over the steps between them.
    gap = float(np.median(np.diff(distinct))) if 1 < len(distinct) < 100 else 0.0
    width = max(0.9 * float(draws.std()) * len(draws) ** -0.2, 0.7 * gap, 1e-3)
    low, high = distinct[0] - 3 * width, distinct[-1] + 3 * width
    bounded = distinct[0] >= -1 and distinct[-1] <= 1
    if bounded:
        low, high = max(low, -1.0), min(high, 1.0)
    # Binning is as accurate as the grid, and much faster for thousands of draws.
    edges = np.linspace(low, high, points + 1)
    grid = (edges[1:] + edges[:-1]) / 2
    counts = np.histogram(np.clip(draws, low, high), edges)[0]

    def kernel(centres: FloatArray) -> FloatArray:
        return np.asarray(np.exp(-0.5 * ((grid[:, None] - centres) / width) ** 2) @ counts)

    heights = kernel(grid)
    if bounded:
        heights = heights + kernel(2 - grid) + kernel(-2 - grid)
    return grid, heights / heights.max()
