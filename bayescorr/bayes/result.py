"""The result of a fit: every answer is read off the same draws of the true means."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from bayescorr import claims
from bayescorr._draws import estimates_of
from bayescorr._numbers import FloatArray
from bayescorr.bayes import _stack, predictive
from bayescorr.bayes.convergence import Convergence
from bayescorr.bayes.data import ModelData, align_draws, measure_of, prepare, with_plain_labels
from bayescorr.bayes.model import Model, get_model
from bayescorr.bayes.posterior import Correlation
from bayescorr.bayes.sampler import flat_draws
from bayescorr.bayes.stored import read_fit
from bayescorr.bayes.tasks import split_groups, stored_scores
from bayescorr.coefficients import (
    COEFFICIENTS,
    DEFAULT_COEFFICIENTS,
    Coefficient,
    correlate,
    resolve,
)
from bayescorr.coefficients.ranks import true_ranks
from bayescorr.errors import ModelError
from bayescorr.report import plots
from bayescorr.scores.check import check_scores, observed_means
from bayescorr.scores.strata import refuse_seeds, strata_of, task_table, tasks_of


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

    @property
    def true_means(self) -> xr.DataArray:
        """Draws of the true means, dims chain x draw x system."""
        return self.posterior["true_means"]

    @cached_property
    def scores(self) -> pd.DataFrame:
        """The scores, topics x systems; with their tasks, if they have any."""
        return stored_scores(self.group("observed_data"))

    @cached_property
    def tasks(self) -> dict[str, Fit]:
        """Fits of the tasks by name, if the true means are weighted means over several tasks.

        Each has draws of the true means of its task alone. Empty for all other fits.
        """
        groups = _stack.groups(self.idata)
        tasks = tasks_of(self.scores) if (parts := split_groups(groups)) else ()
        errors = self.score_sd
        found = {}
        for part, task in zip(parts, tasks, strict=True):
            given = {"scores": task_table(self.scores, task)}
            if errors is not None:
                given["score_sd"] = errors.iloc[task.rows]
            observed = xr.Dataset({k: (("topic", "system"), v) for k, v in given.items()})
            coords = {"topic": given["scores"].index, "system": self.scores.columns}
            everything = {**part, "observed_data": observed.assign_coords(coords)}
            idata = _stack.container(everything, dict(self.idata.attrs))
            found[task.name] = Fit(idata, model=self._model)
        return found

    @property
    def parts(self) -> list[Fit]:
        """The fits that a model was fitted to: those of the tasks, or this one."""
        return list(self.tasks.values()) or [self]

    @property
    def normal(self) -> Any:
        """The Laplace approximation, or those of the tasks by name."""
        if self.tasks:
            return {name: fit.normal for name, fit in self.tasks.items()}
        return super().normal

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
    def measure(self) -> str:
        """The measure of the scores, such as nDCG@10; empty if the scores did not name it."""
        return str(self.idata.attrs.get("measure", ""))

    @property
    def item_summary(self) -> str:
        """How the scores of a system are summarised: "mean", "win-rate", "median" ..."""
        return str(self.idata.attrs.get("summary", "mean"))

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
        positions = self.posterior.indexes["system"].get_indexer(self.observed_means.index)
        return flat_draws(self.posterior[["true_means"]])["true_means"][:, positions]

    @cached_property
    def true_ranks(self) -> NDArray[np.int64]:
        """Ranks of the true means in every draw, draws x systems, systems in observed order."""
        return true_ranks(self.ordered_means, higher_is_better=self.higher_is_better)

    @cached_property
    def model_data(self) -> tuple[ModelData, pd.Series]:
        """The scores as the model sees them, and the distinct system behind every system."""
        return prepare(self.scores, self.score_sd)

    def correlate_draws(self, coefficient: Coefficient) -> FloatArray:
        """Compute a coefficient between true and observed means, draw by draw."""
        means = flat_draws(self.posterior[["true_means"]])["true_means"]
        observed, better = observed_means(self.scores).to_numpy(), self.higher_is_better
        return correlate(means, observed, coefficient, higher_is_better=better)[coefficient.name]

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
        table["level"] = level
        stored = self.posterior[names]
        for column, found in (
            ("rhat", _stack.rhat(stored)),
            ("ess_bulk", _stack.ess(stored, "bulk")),
            ("ess_tail", _stack.ess(stored, "tail")),
        ):
            table[column] = [float(found[name]) for name in names]
        return table

    def in_words(self, level: float = 0.95, coefficient: Any = "tau") -> str:
        """Say in one sentence, to quote, how close the observed ranking is to the true one.

        Parameters
        ----------
        level : float
            Probability inside the interval.
        coefficient : str or callable
            Name of a coefficient, or a function f(truth, observed).

        Returns
        -------
        str
            A sentence with the estimate of the coefficient and its credible interval.

        Raises
        ------
        ConvergenceError
            If the sampler did not converge, since its numbers must not be quoted.

        Examples
        --------
        >>> import bayescorr
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> print(fit.in_words(0.9))
        Ranked by AP on 50 topics, the 4 systems correlate with their ranking over all such topics
        at Kendall's tau = 0.64 (90% credible interval 0.00 to 1.00).
        >>> print(fit.in_words(0.9, "tau_gap"))
        The ranking of 4 systems by AP on 50 topics and their ranking over all such topics have
        tau_gap = 0.63 (90% credible interval -0.33 to 1.00).
        """
        self.check(strict=True)
        (topics, systems), found = self.scores.shape, resolve(coefficient)
        strata = strata_of(self.scores)
        on = f"on {topics} topics{f' of {strata.in_words}' if strata else ''}"
        row = self.estimates(level, coefficients=[coefficient]).iloc[0]
        measure = self.measure or "mean score"
        words = (
            f"{level * 100:g}% credible interval {row['lower']:.2f} to {row['upper']:.2f}"
            f"{'; Laplace approximation' * (self.inference == 'laplace')}"
        )
        if found is COEFFICIENTS["tau"]:
            return (
                f"Ranked by {measure} {on}, the {systems} systems correlate with "
                f"their ranking over all such topics at Kendall's tau = {row['estimate']:.2f} "
                f"({words})."
            )
        return (
            f"The ranking of {systems} systems by {measure} {on} and their ranking "
            f"over all such topics have {found.name} = {row['estimate']:.2f} ({words})."
        )

    # These modules know a fit by its methods only and import nothing from this folder.
    rank_probabilities = claims.rank_probabilities
    best = claims.best
    ranking = claims.ranking
    discordance = claims.discordance
    groups = claims.groups
    compare_systems = claims.compare_systems
    top = claims.top
    winner = claims.winner
    verdict = claims.verdict
    joint_ranks = claims.joint_ranks
    top_set = claims.top_set
    could_be_top = claims.could_be_top
    decided_pairs = claims.decided_pairs

    plot_coefficients = plots.plot_coefficients
    plot_ranking = plots.plot_ranking
    plot_ranks = plots.plot_ranks
    plot_order = plots.plot_order
    plot_rank_probabilities = plots.plot_rank_probabilities
    plot_discordance = plots.plot_discordance
    plot_predictive = plots.plot_predictive
    plot_trace = plots.plot_trace

    covariance = predictive.covariance
    posterior_predictive = predictive.posterior_predictive
    predict_agreement = predictive.predict_agreement
    log_likelihood = predictive.log_likelihood

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

        refuse_seeds(scores)
        checked = with_plain_labels(check_scores(scores))
        means = align_draws(draws, checked.columns)
        attributes = {
            "model": "",
            "higher_is_better": int(higher_is_better),
            "measure": measure_of(scores),
        }
        return fit_of({"posterior": xr.Dataset()}, means, checked, None, attributes)

    def __repr__(self) -> str:
        topics, systems = self.scores.shape
        strata = strata_of(self.scores)
        of_tasks = f" of {strata.in_words}" if strata else ""
        title = f"Fit of {self.method!r} to {systems} systems x {topics} topics{of_tasks}"
        return self._described(title)


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
        If the file is not a fit: it is damaged, foreign or of a newer format.

    Examples
    --------
    >>> import bayescorr
    >>> bayescorr.load_fit("fit.nc").estimates()  # doctest: +SKIP
    """
    return Fit(read_fit(path))
