"""Plots of what holds for all systems at once: intervals of ranks, and the decided order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescorr._optional import require
from bayescorr.report.style import BLACK, POSTERIOR, SKY, label_cells, new_axes, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescorr.bayes.result import Fit

# Above this number of systems, names are followed by the ranks of the systems that they beat.
_MANY = 40
# In inches, at a font of one point: the width of a letter and the height of a line.
_LETTER, _LINE = 0.6 / 72, 1.35 / 72
_LEAST_WIDTH = 6.8


def plot_ranks(fit: Fit, *, level: float = 0.95, ax: Axes | None = None) -> Axes:
    """Plot the median true rank of each system, with its interval alone and jointly with all.

    Parameters
    ----------
    fit : Fit
        The posterior.
    level : float
        Level of each interval alone, and of the joint ones together.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), "flat", random_seed=1)
    >>> plot_ranks(fit).get_xlabel()
    'true rank'
    """
    table = fit.ranking(level)
    medians = np.median(fit.true_ranks, axis=0)
    m = len(table)
    ax = new_axes(ax, 7.0, min(max(0.2 * m + 1.4, 2.6), 16.0))
    y = np.arange(m)
    size, width = (2.5, 1.8) if m > 60 else (4.5, 4.0)
    percent = f"{level * 100:g}%"
    joint, alone = f"{percent} for all together", f"{percent} for each alone"
    ax.hlines(
        y, table["joint_rank_lower"], table["joint_rank_upper"], color=SKY,
        linewidth=width / 3, label=joint,
    )  # fmt: skip
    ax.hlines(
        y, table["rank_lower"], table["rank_upper"], color=POSTERIOR, linewidth=width,
        alpha=0.55, label=alone,
    )  # fmt: skip
    ax.plot(medians, y, "o", color=POSTERIOR, markersize=size, label="posterior median")
    ax.set(xlim=(0.4, m + 0.6), ylim=(m - 0.4, -0.6), xlabel="true rank")
    ax.set_ylabel("system, in observed order")
    tidy(ax, legend=3)
    label_cells(ax, y=pd.Index(table["system"]))
    return ax


def plot_order(fit: Fit, *, level: float = 0.95, ax: Axes | None = None) -> Axes:
    """Plot the order of all systems that is decided together, as a Hasse diagram.

    A line means that the system on the left is better than the one on the right; whatever follows
    from several lines has no line of its own. Systems of the same column are not decided. Above 40
    systems, lines are faint, and the observed ranks of all worse systems follow each name.

    Parameters
    ----------
    fit : Fit
        The posterior.
    level : float
        Least probability of all decided pairs together.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
    >>> plot_order(fit).get_title().split(",")[0]
    '1 of 6 pairs is decided'
    """
    found = fit.decided_pairs(level)
    tiers, m = found.tiers.to_numpy(), len(found.systems)
    many = m > _MANY
    # A dollar sign in a name does not start a formula.
    labels = [f"{i} {system}".replace("$", r"\$") for i, system in enumerate(found.systems, 1)]
    if many:
        ranges = found.ranges()
        labels = [a + (f"  > {b}" if b else "") for a, b in zip(labels, ranges, strict=True)]
    columns = [np.flatnonzero(tiers == tier) for tier in range(1, int(tiers.max()) + 1)]
    font = 6.0 if many else 9.0
    widths = [font * _LETTER * max(len(labels[i]) for i in column) for column in columns]
    gap = 0.5 if many else 0.9
    starts = np.cumsum([0, *(width + gap for width in widths)])
    # The title needs some width.
    width = max(float(starts[-1]) - gap, _LEAST_WIDTH)
    rows = max(map(len, columns))
    height = font * _LINE * 1.15 * rows
    ax = new_axes(ax, width + 0.4, height + 0.6)
    left, y = np.empty(m), np.empty(m)
    for column, start in zip(columns, starts, strict=False):
        left[column] = start
        # Shorter columns are spread over the whole height.
        y[column] = -(np.arange(len(column)) + 0.5) * height / len(column)
    ax.set(xlim=(-0.1, width + 0.1), ylim=(-height, 0.0))
    ax.axis("off")
    texts = [
        ax.text(
            left[i], y[i], label, fontsize=font, color=BLACK, va="center", zorder=2,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
        )
        for i, label in enumerate(labels)
    ]  # fmt: skip
    figure: Any = ax.figure
    figure.draw_without_rendering()
    ends = [ax.transData.inverted().transform(text.get_window_extent())[1, 0] for text in texts]
    position = {system: i for i, system in enumerate(found.systems)}
    lines = [
        [(ends[i] + 0.04, y[i]), (left[j] - 0.04, y[j])]
        for i, j in (map(position.__getitem__, pair) for pair in found.direct.to_numpy())
    ]
    thickness, opacity = (0.4, 0.12) if many else (0.8, 0.6)
    collections = require("matplotlib.collections", extra="report")
    ax.add_collection(
        collections.LineCollection(
            lines, colors=POSTERIOR, linewidths=thickness, alpha=opacity, zorder=1
        )
    )
    ax.set_title(f"{found} Lines: left is better.", fontsize=10)
    return ax
