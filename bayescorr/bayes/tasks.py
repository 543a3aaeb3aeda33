r"""Means over tasks in a container: one posterior per task, stored side by side.

The posterior of :math:`\sum_k w_k \mu_k` is that of independent :math:`\mu_k`, one per task. Each
task has its own groups (``task1_posterior``, ``task1_sample_stats`` ...), in the order of the
sorted names. ``observed_data`` has the task of each topic.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import xarray as xr

from bayescorr.scores.aggregates import SUMMARY
from bayescorr.scores.check import observed_means
from bayescorr.scores.strata import Strata, keep_strata, strata_of

_GROUP = re.compile(r"task([1-9]\d*)_(\w+)")

Groups = Mapping[str, xr.Dataset]


def join_groups(parts: Sequence[Groups]) -> dict[str, xr.Dataset]:
    """Return the groups of the posteriors of several tasks under names of their own."""
    return {
        f"task{k}_{name}": dataset
        for k, groups in enumerate(parts, start=1)
        for name, dataset in groups.items()
        if name != "observed_data"
    }


def split_groups(groups: Groups) -> list[dict[str, xr.Dataset]]:
    """Return the groups of each task, by their usual names; nothing without tasks."""
    found: dict[int, dict[str, xr.Dataset]] = {}
    for name, dataset in groups.items():
        if match := _GROUP.fullmatch(name):
            found.setdefault(int(match[1]), {})[match[2]] = dataset
    return [found[k] for k in sorted(found)]


def names(groups: Groups) -> list[str]:
    """Return the names of the tasks with a posterior of their own."""
    if not split_groups(groups):
        return []
    return sorted(set(groups["observed_data"]["task"].to_numpy().astype(str).tolist()))


def add_strata(observed: xr.Dataset, scores: pd.DataFrame) -> xr.Dataset:
    """Add tasks, repeats and the summary of scores to the data of a posterior, if they have any."""
    if repeats := scores.attrs.get("repeats"):
        values = observed["scores"]
        observed = observed.assign(scores=values.assign_attrs(repeats=str(repeats)))
    if (known := scores.attrs.get(SUMMARY)) is not None:
        kept = {"name": known["name"], "applied": int(bool(known.get("applied")))}
        found = observed_means(scores).to_numpy()
        observed = observed.assign(observed_summary=(("system",), found, kept))
    strata = strata_of(scores)
    if strata is None:
        return observed
    of_topic = np.array([strata.task_of[str(topic)] for topic in scores.index], dtype=object)
    weights = strata.weights if isinstance(strata.weights, str | None) else dict(strata.weights)
    return observed.assign(task=(("topic",), of_topic, {"weights": json.dumps(weights)}))


def stored_scores(observed: xr.Dataset) -> pd.DataFrame:
    """Return the scores of a posterior, with what is known of them."""
    scores = pd.DataFrame(observed["scores"].to_pandas())
    if repeats := observed["scores"].attrs.get("repeats"):
        scores.attrs["repeats"] = str(repeats)
    if "observed_summary" in observed:
        found = observed["observed_summary"]
        values = dict(zip(map(str, scores.columns), found.to_numpy().tolist(), strict=True))
        kept = {"name": str(found.attrs["name"]), "named": True, "observed": values}
        scores.attrs[SUMMARY] = kept | ({"applied": True} if found.attrs["applied"] else {})
    if "task" in observed:
        task_of = {
            str(topic): str(task)
            for topic, task in zip(scores.index, observed["task"].to_numpy(), strict=True)
        }
        keep_strata(scores, Strata(task_of, json.loads(observed["task"].attrs["weights"])))
    return scores


def join_approximations(parts: Sequence[Groups]) -> dict[str, xr.Dataset]:
    """Return the Laplace approximation of all tasks together, to judge quantities of all.

    The tasks are independent, so its coordinates are those of all tasks side by side.
    """
    found = [groups["laplace"] for groups in parts if "laplace" in groups]
    if not found:
        return {}
    sides = [
        one[["standard", "residual"]].drop_vars("coordinate", errors="ignore") for one in found
    ]
    joint = xr.concat(sides, dim="coordinate")
    joint["shift"] = max(float(one["shift"]) for one in found)
    joint["change"] = max(float(one["change"]) for one in found)
    joint["gradients"] = sum(int(one["gradients"]) for one in found)
    return {"laplace": joint}
