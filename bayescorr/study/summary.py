"""Summarise a study with standard errors, and compare methods on the same collections."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
import pandas as pd

from bayescorr.errors import OptionError, choose
from bayescorr.study.metrics import INTERVAL_METRICS, METRICS, bias, has_failed, pit
from bayescorr.study.work import CELL, KEYS


def summarise(results: pd.DataFrame, by: Sequence[str] = tuple(CELL)) -> pd.DataFrame:
    r"""Return error, bias, RMSE and variance of each method, with standard errors.

    With :math:`x_k` the estimate and :math:`a_k` the actual coefficient of collection k:

    .. math:: \mathrm{error} = \frac1K \sum_k |x_k - a_k|, \quad
        \mathrm{bias} = \frac1K \sum_k (x_k - a_k), \quad
        \mathrm{RMSE}^2 = \frac1K \sum_k (x_k - a_k)^2

    (Urbano & Marrero 2016, section 4.3). ``variance`` is the mean estimated variance, and
    ``actual_variance`` is the variance of the actual coefficients (Bavdaz 2018, Figure 5.8).

    Parameters
    ----------
    results : DataFrame
        From :func:`run_study` or :func:`read_results`.
    by : sequence of str
        Which of source, simulator and n_topics to group by. Cells are averaged over the others with
        equal weight; standard errors are those within cells. Splits of the same real topics are not
        independent: averages over several such sources have the standard error between sources.

    Returns
    -------
    DataFrame
        One row per cell, method and coefficient that the method supports. Columns: collections,
        failed (number of errors), mean_actual; error, bias, rmse, pit (mean share of the draws
        below the actual coefficient; 1/2 if calibrated), variance and actual_variance, each with
        its standard error in a column ending in ``_se``; and the median seconds per
        collection for all coefficients. The first of several methods that share draws includes
        the time to draw them.

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
    # A coefficient that a method does not support is not a failure.
    results = results[results["estimate"].notna() | has_failed(results)]
    metrics = [metric for metric in METRICS if metric.summary]
    frame = results[[*CELL, "method", "coefficient", "actual", "seconds"]].assign(
        failed=bias(results).isna(), **{metric.name: metric.values(results) for metric in metrics}
    )
    cells = _group(frame, [*CELL, "method", "coefficient"])
    names = [metric.name for metric in metrics]
    table = _mean_and_se(cells, names).assign(
        actual_variance=cells["actual"].var(ddof=1),
        actual_variance_se=cells["actual"].agg(_variance_se),
        mean_actual=cells["actual"].mean(),
        seconds=cells["seconds"].median(),
        collections=cells.size(),
        failed=cells["failed"].sum(),
    )
    pooled = pool(table, keys, totals=["collections", "failed"], splits=splits_of(results))
    for name in (metric.name for metric in metrics if metric.root):
        pooled[name] = np.sqrt(pooled[name])
        pooled[f"{name}_se"] /= (2 * pooled[name]).replace(0.0, np.nan)
    columns = with_se([*names, "actual_variance"])
    return pooled[[*keys, "collections", "failed", "mean_actual", *columns, "seconds"]]


def summarise_intervals(results: pd.DataFrame, by: Sequence[str] = tuple(CELL)) -> pd.DataFrame:
    r"""Return coverage, width and interval score of each method, with standard errors.

    The interval score of an interval (l, u) at level :math:`1 - \alpha` is

    .. math:: (u - l) + \frac{2}{\alpha} (l - a)^+ + \frac{2}{\alpha} (a - u)^+

    (Winkler 1972; Gneiting & Raftery 2007, eq. 43); lower is better.

    Parameters
    ----------
    results, by
        As in :func:`summarise`.

    Returns
    -------
    DataFrame
        One row per cell, method, coefficient and level: collections, and coverage, width and score
        with their standard errors. Methods without intervals are omitted.

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
        values = {metric.name: metric.values(results, level) for metric in INTERVAL_METRICS}
        frame = results[[*CELL, "method", "coefficient"]].assign(level=level, **values)
        parts.append(frame[frame["width"].notna()])
    if not parts:
        raise OptionError("The results have no intervals.", "Run a study with levels.")
    cells = _group(pd.concat(parts), [*CELL, "method", "coefficient", "level"])
    names = [metric.name for metric in INTERVAL_METRICS]
    table = _mean_and_se(cells, names).assign(collections=cells.size())
    pooled = pool(table, keys, totals=["collections"], splits=splits_of(results))
    return pooled[[*keys, "collections", *with_se(names)]]


def summarise_pit(
    results: pd.DataFrame, by: Sequence[str] = tuple(CELL), bins: int = 10
) -> pd.DataFrame:
    """Return the histogram of the PIT of each method, with standard errors.

    The probability integral transform (PIT) is the share of a method's draws below the actual
    coefficient, ties at random. It is uniform if the actual coefficients are like the draws. A
    histogram that leans to the left means that estimates are too high, one with a hump that
    intervals are too wide (Gneiting, Balabdaoui & Raftery 2007).

    Parameters
    ----------
    results, by
        As in :func:`summarise`.
    bins : int
        Number of bins between 0 and 1.

    Returns
    -------
    DataFrame
        One row per cell, method, coefficient and bin: lower and upper end of the bin, collections,
        and the share of the collections in it with its standard error.

    Examples
    --------
    >>> results = pd.DataFrame({
    ...     "source": "demo", "simulator": "effects", "n_topics": 10, "trial": [0, 1, 2, 3],
    ...     "method": "ML", "coefficient": "tau", "pit": [0.1, 0.3, 0.4, 0.9]})
    >>> print(summarise_pit(results, bins=2)[["lower", "upper", "share"]])
       lower  upper  share
    0    0.0    0.5   0.75
    1    0.5    1.0   0.25
    """
    keys = [*_keys(by), "lower"]
    found = results[pit(results).notna()]
    if found.empty:
        raise OptionError("The results have no PIT.", "Run the study with methods with draws.")
    place = np.minimum((found["pit"].to_numpy() * bins).astype(int), bins - 1)
    frame = found[[*CELL, "method", "coefficient"]]
    parts = [frame.assign(lower=k / bins, share=np.equal(place, k) * 1.0) for k in range(bins)]
    cells = _group(pd.concat(parts), [*CELL, "method", "coefficient", "lower"])
    table = _mean_and_se(cells, ["share"]).assign(collections=cells.size())
    pooled = pool(table, keys, totals=["collections"], splits=splits_of(results))
    pooled = pooled.assign(upper=pooled["lower"] + 1 / bins)
    return pooled[[*keys, "upper", "collections", *with_se(["share"])]]


def paired_differences(
    results: pd.DataFrame, baseline: str, by: Sequence[str] = tuple(CELL)
) -> pd.DataFrame:
    """Return differences between methods and a baseline on the same collections.

    All methods see the same collections, so differences between methods have much smaller standard
    errors than the metrics themselves.

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
        baseline), its standard error, z = difference / se, and relative = difference / baseline.
        The measures are error, squared_error and score_L, the interval score at each level L, for
        which a negative difference is better, and estimate, for the difference in bias.

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
    measures = {metric.paired: metric.values(results) for metric in METRICS if metric.paired}
    for level in levels_of(results):
        for metric in (metric for metric in INTERVAL_METRICS if metric.paired):
            measures[f"{metric.paired}_{level:g}"] = metric.values(results, level)
    long = results[KEYS].assign(**measures).melt(KEYS, list(measures), "measure")
    long["measure"] = pd.Categorical(long["measure"], categories=list(measures), ordered=True)
    shared = [*CELL, "trial", "coefficient", "measure"]
    is_baseline = long["method"].astype(str) == baseline
    reference = long[is_baseline].drop(columns="method")
    both = long[~is_baseline].merge(reference, on=shared, suffixes=("", "_baseline"))
    both["difference"] = both["value"] - both["value_baseline"]
    both = both.dropna(subset="difference")
    cells = _group(both, [*CELL, "method", "coefficient", "measure"])
    table = _mean_and_se(cells, ["difference"]).assign(
        reference=cells["value_baseline"].mean(), collections=cells.size()
    )
    keys = [*keys, "measure"]
    pooled = pool(table, keys, totals=["collections"], splits=splits_of(results))
    pooled["z"] = pooled["difference"] / pooled["difference_se"].replace(0.0, np.nan)
    pooled["relative"] = pooled["difference"] / pooled["reference"]
    # An estimate is not a loss, so its relative difference is meaningless.
    pooled.loc[pooled["measure"] == "estimate", "relative"] = np.nan
    columns = ["collections", "difference", "difference_se", "z", "relative"]
    return pooled.assign(baseline=baseline)[[*keys[:-1], "baseline", "measure", *columns]]


def splits_of(results: pd.DataFrame) -> set[str]:
    """Return the simulators that split real topics instead."""
    if "split" not in results:
        return set()
    return set(results.loc[results["split"], "simulator"].astype(str))


def levels_of(results: pd.DataFrame) -> list[float]:
    """Return the levels of the intervals in the results."""
    return [float(c.removeprefix("lower_")) for c in results.columns if c.startswith("lower_")]


def _keys(by: Sequence[str]) -> list[str]:
    for name in by:
        choose(name, CELL, "column to group by")
    return [*(name for name in CELL if name in by), "method", "coefficient"]


def with_se(names: Sequence[str]) -> list[str]:
    """Return the columns of metrics and their standard errors."""
    return [column for name in names for column in (name, f"{name}_se")]


def _group(frame: pd.DataFrame, keys: list[str], sort: bool = True) -> Any:
    return frame.groupby(keys, observed=True, sort=sort)


def _mean_and_se(cells: Any, columns: list[str]) -> pd.DataFrame:
    means: pd.DataFrame = cells[columns].mean()
    errors = cells[columns].std(ddof=1) / np.sqrt(cells[columns].count())
    return means.join(errors.add_suffix("_se"))


def _variance_se(values: pd.Series[float]) -> float:
    r"""Return the standard error of a sample variance, :math:`\sqrt{(m_4 - s^4) / K}`."""
    deviations = (values - values.mean()).to_numpy()
    spread = (deviations**4).mean() - (deviations**2).mean() ** 2
    return float(np.sqrt(max(spread, 0.0) / len(values)))


def pool(
    table: pd.DataFrame,
    keys: list[str],
    totals: Sequence[str] = (),
    *,
    sort: bool = True,
    splits: AbstractSet[str] = frozenset(),
) -> pd.DataFrame:
    """Average the cells in the index with equal weight; their errors are independent.

    Those of cells from one source are not if its simulator is in ``splits``, so averages over
    several of these sources have the standard error of the means by source.
    """
    groups = _group(table.reset_index(), keys, sort)
    ends = [name for name in table.columns if name.endswith("_se")]
    means = [name for name in table.columns if name not in ends and name not in totals]
    norms = groups[ends].agg(lambda x: float(np.sqrt((x**2).sum(skipna=False))))
    errors = norms.div(groups.size(), axis=0)
    for key, part in groups if splits else ():
        by_source = _group(part, ["source"])[[name.removesuffix("_se") for name in ends]].mean()
        if len(by_source) > 1 and not splits.isdisjoint(part["simulator"].astype(str)):
            between = by_source.std(ddof=1) / np.sqrt(by_source.count())
            errors.loc[key] = between.add_suffix("_se")
    pooled: pd.DataFrame = groups[means].mean().join([groups[list(totals)].sum(), errors])
    pooled = pooled.reset_index()
    return pooled.astype(dict.fromkeys(pooled.select_dtypes("category"), str))
