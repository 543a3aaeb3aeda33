"""What a model predicts for new topics, beside what was observed: numbers first, plots second."""

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
    label_axis,
    new_axes,
    room,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescorr.bayes.result import Fit

#: What :func:`plot_predictive` can show.
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
        Columns observed, median, lower and upper: the mean of each system; the standard deviation
        over topics of the difference of each pair of systems, pairs as ``numpy.triu_indices`` has
        them.
    """

    level: float
    systems: list[Any] = field(repr=False)
    means: pd.DataFrame = field(repr=False)
    difference_sds: pd.DataFrame = field(repr=False)

    def inside(self, quantity: str) -> float:
        """Share of the observed values that are inside their predictive intervals."""
        choose(quantity, QUANTITIES, "quantity")
        table: pd.DataFrame = getattr(self, quantity)
        return float(table["observed"].between(table["lower"], table["upper"]).mean())

    def __str__(self) -> str:
        return (
            f"{self.inside('means'):.0%} of the mean scores and "
            f"{self.inside('difference_sds'):.0%} of the standard deviations of differences are "
            f"inside their {self.level * 100:g}% predictive intervals."
        )


def predict(
    fit: Fit, level: float = 0.95, *, draws: int = 400, random_seed: RandomSeed = None
) -> Predicted:
    """Predict the means and spreads of differences on new topics, as many as there are.

    Parameters
    ----------
    fit : Fit
        Of a model that can predict new topics.
    level : float
        Level of the predictive intervals.
    draws : int
        Number of collections to simulate.
    random_seed : int or Generator, optional
        The same seed gives the same numbers.

    Examples
    --------
    >>> import bayescorr
    >>> predict(bayescorr.fit(bayescorr.load_dataset("demo"), "flat", random_seed=1))
    Traceback (most recent call last):
    ...
    bayescorr.errors.ModelError: The model 'flat' cannot ...
    """
    scores = fit.scores[fit.systems]
    simulated = fit.posterior_predictive(draws=draws, random_seed=random_seed)
    order = pd.Index(simulated["system"].to_numpy()).get_indexer(scores.columns)
    values = simulated.to_numpy()[:, :, order]
    return Predicted(
        level=level,
        systems=fit.systems,
        means=_table(scores.mean().to_numpy(), values.mean(axis=1), level),
        difference_sds=_table(
            difference_sds(scores.to_numpy()),
            np.stack([difference_sds(sample) for sample in values]),
            level,
        ),
    )


def plot_predictive(
    fit: Fit,
    quantity: str = "means",
    *,
    level: float = 0.95,
    draws: int = 400,
    random_seed: RandomSeed = None,
    predicted: Predicted | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw what the model predicts for new topics, as many as there are, beside what was observed.

    Parameters
    ----------
    fit : Fit
        Of a model that can predict new topics.
    quantity : {"means", "difference_sds"}
        Mean score of each system; or the standard deviation over topics of the difference of each
        pair of systems, which says how hard they are to tell apart.
    level : float
        Level of the predictive intervals.
    draws : int
        Number of collections to simulate.
    random_seed : int or Generator, optional
        The same seed gives the same picture.
    predicted : Predicted, optional
        What :func:`predict` found, to draw it without simulating again.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib Axes
    """
    choose(quantity, QUANTITIES, "quantity")
    if predicted is None:
        predicted = predict(fit, level, draws=draws, random_seed=random_seed)
    draw = _draw_means if quantity == "means" else _draw_sds
    return draw(predicted, ax)


def difference_sds(scores: FloatArray) -> FloatArray:
    """Compute the sd over topics of the difference of each pair of systems.

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


def _draw_means(predicted: Predicted, ax: Axes | None) -> Axes:
    table, m = predicted.means, len(predicted.systems)
    ax = new_axes(ax, min(max(0.16 * m + 2.0, 6.0), 15.0), 4.2)
    x = np.arange(m)
    ax.fill_between(
        x, table["lower"], table["upper"], color=POSTERIOR, alpha=SHADE, linewidth=0,
        label=f"{predicted.level * 100:g}% of predictions",
    )  # fmt: skip
    ax.plot(x, table["median"], color=POSTERIOR, label="median prediction")
    size = 3 if m > 60 else 5
    ax.plot(x, table["observed"], "o", color=BLACK, markersize=size, label="observed")
    ax.set_xlim(-0.6, m - 0.4)
    ax.set_xlabel("system, in observed order")
    ax.set_ylabel("mean score")
    tidy(ax, grid="y")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
    for _ in range(2):
        label_axis(ax.xaxis, pd.Index(predicted.systems), room(ax)[0], rotation=90)
    return ax


def _draw_sds(predicted: Predicted, ax: Axes | None) -> Axes:
    table = predicted.difference_sds
    ax = new_axes(ax, 5.6, 5.6)
    top = 1.03 * max(float(table["observed"].max()), float(table["upper"].max()))
    ax.plot([0, top], [0, top], color=GREY, linewidth=1, label="observed = predicted")
    band = sds_band(table)
    inside = predicted.inside("difference_sds")
    ax.fill_between(
        band["observed"], band["lower"], band["upper"], color=POSTERIOR, alpha=SHADE, linewidth=0,
        label=f"{predicted.level * 100:g}% of predictions ({inside:.0%} of the pairs are inside)",
    )  # fmt: skip
    many = len(table) > 500
    ax.plot(
        table["observed"], table["median"], "o", color=POSTERIOR, markeredgewidth=0,
        markersize=2 if many else 3.5, alpha=0.35 if many else 0.8, label="median prediction",
    )  # fmt: skip
    ax.set(
        xlim=(0, top),
        ylim=(0, top),
        xlabel="observed sd of the difference of two systems",
        ylabel="predicted sd",
    )
    tidy(ax, grid="both")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=1, frameon=False)
    return ax


def sds_band(table: pd.DataFrame, pieces: int = 40) -> pd.DataFrame:
    """Average neighbours by observed sd: the intervals of thousands of pairs are a blot."""
    order = np.argsort(table["observed"].to_numpy())
    parts = np.array_split(order, min(len(order), pieces))
    return pd.DataFrame([table.iloc[part].mean() for part in parts])
