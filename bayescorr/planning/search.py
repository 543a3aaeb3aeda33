"""Sizes of topic sets: checks, and the search for the smallest that will do."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from bayescorr.errors import OptionError


def check_sizes(n_topics: int | Iterable[int], least: int = 1) -> tuple[int, ...]:
    """Return numbers of topics as a tuple, each a whole number of at least ``least``.

    Examples
    --------
    >>> check_sizes(50), check_sizes([25, 50])
    ((50,), (25, 50))
    """
    given = n_topics if isinstance(n_topics, Iterable) else (n_topics,)
    sizes = tuple(given)
    for size in sizes:
        if not isinstance(size, int | np.integer) or isinstance(size, bool) or size < least:
            raise OptionError(
                f"{size!r} topics asked for, a whole number of at least {least} is needed.",
                "With extend=True the topics at hand count too."
                if least > 1
                else "Give numbers of topics such as [25, 50, 100].",
            )
    if not sizes:
        raise OptionError("No number of topics given.", "Give some, such as [25, 50, 100].")
    return tuple(int(size) for size in sizes)


def smallest(enough: Callable[[int], bool], least: int, most: int) -> int | None:
    """Find the smallest size that is enough, by doubling and bisection; None beyond ``most``.

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
