"""The page of a report: one HTML file that loads nothing, drawn from one block of numbers."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from bayescorr.bayes.model import PyMCModel
from bayescorr.coefficients import resolve
from bayescorr.errors import ModelError, OptionError
from bayescorr.frequentist.registry import ESTIMATORS
from bayescorr.report.comparison import POINTS
from bayescorr.report.density import density
from bayescorr.report.html import NAMES, columns, render, rounded, settings_of
from bayescorr.report.numbers import SENSITIVITY_SAMPLING, Report
from bayescorr.report.plots import RANK_CLASSES
from bayescorr.report.predictive import sds_band
from bayescorr.report.style import mean_label
from bayescorr.scores.aggregates import summary_label

_SCRIPTS = ("page.js", "charts.js", "orders.js", "heatmaps.js")

# Rows of the table of pairs, and points of the scatter plot of pairs.
_MOST_PAIRS = 60
_MOST_POINTS = 500


def page(report: Report) -> str:
    """Return the page as HTML.

    Names of systems may hold markup: the template and the block of numbers escape them.

    Examples
    --------
    >>> import bayescorr
    >>> scores = bayescorr.load_dataset("demo").rename(columns={"dph": "<script>"})
    >>> "<script>" in page(bayescorr.make_report(scores, "flat", random_seed=1)).split("<body>")[0]
    False
    """
    return render(
        "page.html", _SCRIPTS, numbers(report), report=report, points=POINTS, **_words(report)
    )


def numbers(report: Report) -> dict[str, Any]:
    """Return the numbers that the scripts of the page draw."""
    swaps = report.discordance.to_numpy()
    drawn = ["observed_mean", "true_mean", "lower", "upper", "p_best"]
    drawn += ["rank_lower", "rank_upper", "joint_rank_lower", "joint_rank_upper"]
    shares = report.rank_probabilities.to_numpy().cumsum(axis=1)
    return {
        "systems": [str(system) for system in report.fit.systems],
        "level": report.level,
        "kind": summary_label(report.fit.item_summary),
        "meanLabel": mean_label(report.fit.measure, report.fit.item_summary),
        "coefficients": [_coefficient(report, name) for name in report.headline["coefficient"]],
        "ranking": columns(report.ranking[drawn]),
        "rankClasses": RANK_CLASSES,
        # Integers, in units of 1e-4: these m x m numbers are most of the page.
        "ranks": np.rint(report.rank_probabilities.to_numpy() * 1e4).astype(int).tolist(),
        "swaps": [np.rint(row[i + 1 :] * 1e4).astype(int).tolist() for i, row in enumerate(swaps)],
        "unordered": ["".join(row) for row in np.where(report.unordered, "1", "0")],
        "medianRanks": (1 + (shares >= 0.5 - 1e-9).argmax(axis=1)).tolist(),
        "better": ["".join(row) for row in np.where(report.decided.better, "1", "0")],
        "predicted": _predicted(report),
        "plan": _plan(report),
    }


def _words(report: Report) -> dict[str, Any]:
    """Return what the template needs beside the report."""
    fit, attributes, m = report.fit, report.fit.idata.attrs, len(report.fit.systems)
    position = {system: i for i, system in enumerate(fit.systems)}
    return {
        "names": NAMES,
        "kind": summary_label(fit.item_summary),
        "percent": f"{report.level * 100:g}%",
        "labels": [str(system) for system in fit.systems],
        "position": position,
        "wrong_pairs": f"{(1 - _of_tau(report, 'estimate')) / 2:.0%}",
        "worse": report.decided.better.to_numpy().sum(axis=1).tolist(),
        "total_pairs": m * (m - 1) // 2,
        "shown_pairs": report.pairs.head(_MOST_PAIRS),
        "spans": [
            (position[group[0]], position[group[-1]]) for group in report.groups if len(group) > 1
        ],
        "summary": fit.summary(report.level),
        "sensitivity": _sensitivity(report),
        "surprising": [] if report.loo is None else list(report.loo.pointwise.nsmallest(5).items()),
        "citations": _citations(report),
        **settings_of(attributes),
    }


def _coefficient(report: Report, name: str) -> dict[str, Any]:
    grid, heights = density(report.fit.draws(name), points=200)
    rows = report.estimates[report.estimates["coefficient"] == name].dropna(subset="estimate")
    return {
        "name": NAMES.get(name, name),
        "grid": rounded(grid),
        "density": rounded(heights),
        "marks": [
            {"method": row.method, "x": row.estimate, "lower": row.lower, "upper": row.upper}
            for row in rows.itertuples()
        ],
    }


def _predicted(report: Report) -> dict[str, Any] | None:
    if report.predicted is None:
        return None
    pairs = report.predicted.difference_sds
    first, second = np.triu_indices(len(report.fit.systems), 1)
    # Evenly spaced over the sorted values, to show their whole range.
    order = np.argsort(pairs["observed"].to_numpy(), kind="stable")
    chosen = order[np.unique(np.linspace(0, len(order) - 1, _MOST_POINTS).round().astype(int))]
    return {
        "means": columns(report.predicted.means),
        "band": columns(sds_band(pairs)),
        "pairs": {
            **columns(pairs.iloc[chosen]),
            "a": first[chosen].tolist(),
            "b": second[chosen].tolist(),
        },
    }


def _plan(report: Report) -> dict[str, Any] | None:
    if report.plan is None:
        return None
    table = report.plan.table(report.level, report.target)
    methods = sorted(set(report.plan.extrapolation.get("method", [])))
    return {
        **columns(table[["n_topics", "estimate", "lower", "upper", "p_target"]]),
        "extrapolated": {method: rounded(table[method]) for method in methods},
        "target": report.target,
        "now": report.plan.observed_topics,
    }


def _sensitivity(report: Report) -> dict[str, Any] | None:
    """Return the changes, one row per prior and factor, the largest of tau, and their error."""
    table = report.sensitivity
    if table is None:
        return None
    keys = ["prior", "factor", "value"]
    wide = table.pivot(index=keys, columns="coefficient", values="change")
    rows = list(dict.fromkeys(table[keys].itertuples(index=False, name=None)))
    of_tau = table[table["coefficient"] == "tau"]
    row = of_tau.iloc[int(of_tau["change"].abs().to_numpy().argmax())]
    # Twice the Monte Carlo error of tau; draws are correlated, so half of them count.
    draws = SENSITIVITY_SAMPLING["draws"] * SENSITIVITY_SAMPLING["chains"] / 2
    error = 2 * _of_tau(report, "sd") / draws**0.5
    return {
        "changes": wide.loc[rows, table["coefficient"].unique()].reset_index(),
        "largest": f"tau changes by at most {abs(row['change']):.3f}, to {row['estimate']:.3f}, "
        f"when {row['prior']} is multiplied by {row['factor']:g}.",
        "error": f"{error:.3f}" if isinstance(report.fit.model, PyMCModel) else "",
    }


def _of_tau(report: Report, column: str) -> float:
    """Return a number of the posterior of tau."""
    return float(report.headline.loc[report.headline["coefficient"] == "tau", column].iloc[0])


def _citations(report: Report) -> list[tuple[str, str]]:
    """Return pairs (what was used, what to cite), each source once."""
    cited: dict[str, list[str]] = {}
    # Draws from elsewhere have no model, and the model of a file may not be installed.
    with suppress(ModelError, OptionError):
        cited[report.fit.model.citation] = [f"model {report.fit.method}"]
    for name in report.headline["coefficient"]:
        cited.setdefault(resolve(name).citation, []).append(name)
    for method in report.estimates["method"].unique():
        if method in ESTIMATORS:
            # Citations of estimators from the same paper differ only in the equation.
            source, _, place = ESTIMATORS[method].citation.rpartition(", ")
            cited.setdefault(source, []).append(f"{method} ({place})")
    return [(", ".join(whats), source) for source, whats in cited.items()]
