"""Plots on disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayescorr._optional import require
from bayescorr.errors import BayescorrError, choose

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["save_plot"]


def save_plot(ax: Axes, path: str | Path, *, dpi: int = 150) -> Path:
    """Write the figure of ``ax`` in the format that the file name ends with, and close it.

    Parameters
    ----------
    ax : matplotlib Axes
        What any plot function here returns.
    path : str or Path
        File to write: .png, .pdf, .svg or any other format of matplotlib.
    dpi : int
        Dots per inch, for formats made of dots.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> save_plot(plt.subplots()[1], "plot.txt")
    Traceback (most recent call last):
    ...
    bayescorr.errors.OptionError: Unknown file format of a plot 'txt'. Choose one of: ...
    """
    plt = require("matplotlib.pyplot", extra="report")
    figure: Any = ax.figure
    path = Path(path)
    formats = figure.canvas.get_supported_filetypes()
    choose(path.suffix.lstrip(".").lower(), formats, "file format of a plot")
    try:
        figure.savefig(path, dpi=dpi)
    except OSError as problem:
        raise BayescorrError(
            f"{path}: cannot be written: {problem.strerror or problem}.", "Check the path."
        ) from None
    finally:
        plt.close(figure)
    return path
