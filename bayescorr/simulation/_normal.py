"""Gaussian copulas in two steps: correlated normal variables, then margins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayescorr._numbers import FloatArray
from bayescorr._random import RandomSeed, generator
from bayescorr.simulation.margins import Margin
from bayescorr.simulation.margins_discrete import DiscreteMargin

_REACH = 6.5  # a normal variable exceeds it once in ten billion draws
_POINTS = 4097


def correlation_factor(columns: FloatArray) -> FloatArray:
    """Return A such that g A, with g standard normal, has the correlations of the columns.

    The centred columns scaled to length 1 are such a factor. Unlike the Cholesky factor of the 2016
    code, it needs no nearest positive definite matrix when the sample correlation matrix is
    singular, and keeps correlations of 1 and -1 exact. A constant column becomes 0.
    """
    centred = columns - columns.mean(axis=0)
    lengths = np.linalg.norm(centred, axis=0)
    flat = lengths <= 1e-12 * np.maximum(np.abs(columns).max(axis=0), 1e-3)
    return np.where(flat, 0.0, centred / np.where(flat, 1.0, lengths))


def pseudo_observations(columns: FloatArray, random_seed: RandomSeed = None) -> FloatArray:
    """Return ranks / (n + 1) within each column, with ties in random order."""
    noise = generator(random_seed).random(columns.shape)
    order = np.lexsort((noise, columns), axis=0)
    ranks = np.empty(columns.shape)
    np.put_along_axis(ranks, order, np.arange(1.0, len(columns) + 1)[:, None], axis=0)
    return ranks / (len(columns) + 1)


class NormalTransform:
    """Transform columns of standard normal variables to the given margins.

    Continuous margins are interpolated linearly in a table of 4,097 normal quantiles between -6.5
    and 6.5. Discrete margins are exact.
    """

    def __init__(self, margins: Sequence[Margin]) -> None:
        grid = np.linspace(-_REACH, _REACH, _POINTS)
        numbered = dict(enumerate(margins))
        self._discrete = {j: m for j, m in numbered.items() if isinstance(m, DiscreteMargin)}
        self._columns = np.array([j for j in numbered if j not in self._discrete], dtype=np.intp)
        tables = [margins[j].normal_quantile(grid) for j in self._columns]
        self._table = np.concatenate([*tables, np.empty(0)])
        self._offsets = np.arange(len(self._columns)) * _POINTS

    def __call__(self, z: FloatArray) -> FloatArray:
        """Transform an array of shape (..., margins)."""
        if not self._discrete:
            return self._look_up(z)
        scores = np.empty_like(z)
        scores[..., self._columns] = self._look_up(z[..., self._columns])
        for j, margin in self._discrete.items():
            scores[..., j] = margin.normal_quantile(z[..., j])
        return scores

    def _look_up(self, z: FloatArray) -> FloatArray:
        position = (np.clip(z, -_REACH, _REACH) + _REACH) * ((_POINTS - 1) / (2 * _REACH))
        left = np.minimum(position.astype(np.intp), _POINTS - 2)
        share = position - left
        left += self._offsets
        low = self._table.take(left)
        return np.asarray(low + share * (self._table.take(left + 1) - low))
