"""Files to write: refuse a path that cannot be written before anything is computed or lost."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import Any

from bayescorr.errors import Argument, OptionError


def check_writable(path: str | PathLike[str] | Any, name: str = "path") -> Path:
    """Return the path of a file to write; its folder must exist.

    Examples
    --------
    >>> check_writable("nowhere/fit.nc")
    Traceback (most recent call last):
    ...
    bayescorr.errors.OptionError: path: the folder 'nowhere' does not exist. Create the folder
    first.
    >>> check_writable(None)
    Traceback (most recent call last):
    ...
    bayescorr.errors.OptionError: path must be the path of a file; got None.
    """
    if not isinstance(path, (str, PathLike)) or not isinstance(fspath(path), str):
        raise OptionError((Argument(name), f" must be the path of a file; got {path!r}."))
    target = Path(path)
    if not str(path) or target.is_dir():
        raise OptionError(
            (Argument(name), f": {str(path)!r} is a folder."), "Add the name of a file."
        )
    if not target.absolute().parent.is_dir():
        raise OptionError(
            (Argument(name), f": the folder {str(target.parent)!r} does not exist."),
            "Create the folder first.",
        )
    return target
