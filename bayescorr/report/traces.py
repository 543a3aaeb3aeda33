"""Traces and rank plots, which show whether the chains mix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import binom

from bayescorr._numbers import FloatArray
from bayescorr._optional import require
from bayescorr.report.style import GREY, PALETTE, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescorr.bayes.result import Fit

# Points per chain; more cannot be seen.
_MOST_POINTS = 1000


def plot_trace(fit: Fit, names: list[str] | None = None) -> Axes:
    """Plot the chains of coefficients and scalar parameters: traces left, ranks right.

    A rank plot is a histogram, per chain, of the ranks among the draws of all chains. If the chains
    mix, 95% of the bars end in the grey band (rank plots of Vehtari et al. 2021).

    Parameters
    ----------
    fit : Fit
        The posterior.
    names : list of str, optional
        Scalar quantities of ``fit.posterior``; by default all of them.

    Returns
    -------
    matplotlib Axes
        The first axes; ``ax.figure.axes`` has all of them.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), "flat", random_seed=1)
    >>> len(plot_trace(fit).figure.axes)
    6
    """
    plt = require("matplotlib.pyplot", extra="report")
    posterior = fit.posterior
    scalars = [str(name) for name, value in posterior.items() if value.ndim == 2]
    # The coefficients come first.
    names = names or sorted(scalars, key=lambda name: not name.startswith("tau"))
    figure, grid = plt.subplots(
        len(names), 2, figsize=(9.0, 1.0 + 1.25 * len(names)), layout="constrained",
        squeeze=False, width_ratios=(3, 2), sharex="col",
    )  # fmt: skip
    for (trace, ranks), name in zip(grid, names, strict=True):
        values = posterior[name].transpose("chain", "draw").to_numpy()
        _trace(trace, values)
        _ranks(ranks, values)
        trace.set_ylabel(name)
        ranks.set_ylabel("draws")
    grid[-1, 0].set_xlabel("draw")
    grid[-1, 1].set_xlabel("rank among all draws")
    figure.align_ylabels(grid)
    keys = [*grid[0, 0].get_lines(), grid[0, 1].patches[0]]
    legend = figure.legend(
        handles=keys, loc="outside upper center", ncols=min(len(keys), 5), frameon=False
    )
    for line in legend.get_lines():
        line.set(linewidth=2, alpha=1)
    first: Axes = grid[0, 0]
    return first


def _trace(ax: Axes, values: FloatArray) -> None:
    step = max(1, values.shape[1] // _MOST_POINTS)
    x = np.arange(0, values.shape[1], step)
    for i, draws in enumerate(values):
        colour = PALETTE[i % len(PALETTE)]
        ax.plot(x, draws[::step], color=colour, linewidth=0.5, alpha=0.7, label=f"chain {i + 1}")
    ax.margins(x=0.01)
    tidy(ax, grid="y")


def _ranks(ax: Axes, values: FloatArray, bins: int = 20) -> None:
    chains, draws = values.shape
    # Ties, which tau has many of, take turns between the chains.
    order = np.tile(np.arange(draws), chains) * chains + np.repeat(np.arange(chains), draws)
    ranks = np.empty(values.size)
    ranks[np.lexsort((order, values.ravel()))] = np.arange(values.size)
    edges = np.linspace(0, values.size, bins + 1)
    lower, upper = binom.ppf([0.025, 0.975], draws, 1 / bins)
    ax.axhspan(lower, upper, color="0.92", linewidth=0, label="95% of bars if the chains mix")
    for i, own in enumerate(ranks.reshape(chains, draws)):
        counts, colour = np.histogram(own, edges)[0], PALETTE[i % len(PALETTE)]
        ax.stairs(counts, edges, baseline=None, color=colour, linewidth=1)
    ax.axhline(draws / bins, color=GREY, linewidth=0.8, linestyle=":")
    ax.set(xlim=(0, values.size), ylim=(0, 2 * draws / bins))
    ax.set_yticks([0, draws / bins], ["0", f"{draws / bins:g}"])
    tidy(ax, grid="")
