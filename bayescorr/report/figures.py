"""Every figure of a fit or a report by name, drawn when asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from bayescorr.errors import ModelError
from bayescorr.report import plots
from bayescorr.report.files import make_folder, save_formats

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescorr.bayes.result import Fit
    from bayescorr.report.numbers import Report
    from bayescorr.report.predictive import Predicted

Figures = dict[str, Callable[[], "Axes"]]


def fit_figures(
    fit: Fit,
    level: float,
    *,
    estimates: pd.DataFrame | None = None,
    predicted: Predicted | None = None,
) -> Figures:
    """Functions that draw the figures of a fit, by name.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), "flat", random_seed=1)
    >>> list(fit_figures(fit, 0.95))[:2]
    ['coefficients', 'ranking']
    """

    def predictive(quantity: str) -> Axes:
        return plots.plot_predictive(fit, quantity, level=level, predicted=predicted, random_seed=0)

    return {
        "coefficients": lambda: plots.plot_coefficients(fit, estimates, level=level),
        "ranking": lambda: plots.plot_ranking(fit, level=level),
        "rank_probabilities": lambda: plots.plot_rank_probabilities(fit),
        "discordance": lambda: plots.plot_discordance(fit),
        "predicted_means": lambda: predictive("means"),
        "predicted_difference_sds": lambda: predictive("difference_sds"),
        "trace": lambda: plots.plot_trace(fit),
    }


def report_figures(report: Report) -> Figures:
    """Functions that draw the figures of a report, by name; those for which it has numbers."""
    frequentist = report.estimates[report.estimates["method"] != report.fit.method]
    figures = fit_figures(
        report.fit, report.level, estimates=frequentist, predicted=report.predicted
    )
    if report.predicted is None:
        figures = {name: draw for name, draw in figures.items() if "predicted" not in name}
    if report.plan is not None:
        plan = report.plan
        figures["topics"] = lambda: plan.plot(report.level, target=report.target)
    return figures


def save_figures(
    figures: Figures, folder: str | Path, formats: tuple[str, ...] = ("svg", "png")
) -> tuple[list[Path], dict[str, str]]:
    """Draw the figures into a folder: the files, and reasons by name of those not drawn."""
    target = make_folder(folder)
    files: list[Path] = []
    absent: dict[str, str] = {}
    for name, draw in figures.items():
        try:
            ax = draw()
        except ModelError as problem:
            absent[name] = problem.message
            continue
        files += save_formats(ax, [target / f"{name}.{ending}" for ending in formats])
    return files, absent
