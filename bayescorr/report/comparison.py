"""Posterior and frequentist estimates of the same coefficients, side by side."""

from __future__ import annotations

from typing import Any

import pandas as pd

from bayescorr._random import RandomSeed
from bayescorr.bayes.fit import fit as fit_model
from bayescorr.bayes.model import Model
from bayescorr.bayes.result import Fit
from bayescorr.coefficients import DEFAULT_COEFFICIENTS
from bayescorr.errors import ScoresError
from bayescorr.frequentist.api import estimate
from bayescorr.frequentist.registry import DEFAULT_ESTIMATORS
from bayescorr.scores.aggregates import with_same_summary, with_summary
from bayescorr.scores.strata import strata_of, with_strata

#: Says what the column ``estimate`` is.
POINTS = "Estimates are posterior means; those of the estimators are expected values."


def compare(
    scores: Any,
    model: str | Model | Fit | None = None,
    methods: Any = DEFAULT_ESTIMATORS,
    coefficients: Any = DEFAULT_COEFFICIENTS,
    level: float = 0.95,
    *,
    random_seed: RandomSeed = None,
    missing: str = "error",
    higher_is_better: bool = True,
    strata: Any = None,
    weights: Any = None,
    summary: Any = None,
    **fit_options: Any,
) -> pd.DataFrame:
    """Estimate the correlation with the true ranking by a model and by frequentist methods.

    Parameters
    ----------
    scores : DataFrame
        Scores, topics x systems.
    model : str, Model or Fit, optional
        By default the default model. A fit of these scores is used as is.
    methods : sequence of str
        Frequentist estimators, see :func:`bayescorr.list_estimators`.
    coefficients : sequence of str or callable
        Names of coefficients, or functions f(truth, observed). NaN if a method does not support
        one.
    level : float
        Level of the credible and confidence intervals.
    random_seed : int or Generator, optional
        The same seed gives the same numbers.
    missing : {"error", "drop", "zero", "model"}
        How to treat missing scores. With "model", the frequentist methods drop topics with any.
    higher_is_better : bool
        False if the lowest mean is the best.
    strata, weights
        Task of each topic, and weights of the tasks, as in :func:`bayescorr.with_strata`.
    summary : str or callable, optional
        How the scores of a system are summarised, as in :func:`bayescorr.fit`.
    **fit_options
        Passed to :func:`bayescorr.fit`.

    Returns
    -------
    DataFrame
        The columns of :func:`bayescorr.estimate`, the posterior first. ``attrs["notes"]`` is a list
        of notes for the reader.

    Examples
    --------
    >>> import bayescorr
    >>> scores = bayescorr.load_dataset("demo")
    >>> table = compare(scores, "flat", ["ML"], ["tau"], random_seed=1)
    >>> table[["method", "coefficient", "estimate"]].round(2)
      method coefficient  estimate
    0   flat         tau      0.8...
    1     ML         tau      0.8...
    """
    scores = ranked_like(scores, model, strata, weights, summary)
    if isinstance(model, Fit):
        fit = model
    else:
        # The estimators warn about ties already.
        fit_options.setdefault("warn", False)
        fit = fit_model(
            scores, model, random_seed=random_seed, missing=missing,
            higher_is_better=higher_is_better, **fit_options,
        )  # fmt: skip
    posterior = fit.estimates(level, coefficients=coefficients)
    others = estimate(
        scores, methods, coefficients, level, random_seed=random_seed,
        missing="drop" if missing == "model" else missing, higher_is_better=fit.higher_is_better,
    )  # fmt: skip
    notes = [*others.attrs["notes"], POINTS]
    if missing == "model":
        notes.append("Only the model uses topics with missing scores.")
    if not fit.convergence.passed:
        notes.append(f"{fit.method}: {fit.convergence} {fit.convergence.remedy}")
    table = pd.concat([posterior, others], ignore_index=True)
    table.attrs["notes"] = notes
    return table


def ranked_like(scores: Any, model: Any, strata: Any, weights: Any, summary: Any) -> Any:
    """Return scores with their tasks and their summary, which are those of the fit if it is one."""
    if not isinstance(model, Fit):
        return with_summary(with_strata(scores, strata, weights), summary)
    of_fit = strata_of(model.scores)
    divided = with_strata(scores, strata if of_fit is None else of_fit, weights)
    return with_same_summary(divided, model.scores)


def compare_fit(fit: Fit, methods: Any, level: float, random_seed: int) -> pd.DataFrame:
    """Return the comparison for a fit; the posterior alone if too few topics have all scores."""
    # Only the treatment "model" leaves scores missing in a fit.
    missing = "model" if fit.scores.isna().to_numpy().any() else "error"
    options: dict[str, Any] = {"level": level, "random_seed": random_seed, "missing": missing}
    try:
        return compare(fit.scores, fit, methods, **options)
    except ScoresError as problem:
        table = fit.estimates(level)
        table.attrs["notes"] = [f"No frequentist estimates: {problem.message}"]
        return table
