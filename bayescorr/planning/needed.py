"""The number of topics that a ranking needs, in a table and in plain words."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from bayescorr._numbers import FloatArray
from bayescorr.errors import Argument, render
from bayescorr.planning.search import smallest

# Standard normal quantile of a 95% interval.
_Z = 1.96


@dataclass(frozen=True)
class TopicsNeeded:
    """Number of topics that a coefficient needs to reach a target.

    ``topics`` is the smallest number with P(coefficient >= target) >= probability,
    ``topics_on_average`` the smallest with E[coefficient] >= target, and ``extrapolated`` the
    latter by each frequentist method. They are None above ``max_topics``.

    ``lower`` and ``upper`` are a 95% interval of ``topics`` for the Monte Carlo error of the
    probability, which comes from a finite number of posterior draws; see :func:`error_interval`.
    """

    method: str
    coefficient: str
    target: float
    probability: float
    observed_topics: int
    extend: bool
    max_topics: int
    topics: int | None
    topics_on_average: int | None
    extrapolated: dict[str, int | None]
    lower: int | None = None
    upper: int | None = None

    def table(self) -> pd.DataFrame:
        """Return one row per criterion: method, criterion, topics, lower, upper.

        Numbers above the maximum, and intervals of criteria without one, are missing.
        """
        likely = f"P({self.coefficient} >= {self.target:g}) >= {self.probability:g}"
        average = f"E[{self.coefficient}] >= {self.target:g}"
        rows = [
            (self.method, likely, self.topics, self.lower, self.upper),
            (self.method, average, self.topics_on_average, None, None),
            *(
                (method, average, topics, None, None)
                for method, topics in self.extrapolated.items()
            ),
        ]
        names = ["topics", "lower", "upper"]
        table = pd.DataFrame(rows, columns=["method", "criterion", *names])
        return table.astype(dict.fromkeys(names, "Int64"))

    @property
    def text(self) -> tuple[str | Argument, ...]:
        """The answer in plain words, with arguments as data."""
        goal = f"{self.coefficient} >= {self.target:g} with probability {self.probability:g}"
        size = Size(
            self.topics, self.lower, self.upper, self.observed_topics, self.extend, self.max_topics
        )
        return size.text(f"reach {goal}")

    @property
    def answer(self) -> str:
        """The answer alone, without the hints that may follow it."""
        return str(self.text[0])

    def __str__(self) -> str:
        return render(self.text)


class Size(NamedTuple):
    """The number of topics that a goal takes, with the interval of its Monte Carlo error."""

    topics: int | None
    lower: int | None
    upper: int | None
    observed_topics: int
    extend: bool
    max_topics: int

    def text(self, goal: str) -> tuple[str | Argument, ...]:
        """Say how many topics would, say, "reach tau >= 0.9 with probability 0.95".

        The first piece is the answer; hints follow.
        """
        n = self.observed_topics
        if self.topics is None:
            kind = "in total" if self.extend else "in a fresh set"
            return (f"Even {self.max_topics:,} topics {kind} would not {goal}; you have {n:,}.",)
        if self.extend and self.topics <= n:
            return (f"The {n:,} topics that you have {goal}.",)
        total = _rounded(self.topics, self._unit)
        if self.extend and total <= n:
            # Rounding must not hide that topics are missing.
            total = self.topics
        about = f"about {total:,}"
        if self.extend:
            more = total - n
            words = f"{about.capitalize()} topics in total{self._range}"
            return (f"{words} would {goal}; you have {n:,}, so add about {more:,}.",)
        words = f"A fresh set of {about} topics{self._range} would {goal}; you have {n:,}."
        if self.topics <= n:
            return (words,)
        return (words, " To keep those and add more, see ", Argument("extend", True), ".")

    @property
    def _unit(self) -> int:
        """The power of ten to round to: that of half the width of the interval."""
        assert self.topics is not None
        lower = self.topics if self.lower is None else self.lower
        upper = 2 * self.topics - lower if self.upper is None else self.upper
        half = max((upper - lower) / 2, 1)
        return int(10 ** math.floor(math.log10(half)))

    @property
    def _range(self) -> str:
        if self.lower is None:
            return ""
        lower = max(self.lower // self._unit * self._unit, 1)
        upper = -(-(self.upper or 0) // self._unit) * self._unit
        end = f"to {upper:,}" if self.upper is not None else f"to more than {self.max_topics:,}"
        return f" (95% Monte Carlo interval {lower:,} {end})"


def error_interval(
    drawn: Callable[[int], FloatArray], target: float, probability: float, least: int, most: int
) -> tuple[int | None, int | None]:
    r"""Return a 95% interval of the number of topics needed, for Monte Carlo error.

    The share :math:`\hat p(n)` of T draws that reach the target estimates the probability p with
    standard error :math:`s = \sqrt{p (1 - p) / T}`. The interval holds the sizes n with
    :math:`|\hat p(n) - p| \le 1.96 s`, those that draws with another seed could return. An end
    above ``most`` is None.
    """

    def reaching(share: float) -> int | None:
        return smallest(lambda n: (drawn(n) >= target).mean() >= share, least, most)

    error = _Z * math.sqrt(probability * (1 - probability) / len(drawn(least)))
    return reaching(probability - error), reaching(probability + error)


def _rounded(number: int, unit: int) -> int:
    """Round to a multiple of ``unit``, but not to 0."""
    return max(round(number / unit) * unit, 1)
