# mypy: disable-error-code="untyped-decorator"
"""Compiled counts of orders: systems above the tied group of each, and draws in each order."""

from __future__ import annotations

import numpy as np
from numba import njit

from bayescorr.coefficients._kernels import REORDERED


@njit(cache=True, nogil=True)
def above_groups(
    begin: int,
    end: int,
    other: np.ndarray,
    order: np.ndarray,
    first: np.ndarray,
    other_row: np.ndarray,
    order_row: np.ndarray,
    out: np.ndarray,
) -> None:
    """Fill rows of ``out`` (pairs x 1) with one direction of tau_AP,b, as a share.

    The mean, over the systems below the top group, of the share of concordant systems among those
    above the system's own tied group.
    """
    m = other.shape[1]
    x = np.empty(m)
    for k in range(begin, end):
        o = order_row[k]
        for p in range(m):
            x[p] = other[other_row[k], order[o, p]]
        share = 0.0
        below_top = 0
        for p in range(m):
            start = first[o, p]
            if start > 0:
                concordant = 0
                for j in range(start):
                    concordant += x[j] > x[p]
                share += concordant / start
                below_top += 1
        out[k, 0] = share / below_top


@njit(cache=True, nogil=True, fastmath=REORDERED)
def orders(begin: int, end: int, draws: np.ndarray, threshold: float, out: np.ndarray) -> None:
    """Fill ``out`` (systems x systems) with the share of draws that put row above column.

    ``draws`` is systems x draws. Rows ``begin`` to ``end`` stand for the lower triangle; their
    pairs are filled on both sides of the diagonal. Draws within ``threshold`` tie.
    """
    size = draws.shape[1]
    for j in range(begin, end):
        for i in range(j):
            above = 0.0
            below = 0.0
            for t in range(size):
                difference = draws[i, t] - draws[j, t]
                above += 1.0 if difference > threshold else 0.0
                below += 1.0 if difference < -threshold else 0.0
            out[i, j] = above / size
            out[j, i] = below / size
