"""Arrays and numbers: the one alias for float arrays, and the checks of numeric arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayescorr.errors import Argument, OptionError

FloatArray = NDArray[np.float64]

#: Squares of larger numbers, and their sums, overflow a float.
LARGEST = 1e150


def check_level(level: Any, name: str = "level", example: float = 0.95) -> float:
    """Return ``level`` as a float if it lies strictly between 0 and 1.

    Examples
    --------
    >>> check_level(0.9)
    0.9
    >>> check_level(95)
    Traceback (most recent call last):
    ...
    bayescorr.errors.OptionError: level must be between 0 and 1; got 95. For 95%, use level=0.95.
    """
    number = isinstance(level, int | float | np.number) and not isinstance(level, bool)
    if not number or not 0 < level < 1:
        raise OptionError(
            (Argument(name), f" must be between 0 and 1; got {level!r}."),
            (f"For {example:.0%}, use ", Argument(name, example), "."),
        )
    return float(level)


def check_count(value: Any, name: str, least: int = 1, most: int | None = None) -> int:
    """Return ``value`` as an int if it is a whole number from ``least`` to ``most``.

    Examples
    --------
    >>> check_count(3, "draws", least=4)
    Traceback (most recent call last):
    ...
    bayescorr.errors.OptionError: draws must be a whole number, at least 4; got 3.
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        wanted = f"a whole number, at least {least}"
        if most is not None:
            wanted = f"between {least} and {most}"
        raise OptionError((Argument(name), f" must be {wanted}; got {value!r}."))
    return int(value)


def largest_remainders(total: int, shares: NDArray[Any]) -> NDArray[np.int64]:
    """Divide a number of things in proportion to shares, in whole numbers.

    Examples
    --------
    >>> largest_remainders(10, np.array([1, 1, 1])), largest_remainders(7, np.array([5, 1, 1]))
    (array([4, 3, 3]), array([5, 1, 1]))
    """
    exact = total * shares / shares.sum()
    found: NDArray[np.int64] = np.floor(exact).astype(np.int64)
    rest = np.argsort(-(exact - found), kind="stable")[: total - int(found.sum())]
    found[rest] += 1
    return found


#: A matrix with more rows than this, and more rows than columns, is replaced by a factor.
MOST_ROWS = 1000


def row_factor(rows: FloatArray) -> FloatArray:
    """Return F with F'F = X'X and at most as many rows as columns; X itself unless it is long.

    What depends on X through X'X alone then costs the same for any number of rows.

    Examples
    --------
    >>> row_factor(np.ones((3000, 2))).shape, row_factor(np.ones((30, 2))).shape
    ((2, 2), (30, 2))
    """
    if len(rows) <= max(rows.shape[1], MOST_ROWS):
        return rows
    return np.asarray(np.linalg.qr(rows, mode="r"))
