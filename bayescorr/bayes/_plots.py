"""The plots as methods of a fit; they are drawn in ``bayescorr.report.plots``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PlotMethods:
    """What :class:`~bayescorr.Fit` can draw; matplotlib is imported on the first call."""

    def plot_coefficients(self, **options: Any) -> Axes:
        """Posterior of each coefficient: :func:`bayescorr.report.plots.plot_coefficients`.

        Parameters
        ----------
        **options
            ``estimates``, a table of :func:`bayescorr.estimate` to mark below the densities;
            ``level`` of the intervals; ``coefficients``, from top to bottom; ``ax``, where to draw.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import bayescorr
        >>> from matplotlib.figure import Figure
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> ax = fit.plot_coefficients(coefficients=["tau"], level=0.9, ax=Figure().subplots())
        >>> ax.get_xlabel()
        'correlation of the observed with the true ranking'
        """
        return self._draw("plot_coefficients", options)

    def plot_ranking(self, **options: Any) -> Axes:
        """Observed and true means: :func:`bayescorr.report.plots.plot_ranking`.

        Parameters
        ----------
        **options
            ``level`` of the credible intervals; ``ax``, where to draw.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import bayescorr
        >>> from matplotlib.figure import Figure
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> fit.plot_ranking(level=0.9, ax=Figure().subplots()).get_ylabel()
        'system, in observed order'
        """
        return self._draw("plot_ranking", options)

    def plot_rank_probabilities(self, **options: Any) -> Axes:
        """Heat map of true ranks: :func:`bayescorr.report.plots.plot_rank_probabilities`.

        Parameters
        ----------
        **options
            ``ax``, where to draw.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import bayescorr
        >>> from matplotlib.figure import Figure
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> fit.plot_rank_probabilities(ax=Figure().subplots()).get_xlabel()
        'true rank'
        """
        return self._draw("plot_rank_probabilities", options)

    def plot_discordance(self, **options: Any) -> Axes:
        """Heat map of swaps: :func:`bayescorr.report.plots.plot_discordance`.

        Parameters
        ----------
        **options
            ``ax``, where to draw.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import bayescorr
        >>> from matplotlib.figure import Figure
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> fit.plot_discordance(ax=Figure().subplots()).get_xlabel()
        'system, in observed order'
        """
        return self._draw("plot_discordance", options)

    def plot_predictive(self, **options: Any) -> Axes:
        """Scores beside those of the model: :func:`bayescorr.report.plots.plot_predictive`.

        Parameters
        ----------
        **options
            ``quantity``, "means" (the default) or "difference_sds"; ``level`` of the predictive
            intervals; ``draws``, the number of collections to simulate; ``random_seed``;
            ``predicted``, to draw what was simulated before; ``ax``, where to draw.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import bayescorr
        >>> import numpy as np
        >>> from bayescorr.models.flat import Flat
        >>> from matplotlib.figure import Figure
        >>> class Known(Flat):  # the covariance of the scores, taken as known
        ...     def covariance(self, draws, true_means, data, priors, rng):
        ...         return np.array([np.cov(data.values.T)] * len(true_means))
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], Known(), random_seed=1)
        >>> options = {"draws": 100, "random_seed": 1, "ax": Figure().subplots()}
        >>> fit.plot_predictive(quantity="difference_sds", **options).get_ylabel()
        'predicted sd'
        """
        return self._draw("plot_predictive", options)

    def plot_trace(self, **options: Any) -> Axes:
        """Chains side by side: :func:`bayescorr.report.traces.plot_trace`.

        Parameters
        ----------
        **options
            ``names``, a list of scalar quantities of ``posterior``; the coefficients and all scalar
            parameters when left out.

        Returns
        -------
        matplotlib Axes
            The first of the figure, ``ax.figure`` has all of them.

        Examples
        --------
        >>> import bayescorr
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> fit.plot_trace(names=["tau"]).get_ylabel()
        'tau'
        """
        return self._draw("plot_trace", options)

    def _draw(self, name: str, options: dict[str, Any]) -> Axes:
        from bayescorr.report import plots

        axes: Axes = getattr(plots, name)(self, **options)
        return axes
