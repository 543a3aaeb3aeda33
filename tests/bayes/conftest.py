"""One compiled default model for all tests of this folder: compiling takes longer than sampling."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import bayescorr
from bayescorr import ConvergenceWarning, Fit

#: Few draws: what is tested here is what is done with them, not how many there are.
OPTIONS = {"draws": 150, "tune": 200, "chains": 2}


@pytest.fixture(scope="session")
def small():
    """Eight systems on twenty topics of the demo."""
    return bayescorr.load_dataset("demo").iloc[:20, :8]


@pytest.fixture(scope="session")
def fit_default():
    """Fit the default model with few draws: fit_default(scores, random_seed=1)."""

    def fit(scores, *arguments, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return bayescorr.fit(scores, *arguments, **{**OPTIONS, **options})

    return fit


@pytest.fixture(scope="session")
def default(fit_default, small):
    """The default model fitted to the small scores."""
    return fit_default(small, random_seed=1)


@pytest.fixture
def drawn():
    """Scores of five systems, two with equal means, and random draws of their true means."""
    rng = np.random.default_rng(3)
    scores = pd.DataFrame(
        rng.integers(0, 9, (6, 5)) / 8, index=list("uvwxyz"), columns=["s1", "s2", "s3", "s4", "s5"]
    )
    scores["s4"] = scores["s2"].to_numpy()[::-1]
    draws = scores.mean().to_numpy() + 0.1 * rng.standard_normal((2, 300, 5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bayescorr.ScoresWarning)
        return scores, draws, Fit.from_draws(draws, scores)
