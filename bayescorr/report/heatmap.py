"""One heat map for every matrix: swap weights, p-values, discordance, rank probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescorr._optional import require
from bayescorr.report.style import label_axis, room

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_matrix"]


def plot_matrix(
    matrix: pd.DataFrame,
    *,
    title: str = "",
    label: str = "",
    ax: Axes | None = None,
    cmap: str = "Blues",
    boundaries: Sequence[float] | None = None,
    vmin: float | None = None,
    vmax: float | None = None,
) -> Axes:
    """Draw a matrix as a heat map with its labels, darker cells for larger values.

    Labels shrink to fit and, when even the smallest would overlap, only every second, third ... is
    shown. Missing values are left grey. Names of the index and of the columns become axis labels.

    Parameters
    ----------
    matrix : DataFrame
        The values; rows from top to bottom, columns from left to right.
    title : str
        Title of the plot.
    label : str
        What the colours mean, written along the colour bar.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure whose size follows that of the matrix.
    cmap : str
        Name of a colour map of matplotlib.
    boundaries : sequence of float, optional
        Edges of classes of values, each drawn in one colour, such as 0, .01, .05, 1 for p-values.
    vmin, vmax : float, optional
        Values of the two ends of the colour map; by default those found in the matrix. Values
        beyond an end have its colour, and the colour bar then ends in an arrow. Not used with
        ``boundaries``.

    Returns
    -------
    matplotlib Axes
        ``ax.figure.savefig(path)`` stores it.

    Examples
    --------
    >>> import pandas as pd
    >>> weights = pd.DataFrame([[0, 1], [1, 0]], index=["a", "b"], columns=["a", "b"])
    >>> ax = plot_matrix(weights, title="Swap weights", label="weight")
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['a', 'b']
    """
    plt = require("matplotlib.pyplot", extra="report")
    colors = require("matplotlib.colors", extra="report")
    rows, columns = matrix.shape
    if ax is None:
        width, height = (min(max(0.17 * cells + 2.5, 5.0), 15.0) for cells in (columns, rows))
        _, ax = plt.subplots(figsize=(width + 0.8, height), layout="constrained")
    colour_map = plt.get_cmap(cmap).with_extremes(bad="0.85")
    norm = (
        colors.Normalize(vmin, vmax)
        if boundaries is None
        else colors.BoundaryNorm(list(boundaries), colour_map.N)
    )
    values = np.ma.masked_invalid(matrix.to_numpy(dtype=float))
    # Cells fill the axes: with a fixed aspect, matplotlib's layout lets labels leave the figure.
    image = ax.imshow(values, cmap=colour_map, norm=norm, aspect="auto", interpolation="nearest")
    bar = ax.figure.colorbar(
        image,
        ax=ax,
        label=label,
        fraction=0.05,
        pad=0.02,
        aspect=35,
        extend=_beyond(values, *image.get_clim()),
    )
    bar.outline.set_visible(False)
    ax.set_title(title)
    for axis, names in (("x", matrix.columns), ("y", matrix.index)):
        if names.name is not None:
            ax.set(**{f"{axis}label": str(names.name)})
    _label_cells(ax, matrix)
    return ax


def _beyond(values: Any, least: float | None, most: float | None) -> str:
    """Which ends of the colour map there are values beyond, in matplotlib's words."""
    low = least is not None and bool((values < least).any())
    high = most is not None and bool((values > most).any())
    return {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}[low, high]


def _label_cells(ax: Axes, matrix: pd.DataFrame) -> None:
    """Label rows and columns as large as fits; twice, for labels themselves take room."""
    for _ in range(2):
        width, height = room(ax)
        label_axis(ax.xaxis, matrix.columns, width, rotation=90)
        label_axis(ax.yaxis, matrix.index, height, rotation=0)
