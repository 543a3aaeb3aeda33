"""What a fit asks of its model: covariance, scores on new topics, densities of topics."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from bayescorr._numbers import FloatArray
from bayescorr._random import RandomSeed, generator
from bayescorr.bayes import _stack
from bayescorr.bayes.data import ModelData, prepare
from bayescorr.bayes.stored import Stored, flat_draws


class ModelMethods(Stored):
    """What :class:`~bayescorr.Fit` has its model compute."""

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

    def log_likelihood(self, draws: int | None = None) -> FloatArray:
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

    def _for_model(
        self, draws: int | None
    ) -> tuple[dict[str, FloatArray], FloatArray, ModelData, pd.Series]:
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
