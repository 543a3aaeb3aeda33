"""Speed of the joint statements for 4,000 draws of 129 systems, warm."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pandas as pd
import pytest

from bayescorr import Fit, latex_ranking

DRAWS, SYSTEMS = 4000, 129


@pytest.fixture(scope="module")
def fit():
    """A posterior like that of TREC-8: systems share topics, and the best are far ahead."""
    rng = np.random.default_rng(1)
    means = np.sort(rng.beta(4, 10, SYSTEMS))[::-1]
    scores = pd.DataFrame(means + 0.001 * rng.standard_normal((50, SYSTEMS))).add_prefix("system-")
    shared = rng.standard_normal((DRAWS, 3)) @ rng.standard_normal((3, SYSTEMS))
    noise = 0.015 * rng.standard_normal((DRAWS, SYSTEMS)) + 0.006 * shared
    return Fit.from_draws((means + noise).reshape(4, -1, SYSTEMS), scores)


def everything(fit):
    """All statements of a verdict, a ranking and a LaTeX table."""
    fit.joint_ranks()
    for k in (1, 5, 10):
        fit.top_set(k)
        fit.could_be_top(k)
    fit.decided_pairs(together=False)
    fit.verdict().to_dict()
    fit.winner()
    return fit.ranking()


@pytest.mark.benchmark(group="4,000 draws x 129 systems")
def test_all_joint_statements_take_less_than_a_second(benchmark, fit):
    everything(fit)
    benchmark.pedantic(everything, (fit,), rounds=5)
    assert benchmark.stats.stats.min < 1.0


@pytest.mark.benchmark(group="4,000 draws x 129 systems")
@pytest.mark.parametrize("name", ["joint_ranks", "top_set", "decided_pairs", "verdict", "ranking"])
def test_each_statement(benchmark, fit, name):
    getattr(fit, name)()
    benchmark.pedantic(getattr(fit, name), rounds=5)


@pytest.mark.benchmark(group="4,000 draws x 129 systems")
def test_latex(benchmark, fit):
    start = perf_counter()
    latex_ranking(fit)
    benchmark.extra_info["first call (s)"] = perf_counter() - start
    benchmark.pedantic(latex_ranking, (fit,), rounds=3)
