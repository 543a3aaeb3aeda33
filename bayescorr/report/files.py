"""Plots and folders on disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayescorr._optional import require
from bayescorr.errors import BayescorrError, choose

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["cannot_write", "check_format", "make_folder", "save_formats", "save_plot"]


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
    return save_formats(ax, [path], dpi=dpi)[0]


def save_formats(ax: Axes, paths: Sequence[str | Path], *, dpi: int = 150) -> list[Path]:
    """Write the figure of ``ax`` to each of the files, as :func:`save_plot` does, and close it."""
    plt = require("matplotlib.pyplot", extra="report")
    figure: Any = ax.figure
    files = [Path(path) for path in paths]
    try:
        for path in files:
            check_format(path)
            figure.savefig(path, dpi=dpi)
    except OSError as problem:
        raise cannot_write(path, problem) from None
    finally:
        plt.close(figure)
    return files


def check_format(path: Path) -> None:
    """Refuse a file name whose ending is no format of a plot."""
    formats = require("matplotlib.backend_bases", extra="report").FigureCanvasBase.filetypes
    choose(path.suffix.lstrip(".").lower(), formats, "file format of a plot")


def cannot_write(path: str | Path, problem: OSError) -> BayescorrError:
    """Return the error that says that a file or folder cannot be written."""
    return BayescorrError(
        f"{path}: cannot be written: {problem.strerror or problem}.", "Check the path."
    )


def make_folder(folder: str | Path) -> Path:
    """Make a folder, if it is not there, or say why it cannot be."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise BayescorrError(
            f"{path}: cannot be made a folder: {problem.strerror or problem}.", "Check the path."
        ) from None
    return path
