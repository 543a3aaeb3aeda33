"""Sizes of topic sets: check them, and find the smallest that is enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from bayescorr.errors import OptionError


def check_sizes(n_topics: int | Iterable[int], observed: int = 0) -> tuple[int, ...]:
    """Return sizes as a tuple; sets that extend ``observed`` topics cannot be smaller."""
    given: Any = n_topics
    sizes = tuple(given) or ([],) if isinstance(given, Iterable) else (given,)
    least = max(observed, 1)
    for size in sizes:
        if not isinstance(size, int | np.integer) or isinstance(size, bool) or size < least:
            raise OptionError(
                f"Sizes of topic sets must be whole numbers, at least {least}; got {size!r}.",
                "They include the observed topics." if observed else "Example: [25, 50, 100].",
            )
    return tuple(map(int, sizes))


def default_sizes(observed: int, extend: bool) -> list[int]:
    """Return sizes from half to eight times the observed number; no smaller ones to extend it.

    Examples
    --------
    >>> default_sizes(50, extend=True)
    [50, 75, 100, 150, 200, 300, 400]
    """
    steps = (0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8)
    return sorted({max(1, round(step * observed)) for step in steps if step >= 1 or not extend})


def smallest(enough: Callable[[int], bool], least: int, most: int) -> int | None:
    """Find the smallest size that is enough, by doubling and bisection; None above ``most``.

    Examples
    --------
    >>> smallest(lambda size: size >= 37, 1, 1000)
    37
    >>> smallest(lambda size: size >= 37, 1, 30) is None
    True
    """
    low, step = least - 1, 1
    high = least
    while not enough(high):
        if high >= most:
            return None
        low, step = high, 2 * step
        high = min(high + step, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
