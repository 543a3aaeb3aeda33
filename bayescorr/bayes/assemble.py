"""From draws to a fit: hyperparameters, true means, coefficients and data in one container."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

import bayescorr
from bayescorr._numbers import FloatArray
from bayescorr.bayes import _stack
from bayescorr.bayes.convergence import check_convergence
from bayescorr.bayes.data import plain_labels, with_plain_labels
from bayescorr.bayes.model import Model
from bayescorr.bayes.result import Fit
from bayescorr.coefficients import DEFAULT_COEFFICIENTS, correlate
from bayescorr.errors import OptionError, listing
from bayescorr.scores.check import check_scores, observed_means


def assemble(
    posterior: xr.Dataset,
    stats: dict[str, xr.Dataset],
    means: FloatArray,
    scores: pd.DataFrame,
    score_sd: pd.DataFrame | None,
    attributes: dict[str, Any],
    model: Model | None = None,
) -> Fit:
    """Put hyperparameters, true means, coefficients and data into one container."""
    systems, topics = scores.columns.to_numpy(), scores.index.to_numpy()
    better = bool(attributes["higher_is_better"])
    observed = observed_means(scores)
    # Parameters per system are those of the distinct systems, so their dimension is another one.
    renamed = {"system": "distinct_system"} if "system" in posterior.dims else {}
    posterior = posterior.rename(renamed)
    coords = {"chain": np.arange(means.shape[0]), "draw": np.arange(means.shape[1])}
    posterior = posterior.assign_coords(coords)
    posterior = posterior.assign_coords(system=systems)
    posterior["true_means"] = (("chain", "draw", "system"), means)
    values = correlate(means, observed.to_numpy(), DEFAULT_COEFFICIENTS, higher_is_better=better)
    for name, value in values.items():
        posterior[name] = (("chain", "draw"), value)
    observed_data = xr.Dataset(
        {"scores": (("topic", "system"), scores.to_numpy())},
        coords={"topic": topics, "system": systems},
    )
    if score_sd is not None:
        observed_data["score_sd"] = (("topic", "system"), score_sd.to_numpy())
    versions = {name: version(name) for name in ("pymc", "arviz", "nutpie", "numpy")}
    attributes = {
        **attributes,
        "bayescorr_version": bayescorr.__version__,
        "versions": json.dumps(versions),
    }
    groups = {"posterior": posterior, **stats, "observed_data": observed_data}
    return Fit(
        _stack.container(groups, attributes),
        check_convergence(posterior, stats.get("sample_stats")),
        model,
    )


def fit_from_draws(draws: Any, scores: Any, *, higher_is_better: bool = True) -> Fit:
    """Build a :class:`Fit` from draws of true means sampled elsewhere; see ``Fit.from_draws``."""
    checked = with_plain_labels(check_scores(scores))
    systems = checked.columns
    if isinstance(draws, xr.DataArray):
        if not {"draw", "system"} <= set(draws.dims) <= {"chain", "draw", "system"}:
            raise OptionError(
                f"The draws have the dimensions {', '.join(map(str, draws.dims))}.",
                "Name them draw and system, or chain, draw and system.",
            )
        labelled = draws.transpose(..., "draw", "system")
        labels = plain_labels(labelled.indexes.get("system", pd.Index([])))
        _check_draws_of(systems, labels)
        array = np.take(labelled.to_numpy(), labels.get_indexer(systems), axis=-1)
        array = array[None] if array.ndim == 2 else array
    elif isinstance(draws, pd.DataFrame):
        _check_draws_of(systems, plain_labels(draws.columns))
        array = draws.set_axis(plain_labels(draws.columns), axis=1)[systems].to_numpy(float)[None]
    else:
        array = np.asarray(draws, float)
        array = array[None] if array.ndim == 2 else array
    if array.ndim != 3 or array.shape[2] != checked.shape[1] or not np.isfinite(array).all():
        raise OptionError(
            f"The draws have shape {array.shape}, or are not all finite; (chains,) draws x "
            f"{checked.shape[1]} systems of finite numbers are needed.",
            "Give one number per draw and system, systems in the order of the scores' columns.",
        )
    return assemble(
        xr.Dataset(),
        {},
        array,
        checked,
        None,
        {"model": "", "higher_is_better": int(higher_is_better)},
    )


def _check_draws_of(systems: pd.Index[Any], found: pd.Index[Any]) -> None:
    if lacking := [system for system in systems if system not in found]:
        raise OptionError(
            f"The draws have no column for: {listing(lacking)}.",
            "Name the columns of the draws like the systems.",
        )
