"""Vine copulas, by pyvinecopulib."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayescorr._numbers import FloatArray
from bayescorr._optional import require
from bayescorr.errors import OptionError, ScoresError

_PAIR_COPULAS = (
    *("indep", "gaussian", "student", "clayton", "gumbel", "frank", "joe"),
    *("bb1", "bb6", "bb7", "bb8"),
)
_VINE_TOPICS = 10  # with fewer, pyvinecopulib takes every pair to be independent


def check_truncation(truncation: int | None) -> int | None:
    """Refuse what is no number of trees."""
    if truncation is not None and (int(truncation) != truncation or truncation < 1):
        raise OptionError(
            f"A truncation after {truncation} trees was asked for.",
            "Give a whole number of trees, at least 1, or None for all.",
        )
    return None if truncation is None else int(truncation)


def fit_vine(observations: FloatArray, family: str, truncation: int | None) -> Any:
    """Fit a regular vine to pseudo-observations, its pair copulas chosen by AIC."""
    library = require("pyvinecopulib", extra="copula")
    if len(observations) < _VINE_TOPICS:
        raise ScoresError(
            f"{len(observations)} topics found, a vine needs at least {_VINE_TOPICS}.",
            'Use family="gaussian" without truncation.',
        )
    names = _PAIR_COPULAS if family == "vine" else ("gaussian",)
    families = [getattr(library.BicopFamily, name) for name in names]
    options = {} if truncation is None else {"trunc_lvl": truncation}
    controls = library.FitControlsVinecop(
        family_set=families, selection_criterion="aic", num_threads=1, **options
    )
    return library.Vinecop.from_data(np.asfortranarray(observations), controls=controls)
