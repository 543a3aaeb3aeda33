"""What every posterior shares: its container, the convergence gate, estimates and its file."""

from __future__ import annotations

import json
import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

import bayescorr
from bayescorr._draws import estimates_of
from bayescorr._numbers import FloatArray
from bayescorr.bayes import _stack, tasks
from bayescorr.bayes.convergence import (
    Convergence,
    check_convergence,
    join_verdicts,
    judge_approximation,
)
from bayescorr.bayes.laplace import Normal, implied_change
from bayescorr.bayes.stored import write_posterior
from bayescorr.coefficients import COEFFICIENTS, DEFAULT_COEFFICIENTS, Coefficient, resolve
from bayescorr.coefficients.registry import resolve_all
from bayescorr.errors import (
    ConvergenceError,
    ConvergenceWarning,
    ModelError,
    ScoresError,
    choose,
    listing,
)

#: The groups that only some posteriors have, and how these were made.
INFERENCES = {"laplace": "laplace", "sample_stats": "nuts"}


class Posterior:
    """A sampled posterior: draws in ArviZ's container, and whether the sampler converged."""

    def __init__(self, idata: Any, convergence: Convergence | None = None) -> None:
        self.idata = idata
        self.convergence = convergence or judge(_stack.groups(idata), idata.attrs)

    @property
    def inference(self) -> str:
        """How the draws were made: "nuts", "laplace", or "exact" for independent draws."""
        groups = _stack.groups(self.idata)
        own = next(iter(tasks.split_groups(groups)), groups)
        return next((name for group, name in INFERENCES.items() if group in own), "exact")

    @property
    def normal(self) -> Normal:
        """The Laplace approximation, on the unconstrained scale of the parameters."""
        found = self.group("laplace")
        centre, factor = (found[name].to_numpy() for name in ("centre", "factor"))
        numbers = float(found["shift"]), float(found["change"]), int(found["gradients"])
        return Normal(centre, factor, *numbers)

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
        found = _stack.groups(self.idata)
        if name not in found:
            raise ScoresError(f"This posterior has no group {name!r}.", "Sample it again.")
        return found[name]

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
        return write_posterior(self.idata, path)

    def check(self, strict: bool, scores: pd.DataFrame | None = None) -> None:
        """Warn if the sampler did not converge; raise an error if ``strict``."""
        if self.convergence.passed:
            return
        remedy = self.convergence.remedy_text
        if scores is not None and not scores.isin([0, 1, np.nan]).to_numpy().all():
            repeated = list(scores.index[scores.duplicated()])
        else:
            repeated = []  # Items that are right or wrong are equal by chance.
        if repeated:
            # Equal topics let a covariance be singular, and densities infinite.
            more = f" Or remove topics with the same scores as another: {listing(repeated)}."
            remedy = (*remedy, more)
        if strict:
            raise ConvergenceError(str(self.convergence), remedy)
        warnings.warn(ConvergenceWarning((f"{self.convergence} ", *remedy)), stacklevel=3)


class Correlation(Posterior):
    """A posterior of rank correlations: coefficients of true means, draw by draw."""

    @property
    def method(self) -> str:
        """Name of the model, for tables."""
        return str(self.idata.attrs["model"] or "draws")

    @abstractmethod
    def correlate_draws(self, coefficient: Coefficient) -> FloatArray:
        """Compute a coefficient that is not stored, draw by draw."""

    def draws(self, coefficient: Any = "tau") -> FloatArray:
        """Return draws of a coefficient, chain after chain.

        For a fit, the coefficient is that between true and observed means; for two conditions,
        between the true means under either.

        Parameters
        ----------
        coefficient : str or callable
            A name, or a function f(truth, observed) of two vectors that returns a number.

        Returns
        -------
        array
            One value per draw.

        Examples
        --------
        >>> import bayescorr
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> round(float(fit.draws("tau").mean()), 2)
        0.64
        >>> def same_winner(truth, observed):
        ...     return float(truth.argmax() == observed.argmax())
        >>> round(float(fit.draws(same_winner).mean()), 2)
        0.7
        """
        found = resolve(coefficient)
        if found.name in DEFAULT_COEFFICIENTS and found is COEFFICIENTS[found.name]:
            return self.posterior[found.name].to_numpy().ravel()
        return self.correlate_draws(found)

    def estimates(
        self,
        level: float = 0.95,
        *,
        coefficients: Any = DEFAULT_COEFFICIENTS,
        point: str = "mean",
        kind: str = "equal-tailed",
    ) -> pd.DataFrame:
        """Return point estimates and credible intervals, as :func:`bayescorr.estimate` does.

        Parameters
        ----------
        level : float
            Probability inside the interval.
        coefficients : sequence of str or callable
            Names of coefficients, or functions f(truth, observed).
        point : {"mean", "median"}
            The point estimate.
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
        2     tau_gap      0.63  -0.33    1.0
        """
        return tabulate(self.draws, self.method, level, coefficients, point, kind)

    def _described(self, title: str) -> str:
        """Return a title, one line per coefficient and the verdict, for ``repr``."""
        lines = [title]
        for row in self.estimates().to_dict("records"):
            line = "  {judge}: " if "judge" in row else "  "
            line += "{coefficient:8} {estimate:.3f}  (95% interval {lower:.3f} to {upper:.3f}"
            line += "; between the observed means {observed:.3f})" if "observed" in row else ")"
            lines.append(line.format_map(row))
        return "\n".join([*lines, f"  {self.convergence}"])


def tabulate(
    draws_of: Callable[[Coefficient], FloatArray],
    method: str,
    level: float,
    coefficients: Any,
    point: str,
    kind: str,
) -> pd.DataFrame:
    """Return the table of :meth:`Correlation.estimates`; ``draws_of`` draws a coefficient."""
    choose(point, ("mean", "median"), "point estimate")
    found = resolve_all(coefficients)
    draws = np.column_stack([draws_of(one) for one in found])
    table = estimates_of(draws, level, kind, point)
    table.insert(0, "method", method)
    table.insert(1, "coefficient", [one.name for one in found])
    return table.assign(level=level)


def assemble(
    groups: Mapping[str, xr.Dataset],
    derived: Mapping[str, tuple[Sequence[str], Any]],
    observed: xr.Dataset | None,
    coords: Mapping[str, Any],
    attributes: Mapping[str, Any],
) -> tuple[Any, Convergence]:
    """Put sampled groups, quantities derived from the draws, and data into one container; judge it.

    ``coords`` are the labels of the dimensions of ``derived``, the first two of which are chain and
    draw. ``attributes`` are stored with the posterior.
    """
    chains, draws = next(iter(derived.values()))[1].shape[:2]
    posterior = groups["posterior"].assign_coords(
        chain=np.arange(chains), draw=np.arange(draws), **coords
    )
    if taken := sorted(derived.keys() & set(posterior.data_vars)):
        raise ModelError(
            f"The model uses names of variables that bayescorr computes: {listing(taken)}.",
            "Rename these variables of the model.",
        )
    posterior = posterior.assign(derived)
    everything = {**groups, "posterior": posterior}
    if "laplace" in groups:
        everything["laplace"] = check_approximation(groups["laplace"], derived, coords)
    everything |= {} if observed is None else {"observed_data": observed}
    versions = {name: version(name) for name in ("pymc", "arviz", "nutpie", "numpy")}
    attributes = {
        **attributes,
        "bayescorr_version": bayescorr.__version__,
        "versions": json.dumps(versions),
    }
    return _stack.container(everything, attributes), judge(everything, attributes)


def check_approximation(
    approximation: xr.Dataset,
    derived: Mapping[str, tuple[Sequence[str], Any]],
    coords: Mapping[str, Any],
) -> xr.Dataset:
    """Return what is stored of a Laplace approximation: how well it fits, for each quantity.

    A quantity with more dimensions than chain and draw is judged by its mean over them, but for
    every judge.
    """
    size = approximation.sizes["sample"]
    found: dict[str, FloatArray] = {}
    for name, (dims, values) in derived.items():
        if dims[2:] == ("judge",):
            by_judge = np.asarray(values).reshape(size, -1).T
            found |= {f"{name}[{j}]": x for j, x in zip(coords["judge"], by_judge, strict=True)}
        elif len(dims) == 2 or len(derived) == 1:
            found[name] = np.asarray(values).reshape(size, -1).mean(axis=1)
    standard, residual = (approximation[name].to_numpy() for name in ("standard", "residual"))
    changes = [implied_change(standard, residual, values) for values in found.values()]
    kept = approximation.drop_vars(["standard", "residual"])
    effects = xr.DataArray(changes, {"quantity": list(found)}, ("quantity", "moment"))
    return kept.assign(
        residual=float(np.sqrt(np.square(residual).mean())),
        change_of_mean=effects.isel(moment=0),
        change_of_sd=effects.isel(moment=1),
    )


def judge(groups: Mapping[str, xr.Dataset], attributes: Mapping[str, Any]) -> Convergence:
    """Judge whether the draws of a posterior, and those of all its tasks, may be used."""
    parts = [judge(part, attributes) for part in tasks.split_groups(groups)]
    if "laplace" in groups:
        sizes = groups["posterior"].sizes
        found = judge_approximation(groups["laplace"], sizes["chain"] * sizes["draw"])
    else:
        tune = int(attributes.get("tune", 0))
        found = check_convergence(groups["posterior"], groups.get("sample_stats"), tune)
    return join_verdicts(found, dict(zip(tasks.names(groups), parts, strict=True)))


def assemble_correlation(
    groups: Mapping[str, xr.Dataset],
    means: Mapping[str, FloatArray],
    coefficients: Mapping[str, FloatArray],
    scores: Mapping[str, pd.DataFrame],
    attributes: Mapping[str, Any],
) -> tuple[Any, Convergence]:
    """Assemble a posterior of true means (chains x draws x systems) of labelled scores."""
    labels = next(iter(scores.values()))
    coords = {"topic": labels.index.to_numpy(), "system": labels.columns.to_numpy()}
    dims = ("chain", "draw", "system")
    derived = {name: (dims[: x.ndim], x) for name, x in {**means, **coefficients}.items()}
    tables = {name: (("topic", "system"), table.to_numpy()) for name, table in scores.items()}
    system = {"system": coords["system"]}
    observed = tasks.add_strata(xr.Dataset(tables, coords), labels)
    return assemble(groups, derived, observed, system, attributes)
