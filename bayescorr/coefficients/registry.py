"""Coefficients by name; a new one is a file that declares a ``Coefficient``, and its line here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pkgutil import resolve_name
from types import MappingProxyType
from typing import Any

import numpy as np

from bayescorr._numbers import FloatArray
from bayescorr.coefficients._expected import expected
from bayescorr.coefficients._pairs import Pairs, pair_up
from bayescorr.coefficients.coefficient import Coefficient
from bayescorr.errors import Argument, BayescorrError, CoefficientError, OptionError, choose

AnyCoefficient = str | Callable[..., Any] | Coefficient

# Module and declaration of each coefficient, in the order of lists and tables.
_DECLARED = (
    "kendall:TAU",
    "ap:TAU_AP",
    "gaps:TAU_GAP",
    "kendall:TAU_A",
    "kendall:TAU_B",
    "ap:TAU_AP_A",
    "ap:TAU_AP_B",
    "linear:PEARSON",
    "linear:SPEARMAN",
    "top:TAU_AT_K",
    "top:OVERLAP_AT_K",
    "rbo:RBO",
    "drop:MAX_DROP",
)

COEFFICIENTS: Mapping[str, Coefficient] = MappingProxyType(
    {c.name: c for c in (resolve_name(f"{__package__}.{line}") for line in _DECLARED)}
)

#: Computed by default, in one pass of one kernel, and stored with every fit.
DEFAULT_COEFFICIENTS = ("tau", "tau_ap", "tau_gap")


def resolve(coefficient: AnyCoefficient) -> Coefficient:
    r"""Return the coefficient of a name, or the one that wraps a function.

    Parameters
    ----------
    coefficient : str, callable or Coefficient
        A name of ``COEFFICIENTS``, with a number in place of k as in ``tau@10``, or any function
        f(truth, observed) of two vectors, the true means first, that returns a number.

    Returns
    -------
    Coefficient
        The entry of ``COEFFICIENTS``, or one with the function's name and docstring.

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
    if isinstance(coefficient, str):
        stem, at, number = coefficient.rpartition("@")
        if at and f"{stem}@k" in COEFFICIENTS:
            return COEFFICIENTS[f"{stem}@k"].at(number)
        return COEFFICIENTS[choose(coefficient, COEFFICIENTS, "coefficient")]
    if isinstance(coefficient, Coefficient):
        return _computable(coefficient)
    if not callable(coefficient):
        raise OptionError(
            f"A coefficient must be a name or a function; got {coefficient!r}.",
            f"Choose one of: {', '.join(sorted(COEFFICIENTS))}.",
        )
    for known in COEFFICIENTS.values():
        if known.function is coefficient:
            return _computable(known)
    name = getattr(coefficient, "__name__", type(coefficient).__name__)
    lines = (getattr(coefficient, "__doc__", None) or "").strip().splitlines()
    return Coefficient(name, name.replace("_", r"\_"), lines[0] if lines else "", "", coefficient)


def _computable(coefficient: Coefficient) -> Coefficient:
    """Refuse a coefficient whose name still needs a number in place of k."""
    return coefficient if coefficient.of_top is None else coefficient.at("k")


def resolve_all(coefficients: AnyCoefficient | Iterable[AnyCoefficient]) -> list[Coefficient]:
    """Return one or several coefficients as a list; their names must differ."""
    if isinstance(coefficients, (str, Coefficient)) or callable(coefficients):
        coefficients = (coefficients,)
    if not isinstance(coefficients, Iterable):
        raise OptionError(
            (Argument("coefficients"), f" must be names or functions; got {coefficients!r}."),
            f"Choose from: {', '.join(sorted(COEFFICIENTS))}.",
        )
    found = [resolve(coefficient) for coefficient in coefficients]
    names = [coefficient.name for coefficient in found]
    if not names:
        raise OptionError((Argument("coefficients"), " must name at least one; got none."))
    if len(set(names)) < len(names):
        raise OptionError(
            (Argument("coefficients"), f" must have different names; got {', '.join(names)}."),
            "Pass each coefficient once, and give every function its own name.",
        )
    return found


def correlate(
    truth: Any,
    observed: Any,
    coefficients: AnyCoefficient | Iterable[AnyCoefficient] = DEFAULT_COEFFICIENTS,
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
        False for measures where the lowest mean is the best: functions then receive the negated
        means.

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
    wanted = {coefficient.name: coefficient for coefficient in resolve_all(coefficients)}
    pairs = pair_up(truth, observed, higher_is_better)
    one_pass: dict[str, FloatArray] = {}
    if any(wanted.get(name) is COEFFICIENTS[name] for name in DEFAULT_COEFFICIENTS):
        values = expected(pairs, strict, gaps="tau_gap" in wanted)
        one_pass = dict(zip(DEFAULT_COEFFICIENTS, values, strict=True))
    found = {}
    for name, coefficient in wanted.items():
        if coefficient.of_pairs is None:
            found[name] = _one_by_one(coefficient, pairs)
        elif coefficient is COEFFICIENTS.get(name) and name in one_pass:
            found[name] = one_pass[name]
        else:
            found[name] = coefficient.of_pairs(pairs)
    return found


def _one_by_one(coefficient: Coefficient, pairs: Pairs) -> FloatArray:
    """Call a function with two vectors at a time, since it need not support leading axes."""
    values = np.empty(len(pairs.truth_row))
    for k, (t, o) in enumerate(zip(pairs.truth_row, pairs.observed_row, strict=True)):
        try:
            value = coefficient.function(pairs.truth[t], pairs.observed[o])
        except BayescorrError:
            raise
        except Exception as error:
            # Any error: the function is the user's.
            raise CoefficientError(
                f"The coefficient {coefficient.name} raised {type(error).__name__}: {error}.",
                "It is called with two vectors, truth first.",
            ) from error
        if isinstance(value, str | None) or np.ndim(value) or not np.isreal(value):
            raise CoefficientError(
                f"{coefficient.name} must return a number; got {type(value).__name__}.",
                "It is called with two vectors, truth first.",
            )
        values[k] = value
    return pairs.shaped(values)
