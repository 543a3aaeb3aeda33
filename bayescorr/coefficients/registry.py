"""Coefficients by name: what each is called, what it means, where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from bayescorr._numbers import FloatArray
from bayescorr.coefficients import _compute, api
from bayescorr.coefficients._pairs import Pairs, pair_up
from bayescorr.errors import CoefficientError, OptionError, choose

__all__ = ["COEFFICIENTS", "DEFAULT_COEFFICIENTS", "Coefficient", "correlate", "resolve"]

#: Computed by default, in one pass of one kernel, and stored with every fit.
DEFAULT_COEFFICIENTS = ("tau", "tau_ap", "tau_gap")


@dataclass(frozen=True)
class Coefficient:
    """A coefficient: a function of (truth, observed) and what to call it.

    Attributes
    ----------
    name : str
        The name to ask for it by.
    label : str
        LaTeX, for tables and plots.
    description : str
        One line.
    citation : str
        Where it is defined.
    function : callable
        f(truth, observed), truth first.
    headline : {"mean", "median"}
        The point estimate that leads: the less biased of the two at small n.
    """

    name: str
    label: str
    description: str
    citation: str
    function: Callable[..., Any]
    headline: str = "mean"


COEFFICIENTS: Mapping[str, Coefficient] = MappingProxyType(
    {
        c.name: c
        for c in (
            Coefficient(
                "tau",
                r"$\tau$",
                "Kendall's tau: every swapped pair counts alike.",
                "Kendall 1938; Urbano & Marrero 2016, eq. 1",
                api.tau,
            ),
            Coefficient(
                "tau_ap",
                r"$\tau_{AP}$",
                "AP correlation: swaps near the top count more.",
                "Yilmaz, Aslam & Robertson 2008; Urbano & Marrero 2016, eq. 2",
                api.tau_ap,
            ),
            Coefficient(
                "tau_gap",
                r"$\tau_{GAP}$",
                "Gap-sensitive correlation: swaps near the top and of large gaps count more.",
                "Gao & Oard 2015, eq. 3",
                api.tau_gap,
                headline="median",
            ),
            Coefficient(
                "tau_a",
                r"$\tau_a$",
                "Kendall's tau_a: accuracy of a ranking with ties for a truth without.",
                "Kendall 1948; R package ircor",
                api.tau_a,
            ),
            Coefficient(
                "tau_b",
                r"$\tau_b$",
                "Kendall's tau_b: agreement of two rankings that may both have ties.",
                "Kendall 1948; R package ircor",
                api.tau_b,
            ),
            Coefficient(
                "tau_ap_a",
                r"$\tau_{AP,a}$",
                "AP correlation of a ranking with ties for a truth without.",
                "Urbano & Marrero 2017",
                api.tau_ap_a,
            ),
            Coefficient(
                "tau_ap_b",
                r"$\tau_{AP,b}$",
                "AP agreement of two rankings that may both have ties.",
                "Urbano & Marrero 2017",
                api.tau_ap_b,
            ),
            Coefficient(
                "pearson",
                r"$\rho$",
                "Pearson's correlation of the mean scores.",
                "Pearson 1895",
                api.pearson,
            ),
            Coefficient(
                "spearman",
                r"$\rho_s$",
                "Spearman's correlation: Pearson's of the ranks.",
                "Spearman 1904",
                api.spearman,
            ),
        )
    }
)


def resolve(coefficient: str | Callable[..., Any] | Coefficient) -> Coefficient:
    r"""Return the coefficient of this name, or the one that a function stands for.

    Parameters
    ----------
    coefficient : str, callable or Coefficient
        A name of ``COEFFICIENTS``, or any function f(truth, observed) of two vectors, the true
        means first, that returns a number.

    Returns
    -------
    Coefficient
        The entry of ``COEFFICIENTS``, or one made of the function's name and docstring.

    Examples
    --------
    >>> resolve("tau_ap").label
    '$\\tau_{AP}$'
    >>> def same_winner(truth, observed):
    ...     "Is the observed best system truly the best?"
    ...     return float(truth.argmax() == observed.argmax())
    >>> resolve(same_winner).description
    'Is the observed best system truly the best?'
    """
    if isinstance(coefficient, Coefficient):
        return coefficient
    if not callable(coefficient):
        return COEFFICIENTS[choose(coefficient, COEFFICIENTS, "coefficient")]
    for known in COEFFICIENTS.values():
        if known.function is coefficient:
            return known
    name = getattr(coefficient, "__name__", type(coefficient).__name__)
    lines = (getattr(coefficient, "__doc__", None) or "").strip().splitlines()
    return Coefficient(name, name.replace("_", r"\_"), lines[0] if lines else "", "", coefficient)


def correlate(
    truth: Any,
    observed: Any,
    coefficients: str
    | Callable[..., Any]
    | Coefficient
    | Iterable[str | Callable[..., Any] | Coefficient] = DEFAULT_COEFFICIENTS,
    *,
    strict: bool = False,
    higher_is_better: bool = True,
) -> dict[str, FloatArray]:
    """Compute several coefficients of the same means; tau, tau_ap and tau_gap in one pass.

    Parameters
    ----------
    truth, observed : array_like
        Mean scores, systems on the last axis; leading axes broadcast.
    coefficients : str, callable, or several of them
        Names, or functions f(truth, observed) of two vectors that return a number.
    strict : bool
        For tau, tau_ap and tau_gap: pairs tied in the observed means are not discordant.
    higher_is_better : bool
        False for measures where the lowest mean is the best: a function then gets the means with
        their sign changed.

    Returns
    -------
    dict of str to numpy.ndarray
        Values by name of coefficient, shaped like the broadcast leading axes (0-d for two vectors).

    Examples
    --------
    >>> draws = [[0.4, 0.3, 0.2], [0.3, 0.4, 0.2]]
    >>> for name, values in correlate(draws, [0.5, 0.4, 0.3], ["tau", "tau_ap"]).items():
    ...     print(name, values.round(3))
    tau [1.    0.333]
    tau_ap [1. 0.]
    """
    if (
        isinstance(coefficients, (str, Coefficient))
        or callable(coefficients)
        or not isinstance(coefficients, Iterable)
    ):
        coefficients = (coefficients,)
    wanted = [resolve(coefficient) for coefficient in coefficients]
    names = [coefficient.name for coefficient in wanted]
    if len(set(names)) < len(names):
        raise OptionError(
            f"Two coefficients have the same name: {', '.join(names)}.",
            "Ask for each once, and give functions names of their own.",
        )
    pairs = pair_up(truth, observed, higher_is_better)
    one_pass: dict[str, FloatArray] = {}
    if set(names) & set(DEFAULT_COEFFICIENTS):
        values = _compute.expected(pairs, strict, gaps="tau_gap" in names)
        one_pass = dict(zip(DEFAULT_COEFFICIENTS, values, strict=True))
    found = {}
    for coefficient in wanted:
        name = coefficient.name
        if coefficient is not COEFFICIENTS.get(name):
            found[name] = _one_by_one(coefficient, pairs)
        elif name in one_pass:
            found[name] = one_pass[name]
        else:
            found[name] = getattr(_compute, name)(pairs)
    return found


def _one_by_one(coefficient: Coefficient, pairs: Pairs) -> FloatArray:
    """Call a function that may know nothing of leading axes with two vectors at a time."""
    values = np.empty(len(pairs.truth_row))
    for k, (t, o) in enumerate(zip(pairs.truth_row, pairs.observed_row, strict=True)):
        value = coefficient.function(pairs.truth[t], pairs.observed[o])
        if isinstance(value, str | None) or np.ndim(value) or not np.isreal(value):
            raise CoefficientError(
                f"The function {coefficient.name} gave {type(value).__name__}, not a number.",
                "Let it take two vectors, truth first, and return one number.",
            )
        values[k] = value
    return pairs.shaped(values)
