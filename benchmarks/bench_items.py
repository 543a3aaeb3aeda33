"""Growth in the number of items: time and memory of fits of 0/1 scores."""

from __future__ import annotations

import resource

import numpy as np
import pandas as pd
import pytest

import bayescorr

OPTIONS = {"random_seed": 1, "warn": False, "inference": "laplace"}


def items(systems: int, n: int) -> pd.DataFrame:
    """Make 0/1 scores with items of different difficulty."""
    rng = np.random.default_rng(1)
    ability = np.linspace(-1, 2, systems)
    style = 0.7 * rng.standard_normal((n, 1)) * np.linspace(-1, 1, systems)
    p = 1 / (1 + np.exp(-(ability + 1.5 * rng.standard_normal((n, 1)) + style)))
    return pd.DataFrame((rng.random((n, systems)) < p).astype(float)).add_prefix("s")


@pytest.mark.benchmark(group="items: growth with the number of items, 25 systems")
@pytest.mark.parametrize("model", ["flat", "bootstrap-shrunk", "matrix-t"])
@pytest.mark.parametrize("n", [500, 2_000, 20_000])
def test_growth(benchmark, model, n):
    frame = items(25, n)
    bayescorr.fit(frame, model, **OPTIONS)
    found = benchmark.pedantic(bayescorr.fit, (frame, model), OPTIONS, rounds=3)
    assert found.convergence.passed, found.convergence


@pytest.mark.benchmark(group="items: 200 systems x 20,000 items, warm")
def test_large_leaderboard(benchmark, tmp_path):
    items(200, 20_000).to_csv(tmp_path / "scores.csv", index_label="item")
    frame = bayescorr.read_scores(tmp_path / "scores.csv")
    bayescorr.fit(frame, **OPTIONS, draws=50)
    found = benchmark.pedantic(bayescorr.fit, (frame,), OPTIONS, rounds=1)
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    seconds = benchmark.stats.stats.min
    print(f"\n200 x 20,000: {seconds:.1f} s, at most {gigabytes:.2f} GB")
    assert found.convergence.passed
    assert gigabytes < 2
    assert seconds < 20
