"""Scatter plot of inferred against actual average precision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bayescorr._optional import require
from bayescorr.scoredist.infer import inference_error

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_inferred(table: pd.DataFrame, *, title: str = "", ax: Axes | None = None) -> Axes:
    """Plot inferred against actual average precision, one dot per topic.

    Parameters
    ----------
    table : DataFrame
        A result of :func:`infer_ap`. If it has columns lower and upper, they are drawn as
        intervals.
    title : str
        Title of the plot.
    ax : matplotlib Axes, optional
        Axes to draw on. The default is a new figure.

    Returns
    -------
    matplotlib Axes
        Save the plot with ``ax.figure.savefig(path)``.

    Examples
    --------
    >>> table = pd.DataFrame({"actual": [0.1, 0.3, 0.5], "inferred": [0.1, 0.4, 0.3]})
    >>> plot_inferred(table, title="bm25").get_xlabel()
    'actual average precision'
    """
    plt = require("matplotlib.pyplot", extra="report")
    if ax is None:
        _, ax = plt.subplots(figsize=(5, 5), layout="constrained")
    ax.plot([0, 1], [0, 1], color="0.6", linewidth=1, zorder=0)
    if {"lower", "upper"} <= set(table.columns):
        bars = table["actual"], table["lower"], table["upper"]
        ax.vlines(*bars, color="C0", alpha=0.25, linewidth=1)
    ax.scatter(table["actual"], table["inferred"], s=14, alpha=0.7, color="C0", linewidths=0)
    error = inference_error(table)
    lines = [f"{len(table)} topics", f"RMS error = {error['rmse']:.3f}"]
    if np.isfinite(error["tau"]):
        lines.insert(1, f"$\\tau$ = {error['tau']:.3f}")
    ax.text(0.03, 0.97, "\n".join(lines), transform=ax.transAxes, va="top")
    ax.set(xlabel="actual average precision", ylabel="inferred average precision", title=title)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    return ax
