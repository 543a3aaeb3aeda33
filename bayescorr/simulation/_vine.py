"""Vine copulas, fitted by pyvinecopulib."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayescorr._numbers import FloatArray
from bayescorr._optional import require
from bayescorr.errors import ScoresError

_PAIR_COPULAS = (
    *("indep", "gaussian", "student", "clayton", "gumbel", "frank", "joe"),
    *("bb1", "bb6", "bb7", "bb8"),
)
_VINE_TOPICS = 10  # with fewer, pyvinecopulib makes every pair independent


def fit_vine(observations: FloatArray, family: str, truncation: int | None) -> Any:
    """Fit a regular vine to pseudo-observations, with pair copulas selected by AIC."""
    library = require("pyvinecopulib", extra="copula")
    if len(observations) < _VINE_TOPICS:
        raise ScoresError(
            f"A vine needs at least {_VINE_TOPICS} topics; found {len(observations)}.",
            'Use family="gaussian" without truncation.',
        )
    names = _PAIR_COPULAS if family == "vine" else ("gaussian",)
    families = [getattr(library.BicopFamily, name) for name in names]
    options = {} if truncation is None else {"trunc_lvl": truncation}
    controls = library.FitControlsVinecop(
        family_set=families, selection_criterion="aic", num_threads=1, **options
    )
    return library.Vinecop.from_data(np.asfortranarray(observations), controls=controls)


def load_vine(text: str) -> Any:
    """Return the vine that its ``to_json`` wrote."""
    return require("pyvinecopulib", extra="copula").Vinecop.from_json(text)
