"""Plots of a fit. Each function draws one figure and returns its Axes.

``save_plot(ax, "plot.png")`` of :mod:`bayescorr.report.files` writes it to a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescorr.coefficients import COEFFICIENTS, DEFAULT_COEFFICIENTS
from bayescorr.coefficients.registry import resolve_all
from bayescorr.report.density import density
from bayescorr.report.heatmap import plot_matrix
from bayescorr.report.orders import plot_order as plot_order
from bayescorr.report.orders import plot_ranks as plot_ranks
from bayescorr.report.predictive import plot_predictive as plot_predictive
from bayescorr.report.style import (
    BLACK,
    MARKERS,
    PALETTE,
    POSTERIOR,
    SHADE,
    label_cells,
    mean_label,
    new_axes,
    tidy,
)
from bayescorr.report.traces import plot_trace as plot_trace
from bayescorr.scores.aggregates import summary_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescorr.bayes.result import Fit

_SYSTEMS = "system, in observed order"

#: Classes of rank probabilities, nearly logarithmic: many ranks have a small probability.
RANK_CLASSES = (0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1)


def plot_coefficients(
    fit: Fit,
    estimates: pd.DataFrame | None = None,
    *,
    level: float = 0.95,
    coefficients: Any = DEFAULT_COEFFICIENTS,
    ax: Axes | None = None,
) -> Axes:
    """Plot the posterior density of each coefficient, with estimates and intervals below.

    Parameters
    ----------
    fit : Fit
        The posterior.
    estimates : DataFrame, optional
        Other estimates to add, as returned by :func:`bayescorr.estimate`.
    level : float
        Level of the credible intervals.
    coefficients : sequence of str or callable
        Coefficients, from top to bottom.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a new figure.

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
    wanted = {coefficient.name: coefficient for coefficient in resolve_all(coefficients)}
    rows = pd.concat([fit.estimates(level, coefficients=coefficients), estimates])
    rows = rows[rows["coefficient"].isin(wanted)].dropna(subset="estimate")
    methods = list(dict.fromkeys([fit.method, *rows["method"]]))
    # A density is one unit high. Below it, each method has a line.
    step = 0.16
    height = 1.15 + step * len(methods)
    bases = {name: -i * height for i, name in enumerate(wanted)}
    ax = new_axes(ax, 7.0, 1.0 + 1.25 * height * len(wanted))
    for name, coefficient in wanted.items():
        # By name, a coefficient that is stored with the fit is not computed again.
        known = COEFFICIENTS.get(name) is coefficient
        grid, heights = density(fit.draws(name if known else coefficient))
        curve = bases[name] + heights
        ax.fill_between(grid, bases[name], curve, color=POSTERIOR, alpha=SHADE)
        ax.plot(grid, curve, color=POSTERIOR, linewidth=1.2)
    for k, method in enumerate(methods):
        of = rows[rows["method"] == method]
        y = of["coefficient"].map(bases) - step * (k + 0.6)
        colour, marker = PALETTE[k % len(PALETTE)], MARKERS[k % len(MARKERS)]
        label = method if k else f"{method} ({level * 100:g}% intervals)"
        ax.hlines(y, of["lower"], of["upper"], color=colour, linewidth=1.4, alpha=0.7)
        ax.plot(of["estimate"], y, marker, color=colour, markersize=5, label=label)
    ax.set_yticks([base + 0.4 for base in bases.values()], [c.label for c in wanted.values()])
    ax.tick_params(axis="y", length=0, labelsize=13)
    ax.set_xlabel("correlation of the observed with the true ranking")
    tidy(ax, legend=3)
    ax.spines["left"].set_visible(False)
    return ax


def plot_ranking(fit: Fit, *, level: float = 0.95, ax: Axes | None = None) -> Axes:
    """Plot observed means and posterior means with intervals, systems in observed order.

    Parameters
    ----------
    fit : Fit
        The posterior.
    level : float
        Level of the credible intervals.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), "flat", random_seed=1)
    >>> plot_ranking(fit).get_xlabel()
    'mean AP'
    """
    table = fit.ranking(level)
    m = len(table)
    ax = new_axes(ax, 7.0, min(max(0.2 * m + 1.4, 2.6), 16.0))
    y = np.arange(m)
    size, width = (3.0, 1.4) if m > 60 else (5.0, 2.2)
    label = f"{level * 100:g}% credible interval"
    ax.hlines(
        y, table["lower"], table["upper"], color=POSTERIOR, linewidth=width, alpha=0.55, label=label
    )
    ax.plot(table["true_mean"], y, "o", color=POSTERIOR, markersize=size, label="posterior mean")
    ax.plot(
        table["observed_mean"], y, "d", markerfacecolor="white", markeredgecolor=BLACK,
        markeredgewidth=0.8, markersize=size, label=f"observed {summary_label(fit.item_summary)}",
    )  # fmt: skip
    ax.set(ylim=(m - 0.4, -0.6), xlabel=mean_label(fit.measure, fit.item_summary), ylabel=_SYSTEMS)
    tidy(ax, legend=3)
    label_cells(ax, y=pd.Index(table["system"]))
    return ax


def plot_rank_probabilities(fit: Fit, *, ax: Axes | None = None) -> Axes:
    """Plot the probability of every true rank of every system as a heat map.

    Parameters
    ----------
    fit, ax
        As in :func:`plot_ranking`.

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
    table = fit.rank_probabilities().rename_axis(index=_SYSTEMS, columns="true rank")
    return plot_matrix(table, label="probability", boundaries=RANK_CLASSES, ax=ax)


def plot_discordance(fit: Fit, *, ax: Axes | None = None) -> Axes:
    """Plot the probability that the truth swaps each pair of systems as a heat map.

    All probabilities of at least 0.5 have the same colour.

    Parameters
    ----------
    fit, ax
        As in :func:`plot_ranking`.

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
    table = fit.discordance().rename_axis(index=_SYSTEMS, columns=_SYSTEMS)
    ax = plot_matrix(table, label="P(truth swaps the two systems)", vmin=0.0, vmax=0.5, ax=ax)
    bar: Any = ax.images[0].colorbar
    bar.set_ticks([0, 0.1, 0.2, 0.3, 0.4, 0.5], labels=["0", "0.1", "0.2", "0.3", "0.4", "≥ 0.5"])
    return ax
