"""The scores as models see them: distinct systems sorted by label, with a standard scale."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from bayescorr._numbers import FloatArray, row_factor
from bayescorr.errors import Argument, ModelError, OptionError, ScoresError, listing
from bayescorr.scores.aggregates import weights_function
from bayescorr.scores.check import identical_systems, sort_labels


@dataclass(frozen=True)
class ModelData:
    """The scores as models see them.

    Attributes
    ----------
    values : array, topics x systems
        Scores of the distinct systems, topics and systems sorted by label; NaN where missing.
    topics, systems : list
        Their labels.
    score_sd : array or None
        Standard deviation of the measurement error of each score.
    location, scale : float
        Grand mean, and standard deviation of within-topic contrasts (the system-topic
        interaction). Models with priors on a standard scale use ``(values - location) / scale``.
    summary : callable, optional
        How weighted scores are summarised, if not by their mean: a function of values (topics x
        systems) and weights (draws x topics, rows sum to 1).
    """

    values: FloatArray
    topics: list[Hashable]
    systems: list[Hashable]
    score_sd: FloatArray | None = None
    location: float = 0.0
    scale: float = 1.0
    summary: Callable[[FloatArray, FloatArray], FloatArray] | None = None

    @property
    def n_topics(self) -> int:
        """Number of topics, n."""
        return int(self.values.shape[0])

    @property
    def n_systems(self) -> int:
        """Number of distinct systems, m."""
        return int(self.values.shape[1])

    @property
    def coords(self) -> dict[str, list[Hashable]]:
        """Coordinates of a PyMC model."""
        return {"topic": self.topics, "system": self.systems}

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """Which cells have no score."""
        return np.isnan(self.values)

    @property
    def uncertain(self) -> bool:
        """Whether some scores are missing or measured with error."""
        return self.score_sd is not None or bool(self.missing.any())

    @cached_property
    def standard(self) -> FloatArray:
        """The scores on the standard scale."""
        return (self.values - self.location) / self.scale

    @cached_property
    def means(self) -> FloatArray:
        """Observed means on the standard scale."""
        return np.asarray(np.nanmean(self.standard, axis=0))

    @cached_property
    def scatter_factor(self) -> FloatArray:
        """F, systems x min(n - 1, m), with F F' the centred scatter of the standard scores."""
        centred = row_factor(self.standard - self.means)
        _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
        rank = min(self.n_topics - 1, self.n_systems)
        return np.ascontiguousarray(axes[:rank].T * sizes[:rank])

    def weighted(self, weights: FloatArray) -> FloatArray:
        """Return the means of weighted scores, or their other summary, one row per row."""
        return weights @ self.values if self.summary is None else self.summary(self.values, weights)

    def to_scores(self, standard: FloatArray) -> FloatArray:
        """Convert values from the standard scale to the scale of the scores."""
        return self.location + self.scale * standard


def contrast_sd(values: FloatArray) -> float:
    """Return the sd of the residuals after removing topic and system means."""
    centred = values - np.nanmean(values, axis=0)
    centred = centred - np.nanmean(centred, axis=1, keepdims=True)
    topics, systems = values.shape
    lost = topics + systems - 1 + int(np.isnan(values).sum())
    return float(np.sqrt(np.nansum(centred**2) / max(values.size - lost, 1)))


def prepare(
    scores: pd.DataFrame, score_sd: pd.DataFrame | None = None
) -> tuple[ModelData, pd.Series]:
    """Prepare checked scores for a model.

    Returns
    -------
    ModelData
        With one of each set of identical systems.
    Series
        For every system of ``scores`` the position of the distinct system that stands for it.
    """
    ordered = sort_labels(scores)
    representative: dict[Hashable, Hashable] = {}
    # With measurement error, equal scores do not mean equal systems.
    for group in identical_systems(ordered) if score_sd is None else []:
        representative.update(dict.fromkeys(group[1:], group[0]))
    distinct = ordered.loc[:, [system not in representative for system in ordered.columns]]
    values = np.ascontiguousarray(distinct.to_numpy(float))
    scale = contrast_sd(values)
    if distinct.shape[1] < 2 or not scale > 1e-10 * max(1.0, np.nanmax(np.abs(values))):
        raise ModelError(
            "The differences between systems are the same on every topic, so there is no variation "
            "to model.",
            "Check the scores: the difference of at least two systems must vary over topics.",
        )
    sd = None
    if score_sd is not None:
        aligned = score_sd.reindex(index=distinct.index, columns=distinct.columns)
        sd = np.ascontiguousarray(aligned.to_numpy(float))
    data = ModelData(
        values=values,
        topics=list(distinct.index),
        systems=list(distinct.columns),
        score_sd=sd,
        location=float(np.nanmean(values)),
        scale=scale,
        summary=weights_function(scores),
    )
    position: dict[Hashable, int] = {system: i for i, system in enumerate(distinct.columns)}
    stands_for = [position[representative.get(system, system)] for system in scores.columns]
    return data, pd.Series(stands_for, index=scores.columns)


def plain_labels(labels: pd.Index[Any]) -> pd.Index[Any]:
    """Return labels that NetCDF can store: whole numbers, otherwise text."""
    if all(isinstance(label, int | np.integer) for label in labels):
        return pd.Index(np.array(labels, dtype=np.int64))
    return pd.Index([str(label) for label in labels], dtype=object)


def with_plain_labels(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the scores with labels that NetCDF can store, so that sorting is stable."""
    index, columns = plain_labels(scores.index), plain_labels(scores.columns)
    for what, labels in (("topics", index), ("systems", columns)):
        if not labels.is_unique:
            twice = listing(labels[labels.duplicated()].unique())
            raise ScoresError(
                f"Several {what} have the same label as text: {twice}.",
                "Make the labels unique as text.",
            )
    return scores.set_axis(index, axis=0).set_axis(columns, axis=1)


def measure_of(scores: Any) -> str:
    """Return the measure that the scores are of, such as AP; empty if they do not name it."""
    return str(getattr(scores, "attrs", {}).get("measure") or "")


def align_draws(draws: Any, systems: pd.Index[Any]) -> FloatArray:
    """Return draws of the true means as chains x draws x systems."""
    labels = systems
    if isinstance(draws, xr.DataArray):
        if not {"draw", "system"} <= set(draws.dims) <= {"chain", "draw", "system"}:
            raise OptionError(
                f"The draws have the dimensions {', '.join(map(str, draws.dims))}.",
                "Name them draw and system, or chain, draw and system.",
            )
        draws = draws.transpose(..., "draw", "system")
        labels = plain_labels(draws.indexes.get("system", pd.Index([])))
    elif isinstance(draws, pd.DataFrame):
        labels = plain_labels(draws.columns)
    if lacking := [system for system in systems if system not in labels]:
        raise OptionError(
            f"The draws have no column for: {listing(lacking)}.",
            "Label the draws with the names of the systems.",
        )
    try:
        array = np.asarray(draws, float)
    except (TypeError, ValueError):
        raise OptionError(
            (Argument("draws"), " must be an array of numbers, draws x systems.")
        ) from None
    array = array[None] if array.ndim == 2 else array
    if array.ndim != 3 or array.shape[2] != len(labels) or not np.isfinite(array).all():
        raise OptionError(
            f"Expected finite draws of shape (chains,) draws x {len(systems)} systems; got shape "
            f"{array.shape}.",
            "Give one number per draw and system, systems in the order of the scores' columns.",
        )
    return np.take(array, labels.get_indexer(systems), axis=-1)
