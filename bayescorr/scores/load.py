"""Scores by one name: a file of any format, or a data set."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from bayescorr.errors import OptionError

if TYPE_CHECKING:
    import pandas as pd


def load_scores(
    source: str,
    *,
    format: str = "auto",
    measure: str | None = None,
    missing: str | None = None,
    drop_worst: float = 0.0,
    drop_identical: bool = False,
    higher_is_better: bool = True,
) -> pd.DataFrame:
    """Read scores from a path or a data set by name, and leave out the systems asked for.

    Missing scores stay missing unless ``missing`` says what to do about them.

    Examples
    --------
    >>> load_scores("demo", drop_worst=0.5).shape
    (50, 15)
    """
    import bayescorr
    from bayescorr.scores.check import check_shape, treat_missing
    from bayescorr.scores.registry import DATASETS

    if os.path.exists(source) or not re.fullmatch(r"[\w-]+", source):
        scores = bayescorr.read_scores(source, format=format, measure=measure)
    elif source in DATASETS:
        known = DATASETS[source].measure
        if format != "auto" or measure not in (None, known):
            given = f"the measure {measure!r}" if format == "auto" else f"the format {format!r}"
            raise OptionError(
                f"The data set {source!r} has scores of {known} only: {given} cannot apply.",
                "Leave the option out, or give a file.",
            )
        scores = bayescorr.load_dataset(source)
    else:
        raise OptionError(
            f"{source!r} is neither a file nor a data set.", f"Data sets: {', '.join(DATASETS)}."
        )
    if missing is not None and scores.isna().to_numpy().any():
        scores = treat_missing(scores, missing)
    check_shape(scores, f"{source}: ")
    return leave_out(scores, drop_worst, drop_identical, higher_is_better)


def leave_out(
    scores: pd.DataFrame, drop_worst: float, drop_identical: bool, higher_is_better: bool
) -> pd.DataFrame:
    """Leave out the systems that the options of a command say."""
    import bayescorr

    if drop_identical:
        scores = bayescorr.drop_identical(scores)
    if drop_worst:
        scores = bayescorr.drop_worst(scores, drop_worst, higher_is_better=higher_is_better)
    return scores
