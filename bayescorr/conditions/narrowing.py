"""What judges add to the truth: its fit without them, and how much narrower they make it."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescorr._draws import interval
from bayescorr._numbers import FloatArray, check_level
from bayescorr.bayes.fit import fit
from bayescorr.bayes.model import get_model
from bayescorr.bayes.result import Fit
from bayescorr.coefficients import DEFAULT_COEFFICIENTS
from bayescorr.coefficients.ranks import true_ranks
from bayescorr.errors import ConvergenceWarning

if TYPE_CHECKING:
    from bayescorr.conditions.agreement import Agreement


def alone(agreement: Agreement, condition: str | None = None, **options: Any) -> Fit:
    """Fit one condition without the others: the default model of its own scores.

    Parameters
    ----------
    condition : str, optional
        By default the truth.
    **options
        Passed to :func:`bayescorr.fit`. By default seed, draws, priors and inference are those of
        this posterior.

    Returns
    -------
    Fit
        To be compared with :meth:`Agreement.of`, which uses the scores of all conditions.
    """
    name = agreement.truth if condition is None else condition
    attributes = agreement.idata.attrs
    stored = {key: int(attributes[key]) for key in ("draws", "tune", "chains") if key in attributes}
    if "random_seed" in attributes:
        stored["random_seed"] = int(attributes["random_seed"])
    known = get_model().priors
    return fit(
        agreement.scores[name],
        **{
            **stored,
            "priors": {key: x for key, x in agreement.priors.items() if key in known},
            "higher_is_better": agreement.higher_is_better[name],
            "inference": "laplace" if agreement.inference == "laplace" else "nuts",
            "warn": False,
            **options,
        },
    )


def narrowing(
    agreement: Agreement,
    level: float = 0.95,
    *,
    coefficients: Any = DEFAULT_COEFFICIENTS,
    without: Fit | None = None,
) -> pd.DataFrame:
    """Return how much narrower the scores of the judges make the intervals of the truth.

    Parameters
    ----------
    level : float
        Probability inside the intervals.
    coefficients : sequence of str or callable
        Between the truth's true means and its observed means, over the topics that it has.
    without : Fit, optional
        The fit of the truth without the judges. By default that of :meth:`Agreement.alone`.

    Returns
    -------
    DataFrame
        One row per coefficient with the posterior that uses the judges, and that of the truth
        alone: quantity, estimate, lower, upper, width, estimate_alone, lower_alone, upper_alone,
        width_alone and narrower, the share by which the interval got narrower. Two more rows,
        "true means" (less their mean) and "ranks", have average widths over the systems.
    """
    check_level(level)
    if without is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            without = alone(agreement)
    fits = {"": agreement.of(agreement.truth), "_alone": without}
    parts = []
    for suffix, one in fits.items():
        table = one.estimates(level, coefficients=coefficients)
        table["width"] = table["upper"] - table["lower"]
        table = table.rename(columns={"coefficient": "quantity"})
        table = table[["quantity", "estimate", "lower", "upper", "width"]]
        apart = one.ordered_means - one.ordered_means.mean(axis=1, keepdims=True)
        ranks = true_ranks(one.ordered_means, higher_is_better=one.higher_is_better)
        more = [("true means", _width(apart, level)), ("ranks", _width(ranks, level))]
        averages = pd.DataFrame(more, columns=["quantity", "width"])
        whole = pd.concat([table, averages], ignore_index=True).set_index("quantity")
        parts.append(whole.add_suffix(suffix))
    result = pd.concat(parts, axis=1)
    result["narrower"] = 1 - result["width"] / result["width_alone"]
    return result.reset_index()


def _width(draws: Any, level: float) -> float:
    """Return the average width of the intervals of several quantities, draws x quantities."""
    lower, upper = interval(np.asarray(draws, float), level)
    widths: FloatArray = np.asarray(upper - lower)
    return float(widths.mean())
