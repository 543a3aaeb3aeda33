from __future__ import annotations

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="session")
def continuous() -> pd.DataFrame:
    """Scores like average precision: 30 topics, 6 systems that agree on what is hard."""
    rng = np.random.default_rng(20)
    topic = rng.normal(-1, 1, size=(30, 1))
    system = np.linspace(-0.6, 0.6, 6)
    x = 1 / (1 + np.exp(-(topic + system + rng.normal(0, 0.5, size=(30, 6)))))
    return pd.DataFrame(
        x.round(4), index=[f"q{i}" for i in range(30)], columns=["f", "b", "a", "e", "d", "c"]
    )


@pytest.fixture(scope="session")
def discrete(continuous: pd.DataFrame) -> pd.DataFrame:
    """Scores like precision at 10."""
    return (continuous * 10).round() / 10


@pytest.fixture(scope="session")
def top(trec):
    """Read a TREC matrix without the worst quarter of the systems, as the 2016 study does."""

    def load(name: str) -> pd.DataFrame:
        scores = trec(name)
        means = scores.mean()
        return scores.loc[:, means >= means.quantile(0.25)]

    return load
