"""How far each judge agrees with the truth: in words, and against another judge."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescorr._draws import interval
from bayescorr._numbers import check_level
from bayescorr.coefficients.registry import resolve
from bayescorr.errors import ConvergenceError, OptionError

if TYPE_CHECKING:
    from bayescorr.conditions.agreement import Agreement


def in_words(agreement: Agreement, level: float = 0.95, judge: str | None = None) -> str:
    """Say in one sentence per judge, to quote, how far its true ranking agrees with the truth's.

    Parameters
    ----------
    level : float
        Probability inside the interval.
    judge : str, optional
        By default all judges, one line each.

    Returns
    -------
    str
        Sentences with the observed tau, and the posterior mean of tau between the true rankings
        with its credible interval.

    Raises
    ------
    ConvergenceError
        If the sampler did not converge, since its numbers must not be quoted.
    """
    if not agreement.convergence.passed:
        raise ConvergenceError(str(agreement.convergence), agreement.convergence.remedy_text)
    names = agreement.judges if judge is None else [agreement.known_judge(judge)]
    table = agreement.estimates(level, coefficients="tau").set_index("judge")
    approximate = "; Laplace approximation" * (agreement.inference == "laplace")
    sentences = []
    for name in names:
        row = table.loc[name]
        sentences.append(
            f"{_topics(agreement, name)}, the rankings of {len(agreement.systems)} systems by "
            f"{name} and by {agreement.truth}{_measure(agreement)} have an observed Kendall's tau "
            f"of {row['observed']:.2f}; between their true rankings, over all such topics, tau is "
            f"{row['estimate']:.2f} ({level * 100:g}% credible interval of the true tau "
            f"{row['lower']:.2f} to {row['upper']:.2f}{approximate})."
        )
    return "\n".join(sentences)


def _topics(agreement: Agreement, judge: str) -> str:
    """Say over how many topics each of truth and judge is known."""
    truth, other = (agreement.scores[name].index for name in (agreement.truth, judge))
    shared = truth.intersection(other)
    if len(shared) == len(truth) == len(other):
        return f"Over {len(shared)} topics"
    more, whole = (judge, other) if len(other) > len(truth) else (agreement.truth, truth)
    fewer = agreement.truth if more == judge else judge
    return f"Over {len(whole)} topics by {more}, {len(shared)} of them also by {fewer}"


def _measure(agreement: Agreement) -> str:
    return f" ({agreement.measure})" if agreement.measure else ""


def compare_judges(
    agreement: Agreement, coefficient: Any = "tau", *, level: float = 0.95
) -> pd.DataFrame:
    """Return P(one judge agrees more with the truth than another), for every pair of judges.

    Parameters
    ----------
    coefficient : str or callable
        What agreement with the truth means: a name, or a function f(truth, judge).
    level : float
        Probability inside the interval of the difference.

    Returns
    -------
    DataFrame
        One row per pair of judges: judge, other, coefficient, p_more (the coefficient of ``judge``
        with the truth is larger), p_equal, difference (posterior mean, ``judge`` less ``other``),
        lower, upper, level, and observed, the difference of the observed coefficients.
    """
    if len(agreement.judges) < 2:
        raise OptionError(
            f"There is only one judge, {agreement.judges[0]!r}.",
            "Fit the truth and two or more judges.",
        )
    found = resolve(coefficient)
    draws = {name: agreement.draws(found, name) for name in agreement.judges}
    observed = {name: agreement.observed(found, name) for name in agreement.judges}
    rows = []
    for judge, other in combinations(agreement.judges, 2):
        difference = draws[judge] - draws[other]
        lower, upper = interval(difference, check_level(level))
        rows.append(
            {
                "judge": judge,
                "other": other,
                "coefficient": found.name,
                "p_more": float((difference > 0).mean()),
                "p_equal": float((difference == 0).mean()),
                "difference": float(np.mean(difference)),
                "lower": float(lower),
                "upper": float(upper),
                "level": level,
                "observed": observed[judge] - observed[other],
            }
        )
    return pd.DataFrame(rows)
