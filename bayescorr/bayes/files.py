"""Fits on disk."""

from __future__ import annotations

from pathlib import Path

from bayescorr.bayes import _stack
from bayescorr.bayes.result import Fit
from bayescorr.errors import ScoresError


def load_fit(path: str | Path) -> Fit:
    """Read a fit that :meth:`Fit.to_netcdf` wrote, on either library stack.

    Parameters
    ----------
    path : path
        A NetCDF file.

    Returns
    -------
    Fit
        The fit, with its draws as they were.

    Raises
    ------
    ScoresError
        When there is no such file, or it holds no fit.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"a": [0.5, 0.7], "b": [0.2, 0.3]})
    >>> fit = Fit.from_draws([[0.6, 0.2], [0.5, 0.3], [0.3, 0.4], [0.6, 0.1]], scores)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load_fit(fit.to_netcdf(Path(folder) / "fit.nc")).draws("tau")
    array([ 1.,  1., -1.,  1.])
    """
    source = Path(path)
    try:
        idata = _stack.read_netcdf(source)
    except FileNotFoundError:
        raise ScoresError(f"There is no file {str(source)!r}.", "Check the path.") from None
    except (OSError, ValueError) as error:
        raise ScoresError(
            f"{str(source)!r} cannot be read as NetCDF: {error}.",
            "Give a file that `bayescorr fit --out` or Fit.to_netcdf wrote.",
        ) from None
    posterior = _stack.group(idata, "posterior")
    if posterior is None or "true_means" not in posterior or "model" not in idata.attrs:
        raise ScoresError(
            f"{str(source)!r} holds no fit of bayescorr.",
            "Give a file that `bayescorr fit --out` or Fit.to_netcdf wrote.",
        )
    return Fit(idata)
