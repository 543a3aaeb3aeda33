"""Gaussian copulas in two steps: correlated normal variables, then each to its own margin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayescorr._numbers import FloatArray
from bayescorr.simulation.margins import Margin
from bayescorr.simulation.margins_discrete import DiscreteMargin

_REACH = 6.5  # normal quantiles beyond it come up once in ten billion draws
_POINTS = 4097


def correlation_factor(columns: FloatArray) -> FloatArray:
    """Matrix A such that g A, with g standard normal, has the correlations of the columns.

    A sample correlation matrix of more systems than topics is singular, and rounding makes it
    indefinite: to take its Cholesky factor the 2016 code first moves it to the nearest positive
    definite matrix. The centred columns themselves, scaled to length 1, are a factor already: the
    correlations are then exact, up to those of 1 or -1, and rounding has nothing to decide, as it
    has in a decomposition of dependent columns. A column without variance stays at 0.

    Examples
    --------
    >>> factor = correlation_factor(np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 5.0]]))
    >>> (factor.T @ factor).round(4)
    array([[1.    , 0.7206],
           [0.7206, 1.    ]])
    """
    centred = columns - columns.mean(axis=0)
    lengths = np.linalg.norm(centred, axis=0)
    flat = lengths <= 1e-12 * np.maximum(np.abs(columns).max(axis=0), 1e-3)
    return np.where(flat, 0.0, centred / np.where(flat, 1.0, lengths))


class NormalTransform:
    """Columns of standard normal variables to columns with the given margins, by table.

    A continuous margin is tabulated at 4,097 normal quantiles between -6.5 and 6.5 and is linear in
    between; a discrete one is exact.

    Examples
    --------
    >>> from bayescorr.simulation.margins import BetaMargin
    >>> NormalTransform([BetaMargin(1.0, 1.0)])(np.array([[0.0]]))
    array([[0.5]])
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
        """Transform an array with one column per margin; leading axes are free."""
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
