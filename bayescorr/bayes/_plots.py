"""The plots as methods of a fit; they are drawn in ``bayescorr.report.plots``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PlotMethods:
    """What :class:`~bayescorr.Fit` can draw; matplotlib is imported on the first call."""

    def plot_coefficients(self, **options: Any) -> Axes:
        """Posterior of each coefficient: :func:`bayescorr.report.plots.plot_coefficients`."""
        return self._draw("plot_coefficients", options)

    def plot_ranking(self, **options: Any) -> Axes:
        """Observed and true means: :func:`bayescorr.report.plots.plot_ranking`."""
        return self._draw("plot_ranking", options)

    def plot_rank_probabilities(self, **options: Any) -> Axes:
        """Heat map of true ranks: :func:`bayescorr.report.plots.plot_rank_probabilities`."""
        return self._draw("plot_rank_probabilities", options)

    def plot_discordance(self, **options: Any) -> Axes:
        """Heat map of swaps: :func:`bayescorr.report.plots.plot_discordance`."""
        return self._draw("plot_discordance", options)

    def plot_predictive(self, **options: Any) -> Axes:
        """Scores beside those of the model: :func:`bayescorr.report.plots.plot_predictive`."""
        return self._draw("plot_predictive", options)

    def plot_trace(self, **options: Any) -> Axes:
        """Chains side by side: :func:`bayescorr.report.traces.plot_trace`."""
        return self._draw("plot_trace", options)

    def _draw(self, name: str, options: dict[str, Any]) -> Axes:
        from bayescorr.report import plots

        axes: Axes = getattr(plots, name)(self, **options)
        return axes
