"""The result of a fit: every answer is read off the same draws of the true means."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescorr._numbers import FloatArray
from bayescorr.bayes import _stack, predictive
from bayescorr.bayes import systems as about_systems
from bayescorr.bayes.convergence import Convergence
from bayescorr.bayes.data import ModelData, plain_labels, prepare, with_plain_labels
from bayescorr.bayes.model import Model, get_model
from bayescorr.bayes.posterior import Correlation, estimates_of, read_posterior
from bayescorr.coefficients import DEFAULT_COEFFICIENTS, correlate, resolve
from bayescorr.errors import ModelError, OptionError, listing
from bayescorr.scores.check import check_scores, observed_means

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Fit(Correlation):
    """Posterior of the true means of the systems, and what follows from it.

    Made by :func:`bayescorr.fit`, :func:`bayescorr.load_fit` or :meth:`from_draws`.

    Attributes
    ----------
    idata : InferenceData or DataTree
        ArviZ's native container with the groups posterior, sample_stats and observed_data.
    convergence : Convergence
        Whether the sampler converged, and the numbers behind the verdict.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), "flat", random_seed=1)
    >>> fit.draws("tau").shape
    (4000,)
    >>> fit.best().index[0] == fit.observed_means.idxmax()
    True
    """

    def __init__(
        self, idata: Any, convergence: Convergence | None = None, model: Model | None = None
    ) -> None:
        super().__init__(idata, convergence)
        # Kept, since a model without an entry point cannot be found by name.
        self._model = model

    # Contents ------------------------------------------------------------------------------------

    @property
    def true_means(self) -> xr.DataArray:
        """Draws of the true means, dims chain x draw x system."""
        return self.posterior["true_means"]

    @cached_property
    def scores(self) -> pd.DataFrame:
        """The scores, topics x systems."""
        return pd.DataFrame(self.group("observed_data")["scores"].to_pandas())

    @cached_property
    def score_sd(self) -> pd.DataFrame | None:
        """Standard deviations of the measurement error of the scores, if given."""
        observed = self.group("observed_data")
        return pd.DataFrame(observed["score_sd"].to_pandas()) if "score_sd" in observed else None

    @property
    def higher_is_better(self) -> bool:
        """Whether the highest mean is the best."""
        return bool(self.idata.attrs["higher_is_better"])

    @property
    def model(self) -> Model:
        """The model that was fitted."""
        name = self.idata.attrs["model"]
        if not name:
            raise ModelError(
                "This fit was made from draws and has no model.",
                "Use bayescorr.fit for answers that need a model.",
            )
        return self._model or get_model(name)

    @property
    def method(self) -> str:  # type: ignore[override]
        """Name of the model, for tables."""
        return str(self.idata.attrs["model"] or "draws")

    @cached_property
    def observed_means(self) -> pd.Series:
        """Observed means, the best system first; equal ones by label."""
        means = observed_means(self.scores).sort_index()
        return means.sort_values(ascending=not self.higher_is_better, kind="stable")

    @cached_property
    def systems(self) -> list[Any]:
        """Systems in observed order, the best first."""
        return list(self.observed_means.index)

    @cached_property
    def ordered_means(self) -> FloatArray:
        """Draws of the true means, draws x systems, systems in observed order."""
        values = self.true_means.transpose("chain", "draw", "system").to_numpy()
        positions = self.posterior.indexes["system"].get_indexer(self.observed_means.index)
        return values.reshape(-1, values.shape[-1])[:, positions]

    @cached_property
    def model_data(self) -> tuple[ModelData, pd.Series]:
        """The scores as the model sees them, and the distinct system behind every system."""
        return prepare(self.scores, self.score_sd)

    # Coefficients --------------------------------------------------------------------------------

    def draws(self, coefficient: Any = "tau") -> FloatArray:
        """Return draws of a coefficient between true and observed means, chain after chain.

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
        name = resolve(coefficient).name
        if isinstance(coefficient, str) and name in self.posterior:
            return self.posterior[name].to_numpy().ravel()
        means = self.true_means.transpose("chain", "draw", "system").to_numpy()
        observed = observed_means(self.scores).to_numpy()
        better = self.higher_is_better
        flat = means.reshape(-1, means.shape[-1])
        return correlate(flat, observed, coefficient, higher_is_better=better)[name]

    def summary(self, level: float = 0.95, *, kind: str = "equal-tailed") -> pd.DataFrame:
        """Return mean, median, sd, interval and convergence of each coefficient.

        Parameters
        ----------
        level, kind
            Level and kind of the intervals, as in :meth:`estimates`.

        Returns
        -------
        DataFrame
            One row per coefficient: coefficient, mean, median, sd, lower, upper, level, rhat,
            ess_bulk, ess_tail.

        Examples
        --------
        >>> import bayescorr
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> fit.summary()[["coefficient", "mean", "median", "sd"]].round(2)
          coefficient  mean  median    sd
        0         tau  0.64    0.67  0.33
        1      tau_ap  0.59    0.67  0.41
        2     tau_gap  0.63    0.83  0.44
        """
        names = list(DEFAULT_COEFFICIENTS)
        draws = np.column_stack([self.draws(name) for name in names])
        table = estimates_of(draws, level, kind).rename(columns={"estimate": "mean"})
        table.insert(0, "coefficient", names)
        table.insert(2, "median", np.median(draws, axis=0))
        stored = self.posterior[names]
        found = {
            "rhat": _stack.rhat(stored),
            "ess_bulk": _stack.ess(stored, "bulk"),
            "ess_tail": _stack.ess(stored, "tail"),
        }
        return table.assign(
            level=level,
            **{key: [float(value[name]) for name in names] for key, value in found.items()},
        )

    def in_words(self, level: float = 0.95) -> str:
        """Say in one sentence how close the observed ranking is to the true one.

        Parameters
        ----------
        level : float
            Probability inside the interval.

        Returns
        -------
        str
            A sentence with the posterior mean of tau and its credible interval.

        Examples
        --------
        >>> import bayescorr
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> print(fit.in_words(0.9))
        The observed ranking of 4 systems over 50 topics has tau = 0.64 (90% credible interval ...
        """
        topics, systems = self.scores.shape
        row = self.estimates(level, coefficients="tau").iloc[0]
        return (
            f"The observed ranking of {systems} systems over {topics} topics has tau = "
            f"{row['estimate']:.2f} ({level * 100:g}% credible interval {row['lower']:.2f} to "
            f"{row['upper']:.2f}) with the true ranking."
        )

    # Answers of other modules --------------------------------------------------------------------

    rank_probabilities = about_systems.rank_probabilities
    best = about_systems.best
    ranking = about_systems.ranking
    discordance = about_systems.discordance
    compare_systems = about_systems.compare_systems
    top = about_systems.top
    groups = about_systems.groups
    covariance = predictive.covariance
    posterior_predictive = predictive.posterior_predictive
    log_likelihood = predictive.log_likelihood

    def plot_coefficients(self, **options: Any) -> Axes:
        """Plot the posterior of each coefficient; see :func:`.report.plots.plot_coefficients`."""
        return _plot("plot_coefficients", self, options)

    def plot_ranking(self, **options: Any) -> Axes:
        """Plot observed and true means; see :func:`.report.plots.plot_ranking`."""
        return _plot("plot_ranking", self, options)

    def plot_rank_probabilities(self, **options: Any) -> Axes:
        """Plot the true ranks; see :func:`.report.plots.plot_rank_probabilities`."""
        return _plot("plot_rank_probabilities", self, options)

    def plot_discordance(self, **options: Any) -> Axes:
        """Plot P(swapped) of every pair; see :func:`.report.plots.plot_discordance`."""
        return _plot("plot_discordance", self, options)

    def plot_predictive(self, **options: Any) -> Axes:
        """Plot the scores beside simulated ones; see :func:`.report.plots.plot_predictive`."""
        return _plot("plot_predictive", self, options)

    def plot_trace(self, **options: Any) -> Axes:
        """Plot the chains; see :func:`.report.plots.plot_trace`."""
        return _plot("plot_trace", self, options)

    # From elsewhere ------------------------------------------------------------------------------

    @classmethod
    def from_draws(cls, draws: Any, scores: Any, *, higher_is_better: bool = True) -> Fit:
        """Make a fit from draws of the true means that were sampled elsewhere.

        Parameters
        ----------
        draws : array, DataFrame or DataArray
            Draws x systems, or chains x draws x systems. Columns of a DataFrame and coordinates of
            a DataArray are matched to the systems by label, those of an array by position.
        scores : DataFrame
            The scores, topics x systems.
        higher_is_better : bool
            False if the lowest mean is the best.

        Returns
        -------
        Fit
            It answers everything that needs no model.

        Examples
        --------
        >>> scores = pd.DataFrame({"a": [0.5, 0.7], "b": [0.2, 0.3]})
        >>> Fit.from_draws([[0.6, 0.2], [0.5, 0.3], [0.3, 0.4], [0.6, 0.1]], scores).draws("tau")
        array([ 1.,  1., -1.,  1.])
        """
        from bayescorr.bayes.fit import fit_of

        checked = with_plain_labels(check_scores(scores))
        means = _means_from(draws, checked.columns)
        attributes = {"model": "", "higher_is_better": int(higher_is_better)}
        return fit_of({"posterior": xr.Dataset()}, means, checked, None, attributes)

    def __repr__(self) -> str:
        topics, systems = self.scores.shape
        first = f"Fit of {self.method!r} to {systems} systems x {topics} topics"
        return "\n".join([first, *self._in_lines(), f"  {self.convergence}"])


def load_fit(path: str | Path) -> Fit:
    """Read a fit written by :meth:`Fit.to_netcdf` on either library stack.

    Parameters
    ----------
    path : path
        A NetCDF file.

    Returns
    -------
    Fit
        The fit with its draws.

    Raises
    ------
    ScoresError
        If the file does not exist or is not a fit.

    Examples
    --------
    >>> import tempfile
    >>> scores = pd.DataFrame({"a": [0.5, 0.7], "b": [0.2, 0.3]})
    >>> fit = Fit.from_draws([[0.6, 0.2], [0.5, 0.3], [0.3, 0.4], [0.6, 0.1]], scores)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load_fit(fit.to_netcdf(Path(folder) / "fit.nc")).draws("tau")
    array([ 1.,  1., -1.,  1.])
    """
    return Fit(read_posterior(path, "true_means"))


def _plot(name: str, fit: Fit, options: dict[str, Any]) -> Axes:
    # By name and on call: reports use fits, and a fit needs no matplotlib before it is drawn.
    axes: Axes = getattr(import_module("bayescorr.report.plots"), name)(fit, **options)
    return axes


def _means_from(draws: Any, systems: pd.Index[Any]) -> FloatArray:
    """Draws of the true means as chains x draws x systems."""
    if isinstance(draws, xr.DataArray):
        if not {"draw", "system"} <= set(draws.dims) <= {"chain", "draw", "system"}:
            raise OptionError(
                f"The draws have the dimensions {', '.join(map(str, draws.dims))}.",
                "Name them draw and system, or chain, draw and system.",
            )
        labelled = draws.transpose(..., "draw", "system")
        labels = plain_labels(labelled.indexes.get("system", pd.Index([])))
    elif isinstance(draws, pd.DataFrame):
        labelled, labels = draws, plain_labels(draws.columns)
    else:
        labelled, labels = draws, systems
    if lacking := [system for system in systems if system not in labels]:
        raise OptionError(
            f"The draws have no column for: {listing(lacking)}.",
            "Label the draws with the names of the systems.",
        )
    array = np.asarray(labelled, float)
    array = array[None] if array.ndim == 2 else array
    if array.ndim != 3 or array.shape[2] != len(labels) or not np.isfinite(array).all():
        raise OptionError(
            f"Expected finite draws of shape (chains,) draws x {len(systems)} systems; got shape "
            f"{array.shape}.",
            "Give one number per draw and system, systems in the order of the scores' columns.",
        )
    return np.take(array, labels.get_indexer(systems), axis=-1)
