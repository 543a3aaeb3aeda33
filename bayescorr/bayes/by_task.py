"""Sample the true means of scores: at once, or independently for each task of a benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescorr._numbers import FloatArray
from bayescorr.bayes import _stack
from bayescorr.bayes.data import prepare
from bayescorr.bayes.model import Model, Priors
from bayescorr.bayes.posterior import assemble_correlation
from bayescorr.bayes.sampler import Sampling, sample
from bayescorr.bayes.tasks import join_approximations, join_groups
from bayescorr.coefficients import correlate
from bayescorr.errors import ModelError, ScoresError
from bayescorr.scores.check import observed_means, treat_missing
from bayescorr.scores.strata import Task, task_table, tasks_to_fit

Groups = dict[str, xr.Dataset]


def sample_scores(
    model: Model,
    scores: pd.DataFrame,
    errors: pd.DataFrame | None,
    priors: Priors,
    sampling: Sampling,
    attributes: Mapping[str, Any],
) -> tuple[Groups, FloatArray]:
    """Sample a model of checked scores: groups, and true means as chains x draws x systems.

    With several tasks, the true means are the weighted sums of those of the tasks, and the groups
    are those of every task. One task gives what the scores without tasks give.
    """
    tasks = tasks_to_fit(scores)
    if len(tasks) == 1:
        return _sample_table(model, scores, errors, priors, sampling)
    better = bool(attributes["higher_is_better"])
    total, raw, stored = np.zeros(()), [], []
    for k, task in enumerate(tasks):
        table = task_table(scores, task)
        error = None if errors is None else errors.iloc[task.rows]
        try:
            table = treat_missing(table, "model")
            own = _sampling_of(sampling, k, task)
            groups, means = _sample_table(model, table, error, priors, own)
        except (ModelError, ScoresError) as problem:
            message = f"Task {task.name!r}: {problem.message}"
            raise type(problem)(message, problem.remedy) from None
        total = total + task.weight * means
        # As of a fit of the task alone, so that it can be judged and answer like one.
        alone, _ = assemble_correlation(
            {**groups, "posterior": own_dimension(groups["posterior"])},
            {"true_means": means},
            correlate(means, observed_means(table).to_numpy(), higher_is_better=better),
            {"scores": table},
            attributes,
        )
        raw.append(groups)
        stored.append(_stack.groups(alone))
    joined = {**join_groups(stored), **join_approximations(raw)}
    return {"posterior": xr.Dataset(), **joined}, total


def own_dimension(posterior: xr.Dataset) -> xr.Dataset:
    """Rename the dimension of parameters per system: they are those of the distinct systems."""
    renamed = {"system": "distinct_system"} if "system" in posterior.dims else {}
    return posterior.rename(renamed)


def _sample_table(
    model: Model,
    scores: pd.DataFrame,
    errors: pd.DataFrame | None,
    priors: Priors,
    sampling: Sampling,
) -> tuple[Groups, FloatArray]:
    data, stands_for = prepare(scores, errors)
    model.check(data)
    groups, distinct = sample(model, data, priors, sampling)
    return groups, distinct[:, :, stands_for.to_numpy()]


def _sampling_of(sampling: Sampling, k: int, task: Task) -> Sampling:
    """Return the sampling of the k-th task, with random numbers and a start of its own."""
    options = dict(sampling.options)
    if isinstance(start := options.pop("start", None), Mapping) and task.name in start:
        options["start"] = start[task.name]
    seed = sampling.seed
    if k:
        seed = int(np.random.default_rng([seed, 2, k]).integers(2**63 - 1))
    return replace(sampling, random_seed=seed, options=options)
