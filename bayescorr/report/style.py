"""The look of all plots: colours, markers, axes and labels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bayescorr._optional import require

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: The palette of Okabe & Ito, which is safe for colour-blind readers.
BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, BLACK, GREY = "#CC79A7", "#56B4E9", "#000000", "0.45"
PALETTE = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, BLACK, GREY)
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "*")

#: Colour and opacity of the posterior in every plot.
POSTERIOR = BLUE
SHADE = 0.25

# In points. A label needs the height of its letters and some space.
_LARGEST_FONT, _SMALLEST_FONT, _SPACING = 10.0, 4.5, 1.25


def mean_label(measure: str, summary: str = "mean") -> str:
    """Return the label of an axis of mean scores, or of another summary that the measure names.

    Examples
    --------
    >>> mean_label("nDCG@10"), mean_label("")
    ('mean nDCG@10', 'mean score')
    """
    means = summary in ("mean", "win-rate", "borda")
    return plain_text(f"{'mean ' * means}{measure or 'score'}")


def plain_text(text: object) -> str:
    """Return text for matplotlib in which a dollar sign does not start a formula."""
    return str(text).replace("$", r"\$")


def new_axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Return ``ax``, or the axes of a new figure of this size in inches."""
    if ax is not None:
        return ax
    plt = require("matplotlib.pyplot", extra="report")
    axes: Axes = plt.subplots(figsize=(width, height), layout="constrained")[1]
    return axes


def tidy(ax: Axes, *, grid: str = "x", legend: int = 0) -> None:
    """Hide two spines; add a light ``grid`` and a ``legend`` with that many columns."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    if grid:
        ax.grid(axis=grid, color="0.9", linewidth=0.8)  # type: ignore[arg-type]
        ax.set_axisbelow(True)
    if legend:
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=legend, frameon=False)


def label_cells(
    ax: Axes, *, x: pd.Index[Any] | None = None, y: pd.Index[Any] | None = None
) -> None:
    """Label positions 0, 1, ... of the axes without overlap.

    Labels shrink to fit. If even the smallest font overlaps, only every second, third ... is shown.
    """
    figure: Any = ax.figure
    # Twice, since labels take space from the axes.
    for _ in range(2):
        figure.draw_without_rendering()
        box = ax.get_window_extent()
        if x is not None:
            _label(ax.xaxis, x, box.width * 72 / figure.dpi, rotation=90)
        if y is not None:
            _label(ax.yaxis, y, box.height * 72 / figure.dpi, rotation=0)


def _label(axis: Any, names: pd.Index[Any], length: float, rotation: int) -> None:
    cell = length / len(names)
    step = max(1, math.ceil(_SMALLEST_FONT * _SPACING / cell))
    size = min(_LARGEST_FONT, step * cell / _SPACING)
    shown = range(0, len(names), step)
    texts = [plain_text(names[i]) for i in shown]
    axis.set_ticks(list(shown), texts, fontsize=size, rotation=rotation)
    axis.set_tick_params(length=0 if step == 1 else 2)
