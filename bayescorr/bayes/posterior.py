"""What every posterior shares: its container, the convergence gate, estimates and its file."""

from __future__ import annotations

import json
import warnings
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

import bayescorr
from bayescorr._draws import interval
from bayescorr._numbers import FloatArray, check_level
from bayescorr.bayes import _stack
from bayescorr.bayes.convergence import Convergence, check_convergence
from bayescorr.coefficients import DEFAULT_COEFFICIENTS, resolve
from bayescorr.errors import ConvergenceError, ConvergenceWarning, ScoresError, choose, listing

#: Variables of a group: dimensions and values by name.
Variables = Mapping[str, tuple[Sequence[str], Any]]


class Posterior:
    """A sampled posterior: draws in ArviZ's container, and whether the sampler converged.

    Attributes
    ----------
    idata : InferenceData or DataTree
        ArviZ's native container.
    convergence : Convergence
        Whether the sampler converged, and the numbers behind the verdict.
    """

    def __init__(self, idata: Any, convergence: Convergence | None = None) -> None:
        self.idata = idata
        self.convergence = convergence or check_convergence(
            self.posterior, _stack.group(idata, "sample_stats")
        )

    @property
    def posterior(self) -> xr.Dataset:
        """Parameters and derived quantities, dims chain and draw first."""
        return self.group("posterior")

    @cached_property
    def priors(self) -> dict[str, float]:
        """Numbers of the priors."""
        return dict(json.loads(self.idata.attrs.get("priors", "{}")))

    def group(self, name: str) -> xr.Dataset:
        """Return a group of the container as a dataset."""
        found = _stack.group(self.idata, name)
        if found is None:
            raise ScoresError(f"This posterior has no group {name!r}.", "Sample it again.")
        return found

    def to_netcdf(self, path: str | Path) -> Path:
        """Write the posterior to a NetCDF file that both library stacks can read.

        Parameters
        ----------
        path : path
            The file. An existing file is overwritten.

        Returns
        -------
        Path
            The file.

        Examples
        --------
        >>> import bayescorr, tempfile
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), "flat", random_seed=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     bayescorr.load_fit(fit.to_netcdf(f"{folder}/fit.nc")).method
        'flat'
        """
        target = Path(path)
        _stack.write_netcdf(self.idata, target)
        return target

    def check(self, strict: bool, scores: pd.DataFrame | None = None, stacklevel: int = 3) -> None:
        """Warn if the sampler did not converge; raise an error if ``strict``."""
        if self.convergence.passed:
            return
        remedy = self.convergence.remedy
        if scores is not None and (repeated := list(scores.index[scores.duplicated()])):
            # Equal topics let a covariance be singular, and densities infinite.
            remedy += f" Or remove topics with the same scores as another: {listing(repeated)}."
        if strict:
            raise ConvergenceError(str(self.convergence), remedy)
        message = f"{self.convergence} {remedy}"
        warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel)


class Correlation(Posterior):
    """A posterior of rank correlations: coefficients of true means, draw by draw."""

    #: Name for tables.
    method: str

    @abstractmethod
    def draws(self, coefficient: Any = "tau") -> FloatArray:
        """Return draws of a coefficient, chain after chain."""

    def estimates(
        self,
        level: float = 0.95,
        *,
        coefficients: Any = DEFAULT_COEFFICIENTS,
        point: str | None = None,
        kind: str = "equal-tailed",
    ) -> pd.DataFrame:
        """Return point estimates and credible intervals, as :func:`bayescorr.estimate` does.

        Parameters
        ----------
        level : float
            Probability inside the interval.
        coefficients : sequence of str or callable
            Names of coefficients, or functions f(truth, observed).
        point : {"mean", "median"}, optional
            The point estimate. By default the less biased one for each coefficient: the median for
            tau_gap, the mean for all others.
        kind : {"equal-tailed", "highest-density"}
            The kind of interval.

        Returns
        -------
        DataFrame
            One row per coefficient: method, coefficient, estimate, sd, lower, upper, level.

        Examples
        --------
        >>> import bayescorr
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> fit.estimates(0.9)[["coefficient", "estimate", "lower", "upper"]].round(2)
          coefficient  estimate  lower  upper
        0         tau      0.64   0.00    1.0
        1      tau_ap      0.59  -0.33    1.0
        2     tau_gap      0.83  -0.33    1.0
        """
        if point is not None:
            choose(point, ("mean", "median"), "point estimate")
        single = isinstance(coefficients, str) or callable(coefficients)
        given = [coefficients] if single else list(coefficients)
        found = [resolve(coefficient) for coefficient in given]
        draws = np.column_stack([self.draws(coefficient) for coefficient in given])
        table = estimates_of(draws, level, kind, [point or one.headline for one in found])
        table.insert(0, "method", self.method)
        table.insert(1, "coefficient", [one.name for one in found])
        return table.assign(level=level)

    def _in_lines(self) -> list[str]:
        """One line per coefficient, for ``repr``."""
        return [
            f"  {row.coefficient:8} {row.estimate:.3f}  "
            f"({row.level:.0%} interval {row.lower:.3f} to {row.upper:.3f})"
            for row in self.estimates().itertuples()
        ]


def estimates_of(
    draws: FloatArray,
    level: float = 0.95,
    kind: str = "equal-tailed",
    points: Sequence[str] | str = "mean",
) -> pd.DataFrame:
    """Turn draws into estimates.

    Parameters
    ----------
    draws : array, draws x quantities
        Draws of each quantity.
    level, kind
        Level and kind of the credible intervals.
    points : "mean" or "median", or one of them per quantity
        The point estimate.

    Returns
    -------
    DataFrame
        One row per quantity: estimate, sd, lower, upper.
    """
    lower, upper = interval(draws, check_level(level), kind)
    # Contiguous per quantity, so that sums are accurate and do not depend on the other quantities.
    by_quantity = np.ascontiguousarray(draws.T)
    estimate, sd = by_quantity.mean(axis=1), by_quantity.std(axis=1, ddof=1)
    median = np.asarray(points) == "median"
    if median.any():
        estimate = np.where(median, np.median(by_quantity, axis=1), estimate)
    return pd.DataFrame({"estimate": estimate, "sd": sd, "lower": lower, "upper": upper})


def assemble(
    groups: Mapping[str, xr.Dataset],
    derived: Variables,
    observed: xr.Dataset | None,
    coords: Mapping[str, Any],
    attributes: Mapping[str, Any],
) -> tuple[Any, Convergence]:
    """Put sampled groups, derived quantities and data into one container, and judge it.

    Parameters
    ----------
    groups : mapping of Dataset
        What the sampler returned, the group ``posterior`` among them.
    derived : mapping
        Quantities computed from the draws; the first two dimensions are chain and draw.
    observed : Dataset, optional
        The data.
    coords : mapping
        Labels of the dimensions of ``derived``.
    attributes : mapping
        What to store with it: model, priors, seed and so on.
    """
    chains, draws = next(iter(derived.values()))[1].shape[:2]
    posterior = groups["posterior"].assign_coords(
        chain=np.arange(chains), draw=np.arange(draws), **coords
    )
    for name, variable in derived.items():
        posterior[name] = variable
    everything = {**groups, "posterior": posterior}
    if observed is not None:
        everything["observed_data"] = observed
    versions = {name: version(name) for name in ("pymc", "arviz", "nutpie", "numpy")}
    attributes = {
        **attributes,
        "bayescorr_version": bayescorr.__version__,
        "versions": json.dumps(versions),
    }
    verdict = check_convergence(posterior, groups.get("sample_stats"))
    return _stack.container(everything, attributes), verdict


def read_posterior(path: str | Path, variable: str) -> Any:
    """Read the container of a posterior with this variable from a NetCDF file."""
    source = Path(path)
    remedy = "Give a file written by `bayescorr fit --out` or Fit.to_netcdf."
    try:
        idata = _stack.read_netcdf(source)
    except FileNotFoundError:
        raise ScoresError(f"File {str(source)!r} does not exist.", "Check the path.") from None
    except (OSError, ValueError) as error:
        raise ScoresError(f"Cannot read {str(source)!r} as NetCDF: {error}.", remedy) from None
    posterior = _stack.group(idata, "posterior")
    if posterior is None or variable not in posterior or "model" not in idata.attrs:
        raise ScoresError(f"{str(source)!r} is not a bayescorr fit.", remedy)
    return idata
