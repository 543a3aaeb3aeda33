"""Compiled kernels that fill rows of an array, run by several threads when it is worth it.

Threads of Python, not of numba: its own parallel loops take several times as long to compile, and
two of its three threading layers break when a program forks or calls from threads of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Below this many steps of an inner loop, starting threads costs more than it saves.
_WORTH_THREADS = 2_000_000

_most_threads: ContextVar[int | None] = ContextVar("most_threads", default=None)


@contextmanager
def limit_threads(most: int) -> Iterator[None]:
    """Let linear algebra and :func:`fill` use at most that many threads, for work done in parallel.

    Examples
    --------
    >>> with limit_threads(1):
    ...     np.ones((2, 2)) @ np.ones(2)
    array([2., 2.])
    """
    from threadpoolctl import threadpool_limits

    token = _most_threads.set(most)
    try:
        with threadpool_limits(most):
            yield
    finally:
        _most_threads.reset(token)


def fill(
    kernel: Callable[..., None], *arguments: Any, out: NDArray[np.float64], work: float
) -> NDArray[np.float64]:
    """Call ``kernel(begin, end, *arguments, out)`` for ranges of rows that together cover ``out``.

    The kernel has to release the GIL (``nogil=True``). Each row is filled by one thread, so results
    do not depend on how many there are: as many as NUMBA_NUM_THREADS says, by default the
    processors that this process may use.

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
    # More ranges than threads: rows need not all take as long.
    edges = np.linspace(0, len(out), 8 * pieces + 1).astype(int).tolist()
    ranges = iter(list(pairwise(edges)))
    failures: list[BaseException] = []

    def work_off() -> None:
        try:
            for begin, end in ranges:
                kernel(begin, end, *arguments, out)
        except BaseException as failure:
            failures.append(failure)

    # This thread is one of them, which a pool would leave waiting.
    others = [Thread(target=work_off) for _ in range(pieces - 1)]
    for other in others:
        other.start()
    work_off()
    for other in others:
        other.join()
    if failures:
        raise failures[0]
    return out
