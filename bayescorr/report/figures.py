"""All figures of a fit or a report by name; a new figure is one line here."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from bayescorr.errors import ModelError
from bayescorr.report import plots
from bayescorr.report.files import make_folder, save_formats
from bayescorr.report.predictive import Predicted, predict

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescorr.bayes.result import Fit
    from bayescorr.report.numbers import Report

Figures = dict[str, Callable[[], "Axes"]]


def fit_figures(
    fit: Fit,
    level: float,
    *,
    estimates: pd.DataFrame | None = None,
    predicted: Predicted | None = None,
) -> Figures:
    """Return the functions that draw the figures of a fit, by name.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), "flat", random_seed=1)
    >>> list(fit_figures(fit, 0.95))[:2]
    ['coefficients', 'ranking']
    """

    @cache
    def simulated() -> Predicted:
        return predicted or predict(fit, level, random_seed=0)

    return {
        "coefficients": partial(plots.plot_coefficients, fit, estimates, level=level),
        "ranking": partial(plots.plot_ranking, fit, level=level),
        "ranks": partial(plots.plot_ranks, fit, level=level),
        "order": partial(plots.plot_order, fit, level=level),
        "rank_probabilities": partial(plots.plot_rank_probabilities, fit),
        "discordance": partial(plots.plot_discordance, fit),
        "predicted_means": lambda: simulated().plot("means"),
        "predicted_difference_sds": lambda: simulated().plot("difference_sds"),
        "trace": partial(plots.plot_trace, fit),
    }


def report_figures(report: Report) -> Figures:
    """Return the functions that draw the figures of a report, by name, without absent parts."""
    frequentist = report.estimates[report.estimates["method"] != report.fit.method]
    figures = fit_figures(
        report.fit, report.level, estimates=frequentist, predicted=report.predicted
    )
    if report.predicted is None:
        figures = {name: draw for name, draw in figures.items() if "predicted" not in name}
    if report.plan is not None:
        figures["topics"] = partial(report.plan.plot, report.level, target=report.target)
    return figures


def save_figures(
    figures: Figures, folder: str | Path, formats: tuple[str, ...] = ("svg", "png", "pdf")
) -> tuple[list[Path], dict[str, str]]:
    """Write the figures to a folder; return the files, and why a figure is absent, by name."""
    target = make_folder(folder)
    files: list[Path] = []
    absent: dict[str, str] = {}
    for name, draw in figures.items():
        try:
            ax = draw()
        except ModelError as problem:
            absent[name] = problem.message
        else:
            files += save_formats(ax, [target / f"{name}.{ending}" for ending in formats])
    return files, absent
