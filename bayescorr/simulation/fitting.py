"""Fit the families of margins to the scores of a system, and select one by a criterion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayescorr._numbers import FloatArray
from bayescorr.errors import Argument, OptionError, ScoresError, Text, choose, listing
from bayescorr.simulation.margins import BetaMargin, Margin, NormalMargin, PointMargin
from bayescorr.simulation.margins_discrete import (
    BetaBinomialMargin,
    DiscreteKernelMargin,
    DiscreteMargin,
    score_support,
    support_index,
)
from bayescorr.simulation.margins_kernel import BetaKernelMargin, NormalKernelMargin
from bayescorr.simulation.margins_mean import DiscreteMeanMargin, MeanMargin

#: The families to choose from: a new one needs a line here and nothing else.
MARGINS: tuple[type[Margin], ...] = (
    NormalMargin,
    BetaMargin,
    NormalKernelMargin,
    BetaKernelMargin,
    BetaBinomialMargin,
    DiscreteKernelMargin,
)
_LOSSES: dict[str, Callable[[Margin, ArrayLike], float]] = {
    "aic": Margin.aic,
    "bic": Margin.bic,
    "loglik": lambda margin, x: -margin.log_likelihood(x),
}
_SAVED: dict[str, type[Margin]] = {cls.name: cls for cls in MARGINS}
_SAVED |= {cls.name: cls for cls in (PointMargin, MeanMargin, DiscreteMeanMargin)}


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
        The possible scores, as in :func:`bayescorr.simulation.score_support`; None for continuous
        scores between 0 and 1.
    families : sequence of str, optional
        Continuous: "normal", "beta", "normal-kernel", "beta-kernel". Discrete: "beta-binomial",
        "discrete-kernel" (with 1, 2, 5 and 10 times its bandwidth). All of them by default.

    Returns
    -------
    list of Margin
        One :class:`~bayescorr.simulation.PointMargin` if the scores are all the same.

    Examples
    --------
    >>> [margin.name for margin in fit_margins([0.1, 0.3, 0.5, 0.6])]
    ['normal', 'beta', 'normal-kernel', 'beta-kernel']
    """
    values = np.asarray(x, dtype=float)
    discrete = support is not None
    known = {cls.name: cls for cls in MARGINS if issubclass(cls, DiscreteMargin) == discrete}
    names = [choose(name, known, "family of margins") for name in families or known]
    points: tuple[FloatArray, ...] = ()
    if support is None:
        remedy = ("Rescale the scores, or set ", Argument("support"), " to the possible ones.")
        check_unit_range(values, remedy)
    else:
        points = (score_support(support),)
        values = points[0][support_index(values, points[0])]
    if np.ptp(values) == 0:
        return [PointMargin(float(values[0]))]
    return [margin for name in names for margin in known[name].candidates(values, *points)]


def select_margin(margins: Sequence[Margin], x: ArrayLike, criterion: str = "aic") -> Margin:
    """Return the margin that fits a sample best.

    Parameters
    ----------
    margins : sequence of Margin
        The candidates.
    x : array
        Scores of one system.
    criterion : {"aic", "bic", "loglik"}
        Lowest Akaike or Bayesian information criterion, or highest log-likelihood.

    Examples
    --------
    >>> x = np.random.default_rng(1).beta(2, 5, size=200)
    >>> select_margin(fit_margins(x), x).name
    'beta'
    """
    loss = _LOSSES[choose(criterion, _LOSSES, "criterion")]
    losses = np.array([loss(margin, x) for margin in margins])
    if not np.isfinite(losses).any():
        raise OptionError(
            f"The scores have density 0 under all margins: {listing(m.name for m in margins)}.",
            "Use other families of margins.",
        )
    return margins[int(np.argmin(np.where(np.isfinite(losses), losses, np.inf)))]


def check_unit_range(values: FloatArray, remedy: Text) -> None:
    """Raise an error for scores outside [0, 1]."""
    off = (values < 0) | (values > 1)
    if off.any():
        found = listing(f"{value:g}" for value in np.unique(values[off]))
        raise ScoresError(f"Scores must be between 0 and 1; got {found}.", remedy)


def margin_to_dict(margin: Margin) -> dict[str, Any]:
    """Return the parameters of a margin of this package, for a file."""
    for part in (margin, getattr(margin, "base", margin)):
        if type(part) is not _SAVED.get(part.name):
            raise OptionError(
                f"A margin of the class {type(part).__name__} cannot be saved.",
                "Save the simulator without it, and call with_margin after loading.",
            )
    return margin.to_dict()


def margin_from_dict(parameters: dict[str, Any]) -> Margin:
    """Return the margin with the parameters that its ``to_dict`` returned."""

    def restored(value: Any) -> Any:
        if isinstance(value, dict):
            return margin_from_dict(value)
        return np.asarray(value) if isinstance(value, list) else value

    values = {name: restored(value) for name, value in parameters.items() if name != "family"}
    return _SAVED[choose(parameters.get("family"), _SAVED, "family of margins")](**values)
