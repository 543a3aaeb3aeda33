"""The result of a fit: every answer is read off the same draws of the true means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescorr._random import RandomSeed, generator
from bayescorr.bayes import _stack
from bayescorr.bayes._plots import PlotMethods
from bayescorr.bayes.convergence import Convergence, check_convergence
from bayescorr.bayes.data import Array, ModelData, prepare
from bayescorr.bayes.decisions import DecisionMethods
from bayescorr.bayes.intervals import check_level, interval
from bayescorr.bayes.model import Model, get_model
from bayescorr.bayes.ranks import rank_shares, swap_shares, true_ranks
from bayescorr.coefficients import correlate, resolve
from bayescorr.errors import ModelError, choose
from bayescorr.scores.check import observed_means

#: The coefficients whose draws are stored with every fit.
COEFFICIENTS = ("tau", "tau_ap", "tau_gap")

#: The point estimate that leads, by coefficient: the less biased of the two at small n. The mean
#: for all others.
HEADLINE = {"tau_gap": "median"}


class Fit(PlotMethods, DecisionMethods):
    """Posterior of the true means of the systems, and what follows from it.

    Made by :func:`bayescorr.fit`, :func:`bayescorr.load_fit` or :meth:`from_draws`.

    Attributes
    ----------
    idata : InferenceData or DataTree
        ArviZ's native container with the groups posterior, sample_stats and observed_data.
    convergence : Convergence
        Whether the sampler converged, and the numbers that say so.

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
        self.idata = idata
        # A model that is not installed can be asked as long as the fit has not been to disk.
        self._model = model
        if convergence is None:
            convergence = check_convergence(self.posterior, _stack.group(idata, "sample_stats"))
        self.convergence = convergence

    # What was fitted -----------------------------------------------------------------------------

    @property
    def posterior(self) -> xr.Dataset:
        """Hyperparameters, true means and coefficients, dims chain and draw first."""
        return self._group("posterior")

    @property
    def true_means(self) -> xr.DataArray:
        """Draws of the true means, dims chain x draw x system."""
        return self.posterior["true_means"]

    @property
    def scores(self) -> pd.DataFrame:
        """The scores, topics x systems."""
        return pd.DataFrame(self._group("observed_data")["scores"].to_pandas())

    @property
    def score_sd(self) -> pd.DataFrame | None:
        """Standard deviations of the measurement error of the scores, where they were given."""
        observed = self._group("observed_data")
        if "score_sd" not in observed:
            return None
        return pd.DataFrame(observed["score_sd"].to_pandas())

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
                "This fit was made from draws, so there is no model to ask.",
                "Use bayescorr.fit for what needs a model.",
            )
        return self._model or get_model(name)

    @property
    def method(self) -> str:
        """Name of the model, for tables."""
        return self.idata.attrs["model"] or "draws"

    @property
    def priors(self) -> dict[str, float]:
        """Numbers of the priors that were used."""
        return dict(json.loads(self.idata.attrs.get("priors", "{}")))

    @property
    def observed_means(self) -> pd.Series:
        """Observed means, the best system first; equal ones by label."""
        means = observed_means(self.scores).sort_index()
        return means.sort_values(ascending=not self.higher_is_better, kind="stable")

    @property
    def systems(self) -> list[Any]:
        """Systems in observed order, the best first."""
        return list(self.observed_means.index)

    # Coefficients --------------------------------------------------------------------------------

    def draws(self, coefficient: Any) -> Array:
        """Draws of a coefficient between truth and observed means, chains one after the other.

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
        observed = observed_means(self.scores).to_numpy()
        found = correlate(
            self._means(), observed, coefficient, higher_is_better=self.higher_is_better
        )
        return found[name]

    def estimates(
        self,
        level: float = 0.95,
        *,
        coefficients: Any = COEFFICIENTS,
        point: str | None = None,
        kind: str = "equal-tailed",
    ) -> pd.DataFrame:
        """Point estimates and credible intervals, in the columns of :func:`bayescorr.estimate`.

        Parameters
        ----------
        level : float
            Probability inside the interval.
        coefficients : sequence of str or callable
            Which coefficients.
        point : {"mean", "median"}, optional
            Which point estimate; the headline of each coefficient when left out: the mean for tau
            and tau_ap, the median for tau_gap.
        kind : {"equal-tailed", "highest-density"}
            Which interval.

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
        rows = []
        for coefficient in _as_list(coefficients):
            name = resolve(coefficient).name
            draws = self.draws(coefficient)
            lower, upper = interval(draws, level, kind)
            use = point or HEADLINE.get(name, "mean")
            estimate = np.median(draws) if use == "median" else draws.mean()
            rows.append([self.method, name, estimate, draws.std(ddof=1), lower, upper, level])
        columns = ["method", "coefficient", "estimate", "sd", "lower", "upper", "level"]
        return pd.DataFrame(rows, columns=columns)

    def summary(self, level: float = 0.95, *, kind: str = "equal-tailed") -> pd.DataFrame:
        """Mean, median, sd, interval and convergence of each coefficient.

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
        stored = self.posterior[list(COEFFICIENTS)]
        diagnostics = {
            "rhat": _stack.rhat(stored),
            "ess_bulk": _stack.ess(stored, "bulk"),
            "ess_tail": _stack.ess(stored, "tail"),
        }
        rows = []
        for name in COEFFICIENTS:
            draws = self.draws(name)
            lower, upper = interval(draws, level, kind)
            rows.append(
                {
                    "coefficient": name,
                    "mean": draws.mean(),
                    "median": np.median(draws),
                    "sd": draws.std(ddof=1),
                    "lower": lower,
                    "upper": upper,
                    "level": check_level(level),
                    **{key: float(value[name]) for key, value in diagnostics.items()},
                }
            )
        return pd.DataFrame(rows)

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

    # Systems -------------------------------------------------------------------------------------

    def rank_probabilities(self) -> pd.DataFrame:
        """Probability of every true rank (columns, 1 is best) for every system (observed order).

        Systems that tie in the truth, which only identical ones do, share the better rank.

        Returns
        -------
        DataFrame
            Systems x ranks; every row sums to 1.

        Examples
        --------
        >>> import bayescorr
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> fit.rank_probabilities().round(2)
        rank           1     2     3     4
        system
        bm25-b0.4   0.70  0.15  0.13  0.02
        bm25        0.15  0.46  0.35  0.04
        bm25-stop   0.14  0.35  0.40  0.10
        bm25-title  0.00  0.04  0.11  0.84
        """
        labels = pd.Index(self.systems, name="system")
        columns = pd.RangeIndex(1, len(labels) + 1, name="rank")
        return pd.DataFrame(rank_shares(self._ranks()), index=labels, columns=columns)

    def best(self) -> pd.Series:
        """Probability of each system to be truly the best, most probable first.

        Returns
        -------
        Series
            Probabilities by system.

        Examples
        --------
        >>> import bayescorr
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> fit.best().round(2).to_dict()
        {'bm25-b0.4': 0.7, 'bm25': 0.15, 'bm25-stop': 0.14, 'bm25-title': 0.0}
        """
        first = (self._ranks() == 1).mean(axis=0)
        series = pd.Series(first, index=pd.Index(self.systems, name="system"), name="p_best")
        return series.sort_values(ascending=False, kind="stable")

    def ranking(self, level: float = 0.95) -> pd.DataFrame:
        """Observed and true means, ranks and P(best) of the systems, in observed order.

        Parameters
        ----------
        level : float
            Level of the credible intervals of true means and true ranks.

        Returns
        -------
        DataFrame
            One row per system: system, observed_mean, true_mean (posterior mean), lower, upper,
            rank_lower, rank_upper, p_best.

        Examples
        --------
        >>> import bayescorr
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> fit.ranking()[["system", "observed_mean", "rank_lower", "rank_upper"]].round(2)
               system  observed_mean  rank_lower  rank_upper
        0   bm25-b0.4           0.24           1           3
        1        bm25           0.22           1           4
        2   bm25-stop           0.22           1           4
        3  bm25-title           0.19           2           4
        """
        means, ranks = self._ordered(), self._ranks()
        lower, upper = interval(means, level)
        low_rank, high_rank = interval(ranks, level)
        return pd.DataFrame(
            {
                "system": self.systems,
                "observed_mean": self.observed_means.to_numpy(),
                "true_mean": means.mean(axis=0),
                "lower": lower,
                "upper": upper,
                "rank_lower": np.floor(low_rank).astype(int),
                "rank_upper": np.ceil(high_rank).astype(int),
                "p_best": (ranks == 1).mean(axis=0),
            }
        )

    def discordance(self) -> pd.DataFrame:
        """P(truth swaps i and j), systems in observed order; one half for equal observed means.

        Returns
        -------
        DataFrame
            Systems x systems, symmetric, with a zero diagonal; :func:`bayescorr.discordance` has
            the frequentist counterpart.

        Examples
        --------
        >>> import bayescorr
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> fit.discordance().round(2)
        system      bm25-b0.4  bm25  bm25-stop  bm25-title
        system
        bm25-b0.4        0.00  0.22       0.22        0.02
        bm25             0.22  0.00       0.43        0.07
        bm25-stop        0.22  0.43       0.00        0.12
        bm25-title       0.02  0.07       0.12        0.00
        """
        sign = 1 if self.higher_is_better else -1
        labels = pd.Index(self.systems, name="system")
        values = swap_shares(sign * self._ordered(), self.observed_means.to_numpy())
        return pd.DataFrame(values, index=labels, columns=labels)

    # What needs the model ------------------------------------------------------------------------

    def covariance(self, draws: int | None = None, random_seed: RandomSeed = None) -> xr.DataArray:
        """Draws of the covariance of a topic's scores (distinct systems); large, so on request.

        Parameters
        ----------
        draws : int, optional
            How many, spread evenly over the posterior; all of them when left out.
        random_seed : int or Generator, optional
            The same seed gives the same draws.

        Returns
        -------
        DataArray
            Dims sample x system x system_other.

        Examples
        --------
        >>> import bayescorr
        >>> from bayescorr.models.flat import Flat
        >>> class Known(Flat):  # the covariance of the scores, taken as known
        ...     def covariance(self, draws, true_means, data, priors, rng):
        ...         return np.array([np.cov(data.values.T)] * len(true_means))
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :2], Known(), random_seed=1)
        >>> fit.covariance(draws=10)[0].round(3).to_numpy()
        array([[0.031, 0.017],
               [0.017, 0.036]])
        """
        parameters, means, data, _ = self._for_model(draws)
        values = self.model.covariance(parameters, means, data, self.priors, generator(random_seed))
        labels = [str(system) for system in data.systems]
        coords = {"system": labels, "system_other": labels}
        return xr.DataArray(values, dims=("sample", "system", "system_other"), coords=coords)

    def posterior_predictive(
        self,
        n_topics: int | None = None,
        *,
        draws: int | None = 500,
        random_seed: RandomSeed = None,
        keep: bool = False,
    ) -> xr.DataArray:
        """Draw scores on ``n_topics`` new topics (as many as observed), sample x topic x system.

        Parameters
        ----------
        n_topics : int, optional
            Number of topics of each new collection; as many as observed when left out.
        draws : int, optional
            How many collections, from posterior draws spread evenly; None for all draws.
        random_seed : int or Generator, optional
            The same seed gives the same scores.
        keep : bool
            Also put the scores into ``idata``, as its group ``posterior_predictive``.

        Returns
        -------
        DataArray
            Dims sample x topic x system.

        Examples
        --------
        >>> import bayescorr
        >>> from bayescorr.models.flat import Flat
        >>> class Known(Flat):  # the covariance of the scores, taken as known
        ...     def covariance(self, draws, true_means, data, priors, rng):
        ...         return np.array([np.cov(data.values.T)] * len(true_means))
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :2], Known(), random_seed=1)
        >>> dict(fit.posterior_predictive(100, draws=20, random_seed=1).sizes)
        {'sample': 20, 'topic': 100, 'system': 2}
        """
        parameters, means, data, stands_for = self._for_model(draws)
        values = self.model.new_topics(
            parameters,
            means,
            data,
            self.priors,
            data.n_topics if n_topics is None else n_topics,
            generator(random_seed),
        )
        drawn = xr.DataArray(
            values[:, :, stands_for.to_numpy()],
            dims=("sample", "topic", "system"),
            coords={"system": self.posterior["system"].to_numpy()},
        )
        if keep:
            group = drawn.rename(sample="draw").expand_dims(chain=[0]).to_dataset(name="scores")
            groups = {**_stack.groups(self.idata), "posterior_predictive": group}
            self.idata = _stack.container(groups, dict(self.idata.attrs))
        return drawn

    def log_likelihood(self, draws: int | None = None) -> Array:
        """Log density of each topic's scores, draws x topics; see :meth:`Model.log_likelihood`.

        Parameters
        ----------
        draws : int, optional
            How many, spread evenly over the posterior; all of them when left out.

        Returns
        -------
        array
            Draws x topics, topics sorted by label; :func:`bayescorr.loo` sums them up.

        Examples
        --------
        >>> import bayescorr
        >>> from scipy.stats import norm
        >>> from bayescorr.models.flat import Flat
        >>> class Fixed(Flat):  # every score is normal, with mean 0.2 and sd 0.2
        ...     def log_likelihood(self, draws, data, priors):
        ...         density = norm.logpdf(data.values, 0.2, 0.2).sum(axis=1)
        ...         return np.tile(density, (len(draws["tau"]), 1))
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :2], Fixed(), random_seed=1)
        >>> fit.log_likelihood(draws=10).shape
        (10, 50)
        """
        parameters, _, data, _ = self._for_model(draws)
        return self.model.log_likelihood(parameters, data, self.priors)

    # Files ---------------------------------------------------------------------------------------

    def to_netcdf(self, path: str | Path) -> Path:
        """Write the fit to a NetCDF file, which either library stack can read.

        Parameters
        ----------
        path : path
            The file; one that is there is overwritten.

        Returns
        -------
        Path
            The file, for :func:`bayescorr.load_fit`.

        Examples
        --------
        >>> import tempfile
        >>> scores = pd.DataFrame({"a": [0.5, 0.7], "b": [0.2, 0.3]})
        >>> fit = Fit.from_draws([[0.6, 0.2], [0.5, 0.3], [0.3, 0.4], [0.6, 0.1]], scores)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     fit.to_netcdf(f"{folder}/fit.nc").name
        'fit.nc'
        """
        target = Path(path)
        _stack.write_netcdf(self.idata, target)
        return target

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
            False for measures where the lowest mean is the best.

        Returns
        -------
        Fit
            Whatever needs no model can be asked of it.

        Examples
        --------
        >>> scores = pd.DataFrame({"a": [0.5, 0.7], "b": [0.2, 0.3]})
        >>> Fit.from_draws([[0.6, 0.2], [0.5, 0.3], [0.3, 0.4], [0.6, 0.1]], scores).draws("tau")
        array([ 1.,  1., -1.,  1.])
        """
        from bayescorr.bayes.assemble import fit_from_draws

        return fit_from_draws(draws, scores, higher_is_better=higher_is_better)

    def __repr__(self) -> str:
        scores = self.scores
        lines = [f"Fit of {self.method!r} to {scores.shape[1]} systems x {scores.shape[0]} topics"]
        for row in self.estimates().itertuples():
            lines.append(
                f"  {row.coefficient:8} {row.estimate:.3f}  "
                f"({row.level:.0%} interval {row.lower:.3f} to {row.upper:.3f})"
            )
        return "\n".join([*lines, f"  {self.convergence}"])

    # Inside --------------------------------------------------------------------------------------

    def _group(self, name: str) -> xr.Dataset:
        found = _stack.group(self.idata, name)
        assert found is not None
        return found

    def _means(self) -> Array:
        """Draws x systems, systems as in the scores."""
        values = self.true_means.transpose("chain", "draw", "system").to_numpy()
        return values.reshape(-1, values.shape[-1])

    def _ordered(self) -> Array:
        """Draws x systems, systems in observed order."""
        positions = self.posterior.indexes["system"].get_indexer(self.observed_means.index)
        return self._means()[:, positions]

    def _ranks(self) -> np.ndarray[Any, Any]:
        """Rank the true means, draws x systems in observed order."""
        return true_ranks(self._ordered(), higher_is_better=self.higher_is_better)

    def _for_model(self, draws: int | None) -> tuple[dict[str, Array], Array, ModelData, pd.Series]:
        """Parameters and true means of the distinct systems, at most ``draws`` of them."""
        data, stands_for = prepare(self.scores, self.score_sd)
        everything = flat_draws(self.posterior)
        total = len(everything["true_means"])
        chosen = np.arange(total)
        if draws is not None and draws < total:
            chosen = np.linspace(0, total - 1, draws).round().astype(int)
        first = pd.Series(np.arange(len(stands_for)), index=stands_for.to_numpy())
        columns = first[~first.index.duplicated()].sort_index().to_numpy()
        means = everything.pop("true_means")[chosen][:, columns]
        return (
            {name: values[chosen] for name, values in everything.items()},
            means,
            data,
            stands_for,
        )


def _as_list(values: Any) -> list[Any]:
    return [values] if isinstance(values, str) or callable(values) else list(values)


def flat_draws(posterior: xr.Dataset) -> dict[str, Array]:
    """Parameters by name with chains one after the other on the first axis."""
    sizes = posterior.sizes["chain"] * posterior.sizes["draw"]
    return {
        str(name): variable.transpose("chain", "draw", ...)
        .to_numpy()
        .reshape(sizes, *variable.shape[2:])
        for name, variable in posterior.data_vars.items()
    }
