"""Kernels that fill rows of an array, run by several threads when there is enough to do."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Below this many steps of an inner loop, starting threads costs more than it saves.
_WORTH_THREADS = 1_000_000


def fill(
    kernel: Callable[..., None], *arguments: Any, out: NDArray[np.float64], work: float
) -> NDArray[np.float64]:
    """Call ``kernel(begin, end, *arguments, out)`` for ranges of rows that together cover ``out``.

    Examples
    --------
    >>> def square(begin, end, x, out):
    ...     out[begin:end] = x[begin:end] ** 2
    >>> fill(square, np.arange(3.0), out=np.empty(3), work=1e7)
    array([0., 1., 4.])
    """
    pieces = 1
    if work > _WORTH_THREADS:
        from numba import config

        pieces = min(int(config.NUMBA_NUM_THREADS), len(out))
    if pieces == 1:
        kernel(0, len(out), *arguments, out)
        return out
    # More pieces than threads: the rows of a triangle are not all as long.
    edges = np.linspace(0, len(out), 8 * pieces + 1).astype(int)
    with ThreadPoolExecutor(pieces) as pool:
        jobs = [
            pool.submit(kernel, begin, end, *arguments, out)
            for begin, end in pairwise(edges.tolist())
        ]
    for job in jobs:
        job.result()
    return out
