"""How simulated scores compare with the original ones, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from bayescorr._optional import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_diagnostics(diagnostics: pd.DataFrame) -> Figure:
    """Draw the table of :meth:`bayescorr.EffectsSimulator.diagnostics`, a panel per statistic.

    Parameters
    ----------
    diagnostics : DataFrame
        Columns statistic, original and simulated.
    """
    plt = require("matplotlib.pyplot", extra="report")
    figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
    panels = diagnostics.groupby("statistic", sort=False)
    for ax, (statistic, points) in zip(axes, panels, strict=False):
        ax.scatter(points["original"], points["simulated"], s=12, alpha=0.5, linewidths=0)
        ax.axline((points["original"].mean(),) * 2, slope=1, color="0.5", linewidth=1)
        ax.set(title=f"{statistic}s", xlabel="original", ylabel="simulated")
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    drawn: Figure = figure
    return drawn
