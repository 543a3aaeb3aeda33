"""What a coefficient is: a function of (truth, observed), and what to call it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bayescorr._numbers import FloatArray
from bayescorr.coefficients._pairs import Pairs, pair_up

# A float for two vectors, else an array shaped like the leading axes.
Correlation = Any


@dataclass(frozen=True)
class Coefficient:
    """A coefficient: a function of (truth, observed), and what to call it.

    Attributes
    ----------
    name : str
        The name that selects it.
    label : str
        LaTeX, for tables and plots.
    description : str
        One line.
    citation : str
        Where it is defined.
    function : callable
        f(truth, observed), truth first.
    headline : {"mean", "median"}
        Which point estimate to report: the less biased of the two for few topics.
    of_pairs : callable, optional
        Computes the coefficient of many pairs of vectors at once. Without it, ``function`` is
        called with two vectors at a time.
    """

    name: str
    label: str
    description: str
    citation: str
    function: Callable[..., Any]
    headline: str = "mean"
    of_pairs: Callable[[Pairs], FloatArray] | None = None


def evaluate(
    of_pairs: Callable[..., FloatArray],
    truth: Any,
    observed: Any,
    higher_is_better: bool,
    **options: bool,
) -> Correlation:
    """Align, check and broadcast the means, and compute the coefficient of every pair."""
    values = of_pairs(pair_up(truth, observed, higher_is_better), **options)
    return float(values) if values.ndim == 0 else values
