"""Summaries of a study, with standard errors, and who wins on the same collections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from bayescorr.errors import OptionError, choose

_CELL = ["source", "simulator", "n_topics"]
# An interval that ends at the actual coefficient covers it, whatever the last digit.
_ROUNDING = 1e-9


def summarise(results: pd.DataFrame, by: Sequence[str] = tuple(_CELL)) -> pd.DataFrame:
    r"""Error, bias, RMSE and variance of each method, with standard errors.

    With :math:`x_k` the estimate and :math:`a_k` the actual coefficient of collection k:

    .. math:: \mathrm{error} = \frac1K \sum_k |x_k - a_k|, \quad
        \mathrm{bias} = \frac1K \sum_k (x_k - a_k), \quad
        \mathrm{RMSE}^2 = \frac1K \sum_k (x_k - a_k)^2

    (Urbano & Marrero 2016, section 4.3.) ``variance`` is the mean of the estimated variances, and
    ``actual_variance`` the variance of the actual coefficients (Bavdaz 2018, Figure 5.8).

    Parameters
    ----------
    results : DataFrame
        From :func:`run_study` or :func:`read_results`.
    by : sequence of str
        Which of source, simulator and n_topics to keep apart. Over the others, cells are averaged
        with equal weight; their standard errors are those within cells.

    Returns
    -------
    DataFrame
        One row per cell, method and coefficient that it offers: collections, failed (errors),
        mean_actual, error, bias, rmse, variance, actual_variance, each with its standard error in
        a column ending in ``_se``, and the median of the seconds per collection, for all
        coefficients together. The first of the methods that share draws pays for them.

    Examples
    --------
    >>> results = pd.DataFrame({
    ...     "source": "demo", "simulator": "effects", "n_topics": 10, "trial": [0, 1, 2],
    ...     "method": "ML", "coefficient": "tau", "actual": [0.5, 0.7, 0.6],
    ...     "estimate": [0.6, 0.6, 0.9], "sd": 0.1, "seconds": 0.5})
    >>> print(summarise(results)[["collections", "error", "bias", "bias_se", "rmse"]].round(3))
       collections  error  bias  bias_se   rmse
    0            3  0.167   0.1    0.115  0.191
    """
    keys = _keys(by)
    # A coefficient that a method does not offer is no failure.
    failed = results.get("diagnostics", pd.Series("", results.index)).str.contains('"error"')
    results = results[results["estimate"].notna() | failed]
    frame = results[[*_CELL, "method", "coefficient", "actual", "seconds"]].copy()
    difference = results["estimate"] - results["actual"]
    frame["failed"] = difference.isna()
    frame["error"], frame["bias"] = difference.abs(), difference
    frame["mse"], frame["variance"] = difference**2, results["sd"] ** 2
    cells = _group(frame, [*_CELL, "method", "coefficient"])
    table = _mean_and_se(cells, ["error", "bias", "mse", "variance"])
    table["actual_variance"] = cells["actual"].var(ddof=1)
    table["actual_variance_se"] = cells["actual"].agg(_variance_se)
    table["mean_actual"] = cells["actual"].mean()
    table["seconds"] = cells["seconds"].median()
    table["collections"] = cells.size()
    table["failed"] = cells["failed"].sum()
    pooled = _pool(table, keys, totals=["collections", "failed"])
    pooled["rmse"] = np.sqrt(pooled["mse"])
    pooled["rmse_se"] = pooled["mse_se"] / (2 * pooled["rmse"]).replace(0.0, np.nan)
    shown = ["error", "bias", "rmse", "variance", "actual_variance"]
    columns = [column for name in shown for column in (name, f"{name}_se")]
    return pooled[[*keys, "collections", "failed", "mean_actual", *columns, "seconds"]]


def summarise_intervals(results: pd.DataFrame, by: Sequence[str] = tuple(_CELL)) -> pd.DataFrame:
    r"""Coverage, width and interval score of each method at each level, with standard errors.

    The interval score of an interval (l, u) at level :math:`1 - \alpha` is

    .. math:: (u - l) + \frac{2}{\alpha} (l - a)^+ + \frac{2}{\alpha} (a - u)^+

    (Winkler 1972; Gneiting & Raftery 2007, eq. 43): short intervals that cover are good, lower is
    better.

    Parameters
    ----------
    results, by
        As in :func:`summarise`.

    Returns
    -------
    DataFrame
        One row per cell, method, coefficient and level: collections, coverage, width and score,
        each with its standard error. Methods without intervals are left out.

    Examples
    --------
    >>> results = pd.DataFrame({
    ...     "source": "demo", "simulator": "effects", "n_topics": 10, "trial": [0, 1],
    ...     "method": "ML", "coefficient": "tau", "actual": [0.5, 0.8],
    ...     "lower_0.9": [0.4, 0.5], "upper_0.9": [0.6, 0.7]})
    >>> print(summarise_intervals(results)[["level", "coverage", "width", "score"]].round(3))
       level  coverage  width  score
    0    0.9       0.5    0.2    1.2
    """
    keys = [*_keys(by), "level"]
    parts = []
    for level in levels_of(results):
        ends = _interval_columns(results, level)
        frame = results[[*_CELL, "method", "coefficient"]].assign(level=level, **ends)
        parts.append(frame[frame["width"].notna()])
    if not parts:
        raise OptionError("The results have no intervals.", "Run a study with levels.")
    cells = _group(pd.concat(parts), [*_CELL, "method", "coefficient", "level"])
    table = _mean_and_se(cells, ["coverage", "width", "score"])
    table["collections"] = cells.size()
    pooled = _pool(table, keys, totals=["collections"])
    columns = [column for name in ("coverage", "width", "score") for column in (name, f"{name}_se")]
    return pooled[[*keys, "collections", *columns]]


def paired_differences(
    results: pd.DataFrame, baseline: str, by: Sequence[str] = tuple(_CELL)
) -> pd.DataFrame:
    """Differences between methods and a baseline on the same collections.

    All methods see the same collections, so that differences are known far better than the errors
    themselves: this is what decides who wins.

    Parameters
    ----------
    results, by
        As in :func:`summarise`.
    baseline : str
        The method to compare with.

    Returns
    -------
    DataFrame
        One row per cell, method, coefficient and measure: collections, difference (method minus
        baseline; below 0 the method is better, but for ``estimate``, the difference in bias), its
        standard error, z = difference / se, and relative = difference / baseline. Measures are
        error, squared_error, estimate, and score_L, the interval score at each level L.

    Examples
    --------
    >>> results = pd.DataFrame({
    ...     "source": "demo", "simulator": "effects", "n_topics": 10, "trial": [0, 0, 1, 1],
    ...     "method": ["ML", "MSQD"] * 2, "coefficient": "tau", "actual": 0.5,
    ...     "estimate": [0.7, 0.6, 0.4, 0.45]})
    >>> table = paired_differences(results, "ML")
    >>> print(table.loc[table["measure"] == "error", ["method", "difference", "relative"]])
      method  difference  relative
    0   MSQD      -0.075      -0.5
    """
    choose(baseline, {str(method) for method in results["method"]}, "method of these results")
    keys = _keys(by)
    difference = results["estimate"] - results["actual"]
    measures = {
        "error": difference.abs(),
        "squared_error": difference**2,
        "estimate": results["estimate"],
    }
    for level in levels_of(results):
        measures[f"score_{level:g}"] = _interval_columns(results, level)["score"]
    frame = results[[*_CELL, "trial", "method", "coefficient"]].assign(**measures)
    long = frame.melt([*_CELL, "trial", "method", "coefficient"], list(measures), "measure")
    long["measure"] = pd.Categorical(long["measure"], categories=list(measures), ordered=True)
    shared = [*_CELL, "trial", "coefficient", "measure"]
    is_baseline = long["method"].astype(str) == baseline
    reference = long[is_baseline].drop(columns="method")
    both = long[~is_baseline].merge(reference, on=shared, suffixes=("", "_baseline"))
    both["difference"] = both["value"] - both["value_baseline"]
    both = both.dropna(subset="difference")
    cells = _group(both, [*_CELL, "method", "coefficient", "measure"])
    table = _mean_and_se(cells, ["difference"])
    table["reference"] = cells["value_baseline"].mean()
    table["collections"] = cells.size()
    pooled = _pool(table, [*keys, "measure"], totals=["collections"])
    pooled["z"] = pooled["difference"] / pooled["difference_se"].replace(0.0, np.nan)
    pooled["relative"] = pooled["difference"] / pooled["reference"]
    # An estimate is no loss, so that a share of it means nothing.
    pooled.loc[pooled["measure"] == "estimate", "relative"] = np.nan
    columns = ["collections", "difference", "difference_se", "z", "relative"]
    return pooled.assign(baseline=baseline)[[*keys, "baseline", "measure", *columns]]


def levels_of(results: pd.DataFrame) -> list[float]:
    """Levels of the intervals that results have, in their order."""
    return [float(c.removeprefix("lower_")) for c in results.columns if c.startswith("lower_")]


def _interval_columns(results: pd.DataFrame, level: float) -> dict[str, pd.Series[Any]]:
    actual = results["actual"]
    lower, upper = results[f"lower_{level:g}"], results[f"upper_{level:g}"]
    width = (upper - lower).where(actual.notna())
    missed = (lower - actual).clip(lower=0) + (actual - upper).clip(lower=0)
    return {
        "coverage": (missed <= _ROUNDING).astype(float).where(width.notna()),
        "width": width,
        "score": width + 2 / (1 - level) * missed,
    }


def _keys(by: Sequence[str]) -> list[str]:
    for name in by:
        choose(name, _CELL, "column to keep apart")
    return [*(name for name in _CELL if name in by), "method", "coefficient"]


def _group(frame: pd.DataFrame, keys: list[str]) -> Any:
    return frame.groupby(keys, observed=True, sort=True)


def _mean_and_se(cells: Any, columns: list[str]) -> pd.DataFrame:
    means: pd.DataFrame = cells[columns].mean()
    errors = cells[columns].std(ddof=1) / np.sqrt(cells[columns].count())
    return means.join(errors.add_suffix("_se"))


def _variance_se(values: pd.Series[float]) -> float:
    r"""Return the standard error of a sample variance, :math:`\sqrt{(m_4 - s^4) / K}`."""
    deviations = (values - values.mean()).to_numpy()
    spread = (deviations**4).mean() - (deviations**2).mean() ** 2
    return float(np.sqrt(max(spread, 0.0) / len(values)))


def _pool(table: pd.DataFrame, keys: list[str], totals: list[str]) -> pd.DataFrame:
    """Average cells with equal weight; their errors are independent."""
    groups = _group(table.reset_index(), keys)
    ends = [name for name in table.columns if name.endswith("_se")]
    means = [name for name in table.columns if name not in ends and name not in totals]
    pooled: pd.DataFrame = groups[means].mean().join(groups[totals].sum())
    for name in ends:
        squares = groups[name].agg(lambda x: float(np.sqrt((x**2).sum(skipna=False))))
        pooled[name] = squares / groups.size()
    pooled = pooled.reset_index()
    for name in keys:
        if isinstance(pooled[name].dtype, pd.CategoricalDtype):
            pooled[name] = pooled[name].astype(str)
    return pooled
