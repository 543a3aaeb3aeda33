"""Run compiled kernels in several threads.

These are Python threads: numba's own parallel loops take several times as long to compile, and two
of its three threading layers break when a program forks or calls from its own threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from threading import Thread
from typing import Any

import numpy as np

from bayescorr._numbers import FloatArray

# Starting threads costs more than it saves below this many steps of the inner loop.
_WORTH_THREADS = 2_000_000

_most_threads: ContextVar[int | None] = ContextVar("most_threads", default=None)


@contextmanager
def limit_threads(most: int) -> Iterator[None]:
    """Limit the threads of linear algebra and :func:`fill`, for workers that run in parallel."""
    from threadpoolctl import threadpool_limits

    token = _most_threads.set(most)
    try:
        with threadpool_limits(most):
            yield
    finally:
        _most_threads.reset(token)


def fill(kernel: Callable[..., None], *arguments: Any, out: FloatArray, work: float) -> FloatArray:
    """Call ``kernel(begin, end, *arguments, out)`` for ranges of rows that together cover ``out``.

    The kernel must release the GIL (``nogil=True``). One thread fills each row, so results do not
    depend on the number of threads: NUMBA_NUM_THREADS, by default all available processors.
    ``work`` is the approximate number of steps of the inner loop.

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

        pieces = min(_most_threads.get() or int(config.NUMBA_NUM_THREADS), len(out))
    if pieces == 1:
        kernel(0, len(out), *arguments, out)
        return out
    # More ranges than threads, since rows can take different times.
    edges = np.linspace(0, len(out), 8 * pieces + 1).astype(int).tolist()
    ranges = iter(list(pairwise(edges)))
    failures: list[BaseException] = []

    def run() -> None:
        try:
            for begin, end in ranges:
                kernel(begin, end, *arguments, out)
        except BaseException as failure:
            failures.append(failure)

    # The calling thread takes part; with a pool it would only wait.
    others = [Thread(target=run) for _ in range(pieces - 1)]
    for other in others:
        other.start()
    run()
    for other in others:
        other.join()
    if failures:
        raise failures[0]
    return out
