"""Write plots and create folders."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayescorr._optional import require
from bayescorr.errors import BayescorrError, choose

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def save_plot(ax: Axes, path: str | Path, *, dpi: int = 150) -> Path:
    """Write the figure of ``ax`` in the format given by the file name, and close it.

    Parameters
    ----------
    ax : matplotlib Axes
        Axes of the figure, as returned by every plot function.
    path : str or Path
        File ending in .png, .pdf, .svg or any other format of matplotlib.
    dpi : int
        Dots per inch, for raster formats.

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
    bayescorr.errors.OptionError: Unknown plot format 'txt'. Choose one of: ...
    """
    return save_formats(ax, [path], dpi=dpi)[0]


def save_formats(ax: Axes, paths: Sequence[str | Path], *, dpi: int = 150) -> list[Path]:
    """Write the figure of ``ax`` to several files, as :func:`save_plot` does, and close it."""
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
    """Raise an error unless matplotlib can write the format that the file name ends in."""
    formats = require("matplotlib.backend_bases", extra="report").FigureCanvasBase.filetypes
    choose(path.suffix.lstrip(".").lower(), formats, "plot format")


def cannot_write(path: str | Path, problem: OSError) -> BayescorrError:
    """Return the error for a file or folder that cannot be written."""
    return BayescorrError(f"Cannot write {path}: {problem.strerror or problem}.", "Check the path.")


def make_folder(folder: str | Path) -> Path:
    """Create a folder unless it exists."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise cannot_write(path, problem) from None
    return path


def write_files(
    folder: Path, contents: Mapping[str, str], write_posterior: Callable[[Path], object]
) -> list[Path]:
    """Write texts by file name and the posterior to a folder; return the files, this one last."""
    files = [folder / name for name in (*contents, "posterior.nc")]
    try:
        for file, text in zip(files, contents.values(), strict=False):
            file.write_text(text, encoding="utf-8")
        write_posterior(files[-1])
    except OSError as problem:
        raise cannot_write(problem.filename or folder, problem) from None
    return files
