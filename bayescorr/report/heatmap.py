"""The heat map that draws every matrix: swap weights, p-values, discordance, ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bayescorr._optional import require
from bayescorr.report.style import label_cells, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    """Plot a matrix as a heat map; darker cells have larger values, missing ones are grey.

    Labels shrink to fit. If even the smallest font overlaps, only every second, third ... is shown.
    Names of the index and of the columns become axis labels.

    Parameters
    ----------
    matrix : DataFrame
        The values; rows from top to bottom, columns from left to right.
    title : str
        Title of the plot.
    label : str
        Label of the colour bar.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a new figure sized to fit the matrix.
    cmap : str
        Name of a matplotlib colour map.
    boundaries : sequence of float, optional
        Edges of classes of values, each drawn in one colour, such as 0, .01, .05, 1 for p-values.
    vmin, vmax : float, optional
        Values at the two ends of the colour map; by default the extremes of the matrix. The colour
        bar ends in an arrow if there are values beyond. Ignored with ``boundaries``.

    Returns
    -------
    matplotlib Axes
        The axes; ``ax.figure.savefig(path)`` writes the figure to a file.

    Examples
    --------
    >>> import pandas as pd
    >>> weights = pd.DataFrame([[0, 1], [1, 0]], index=["a", "b"], columns=["a", "b"])
    >>> ax = plot_matrix(weights, title="Swap weights", label="weight")
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['a', 'b']
    """
    colors = require("matplotlib.colors", extra="report")
    plt = require("matplotlib.pyplot", extra="report")
    colour_map = plt.get_cmap(cmap).with_extremes(bad="0.85")
    rows, columns = matrix.shape
    width, height = (min(max(0.17 * cells + 2.5, 5.0), 15.0) for cells in (columns, rows))
    ax = new_axes(ax, width + 0.8, height)
    norm = (
        colors.Normalize(vmin, vmax)
        if boundaries is None
        else colors.BoundaryNorm(list(boundaries), colour_map.N)
    )
    values = np.ma.masked_invalid(matrix.to_numpy(dtype=float))
    # Cells fill the axes: with a fixed aspect, matplotlib's layout lets labels leave the figure.
    image = ax.imshow(values, cmap=colour_map, norm=norm, aspect="auto", interpolation="nearest")
    low, high = image.get_clim()
    below, above = (values < low).any(), (values > high).any()
    extend = ("both" if above else "min") if below else ("max" if above else "neither")
    bar = ax.figure.colorbar(
        image, ax=ax, label=label, fraction=0.05, pad=0.02, aspect=35, extend=extend
    )
    bar.outline.set_visible(False)
    ax.set_title(title)
    for axis, names in (("x", matrix.columns), ("y", matrix.index)):
        if names.name is not None:
            ax.set(**{f"{axis}label": str(names.name)})
    label_cells(ax, x=matrix.columns, y=matrix.index)
    return ax
