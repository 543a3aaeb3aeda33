"""Figures of a study: error and bias, coverage, estimated against true variance.

Each but the last is drawn from the results, or from the table that ``summarise`` or
``summarise_intervals`` makes of them cell by cell: all there is of a study once results are gone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayescorr._optional import require
from bayescorr.coefficients import COEFFICIENTS
from bayescorr.errors import StudyError, choose
from bayescorr.report.style import MARKERS, PALETTE
from bayescorr.study.summary import levels_of, summarise, summarise_intervals

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SAMPLED = re.compile(r"(.+)-(\d+)")


def plot_against_topics(
    results: pd.DataFrame, measure: str = "error", coefficient: str = "tau"
) -> Figure:
    """Draw error, bias or RMSE against the number of topics, a panel per collection.

    Bars reach two standard errors up and down (Urbano & Marrero 2016, Figures 2 and 3). Of methods
    with the same estimates, whose lines would hide each other, the one of the shortest name is
    drawn.
    """
    choose(measure, ("bias", "error", "rmse"), "measure to plot")
    table = _distinct(_labelled(_summary(results)))
    styles = _styles(table["method"])
    table = _of_coefficient(table[table[measure].notna()], coefficient)
    figure, axes = _panels(table["panel"].unique())
    for ax, (panel, part) in zip(axes, table.groupby("panel", sort=False), strict=True):
        for method, line in part.groupby("method", sort=False):
            reach = 2 * line[f"{measure}_se"].fillna(0.0)
            ax.errorbar(
                line["n_topics"], line[measure], reach, label=method, capsize=2, **styles[method]
            )
        ax.set(title=panel, xlabel="topics")
    if measure == "bias":
        for ax in axes:
            ax.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
    axes[0].set_ylabel(f"{measure} of {COEFFICIENTS[coefficient].label}")
    return _with_legend(figure, axes)


def plot_coverage(results: pd.DataFrame, coefficient: str = "tau") -> Figure:
    """Draw coverage against the number of topics, a row per collection and a column per method.

    Dashed lines are the nominal levels (Bavdaz 2018, Figures 5.4-5.7).
    """
    table = _of_coefficient(_labelled(_intervals(results)), coefficient)
    styles = _styles(table["level"])
    panels, methods = table["panel"].unique(), table["method"].unique()
    figure, axes = _panels(methods, rows=len(panels))
    for ax, (panel, method) in zip(axes, ((p, m) for p in panels for m in methods), strict=True):
        part = table[(table["panel"] == panel) & (table["method"] == method)]
        for level, line in part.groupby("level", sort=False):
            style = styles[level]
            reach = 2 * line["coverage_se"].fillna(0.0)
            ax.errorbar(
                line["n_topics"], line["coverage"], reach, label=f"{level:g}", capsize=2, **style
            )
            ax.axhline(level, color=style["color"], linestyle="--", linewidth=0.8)
        if panel == panels[0]:
            ax.set_title(method)
        if panel == panels[-1]:
            ax.set_xlabel("topics")
        if method == methods[0]:
            ax.set_ylabel(f"{panel}\ncoverage of {COEFFICIENTS[coefficient].label}")
    return _with_legend(figure, axes, "level")


def plot_calibration(results: pd.DataFrame, coefficient: str = "tau") -> Figure:
    """Draw coverage against the nominal level per method, all topic-set sizes together."""
    table = _over_topics(_labelled(_intervals(results)))
    styles = _styles(table["method"])
    table = _of_coefficient(table, coefficient)
    figure, axes = _panels(table["panel"].unique())
    for ax, (panel, part) in zip(axes, table.groupby("panel", sort=False), strict=True):
        ax.plot([0, 1], [0, 1], color="0.6", linewidth=0.8, zorder=0)
        for method, line in part.groupby("method", sort=False):
            reach = 2 * line["coverage_se"].fillna(0.0)
            ax.errorbar(
                line["level"], line["coverage"], reach, label=method, capsize=2, **styles[method]
            )
        ax.set(title=panel, xlabel="nominal level")
    lowest = (table["coverage"] - 2 * table["coverage_se"].fillna(0.0)).min()
    least = min(table["level"].min(), lowest) - 0.03
    axes[0].set(xlim=(max(table["level"].min() - 0.05, 0), 1.01), ylim=(max(least, 0), 1.02))
    axes[0].set_ylabel(f"coverage of {COEFFICIENTS[coefficient].label}")
    return _with_legend(figure, axes)


def plot_variance(results: pd.DataFrame) -> Figure:
    """Draw the mean estimated against the true standard deviation (Bavdaz 2018, Figure 5.8).

    One point per collection and number of topics; above the line, a method overestimates.
    """
    table = _summary(results)
    table = table[table["variance"].notna() & table["actual_variance"].notna()]
    names = table["coefficient"].unique()
    styles = _styles(table["method"])
    figure, axes = _panels(names, shared=False)
    for ax, name in zip(axes, names, strict=True):
        part = table[table["coefficient"] == name]
        for method, points in part.groupby("method", sort=False):
            ax.plot(
                np.sqrt(points["actual_variance"]),
                np.sqrt(points["variance"]),
                label=method,
                alpha=0.75,
                **styles[method] | {"linestyle": "none"},
            )
        most = 1.05 * float(np.sqrt(part[["variance", "actual_variance"]].to_numpy().max()))
        ax.plot([0, most], [0, most], color="0.6", linewidth=0.8, zorder=0)
        ax.set(title=COEFFICIENTS[name].label, xlabel="true standard deviation")
        ax.set(xlim=(0, most), ylim=(0, most))
        ax.locator_params(nbins=6)
    axes[0].set_ylabel("estimated standard deviation")
    return _with_legend(figure, axes)


def plot_settling(results: pd.DataFrame, coefficient: str = "tau") -> Figure:
    """Draw how far the sd from sampled pairs of pairs is from that of all (thesis, section 5.4.2).

    The root mean square, over collections, of sd / (sd of all pairs) - 1 against the number of
    pairs, a panel per collection and a line per estimator and number of topics.
    """
    table = settling(results)
    if table.empty:
        raise StudyError(
            "No method of these results has sampled pairs beside all pairs.",
            'Run a study with methods such as "ML" and {name = "ML", pairs = [500, 1000]}.',
        )
    ticker = require("matplotlib.ticker", extra="report")
    table = _of_coefficient(_labelled(table), coefficient)
    styles, sizes = _styles(table["method"]), table["n_topics"].unique()
    figure, axes = _panels(table["panel"].unique())
    for ax, (panel, part) in zip(axes, table.groupby("panel", sort=False), strict=True):
        for (method, n), line in part.groupby(["method", "n_topics"], sort=False):
            style = styles[method] | {"alpha": (list(sizes).index(n) + 1) / len(sizes)}
            ax.plot(line["pairs"], line["deviation"], label=f"{method}, n = {n}", **style)
        ax.set(title=panel, xlabel="pairs of pairs", xscale="log", ylim=(0, None))
        ax.yaxis.set_major_formatter(ticker.PercentFormatter(1.0))
    axes[0].set_ylabel(f"relative deviation of the sd of {COEFFICIENTS[coefficient].label}")
    return _with_legend(figure, axes)


def settling(results: pd.DataFrame) -> pd.DataFrame:
    """Compare the sd from sampled pairs of pairs with that of all, on the same collections.

    Returns
    -------
    DataFrame
        One row per cell, method, coefficient and number of pairs: ``deviation``, the root mean
        square of sd / (sd of all pairs) - 1.
    """
    sampled = _sampled(results)
    keys = ["source", "simulator", "n_topics", "trial", "coefficient"]
    frame = results[[*keys, "method", "sd"]].astype({"method": str})
    part = frame[frame["method"].isin(sampled)].copy()
    part["pairs"] = part["method"].map({k: number for k, (_, number) in sampled.items()})
    part["method"] = part["method"].map({k: name for k, (name, _) in sampled.items()})
    both = part.merge(frame, on=[*keys, "method"], suffixes=("", "_all"))
    both["deviation"] = (both["sd"] / both["sd_all"].replace(0.0, np.nan) - 1) ** 2
    groups = ["source", "simulator", "n_topics", "method", "coefficient", "pairs"]
    squares = both.groupby(groups, observed=True)["deviation"].mean()
    table: pd.DataFrame = np.sqrt(squares).reset_index()
    return table.astype(dict.fromkeys(("source", "simulator", "coefficient"), str))


def _sampled(results: pd.DataFrame) -> dict[str, tuple[str, int]]:
    """Methods with sampled pairs beside the same with all: name of the latter, and how many."""
    names = {str(name): _SAMPLED.fullmatch(str(name)) for name in results["method"].unique()}
    return {k: (m[1], int(m[2])) for k, m in names.items() if m and m[1] in names}


def save_figures(results: pd.DataFrame, folder: str | Path, format: str = "png") -> list[Path]:
    """Draw all figures that these results allow, into a folder."""
    from bayescorr.report.files import make_folder, save_plot

    folder = make_folder(folder)
    return [
        save_plot(draw().axes[0], folder / f"{name}.{format}") for name, draw in _figures(results)
    ]


def _figures(results: pd.DataFrame) -> Iterator[tuple[str, Callable[[], Figure]]]:
    sampled = _sampled(results)
    for c in results["coefficient"].unique():
        for measure in ("error", "bias"):
            yield (
                f"{measure}-{c}",
                lambda m=measure, c=c: plot_against_topics(results, m, c),  # type: ignore[misc]
            )
        if levels_of(results):
            yield f"coverage-{c}", lambda c=c: plot_coverage(results, c)  # type: ignore[misc]
            yield f"calibration-{c}", lambda c=c: plot_calibration(results, c)  # type: ignore[misc]
        if sampled:
            yield f"settling-{c}", lambda c=c: plot_settling(results, c)  # type: ignore[misc]
    if results["sd"].notna().any() and results.groupby("n_topics")["trial"].nunique().max() > 1:
        yield "variance", lambda: plot_variance(results)


def _summary(results: pd.DataFrame) -> pd.DataFrame:
    return results if "bias" in results.columns else summarise(results)


def _intervals(results: pd.DataFrame) -> pd.DataFrame:
    return results if "coverage" in results.columns else summarise_intervals(results)


def _distinct(table: pd.DataFrame) -> pd.DataFrame:
    """Leave out, for each coefficient, methods whose errors are those of another in every cell."""
    cell, measures = ["source", "simulator", "n_topics"], ["error", "bias", "rmse"]
    kept = pd.Series(False, index=table.index)
    for _, part in table.groupby("coefficient", sort=False):
        wide = part.set_index(["method", *cell])[measures].unstack(cell).round(9)
        copies = wide.loc[sorted(part["method"].unique(), key=len)].duplicated()
        kept[part.index] = ~part["method"].map(copies)
    return table[kept]


def _over_topics(table: pd.DataFrame) -> pd.DataFrame:
    """Average coverage over numbers of topics, as ``summarise_intervals`` pools cells."""
    keys = ["panel", "method", "coefficient", "level"]
    pooled = table.groupby(keys, sort=False).agg(
        coverage=("coverage", "mean"),
        coverage_se=("coverage_se", lambda x: np.sqrt((x**2).sum(skipna=False)) / len(x)),
    )
    return pooled.reset_index()


def _labelled(table: pd.DataFrame) -> pd.DataFrame:
    """Name the panel of each row: the source, and the simulator where there are several."""
    several = table["simulator"].nunique() > 1
    panel = table["source"] + ("/" + table["simulator"] if several else "")
    return table.assign(panel=panel)


def _of_coefficient(table: pd.DataFrame, coefficient: str) -> pd.DataFrame:
    choose(coefficient, set(table["coefficient"]), "coefficient of these results")
    return table[table["coefficient"] == coefficient]


def _panels(
    columns: NDArray[Any], rows: int = 1, *, shared: bool = True
) -> tuple[Figure, list[Axes]]:
    plt = require("matplotlib.pyplot", extra="report")
    width = max(2.6 if rows > 1 else 3.4, 6.4 / len(columns))
    figure, axes = plt.subplots(
        rows,
        len(columns),
        figsize=(width * len(columns) + 1.4, 2.6 * rows + 0.8),
        sharex=shared,
        sharey=shared,
        squeeze=False,
        layout="constrained",
    )
    return figure, list(axes.ravel())


def _styles(names: pd.Series[Any]) -> dict[Any, dict[str, Any]]:
    """Give each name its look, once for a whole figure: panels may lack some of them."""
    styles = {}
    for k, name in enumerate(names.unique()):
        # Past the last colour the markers move on by one, so that no two names look the same.
        marker = MARKERS[(k + k // len(PALETTE)) % len(MARKERS)]
        colour = PALETTE[k % len(PALETTE)]
        styles[name] = {"color": colour, "marker": marker, "markersize": 4, "linewidth": 1.2}
    return styles


def _with_legend(figure: Figure, axes: list[Axes], title: str = "") -> Figure:
    entries: dict[str, Any] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
        ax.spines[["top", "right"]].set_visible(False)
    figure.legend(
        list(entries.values()),
        list(entries),
        loc="outside right upper",
        title=title or None,
        frameon=False,
        fontsize="small",
    )
    return figure
