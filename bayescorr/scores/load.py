"""Load scores from a file of any format or from a data set, as the command line does."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bayescorr.errors import Argument, OptionError
from bayescorr.scores.files import MAX_SIZE

if TYPE_CHECKING:
    import pandas as pd


def load_scores(
    source: str | Sequence[str],
    *,
    format: str = "auto",
    measure: str | None = None,
    transpose: bool = False,
    as_is: bool = False,
    repeats: str = "error",
    max_size: float = MAX_SIZE,
    missing: str | None = None,
    drop_worst: float = 0.0,
    drop_identical: bool = False,
    higher_is_better: bool = True,
    strata: str | None = None,
    weights: str | None = None,
    pool: int | None = None,
) -> pd.DataFrame:
    """Read scores from a path, several paths or a data set, and leave out systems.

    Missing scores stay missing unless ``missing`` says how to treat them. ``strata`` is a file with
    the task of each item, or a column of the scores' file; ``weights`` is "equal", "size" or
    numbers by task, as in ``maths=2,law=1``.
    """
    import bayescorr
    from bayescorr.scores.check import check_shape, treat_missing
    from bayescorr.scores.measures import display
    from bayescorr.scores.registry import DATASETS
    from bayescorr.scores.strata import with_strata
    from bayescorr.scores.taskfiles import parse_weights, read_strata

    paths = [source] if isinstance(source, str) else list(source)
    name = paths[0] if len(paths) == 1 else None
    if name is None or os.path.exists(name) or not re.fullmatch(r"[\w-]+", name):
        scores = bayescorr.read_scores(
            paths if name is None else name,
            format=format,
            measure=measure,
            transpose=transpose,
            as_is=as_is,
            repeats=repeats,
            max_size=max_size,
        )
    elif name in DATASETS:
        known = DATASETS[name].measure
        if transpose:
            raise OptionError(
                f"The columns of the data set {name!r} are systems.",
                ("Omit ", Argument("transpose"), "."),
            )
        if format != "auto" or (measure is not None and display(measure) != known):
            given = Argument("measure", measure) if format == "auto" else Argument("format", format)
            raise OptionError(
                ("The data set ", repr(name), f" has scores of {known} only; got ", given, "."),
                "Omit this option, or pass a file.",
            )
        scores = bayescorr.load_dataset(name)
    else:
        raise OptionError(
            f"{name!r} is neither a file nor a data set.",
            f"Check the path, or choose a data set: {', '.join(DATASETS)}.",
        )
    if missing is not None and scores.isna().to_numpy().any():
        scores = treat_missing(scores, missing)
    check_shape(scores, f"{paths[0]}: ")
    if strata is not None or weights is not None or pool is not None:
        tasks = None if strata is None else read_strata(strata, paths, max_size)
        scores = with_strata(scores, tasks, parse_weights(weights), pool=pool)
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
