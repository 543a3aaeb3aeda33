"""Plots of a study: error and bias, coverage, estimated against true variance.

All but ``plot_settling`` accept results, or their ``summarise`` or ``summarise_intervals`` table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescorr._optional import require
from bayescorr.coefficients import resolve
from bayescorr.errors import StudyError, choose
from bayescorr.report.style import MARKERS, PALETTE
from bayescorr.study.metrics import METRICS, pit
from bayescorr.study.summary import levels_of, pool, summarise, summarise_intervals, summarise_pit
from bayescorr.study.work import CELL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_REFERENCE: dict[str, Any] = {"color": "0.6", "linewidth": 0.8, "zorder": 0}


def plot_against_topics(
    results: pd.DataFrame, measure: str = "error", coefficient: str = "tau"
) -> Figure:
    """Plot a metric of the summary against the number of topics, one panel per collection.

    Bars show two standard errors (Urbano & Marrero 2016, Figures 2 and 3). Of several methods with
    the same estimates, only the one with the shortest name is drawn.
    """
    choose(measure, [metric.name for metric in METRICS if metric.summary], "measure to plot")
    table = _distinct(_labelled(results if "bias" in results else summarise(results)))
    styles = _styles(table["method"])
    table = _of_coefficient(table[table[measure].notna()], coefficient)
    figure, panels = _panels_of(table, "topics")
    for ax, part in panels:
        _draw(ax, part, "n_topics", measure, "method", styles)
        if measure == "bias":
            ax.axhline(0.0, **_REFERENCE)
    return _finish(figure, f"{measure} of {resolve(coefficient).label}")


def plot_coverage(results: pd.DataFrame, coefficient: str = "tau") -> Figure:
    """Plot coverage against the number of topics, collections in rows and methods in columns.

    Dashed lines are the nominal levels (Bavdaz 2018, Figures 5.4-5.7).
    """
    table = results if "coverage" in results else summarise_intervals(results)
    table = _of_coefficient(_labelled(table), coefficient)
    styles = _styles(table["level"])
    panels, methods = table["panel"].unique(), table["method"].unique()
    figure = _new_figure(len(methods), rows=len(panels))
    for k, ax in enumerate(figure.axes):
        panel, method = panels[k // len(methods)], methods[k % len(methods)]
        part = table[(table["panel"] == panel) & (table["method"] == method)]
        _draw(ax, part, "n_topics", "coverage", "level", styles)
        for level in part["level"].unique():
            ax.axhline(level, color=styles[level]["color"], linestyle="--", linewidth=0.8)
        if panel == panels[0]:
            ax.set_title(method)
        if panel == panels[-1]:
            ax.set_xlabel("topics")
        if method == methods[0]:
            ax.set_ylabel(f"{panel}\ncoverage of {resolve(coefficient).label}")
    return _finish(figure, title="level")


def plot_calibration(results: pd.DataFrame, coefficient: str = "tau") -> Figure:
    """Plot coverage against the nominal level per method, averaged over numbers of topics."""
    keys = ["panel", "method", "coefficient", "level"]
    table = results if "coverage" in results else summarise_intervals(results)
    table = _labelled(table).set_index(keys)[["coverage", "coverage_se"]]
    table = pool(table, keys, sort=False)
    styles = _styles(table["method"])
    table = _of_coefficient(table, coefficient)
    figure, panels = _panels_of(table, "nominal level")
    for ax, part in panels:
        ax.plot([0, 1], [0, 1], **_REFERENCE)
        _draw(ax, part, "level", "coverage", "method", styles)
    lowest = (table["coverage"] - 2 * table["coverage_se"].fillna(0.0)).min()
    least = min(table["level"].min(), lowest) - 0.03
    left = max(table["level"].min() - 0.05, 0)
    figure.axes[0].set(xlim=(left, 1.01), ylim=(max(least, 0), 1.02))
    return _finish(figure, f"coverage of {resolve(coefficient).label}")


def plot_pit(results: pd.DataFrame, coefficient: str = "tau", bins: int = 10) -> Figure:
    """Plot PIT histograms, simulators and numbers of topics in rows and methods in columns.

    Bars show two standard errors; see :func:`bayescorr.study.summarise_pit`.
    """
    table = results
    if "share" not in results:
        table = summarise_pit(results, ["simulator", "n_topics"], bins)
    table = _of_coefficient(table, coefficient)
    rows = list(table.groupby(["simulator", "n_topics"], sort=False))
    methods = table["method"].unique()
    figure = _new_figure(len(methods), rows=len(rows))
    for k, ax in enumerate(figure.axes):
        (simulator, n), part = rows[k // len(methods)]
        part = part[part["method"] == methods[k % len(methods)]]
        width = part["upper"] - part["lower"]
        bars = 2 * part["share_se"].fillna(0.0)
        ax.bar(part["lower"], part["share"], width, align="edge", color=PALETTE[0], alpha=0.4)
        ax.errorbar(part["lower"] + width / 2, part["share"], bars, fmt="none", ecolor="0.3")
        ax.axhline(float(width.iloc[0]), **_REFERENCE)
        if k < len(methods):
            ax.set_title(methods[k])
        if k % len(methods) == 0:
            ax.set_ylabel(f"{simulator}, {n} topics")
    for ax in figure.axes[-len(methods) :]:
        ax.set_xlabel("share of draws below the actual")
    return _finish(figure)


def plot_predictions(
    results: pd.DataFrame, method: str | None = None, coefficient: str = "tau"
) -> Figure:
    """Plot what happened against the estimate of a method, one panel per simulator and size.

    Small points are collections, large ones the means of a source; by default the first method.
    """
    names = results["method"].astype(str)
    method = names.iloc[0] if method is None else choose(method, set(names), "method")
    table = _of_coefficient(results[names == method], coefficient)
    parts = list(table.groupby(["n_topics", "simulator"], observed=True))
    simulators = table["simulator"].nunique()
    figure = _new_figure(simulators, rows=len(parts) // simulators)
    styles = _styles(table["source"].astype(str))
    low = min(table["actual"].min(), table["estimate"].min()) - 0.03
    label = resolve(coefficient).label
    for ax, ((n, simulator), part) in zip(figure.axes, parts, strict=True):
        ax.plot([low, 1], [low, 1], **_REFERENCE)
        for source, points in part.groupby("source", observed=True):
            colour, marker = styles[str(source)]["color"], styles[str(source)]["marker"]
            given: dict[str, Any] = {"color": colour, "linestyle": "none", "marker": marker}
            ax.plot(points["estimate"], points["actual"], alpha=0.25, markersize=2.5, **given)
            means = points[["estimate", "actual"]].mean()
            edge: dict[str, Any] = {
                "markersize": 7,
                "markeredgecolor": "white",
                "markeredgewidth": 0.8,
            }
            ax.plot(*means, zorder=3, label=source, **given, **edge)
        ax.set(title=f"{simulator}, {n} topics", xlim=(low, 1), ylim=(low, 1))
        ax.set(xlabel=f"{label}, predicted by {method}", ylabel=f"{label}, what happened")
    return _finish(figure)


def plot_variance(results: pd.DataFrame) -> Figure:
    """Plot the mean estimated against the true standard deviation (Bavdaz 2018, Figure 5.8).

    Each point is a collection and a number of topics. Points above the line are overestimates.
    """
    table = results if "bias" in results else summarise(results)
    table = table[table["variance"].notna() & table["actual_variance"].notna()]
    names = table["coefficient"].unique()
    styles = _styles(table["method"])
    figure = _new_figure(len(names), shared=False)
    for ax, name in zip(figure.axes, names, strict=True):
        part = table[table["coefficient"] == name]
        for method, points in part.groupby("method", sort=False):
            style = styles[method] | {"linestyle": "none", "alpha": 0.75}
            x, y = np.sqrt(points["actual_variance"]), np.sqrt(points["variance"])
            ax.plot(x, y, label=method, **style)
        most = 1.05 * float(np.sqrt(part[["variance", "actual_variance"]].to_numpy().max()))
        ax.plot([0, most], [0, most], **_REFERENCE)
        ax.set(title=resolve(name).label, xlabel="true standard deviation")
        ax.set(xlim=(0, most), ylim=(0, most))
        ax.locator_params(nbins=6)
    return _finish(figure, "estimated standard deviation")


def plot_settling(results: pd.DataFrame, coefficient: str = "tau") -> Figure:
    """Plot the deviation of the sd from sampled pairs of pairs (thesis, section 5.4.2).

    The deviation is that of :func:`settling`, against the number of pairs, with one panel per
    collection and one line per estimator and number of topics.
    """
    table = settling(results)
    if table.empty:
        raise StudyError(
            "No method has results with both sampled pairs and all pairs.",
            'Run a study with methods such as "ML" and {name = "ML", pairs = [500, 1000]}.',
        )
    ticker = require("matplotlib.ticker", extra="report")
    table = _of_coefficient(_labelled(table), coefficient)
    styles, sizes = _styles(table["method"]), table["n_topics"].unique().tolist()
    figure, panels = _panels_of(table, "pairs of pairs")
    for ax, part in panels:
        for (method, n), line in part.groupby(["method", "n_topics"], sort=False):
            style = styles[method] | {"alpha": (sizes.index(n) + 1) / len(sizes)}
            ax.plot(line["pairs"], line["deviation"], label=f"{method}, n = {n}", **style)
        ax.set(xscale="log", ylim=(0, None))
        ax.yaxis.set_major_formatter(ticker.PercentFormatter(1.0))
    return _finish(figure, f"relative deviation of the sd of {resolve(coefficient).label}")


def settling(results: pd.DataFrame) -> pd.DataFrame:
    """Return the root mean square of sd / (sd of all pairs) - 1, by number of sampled pairs."""
    keys = [*CELL, "trial", "coefficient"]
    frame = results[[*keys, "method", "sd"]].astype({"method": str})
    # Methods with sampled pairs have names such as ML-500.
    parts = frame["method"].str.extract(r"^(.+)-(\d+)$").set_axis(["method", "pairs"], axis=1)
    sampled = frame.assign(**parts).dropna(subset="pairs").astype({"pairs": int})
    both = sampled.merge(frame, on=[*keys, "method"], suffixes=("", "_all"))
    both["deviation"] = (both["sd"] / both["sd_all"].replace(0.0, np.nan) - 1) ** 2
    groups = [*CELL, "method", "coefficient", "pairs"]
    squares = both.groupby(groups, observed=True)["deviation"].mean()
    table: pd.DataFrame = np.sqrt(squares).reset_index()
    return table.astype(dict.fromkeys(("source", "simulator", "coefficient"), str))


def save_figures(results: pd.DataFrame, folder: str | Path, format: str = "png") -> list[Path]:
    """Save all plots that the results support in a folder."""
    from bayescorr.report.files import make_folder, save_plot

    folder = make_folder(folder)
    return [save_plot(fig.axes[0], folder / f"{name}.{format}") for name, fig in _figures(results)]


def _figures(results: pd.DataFrame) -> Iterator[tuple[str, Figure]]:
    if "split" in results and results["split"].all():
        # Most figures have a panel for each source and simulator: too many of them.
        for c in results["coefficient"].unique():
            yield f"predictions-{c}", plot_predictions(results, coefficient=c)
            yield f"pit-{c}", plot_pit(results[results["coefficient"] == c], c)
        return
    sampled = not settling(results).empty
    for c in results["coefficient"].unique():
        for measure in ("error", "bias"):
            yield f"{measure}-{c}", plot_against_topics(results, measure, c)
        if levels_of(results):
            yield f"coverage-{c}", plot_coverage(results, c)
            yield f"calibration-{c}", plot_calibration(results, c)
        if pit(results).notna().any():
            yield f"pit-{c}", plot_pit(results[results["coefficient"] == c], c)
        if sampled:
            yield f"settling-{c}", plot_settling(results, c)
    if results["sd"].notna().any() and results.groupby("n_topics")["trial"].nunique().max() > 1:
        yield "variance", plot_variance(results)


def _distinct(table: pd.DataFrame) -> pd.DataFrame:
    """Drop, for each coefficient, methods with the same errors as another in every cell."""
    kept = pd.Series(False, index=table.index)
    for _, part in table.groupby("coefficient", sort=False):
        errors = part.set_index(["method", *CELL])[["error", "bias", "rmse"]]
        wide = errors.unstack(CELL).round(9)
        copies = wide.loc[sorted(part["method"].unique(), key=len)].duplicated()
        kept[part.index] = ~part["method"].map(copies)
    return table[kept]


def _labelled(table: pd.DataFrame) -> pd.DataFrame:
    """Name the panel of each row: the source, and the simulator if there are several."""
    several = table["simulator"].nunique() > 1
    return table.assign(panel=table["source"] + ("/" + table["simulator"] if several else ""))


def _of_coefficient(table: pd.DataFrame, coefficient: str) -> pd.DataFrame:
    choose(coefficient, set(table["coefficient"]), "coefficient of these results")
    return table[table["coefficient"] == coefficient]


def _new_figure(columns: int, rows: int = 1, *, shared: bool = True) -> Figure:
    plt = require("matplotlib.pyplot", extra="report")
    width = max(2.6 if rows > 1 else 3.4, 6.4 / columns)
    size = (width * columns + 1.4, 2.6 * rows + 0.8)
    options = {"sharex": shared, "sharey": shared, "figsize": size, "layout": "constrained"}
    figure: Figure = plt.subplots(rows, columns, **options)[0]
    return figure


def _panels_of(table: pd.DataFrame, xlabel: str) -> tuple[Figure, list[tuple[Axes, pd.DataFrame]]]:
    """Return a figure with a panel for each collection, and the rows of each panel."""
    parts = list(table.groupby("panel", sort=False))
    figure = _new_figure(len(parts))
    for ax, (panel, _) in zip(figure.axes, parts, strict=True):
        ax.set(title=panel, xlabel=xlabel)
    return figure, [(ax, part) for ax, (_, part) in zip(figure.axes, parts, strict=True)]


def _draw(
    ax: Axes, part: pd.DataFrame, x: str, y: str, by: str, styles: Mapping[Any, dict[str, Any]]
) -> None:
    """Draw a line for each value of ``by``, with bars of two standard errors."""
    for name, line in part.groupby(by, sort=False):
        bars = 2 * line[f"{y}_se"].fillna(0.0)
        ax.errorbar(line[x], line[y], bars, capsize=2, label=str(name), **styles[name])


def _styles(names: pd.Series[Any]) -> dict[Any, dict[str, Any]]:
    """Assign a style to each name, for all panels of a figure."""
    styles = {}
    for k, name in enumerate(names.unique()):
        # After the last colour the markers shift by one, so that all styles differ.
        marker = MARKERS[(k + k // len(PALETTE)) % len(MARKERS)]
        colour = PALETTE[k % len(PALETTE)]
        styles[name] = {"color": colour, "marker": marker, "markersize": 4, "linewidth": 1.2}
    return styles


def _finish(figure: Figure, ylabel: str = "", title: str | None = None) -> Figure:
    """Label the first panel, and add a legend of all panels."""
    if ylabel:
        figure.axes[0].set_ylabel(ylabel)
    entries: dict[str, Any] = {}
    for ax in figure.axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
        ax.spines[["top", "right"]].set_visible(False)
    place: dict[str, Any] = {"loc": "outside right upper", "frameon": False, "fontsize": "small"}
    figure.legend(list(entries.values()), list(entries), title=title, **place)
    return figure
