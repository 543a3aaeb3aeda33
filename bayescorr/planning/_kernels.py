"""Compiled loops over draws: how surely the leading systems are the true top."""

# mypy: disallow-untyped-decorators=False

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def top_shares(
    begin: int,
    end: int,
    centres: np.ndarray,
    noise: np.ndarray,
    scale: np.ndarray,
    k: int,
    rope: float,
    level: float,
    out: np.ndarray,
) -> None:
    """Fill in the share of noise (S x m) that keeps the top k of each row of centres on top.

    The k highest centres of a row stay on top if the lowest of them exceeds all others by at least
    ``rope`` after the noise, times the row's ``scale``, is added. Counting stops once it is clear
    whether the share reaches ``level``; if that is NaN, shares are complete.
    """
    draws, m = noise.shape
    largest = np.abs(noise).max()
    for t in range(begin, end):
        order = np.argsort(-centres[t])
        centre = centres[t][order]
        hits = 0
        for s in range(draws):
            lowest = np.inf
            for a in range(k):
                lowest = min(lowest, centre[a] + scale[t] * noise[s, order[a]])
            holds = True
            for b in range(k, m):
                # The others are too low whatever their noise is.
                if centre[b] + scale[t] * largest + rope <= lowest:
                    break
                if centre[b] + scale[t] * noise[s, order[b]] + rope > lowest:
                    holds = False
                    break
            hits += holds
            if hits / draws >= level or (hits + draws - 1 - s) / draws < level:
                break
        out[t] = hits / draws
