"""Posterior predictive check: means and spreads that a model predicts, and the observed ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescorr._draws import interval
from bayescorr._numbers import FloatArray
from bayescorr._random import RandomSeed
from bayescorr.errors import choose
from bayescorr.report.style import (
    BLACK,
    GREY,
    POSTERIOR,
    SHADE,
    label_cells,
    mean_label,
    new_axes,
    tidy,
)
from bayescorr.scores.strata import tasks_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescorr.bayes.result import Fit

#: Most simulated scores to hold at a time.
_MOST_SCORES = 50_000_000
#: Quantities to check.
QUANTITIES = ("difference_sds", "means")


@dataclass(frozen=True, eq=False)
class Predicted:
    """Observed quantities beside their posterior predictive distributions.

    Attributes
    ----------
    level : float
        Level of the predictive intervals.
    systems : list
        Systems in observed order.
    means, difference_sds : DataFrame
        Columns observed, median, lower and upper: of the mean of each system, and of the standard
        deviation over topics of the difference of each pair, ordered as ``numpy.triu_indices``.
    measure : str
        The measure of the scores; empty if unknown.
    """

    level: float
    systems: list[Any] = field(repr=False)
    means: pd.DataFrame = field(repr=False)
    difference_sds: pd.DataFrame = field(repr=False)
    measure: str = ""

    def inside(self, quantity: str) -> float:
        """Return the share of observed values inside their predictive intervals."""
        table: pd.DataFrame = getattr(self, choose(quantity, QUANTITIES, "quantity"))
        return float(table["observed"].between(table["lower"], table["upper"]).mean())

    def plot(self, quantity: str = "means", ax: Axes | None = None) -> Axes:
        """Plot a quantity; see :func:`plot_predictive`."""
        choose(quantity, QUANTITIES, "quantity")
        return _plot_means(self, ax) if quantity == "means" else _plot_sds(self, ax)

    def __str__(self) -> str:
        return (
            f"{self.inside('means'):.0%} of the mean scores and "
            f"{self.inside('difference_sds'):.0%} of the standard deviations of differences are "
            f"inside their {self.level * 100:g}% predictive intervals."
        )


def predict(
    fit: Fit, level: float = 0.95, *, draws: int = 400, random_seed: RandomSeed = None
) -> Predicted:
    """Predict means and spreads of differences on as many new topics as were observed.

    Parameters
    ----------
    fit : Fit
        A fit of a model that can predict new topics.
    level : float
        Level of the predictive intervals.
    draws : int
        Number of collections to simulate; fewer, at least 20, if the scores are millions.
    random_seed : int or Generator, optional
        The same seed gives the same numbers.

    Returns
    -------
    Predicted
        Prints as a sentence; has the tables ``means`` and ``difference_sds``.

    Examples
    --------
    >>> import bayescorr
    >>> predict(bayescorr.fit(bayescorr.load_dataset("demo"), "flat", random_seed=1))
    Traceback (most recent call last):
    ...
    bayescorr.errors.ModelError: The model 'flat' cannot ...
    """
    scores = fit.scores[fit.systems].to_numpy()
    draws = min(draws, max(20, _MOST_SCORES // scores.size))
    simulated = fit.posterior_predictive(draws=draws, random_seed=random_seed)
    values = simulated.sel(system=fit.systems).to_numpy()
    return Predicted(
        level=level,
        systems=fit.systems,
        means=_table(fit.observed_means.to_numpy(), _means(fit, values), level),
        difference_sds=_table(
            difference_sds(scores), np.stack([difference_sds(s) for s in values]), level
        ),
        measure=fit.measure,
    )


def _means(fit: Fit, values: FloatArray) -> FloatArray:
    """Return means over simulated topics, those of one task after the other."""
    tasks = tasks_of(fit.scores)
    ends = np.cumsum([len(task.rows) for task in tasks])[:-1]
    parts = zip(tasks, np.split(values, ends, axis=1), strict=True)
    return np.asarray(sum(task.weight * part.mean(axis=1) for task, part in parts))


def plot_predictive(
    fit: Fit,
    quantity: str = "means",
    *,
    level: float = 0.95,
    draws: int = 400,
    random_seed: RandomSeed = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot what the model predicts for as many new topics as observed, and the observed values.

    Parameters
    ----------
    fit, level, draws, random_seed
        As in :func:`predict`.
    quantity : {"means", "difference_sds"}
        Mean score of each system; or the standard deviation over topics of the difference of each
        pair of systems, which determines how hard they are to tell apart.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib Axes
    """
    choose(quantity, QUANTITIES, "quantity")
    return predict(fit, level, draws=draws, random_seed=random_seed).plot(quantity, ax)


def difference_sds(scores: FloatArray) -> FloatArray:
    """Return the sd over topics of the difference of each pair of systems, topics x systems in.

    Examples
    --------
    >>> difference_sds(np.array([[0.0, 0.0, 1.0], [0.0, 2.0, 1.0]])).round(4)
    array([1.4142, 0.    , 1.4142])
    """
    covariance = pd.DataFrame(scores).cov().to_numpy()
    variance = np.diag(covariance)
    first, second = np.triu_indices(len(variance), 1)
    squares = variance[first] + variance[second] - 2 * covariance[first, second]
    return np.asarray(np.sqrt(np.maximum(squares, 0)))


def _table(observed: FloatArray, values: FloatArray, level: float) -> pd.DataFrame:
    lower, upper = interval(values, level)
    median = np.median(values, axis=0)
    return pd.DataFrame({"observed": observed, "median": median, "lower": lower, "upper": upper})


def _plot_means(predicted: Predicted, ax: Axes | None) -> Axes:
    table, m = predicted.means, len(predicted.systems)
    ax = new_axes(ax, min(max(0.16 * m + 2.0, 6.0), 15.0), 4.2)
    x = np.arange(m)
    _band(ax, x, table, f"{predicted.level * 100:g}% of predictions")
    ax.plot(x, table["median"], color=POSTERIOR, label="median prediction")
    size = 3 if m > 60 else 5
    ax.plot(x, table["observed"], "o", color=BLACK, markersize=size, label="observed")
    label = mean_label(predicted.measure)
    ax.set(xlim=(-0.6, m - 0.4), xlabel="system, in observed order", ylabel=label)
    tidy(ax, grid="y", legend=3)
    label_cells(ax, x=pd.Index(predicted.systems))
    return ax


def _plot_sds(predicted: Predicted, ax: Axes | None) -> Axes:
    table = predicted.difference_sds
    ax = new_axes(ax, 5.6, 5.6)
    top = 1.03 * max(float(table["observed"].max()), float(table["upper"].max()))
    ax.plot([0, top], [0, top], color=GREY, linewidth=1, label="observed = predicted")
    band, inside = sds_band(table), predicted.inside("difference_sds")
    label = f"{predicted.level * 100:g}% of predictions ({inside:.0%} of the pairs are inside)"
    _band(ax, band["observed"], band, label)
    size, alpha = (2, 0.35) if len(table) > 500 else (3.5, 0.8)
    ax.plot(
        table["observed"], table["median"], "o", color=POSTERIOR, markeredgewidth=0,
        markersize=size, alpha=alpha, label="median prediction",
    )  # fmt: skip
    title = "observed sd of the difference of two systems"
    ax.set(xlim=(0, top), ylim=(0, top), xlabel=title, ylabel="predicted sd")
    tidy(ax, grid="both", legend=1)
    return ax


def _band(ax: Axes, x: Any, table: pd.DataFrame, label: str) -> None:
    lower, upper = table["lower"], table["upper"]
    ax.fill_between(x, lower, upper, color=POSTERIOR, alpha=SHADE, linewidth=0, label=label)


def sds_band(table: pd.DataFrame, pieces: int = 40) -> pd.DataFrame:
    """Average pairs with similar observed sds: thousands of single intervals hide each other."""
    order = np.argsort(table["observed"].to_numpy())
    parts = np.array_split(order, min(len(order), pieces))
    return pd.DataFrame([table.iloc[part].mean() for part in parts])
