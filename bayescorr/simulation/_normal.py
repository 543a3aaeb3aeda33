"""Gaussian copulas in two steps: correlated normal variables, then margins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayescorr._numbers import FloatArray
from bayescorr.simulation.margins import Margin
from bayescorr.simulation.margins_discrete import DiscreteMargin

_REACH = 6.5  # a normal variable exceeds it once in ten billion draws
_POINTS = 4097


def correlation_factor(columns: FloatArray) -> FloatArray:
    """Return A such that g A, with g standard normal, has the correlations of the columns.

    The centred columns scaled to length 1 are such a factor. Unlike a Cholesky factor, they need no
    nearest positive definite matrix (as in the 2016 code) when the sample correlation matrix of
    more systems than topics is singular, and correlations of 1 and -1 stay exact. A constant column
    becomes 0.
    """
    centred = columns - columns.mean(axis=0)
    lengths = np.linalg.norm(centred, axis=0)
    flat = lengths <= 1e-12 * np.maximum(np.abs(columns).max(axis=0), 1e-3)
    return np.where(flat, 0.0, centred / np.where(flat, 1.0, lengths))


class NormalTransform:
    """Transform columns of standard normal variables to the given margins.

    Continuous margins are interpolated linearly in a table of 4,097 normal quantiles between -6.5
    and 6.5. Discrete margins are exact.
    """

    def __init__(self, margins: Sequence[Margin]) -> None:
        grid = np.linspace(-_REACH, _REACH, _POINTS)
        self._discrete = [
            (j, margin) for j, margin in enumerate(margins) if isinstance(margin, DiscreteMargin)
        ]
        steps = {j for j, _ in self._discrete}
        self._columns = np.array([j for j in range(len(margins)) if j not in steps], dtype=np.intp)
        tables = [margins[j].normal_quantile(grid) for j in self._columns]
        self._table = np.concatenate([*tables, np.empty(0)])
        self._offsets = np.arange(len(self._columns)) * _POINTS

    def __call__(self, z: FloatArray) -> FloatArray:
        """Transform an array of shape (..., margins)."""
        if not self._discrete:
            return self._look_up(z)
        scores = np.empty_like(z)
        scores[..., self._columns] = self._look_up(z[..., self._columns])
        for j, margin in self._discrete:
            scores[..., j] = margin.normal_quantile(z[..., j])
        return scores

    def _look_up(self, z: FloatArray) -> FloatArray:
        position = (np.clip(z, -_REACH, _REACH) + _REACH) * ((_POINTS - 1) / (2 * _REACH))
        left = np.minimum(position.astype(np.intp), _POINTS - 2)
        share = position - left
        left += self._offsets
        low = self._table.take(left)
        return np.asarray(low + share * (self._table.take(left + 1) - low))
