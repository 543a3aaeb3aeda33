"""Compare the error and bias of a study with published values."""

from __future__ import annotations

from os import PathLike

import numpy as np
import pandas as pd

from bayescorr.errors import StudyError, listing
from bayescorr.study.summary import summarise, with_se

_KEYS = ["source", "n_topics", "method", "coefficient"]
_MEASURES = ("error", "bias")


def compare_published(
    results: pd.DataFrame, published: pd.DataFrame | str | PathLike[str], most: float = 4.0
) -> pd.DataFrame:
    r"""Compare the error and bias of a study with published values, cell by cell.

    .. math:: z = \frac{x - y}{\sqrt{se_x^2 + se_y^2}}

    Parameters
    ----------
    results : DataFrame
        From :func:`run_study` or :func:`read_results`.
    published : DataFrame or path
        A table or CSV file with columns collection, coefficient, n_topics, estimator, error,
        error_se, bias and bias_se.
    most : float
        Largest absolute z for which a cell agrees.

    Returns
    -------
    DataFrame
        One row per common cell: error and bias of the study, the published values, z of both, and
        whether they agree.

    Examples
    --------
    >>> results = pd.DataFrame({
    ...     "source": "demo", "simulator": "effects", "n_topics": 10, "trial": range(4),
    ...     "method": "ML", "coefficient": "tau", "actual": 0.5,
    ...     "estimate": [0.6, 0.4, 0.7, 0.6], "sd": 0.1, "seconds": 0.5})
    >>> published = pd.DataFrame({
    ...     "collection": ["demo"], "coefficient": "tau", "n_topics": 10, "estimator": "ML",
    ...     "error": 0.12, "error_se": 0.01, "bias": 0.9, "bias_se": 0.01})
    >>> print(compare_published(results, published)[["error_z", "bias_z", "agrees"]].round(1))
       error_z  bias_z  agrees
    0      0.2   -13.0   False
    """
    if not isinstance(published, pd.DataFrame):
        try:
            published = pd.read_csv(published)
        except (OSError, ValueError) as problem:
            raise StudyError(f"Cannot read {published}: {problem}.", "Use a CSV file.") from None
    theirs = published.rename(columns={"collection": "source", "estimator": "method"})
    values = with_se(_MEASURES)
    if lacking := [name for name in (*_KEYS, *values) if name not in theirs]:
        raise StudyError(
            f"The published table lacks the columns {listing(lacking)}.",
            "Add collection, coefficient, n_topics, estimator, error, error_se, bias and bias_se.",
        )
    ours = summarise(results, by=("source", "n_topics"))[[*_KEYS, "collections", *values]]
    both = ours.merge(theirs[[*_KEYS, *values]], on=_KEYS, suffixes=("", "_published"))
    if both.empty:
        raise StudyError(
            "The study and the published table have no cell in common.",
            "Give the sources and methods of the study the names that the table uses.",
        )
    for name in _MEASURES:
        spread = np.hypot(both[f"{name}_se"], both[f"{name}_se_published"])
        both[f"{name}_z"] = (both[name] - both[f"{name}_published"]) / spread
    both["agrees"] = (both[[f"{name}_z" for name in _MEASURES]].abs() <= most).all(axis=1)
    shown = [c for name in _MEASURES for c in (name, f"{name}_published", f"{name}_z")]
    return both[[*_KEYS, "collections", *shown, "agrees"]]
