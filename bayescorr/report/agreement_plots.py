"""Plots of the agreement of several conditions. Each function draws one figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bayescorr.report.density import density
from bayescorr.report.style import (
    BLACK,
    GREY,
    PALETTE,
    POSTERIOR,
    SHADE,
    VERMILION,
    label_cells,
    new_axes,
    plain_text,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescorr.report.agreement import AgreementReport


def plot_agreement(report: AgreementReport, *, ax: Axes | None = None) -> Axes:
    """Plot the posterior density of tau with the truth, a row per judge, and the observed tau."""
    judges, agreement = report.agreement.judges, report.agreement
    ax = new_axes(ax, 7.0, 1.2 + 0.9 * len(judges))
    table = report.estimates[report.estimates["coefficient"] == "tau"].set_index("judge")
    for i, judge in enumerate(judges):
        row, colour = table.loc[judge], PALETTE[i % len(PALETTE)]
        grid, heights = density(agreement.draws("tau", judge))
        ax.fill_between(grid, -i, 0.75 * heights - i, color=colour, alpha=SHADE)
        ax.plot(grid, 0.75 * heights - i, color=colour, linewidth=1.2)
        first = not i
        words = f"true rankings, {report.level * 100:g}% interval" if first else None
        ax.hlines(-i - 0.08, row["lower"], row["upper"], color=colour, linewidth=2)
        ax.plot(row["estimate"], -i - 0.08, "o", color=colour, markersize=5, label=words)
        ax.plot(
            row["observed"], -i - 0.08, "d", markerfacecolor="white", markeredgecolor=BLACK,
            markersize=6, label="observed rankings" if first else None,
        )  # fmt: skip
    ax.set_yticks([-i + 0.3 for i in range(len(judges))], [plain_text(name) for name in judges])
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(rf"$\tau$ with the true ranking by {plain_text(agreement.truth)}")
    tidy(ax, legend=2)
    ax.spines["left"].set_visible(False)
    return ax


def plot_true_ranks(report: AgreementReport, judge: str, *, ax: Axes | None = None) -> Axes:
    """Plot the true rank of every system under truth and judge, with intervals of both."""
    truth, other = report.ranks_of(report.agreement.truth), report.ranks_of(judge)
    m = len(truth)
    ax = new_axes(ax, 5.6, 5.6)
    ax.plot([0.5, m + 0.5], [0.5, m + 0.5], color="0.7", linewidth=1, zorder=0)
    # The colour says what the judge does to the system, as the table of shifts does.
    colours = _colours(report, judge)
    x, y = truth["rank"], other["rank"]
    ax.hlines(y, truth["lower"], truth["upper"], color=colours, linewidth=1, alpha=0.5)
    ax.vlines(x, other["lower"], other["upper"], color=colours, linewidth=1, alpha=0.5)
    ax.scatter(x, y, c=colours, s=16 if m > 60 else 28, zorder=3)
    for colour, words in ((VERMILION, "favoured"), (POSTERIOR, "disfavoured"), (GREY, "undecided")):
        if colour in colours:
            ax.scatter([], [], c=colour, s=28, label=words)
    for i in _apart(truth, other):
        # Above the line to the right of the point, below it to the left.
        above = y[i] < x[i]
        ax.annotate(
            plain_text(truth["system"][i]), (x[i], y[i]), xytext=(5, 4) if above else (-5, -10),
            textcoords="offset points", fontsize=7, ha="left" if above else "right",
        )  # fmt: skip
    ax.set(
        xlim=(0.4, m + 0.6), ylim=(m + 0.6, 0.4), aspect="equal",
        xlabel=f"true rank by {plain_text(report.agreement.truth)}",
        ylabel=f"true rank by {plain_text(judge)}",
    )  # fmt: skip
    tidy(ax, grid="both", legend=3)
    return ax


def plot_shifts(report: AgreementReport, judge: str, *, ax: Axes | None = None) -> Axes:
    """Plot by how much the judge shifts the standardised true mean of every system."""
    table = report.shifts_of(judge).sort_values("shift", ascending=False, kind="stable")
    m = len(table)
    ax = new_axes(ax, 7.0, min(max(0.2 * m + 1.4, 2.6), 16.0))
    y = np.arange(m)
    size, width = (3.0, 1.4) if m > 60 else (5.0, 2.2)
    words = f"{report.level * 100:g}% credible interval"
    ax.axvline(0, color="0.6", linewidth=1, zorder=0)
    ax.hlines(
        y, table["lower"], table["upper"], color=POSTERIOR, linewidth=width, alpha=0.55, label=words
    )
    ax.plot(table["shift"], y, "o", color=POSTERIOR, markersize=size, label="posterior mean")
    ax.plot(
        table["observed"], y, "d", markerfacecolor="white", markeredgecolor=BLACK,
        markeredgewidth=0.8, markersize=size, label="observed",
    )  # fmt: skip
    words = f"{plain_text(judge)} less {plain_text(report.agreement.truth)}"
    ax.set(ylim=(m - 0.4, -0.6), xlabel=f"standardised true mean, {words}")
    tidy(ax, legend=3)
    label_cells(ax, y=pd.Index(table["system"]))
    return ax


def _colours(report: AgreementReport, judge: str) -> list[str]:
    """Return one colour per system: favoured, disfavoured, or neither with enough probability."""
    shares = report.shifts_of(judge).set_index("system")["p_favoured"]
    found = []
    for system in report.systems:
        p = float(shares.loc[system])
        found.append(
            VERMILION if p >= report.level else POSTERIOR if p <= 1 - report.level else GREY
        )
    return found


def _apart(truth: pd.DataFrame, judge: pd.DataFrame, most: int = 8) -> list[int]:
    """Return the systems to name: those whose ranks differ most, unless names would overlap."""
    difference = (truth["rank"] - judge["rank"]).abs()
    chosen: list[int] = []
    for i in map(int, difference.sort_values(ascending=False, kind="stable").index):
        ranks = judge["rank"][[*chosen, i]]
        close = (ranks - ranks[i]).abs().iloc[:-1] < 0.03 * len(truth)
        if difference[i] >= 1 and not close.any():
            chosen.append(i)
    return chosen[:most]
