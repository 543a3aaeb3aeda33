"""Plots of a fit. Each function draws one picture and returns its Axes.

``save_plot(ax, "plot.png")`` of :mod:`bayescorr.report.files` writes it to a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescorr.coefficients import resolve
from bayescorr.report.density import density
from bayescorr.report.heatmap import plot_matrix
from bayescorr.report.predictive import plot_predictive
from bayescorr.report.style import (
    BLACK,
    MARKERS,
    PALETTE,
    POSTERIOR,
    SHADE,
    label_axis,
    new_axes,
    room,
    tidy,
)
from bayescorr.report.traces import plot_trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescorr.bayes.result import Fit

__all__ = [
    "plot_coefficients",
    "plot_discordance",
    "plot_predictive",
    "plot_rank_probabilities",
    "plot_ranking",
    "plot_trace",
]

# Nearly a logarithmic scale: ranks of systems in the middle are spread over many others.
RANK_CLASSES = (0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1)


def plot_coefficients(
    fit: Fit,
    estimates: pd.DataFrame | None = None,
    *,
    level: float = 0.95,
    coefficients: Any = ("tau", "tau_ap", "tau_gap"),
    ax: Axes | None = None,
) -> Axes:
    """Draw the posterior density of each coefficient, with other estimates marked below.

    Parameters
    ----------
    fit : Fit
        The posterior.
    estimates : DataFrame, optional
        Estimates to mark, as :func:`bayescorr.estimate` gives them.
    level : float
        Level of the credible intervals.
    coefficients : sequence of str or callable
        Which coefficients, from top to bottom.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), "flat", random_seed=1)
    >>> plot_coefficients(fit).get_xlabel()
    'correlation of the observed with the true ranking'
    """
    if isinstance(coefficients, str) or callable(coefficients):
        coefficients = [coefficients]
    wanted = [resolve(coefficient) for coefficient in coefficients]
    methods: list[str] = [] if estimates is None else list(dict.fromkeys(estimates["method"]))
    # A density is one unit high; below it there is a line for the posterior and each method.
    step = 0.16
    height = 1.15 + step * (len(methods) + 1)
    ax = new_axes(ax, 7.0, 1.0 + 1.25 * height * len(wanted))
    for i, (coefficient, given) in enumerate(zip(wanted, coefficients, strict=True)):
        base = -i * height
        draws = fit.draws(given)
        grid, heights = density(draws)
        ax.fill_between(grid, base, base + heights / heights.max(), color=POSTERIOR, alpha=SHADE)
        ax.plot(grid, base + heights / heights.max(), color=POSTERIOR, linewidth=1.2)
        own = fit.estimates(level, coefficients=[given])
        rows = pd.concat([own, _of(estimates, coefficient.name)])
        for row in rows.itertuples():
            k = 0 if row.method == fit.method else 1 + methods.index(str(row.method))
            label = f"{row.method} ({level * 100:g}% intervals)" if not k else str(row.method)
            _mark(ax, row, base - step * (k + 0.6), k, label if not i else None)
    ax.set_yticks([-i * height + 0.4 for i in range(len(wanted))], [c.label for c in wanted])
    ax.tick_params(axis="y", length=0, labelsize=13)
    ax.set_xlabel("correlation of the observed with the true ranking")
    tidy(ax)
    ax.spines["left"].set_visible(False)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
    return ax


def plot_ranking(fit: Fit, *, level: float = 0.95, ax: Axes | None = None) -> Axes:
    """Draw observed means and posterior means with intervals, systems in observed order.

    Parameters
    ----------
    fit : Fit
        The posterior.
    level : float
        Level of the credible intervals.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), "flat", random_seed=1)
    >>> plot_ranking(fit).get_xlabel()
    'mean score'
    """
    table = fit.ranking(level)
    m = len(table)
    ax = new_axes(ax, 7.0, min(max(0.2 * m + 1.4, 2.6), 16.0))
    y = np.arange(m)
    small = m > 60
    size = 3.0 if small else 5.0
    ax.hlines(
        y, table["lower"], table["upper"], color=POSTERIOR, linewidth=1.4 if small else 2.2,
        alpha=0.55, label=f"{level * 100:g}% credible interval",
    )  # fmt: skip
    ax.plot(table["true_mean"], y, "o", color=POSTERIOR, markersize=size, label="posterior mean")
    ax.plot(
        table["observed_mean"], y, "d", markerfacecolor="white", markeredgecolor=BLACK,
        markeredgewidth=0.8, markersize=size, label="observed mean",
    )  # fmt: skip
    ax.set_ylim(m - 0.4, -0.6)
    ax.set_xlabel("mean score")
    ax.set_ylabel("system, in observed order")
    tidy(ax)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
    label_axis(ax.yaxis, pd.Index(table["system"]), room(ax)[1], rotation=0)
    return ax


def plot_rank_probabilities(fit: Fit, *, ax: Axes | None = None) -> Axes:
    """Draw the probability of every true rank for every system as a heat map.

    Parameters
    ----------
    fit : Fit
        The posterior.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), "flat", random_seed=1)
    >>> plot_rank_probabilities(fit).get_xlabel()
    'true rank'
    """
    table = fit.rank_probabilities().rename_axis(
        index="system, in observed order", columns="true rank"
    )
    return plot_matrix(table, label="probability", boundaries=RANK_CLASSES, ax=ax)


def plot_discordance(fit: Fit, *, ax: Axes | None = None) -> Axes:
    """Draw the probability that the truth swaps each pair of systems as a heat map.

    From 0.5 on, where the other order is the more probable one, the colour stays the same.

    Parameters
    ----------
    fit : Fit
        The posterior.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), "flat", random_seed=1)
    >>> plot_discordance(fit).get_ylabel()
    'system, in observed order'
    """
    name = "system, in observed order"
    table = fit.discordance().rename_axis(index=name, columns=name)
    label = "P(truth swaps the two systems)"
    ax = plot_matrix(table, label=label, vmin=0.0, vmax=0.5, ax=ax)
    bar: Any = ax.images[0].colorbar
    bar.set_ticks([0, 0.1, 0.2, 0.3, 0.4, 0.5], labels=["0", "0.1", "0.2", "0.3", "0.4", "≥ 0.5"])
    return ax


def _of(estimates: pd.DataFrame | None, coefficient: str) -> pd.DataFrame | None:
    if estimates is None:
        return None
    chosen: pd.DataFrame = estimates[estimates["coefficient"] == coefficient]
    return chosen.dropna(subset="estimate")


def _mark(ax: Axes, row: Any, y: float, k: int, label: str | None) -> None:
    """Draw one estimate as a marker with its interval."""
    colour, marker = PALETTE[k % len(PALETTE)], MARKERS[k % len(MARKERS)]
    ax.plot([row.lower, row.upper], [y, y], color=colour, linewidth=1.4, alpha=0.7)
    ax.plot(row.estimate, y, marker, color=colour, markersize=5, label=label, linestyle="none")
