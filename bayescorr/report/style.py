"""How plots look: colours, sizes and markers in one place."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bayescorr._optional import require

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: Okabe & Ito's palette, which readers with any kind of colour vision can tell apart.
BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, BLACK, GREY = "#CC79A7", "#56B4E9", "#000000", "0.45"
PALETTE = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, BLACK, GREY)
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "*")

#: Colour and opacity of the posterior, which is the same thing in every plot.
POSTERIOR = BLUE
SHADE = 0.25

# In points. A label needs the height of its letters and a little air.
_LARGEST_FONT, _SMALLEST_FONT, _AIR = 10.0, 4.5, 1.25


def new_axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Return ``ax``, or the axes of a new figure of this size in inches."""
    if ax is not None:
        return ax
    plt = require("matplotlib.pyplot", extra="report")
    axes: Axes = plt.subplots(figsize=(width, height), layout="constrained")[1]
    return axes


def tidy(ax: Axes, *, grid: str = "x") -> None:
    """Leave out what carries no information, and draw a light grid behind the data."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.grid(axis=grid, color="0.9", linewidth=0.8)  # type: ignore[arg-type]
    ax.set_axisbelow(True)


def plain(name: object) -> str:
    """Name given by a user as it is: a dollar sign is no formula."""
    return str(name).replace("$", r"\$")


def label_axis(axis: Any, names: pd.Index[Any], room: float, rotation: int) -> None:
    """Label positions 0, 1, ... of an axis ``room`` points long, without overlap.

    Labels shrink to fit and, when even the smallest would overlap, only every second, third ... is
    shown.
    """
    cell = room / len(names)
    step = max(1, math.ceil(_SMALLEST_FONT * _AIR / cell))
    size = min(_LARGEST_FONT, step * cell / _AIR)
    shown = range(0, len(names), step)
    axis.set_ticks(list(shown), [plain(names[i]) for i in shown], fontsize=size, rotation=rotation)
    axis.set_tick_params(length=0 if step == 1 else 2)


def room(ax: Axes) -> tuple[float, float]:
    """Width and height of the axes in points, once everything has been laid out."""
    figure: Any = ax.figure
    figure.draw_without_rendering()
    box = ax.get_window_extent()
    return box.width * 72 / figure.dpi, box.height * 72 / figure.dpi
