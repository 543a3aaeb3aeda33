"""Speed of the frequentist estimators at the settings of Urbano & Marrero 2016.

All six estimators, tau and tau_ap, T = 1,000, on the 97 best systems and 50 topics of adhoc8, or on
generated scores of that size if BAYESCORR_DATA is not set. The peer computes what the published
code does, pair by pair and split by split, with numpy. It is timed on a share of the pairs and
splits and scaled up. The published R code takes 172 s for the six estimators.
"""

from __future__ import annotations

import os
import warnings
from time import perf_counter

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescorr as bc
from bayescorr.coefficients import resolve
from bayescorr.frequentist import ESTIMATORS
from bayescorr.frequentist.bandwidth import plugin_bandwidth
from bayescorr.frequentist.estimates import estimates
from bayescorr.frequentist.sample import make_sample

SIX = ("ML", "MSQD", "RES", "KD", "SHw", "SHwo")
PUBLISHED_R_SECONDS = 172.0
T = 1000


def collection(systems=97, topics=50):
    if "BAYESCORR_DATA" in os.environ and (systems, topics) == (97, 50):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bc.ScoresWarning)
            return bc.drop_worst(bc.load_dataset("adhoc8_ap"), 0.25)
    rng = np.random.default_rng(1)
    means = rng.beta(4, 12, systems)
    difficulty = rng.normal(0, 1, (topics, 1))
    logit = np.log(means / (1 - means)) + difficulty + rng.normal(0, 0.7, (topics, systems))
    return pd.DataFrame(np.round(1 / (1 + np.exp(-logit)), 4)).add_prefix("s")


def seconds(function):
    start = perf_counter()
    function()
    return perf_counter() - start


def peer_seconds(values, share=60):
    """Time the six estimators pair by pair and split by split, on a share of both."""
    n, m = values.shape
    values = values[:, np.argsort(-values.mean(axis=0))]
    rng = np.random.default_rng(1)
    every = [(i, j) for j in range(m) for i in range(j)]
    some = [every[k] for k in rng.choice(len(every), share, replace=False)]

    def pair(i, j):
        x = values[:, i] - values[:, j]
        stats.t.cdf(-np.sqrt(n) * x.mean() / x.std(ddof=1), n - 1)
        q = stats.norm.ppf(stats.rankdata(x) / (n + 1))
        stats.t.cdf(-np.sqrt(n) * x.mean() / ((x * q).sum() / (q**2).sum()), n - 1)
        (rng.choice(x, (T, n)).mean(axis=1) < 0).mean()
        h = plugin_bandwidth(x)
        ((rng.choice(x, (T, n)) + h * rng.standard_normal((T, n))).mean(axis=1) < 0).mean()

    def split(size):
        first, second = rng.permutation(n)[: 2 * size].reshape(2, size)
        truth, observed = values[first].mean(axis=0), values[second].mean(axis=0)
        stats.kendalltau(truth, observed)
        order = truth[np.argsort(-observed)]
        sum((order[:k] < order[k]).mean() for k in range(1, m))

    pairs = seconds(lambda: [pair(*ij) for ij in some]) * len(every) / share
    splits = seconds(lambda: [split(n // 4) for _ in range(share)]) * 4000 / share
    return pairs + splits


@pytest.mark.benchmark(group="six estimators, tau and tau_ap")
@pytest.mark.parametrize("intervals", [False, True], ids=["estimates", "with intervals"])
def test_six_estimators_against_pair_by_pair(benchmark, intervals):
    values = collection().to_numpy()
    coefficients = [resolve("tau"), resolve("tau_ap")]
    methods = [ESTIMATORS[name] for name in SIX]
    peer_seconds(values, share=5)
    peer = peer_seconds(values)

    def run():
        sample = make_sample(values, draws=T, random_seed=1)
        return estimates(sample, methods, coefficients, intervals=intervals)

    benchmark.pedantic(run, rounds=10, warmup_rounds=1)
    best = benchmark.stats.stats.min
    benchmark.extra_info["pair by pair in numpy (s)"] = peer
    benchmark.extra_info["times faster"] = peer / best
    benchmark.extra_info["times faster than 172 s"] = PUBLISHED_R_SECONDS / best
    print(
        f"\nsix estimators in {best:.3f} s: {peer / best:.0f} times faster than pair by pair, "
        f"{PUBLISHED_R_SECONDS / best:.0f} times faster than the published code's 172 s"
    )
    assert peer / best > 20


@pytest.mark.benchmark(group="each estimator, 97 systems x 50 topics")
@pytest.mark.parametrize("name", list(ESTIMATORS))
@pytest.mark.filterwarnings("ignore::bayescorr.errors.ScoresWarning")
def test_each_estimator(benchmark, name):
    scores = collection()
    benchmark.pedantic(bc.estimate, (scores, name), {"random_seed": 1}, rounds=5, warmup_rounds=1)


@pytest.mark.benchmark(group="one collection of a study, 55 systems")
@pytest.mark.parametrize("topics", [10, 50, 100])
def test_a_collection_of_a_study(benchmark, topics):
    values = collection(55, topics).to_numpy()
    coefficients = [resolve("tau"), resolve("tau_ap")]
    methods = [ESTIMATORS[name] for name in SIX]

    def run():
        estimates(make_sample(values, random_seed=1), methods, coefficients, intervals=False)

    benchmark.pedantic(run, rounds=10, warmup_rounds=1)
    benchmark.extra_info["collections per second"] = 1 / benchmark.stats.stats.min
