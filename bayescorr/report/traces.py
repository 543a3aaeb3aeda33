"""Did the chains mix? Traces and rank plots of what was sampled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from bayescorr._optional import require
from bayescorr.report.style import GREY, PALETTE, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescorr.bayes.result import Fit

# More points than this per chain are only ink.
_MOST_POINTS = 1000


def plot_trace(fit: Fit, names: list[str] | None = None) -> Axes:
    """Draw the chains of coefficients and scalar hyperparameters: traces left, ranks right.

    Ranks of all draws together are counted per chain; chains that mix have bars of equal height,
    up to chance: the grey band holds 95% of them (Vehtari et al. 2021, rank plots).

    Parameters
    ----------
    fit : Fit
        The posterior.
    names : list of str, optional
        Scalar quantities of ``fit.posterior``; the coefficients and all scalar parameters when left
        out.

    Returns
    -------
    matplotlib Axes
        The first of the figure, ``ax.figure`` has all of them.

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
    # Coefficients first, the parameters after.
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
    lines = grid[0, 0].get_lines()
    legend = figure.legend(
        handles=[*lines, grid[0, 1].patches[0]],
        loc="outside upper center",
        ncols=min(len(lines) + 1, 5),
        frameon=False,
    )
    for line in legend.get_lines():
        line.set(linewidth=2, alpha=1)
    first: Axes = grid[0, 0]
    return first


def _trace(ax: Axes, values: NDArray[Any]) -> None:
    step = max(1, values.shape[1] // _MOST_POINTS)
    x = np.arange(0, values.shape[1], step)
    for chain, draws in enumerate(values):
        colour = PALETTE[chain % len(PALETTE)]
        label = f"chain {chain + 1}"
        ax.plot(x, draws[::step], color=colour, linewidth=0.5, alpha=0.7, label=label)
    ax.margins(x=0.01)
    tidy(ax, grid="y")


def _ranks(ax: Axes, values: NDArray[Any], bins: int = 20) -> None:
    chains, draws = values.shape
    # Ties, of which tau has many, are spread over their ranks in turn, not by chain.
    order = np.tile(np.arange(draws), chains) * chains + np.repeat(np.arange(chains), draws)
    ranks = np.empty(values.size)
    ranks[np.lexsort((order, values.ravel()))] = np.arange(values.size)
    edges = np.linspace(0, values.size, bins + 1)
    lower, upper = binom.ppf([0.025, 0.975], draws, 1 / bins)
    ax.axhspan(lower, upper, color="0.92", linewidth=0, label="95% of the bars of chains that mix")
    for chain, chain_ranks in enumerate(ranks.reshape(chains, draws)):
        counts = np.histogram(chain_ranks, edges)[0]
        colour = PALETTE[chain % len(PALETTE)]
        ax.stairs(counts, edges, baseline=None, color=colour, linewidth=1)
    ax.axhline(draws / bins, color=GREY, linewidth=0.8, linestyle=":")
    ax.set(xlim=(0, values.size), ylim=(0, 2 * draws / bins))
    ax.set_yticks([0, draws / bins], ["0", f"{draws / bins:g}"])
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
