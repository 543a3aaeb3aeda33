"""Load scores from a file of any format or from a data set, as the command line does."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from bayescorr.errors import Argument, OptionError

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
    """Read scores from a path or a data set, and leave out systems.

    Missing scores stay missing unless ``missing`` says how to treat them.
    """
    import bayescorr
    from bayescorr.scores.check import check_shape, treat_missing
    from bayescorr.scores.registry import DATASETS

    if os.path.exists(source) or not re.fullmatch(r"[\w-]+", source):
        scores = bayescorr.read_scores(source, format=format, measure=measure)
    elif source in DATASETS:
        known = DATASETS[source].measure
        if format != "auto" or measure not in (None, known):
            given = Argument("measure", measure) if format == "auto" else Argument("format", format)
            raise OptionError(
                ("The data set ", repr(source), f" has scores of {known} only; got ", given, "."),
                "Omit this option, or pass a file.",
            )
        scores = bayescorr.load_dataset(source)
    else:
        raise OptionError(
            f"{source!r} is neither a file nor a data set.",
            f"Check the path, or choose a data set: {', '.join(DATASETS)}.",
        )
    if missing is not None and scores.isna().to_numpy().any():
        scores = treat_missing(scores, missing)
    check_shape(scores, f"{source}: ")
    return leave_out(scores, drop_worst, drop_identical, higher_is_better)


def leave_out(
    scores: pd.DataFrame, drop_worst: float, drop_identical: bool, higher_is_better: bool
) -> pd.DataFrame:
    """Leave out identical systems and the worst ones, if asked."""
    import bayescorr

    if drop_identical:
        scores = bayescorr.drop_identical(scores)
    if drop_worst:
        scores = bayescorr.drop_worst(scores, drop_worst, higher_is_better=higher_is_better)
    return scores
