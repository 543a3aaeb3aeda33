"""Choosing the margin of a system: fit the candidates, keep the best by a criterion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescorr.errors import OptionError, ScoresError, choose, listing
from bayescorr.simulation.margins import BetaMargin, Margin, NormalMargin, PointMargin
from bayescorr.simulation.margins_discrete import (
    BetaBinomialMargin,
    DiscreteKernelMargin,
    score_support,
    support_index,
)
from bayescorr.simulation.margins_kernel import BetaKernelMargin, NormalKernelMargin
from bayescorr.simulation.margins_mean import DiscreteMeanMargin, MeanMargin

CONTINUOUS = {
    cls.name: cls for cls in (NormalMargin, BetaMargin, NormalKernelMargin, BetaKernelMargin)
}
DISCRETE = {cls.name: cls for cls in (BetaBinomialMargin, DiscreteKernelMargin)}
CRITERIA = ("aic", "bic", "loglik")

_SAVED: dict[str, type[Margin]] = {
    **CONTINUOUS,
    **DISCRETE,
    **{cls.name: cls for cls in (PointMargin, MeanMargin, DiscreteMeanMargin)},
}
_MULTIPLIERS = (1.0, 2.0, 5.0, 10.0)


def fit_margins(
    x: ArrayLike,
    support: str | ArrayLike | None = None,
    families: Sequence[str] | None = None,
) -> list[Margin]:
    """Fit each family of margins to a sample of scores.

    Parameters
    ----------
    x : array
        Scores of one system.
    support : str or array, optional
        The scores that the measure can have (see
        :func:`bayescorr.simulation.margins_discrete.score_support`); None for continuous scores
        between 0 and 1.
    families : sequence of str, optional
        Continuous: "normal", "beta", "normal-kernel", "beta-kernel". Discrete: "beta-binomial",
        "discrete-kernel" (with 1, 2, 5 and 10 times its bandwidth). All of them by default.

    Returns
    -------
    list of Margin
        A system with one score for all topics gets a
        :class:`~bayescorr.simulation.margins.PointMargin` only.

    Examples
    --------
    >>> [margin.name for margin in fit_margins([0.1, 0.3, 0.5, 0.6])]
    ['normal', 'beta', 'normal-kernel', 'beta-kernel']
    """
    values = np.asarray(x, dtype=float)
    known = CONTINUOUS if support is None else DISCRETE
    names = [choose(name, known, "family of margins") for name in families or known]
    if support is None:
        check_unit_range(values)
        if np.ptp(values) == 0:
            return [PointMargin(float(values[0]))]
        return [CONTINUOUS[name].fit(values) for name in names]
    points = score_support(support)
    values = points[support_index(values, points)]
    if np.ptp(values) == 0:
        return [PointMargin(float(values[0]))]
    margins: list[Margin] = []
    if BetaBinomialMargin.name in names:
        margins.append(BetaBinomialMargin.fit(values, points))
    if DiscreteKernelMargin.name in names:
        first = DiscreteKernelMargin.fit(values, points)
        margins += [
            DiscreteKernelMargin(points, first.counts, first.bandwidth * multiplier)
            for multiplier in _MULTIPLIERS
            if first.bandwidth * multiplier < 1
        ]
    return margins


def select_margin(margins: Sequence[Margin], x: ArrayLike, criterion: str = "aic") -> Margin:
    """Return the margin that describes a sample best.

    Parameters
    ----------
    margins : sequence of Margin
        The candidates.
    x : array
        Scores of one system.
    criterion : {"aic", "bic", "loglik"}
        Akaike's or the Bayesian information criterion (lowest), or the log-likelihood (highest).

    Examples
    --------
    >>> x = np.random.default_rng(1).beta(2, 5, size=200)
    >>> select_margin(fit_margins(x), x).name
    'beta'
    """
    choose(criterion, CRITERIA, "criterion")
    losses = {
        "aic": lambda margin: margin.aic(x),
        "bic": lambda margin: margin.bic(x),
        "loglik": lambda margin: -margin.log_likelihood(x),
    }
    values = [losses[criterion](margin) for margin in margins]
    finite = [i for i, value in enumerate(values) if np.isfinite(value)]
    if not finite:
        raise OptionError(
            f"The scores are impossible under: {listing(margin.name for margin in margins)}.",
            "Offer other families of margins.",
        )
    return margins[min(finite, key=lambda i: values[i])]


def check_unit_range(values: NDArray[np.float64], remedy: str = "Rescale the scores.") -> None:
    """Refuse scores outside [0, 1]."""
    off = (values < 0) | (values > 1)
    if off.any():
        found = listing(f"{value:g}" for value in np.unique(values[off]))
        raise ScoresError(f"Scores outside 0 to 1: {found}.", remedy)


def margin_to_dict(margin: Margin) -> dict[str, Any]:
    """Return the parameters of one of our margins, for a file."""
    if type(margin) is not _SAVED.get(margin.name):
        raise OptionError(
            f"A margin of the class {type(margin).__name__} cannot be saved.",
            "Save the simulator without it, and use with_margin after loading.",
        )
    return margin.to_dict()


def margin_from_dict(parameters: dict[str, Any]) -> Margin:
    """Make a margin again from what its ``to_dict`` gave.

    Examples
    --------
    >>> margin_from_dict(BetaMargin(2.0, 3.0).to_dict())
    BetaMargin(mean=0.4000, df=2.00)
    """
    family = choose(parameters.get("family"), _SAVED, "family of margins")
    return _SAVED[family].from_dict({k: v for k, v in parameters.items() if k != "family"})
