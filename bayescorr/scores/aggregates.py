r"""How item scores are summarised to the score of a system: mean, win rate, median ...

A summary is of one of two kinds. *Per item*, each score is replaced by another, whose mean is the
summary: a win rate is the mean over items of the share of other systems that a system beats. Every
method for means then applies. *Of weighted items*, the summary is a function :math:`\theta(x, w)`
of a system's scores :math:`x` and of weights :math:`w` of the items, such as their weighted median:
only bootstraps have its distribution.

The summary of a table is stored in ``scores.attrs["summary"]``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from bayescorr._numbers import FloatArray
from bayescorr.errors import Argument, OptionError, ScoresError, choose

#: Where a table keeps its summary, a dict: name, whether it was ``applied`` per item, and the
#: function or the observed values of one without a known name.
SUMMARY = "summary"
#: Share of the items that the trimmed mean leaves out at each end.
TRIM = 0.1
#: Copies of each item that a function without weights is given, at equal weights.
COPIES = 8
#: Weighted items to hold at a time.
_MOST = 20_000_000


@dataclass(frozen=True)
class Summary:
    """A summary of item scores: ``per_item`` or ``of_weights``, as the module explains.

    ``per_item`` takes and returns items x systems. ``of_weights`` takes the scores of one system
    and weights (draws x items, rows sum to 1), and returns one number per draw. ``label`` is the
    name in sentences, before the measure.
    """

    name: str
    label: str
    description: str
    per_item: Callable[[FloatArray], FloatArray] | None = None
    of_weights: Callable[[FloatArray, FloatArray], FloatArray] | None = None


def win_shares(values: FloatArray) -> FloatArray:
    """Return the share of other systems with a lower score on each item; ties count half.

    Examples
    --------
    >>> win_shares(np.array([[0.1, 0.5, 0.5]])).tolist()
    [[0.0, 0.75, 0.75]]
    """
    present = (~np.isnan(values)).sum(axis=1, keepdims=True)
    ranks = rankdata(values, axis=1, nan_policy="omit")
    return np.asarray((ranks - 1) / np.maximum(present - 1, 1), dtype=np.float64)


def borda_points(values: FloatArray) -> FloatArray:
    """Return the number of other systems with a lower score on each item; ties count half.

    Examples
    --------
    >>> borda_points(np.array([[0.1, 0.5, 0.5]])).tolist()
    [[0.0, 1.5, 1.5]]
    """
    return np.asarray(win_shares(values) * (values.shape[1] - 1))


def weighted_median(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the median of weighted scores, one per row of weights.

    It is the midpoint if the scores below it weigh exactly one half, as the usual median is.

    Examples
    --------
    >>> equal = np.full((1, 4), 0.25)
    >>> weighted_median(np.array([1.0, 2.0, 3.0, 9.0]), equal)
    array([2.5])
    """
    order = np.argsort(values, kind="stable")
    ordered, total = values[order], np.cumsum(weights[:, order], axis=1)
    low = (total < 0.5 - 1e-9).sum(axis=1)
    high = (total <= 0.5 + 1e-9).sum(axis=1)
    last = len(values) - 1
    return np.asarray((ordered[np.minimum(low, last)] + ordered[np.minimum(high, last)]) / 2)


def trimmed_mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the mean without the lowest and highest tenth of the weights.

    Examples
    --------
    >>> trimmed_mean(np.array([*range(9), 99.0]), np.full((1, 10), 0.1)).round(9)
    array([4.5])
    """
    order = np.argsort(values, kind="stable")
    above = np.cumsum(weights[:, order], axis=1)
    below = np.concatenate([np.zeros((len(weights), 1)), above[:, :-1]], axis=1)
    kept = np.clip(above, TRIM, 1 - TRIM) - np.clip(below, TRIM, 1 - TRIM)
    return np.asarray(kept @ values[order] / kept.sum(axis=1))


SUMMARIES = {
    one.name: one
    for one in (
        Summary("mean", "mean", "Mean over items."),
        Summary(
            "win-rate",
            "win rate",
            "Mean over items of the share of other systems with a lower score; ties count half.",
            per_item=win_shares,
        ),
        Summary(
            "borda",
            "Borda count",
            "Mean over items of the number of other systems with a lower score; ties count half.",
            per_item=borda_points,
        ),
        Summary("median", "median", "Median over items.", of_weights=weighted_median),
        Summary(
            "trimmed-mean",
            "trimmed mean",
            "Mean without the lowest and highest 10% of the items.",
            of_weights=trimmed_mean,
        ),
    )
}


def summary_label(name: str) -> str:
    """Return what sentences call a summary.

    Examples
    --------
    >>> summary_label("win-rate"), summary_label("ptp")
    ('win rate', 'ptp')
    """
    return SUMMARIES[name].label if name in SUMMARIES else name


def find_summary(summary: Any) -> Summary:
    """Return the summary of this name, or that of a function of a system's item scores.

    A function f(scores, weights) gets the weights of the items, which sum to 1. A function
    f(scores) gets items as often as they weigh, 8 times on average, in place of weights: it must
    not depend on how often all items are repeated.
    """
    if isinstance(summary, str):
        return SUMMARIES[choose(summary, SUMMARIES, "summary")]
    if not callable(summary):
        raise OptionError(
            (Argument("summary"), f" must be a name or a function; got {summary!r}."),
            f"The names are: {', '.join(SUMMARIES)}.",
        )
    name = str(getattr(summary, "__name__", "summary")).strip("<>")
    name = f"{name} (own function)" if name in SUMMARIES else name

    def of_weights(values: FloatArray, weights: FloatArray) -> FloatArray:
        return np.array([_call(summary, name, values, one) for one in weights])

    return Summary(name, name, "A function given by the user.", of_weights=of_weights)


def _call(
    function: Callable[..., Any], name: str, values: FloatArray, weights: FloatArray
) -> float:
    """Call a user's function with weights, or with repeated items if it takes none."""
    try:
        needed = [
            p for p in inspect.signature(function).parameters.values() if p.default is p.empty
        ]
        weighted = len(needed) > 1
    except (TypeError, ValueError):  # a builtin
        weighted = False
    arguments: tuple[FloatArray, ...] = (values, weights)
    if not weighted:
        size = COPIES * len(values)
        ends = np.cumsum(weights)
        at = np.searchsorted(ends, (np.arange(size) + 0.5) / size * ends[-1])
        arguments = (values[np.minimum(at, len(values) - 1)],)
    try:
        found = float(function(*arguments))
    except (TypeError, ValueError) as problem:
        raise OptionError(
            f"The summary {name!r} failed: {problem}.",
            "Give a function of the scores of one system (and of weights) that returns a number.",
        ) from None
    if not np.isfinite(found):
        raise OptionError(
            f"The summary {name!r} returned {found}.", "It must return a finite number."
        )
    return found


def with_summary(scores: Any, summary: Any) -> Any:
    """Return the scores with their summary: a name, a function, or None for what they have.

    Examples
    --------
    >>> table = pd.DataFrame({"a": [0.1, 0.2], "b": [0.3, 0.1]})
    >>> with_summary(table, "median").attrs["summary"]["name"]
    'median'
    """
    if summary is None or not isinstance(scores, pd.DataFrame):
        return scores if summary in (None, "mean") else with_summary(pd.DataFrame(scores), summary)
    found = find_summary(summary)
    known = scores.attrs.get(SUMMARY)
    if known is not None and known["name"] != found.name and known.get("applied"):
        raise ScoresError(
            f"These scores are summarised by {known['name']!r} already.",
            "Start from the scores of the items.",
        )
    if known is not None and known["name"] == found.name and found.name in SUMMARIES:
        return scores
    tagged = scores.copy()
    tagged.attrs = {key: value for key, value in scores.attrs.items() if key != SUMMARY}
    if found.name != "mean":
        own = {} if SUMMARIES.get(found.name) == found else {"function": found.of_weights}
        tagged.attrs[SUMMARY] = {"name": found.name, **own}
    return tagged


def with_same_summary(scores: Any, other: pd.DataFrame) -> Any:
    """Return scores with the summary of other scores, such as those of a fit.

    Examples
    --------
    >>> table = pd.DataFrame({"a": [0.1, 0.2], "b": [0.3, 0.1]})
    >>> with_same_summary(table, with_summary(table, "median")).attrs["summary"]["name"]
    'median'
    """
    known = other.attrs.get(SUMMARY, {"name": "mean"})
    if not isinstance(scores, pd.DataFrame) or known["name"] in SUMMARIES:
        return with_summary(scores, known["name"])
    tagged = scores.copy()
    kept = {key: known[key] for key in ("name", "function", "observed") if key in known}
    tagged.attrs = {**scores.attrs, SUMMARY: kept}
    return tagged


def apply_summary(scores: pd.DataFrame) -> pd.DataFrame:
    """Replace checked scores if their summary is one per item, and name it in the measure."""
    known = scores.attrs.get(SUMMARY)
    if known is None or known.get("applied") or known.get("named"):
        return scores
    summary, measure = SUMMARIES.get(known["name"]), scores.attrs.get("measure")
    found = scores
    if summary is not None and summary.per_item is not None:
        values = summary.per_item(scores.to_numpy(dtype=np.float64))
        found = pd.DataFrame(values, index=scores.index, columns=scores.columns)
    label = summary_label(known["name"])
    done = "named" if found is scores else "applied"
    found = scores.copy() if found is scores else found
    found.attrs = {
        **scores.attrs,
        "measure": f"{label} of {measure}" if measure else label,
        SUMMARY: {**known, done: True},
    }
    return found


def weights_function(scores: pd.DataFrame) -> Callable[[FloatArray, FloatArray], FloatArray] | None:
    """Return the summary as a function of scores (items x systems) and weights (draws x items).

    None if the score of a system is a mean, of scores or of what replaced them.
    """
    known = scores.attrs.get(SUMMARY)
    if known is None or known["name"] == "mean":
        return None
    summary = SUMMARIES.get(known["name"])
    if summary is not None and summary.per_item is not None:
        return None
    one = known.get("function") if summary is None else summary.of_weights
    if one is None:
        raise ScoresError(
            f"The summary {known['name']!r} is a function that is not stored with its results.",
            ("Give the function again: ", Argument("summary"), "."),
        )

    def of_all(values: FloatArray, weights: FloatArray) -> FloatArray:
        step = max(1, _MOST // len(values))
        parts = [
            np.column_stack([one(column, weights[start : start + step]) for column in values.T])
            for start in range(0, len(weights), step)
        ]
        return np.concatenate(parts)

    return of_all


def observed_summary(scores: pd.DataFrame) -> FloatArray | None:
    """Return the observed summary of every system; None if it is the mean of these scores."""
    known = scores.attrs.get(SUMMARY)
    if known is None or known.get("applied"):
        return None
    if "observed" in known and known["name"] not in SUMMARIES:
        return np.array([known["observed"][str(system)] for system in scores.columns])
    values = scores.to_numpy(dtype=np.float64)
    function = weights_function(scores)
    if function is None:
        per_item = SUMMARIES[known["name"]].per_item
        return None if per_item is None else np.asarray(np.nanmean(per_item(values), axis=0))
    return np.asarray(function(values, np.full((1, len(values)), 1 / len(values)))[0])
