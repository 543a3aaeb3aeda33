"""Scores of a few systems under several conditions, for the tests of fit_conditions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from bayescorr.conditions.fit import agreement_of


def make_scores(seed=1, n=12, m=4, sd=0.05):
    rng = np.random.default_rng(seed)
    values = np.linspace(0.2, 0.5, m) + rng.normal(0, 0.1, (n, 1)) + rng.normal(0, sd, (n, m))
    return pd.DataFrame(values, index=[f"t{i:02}" for i in range(n)], columns=list("abcdefgh")[:m])


def noisy(scores, sd, seed=2):
    return scores + np.random.default_rng(seed).normal(0, sd, scores.shape)


def from_draws(means, tables, higher_is_better=None):
    """Make the result of given draws, chains x draws x conditions x systems."""
    better = higher_is_better or [True] * len(tables)
    attributes = {"model": "", "measure": ""}
    return agreement_of({"posterior": xr.Dataset()}, means, tables, better, attributes)
