"""Allocation of new items to tasks: the optimum, and a simulation that compares equal shares."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from known_covariance import KnownCovariance
from scipy.stats import norm

import bayescorr
from bayescorr.planning import allocation


def benchmark(rng, sizes=(60, 60, 60), spread=(0.05, 0.6, 0.1), m=8):
    """True means by task and scores on the items of three tasks of different difficulty."""
    ability = np.linspace(0.3, 0.6, m)
    truth = np.array([ability + 0.02 * rng.standard_normal(m) for _ in sizes])
    values = np.vstack(
        [
            mu + sd * rng.standard_normal((n, m))
            for mu, n, sd in zip(truth, sizes, spread, strict=True)
        ]
    )
    index = [f"i{k}" for k in range(len(values))]
    tasks = pd.Series(np.repeat(["easy", "hard", "middle"], sizes), index=index)
    return truth, pd.DataFrame(values, index=index), tasks


@pytest.fixture(scope="module")
def found():
    """A plan for 300 items."""
    _, scores, tasks = benchmark(np.random.default_rng(1))
    fit = bayescorr.fit(scores, KnownCovariance(), strata=tasks, random_seed=1)
    return bayescorr.allocate_items(fit, 300, random_seed=1)


def test_items_go_where_scores_vary_most(found):
    items = found.items.set_index("task")
    assert items["best"].sum() == items["equal"].sum() == items["proportional"].sum() == 300
    assert items["best"].idxmax() == "hard"
    assert items.loc["hard", "best"] >= 250
    assert items["equal"].tolist() == [100, 100, 100]


def test_prediction_says_what_the_plans_buy(found):
    table = found.table().set_index("plan")["estimate"]
    assert table["best"] > table["equal"] > table["now"]
    assert "Of 300 new items, give " in str(found)


def test_greedy_is_the_optimum_of_all_divisions():
    rng = np.random.default_rng(3)
    truth = rng.standard_normal((40, 4)) + np.arange(4)
    variances = rng.uniform(5, 50, (3, 6))
    weights, sizes, total = np.array([0.5, 0.3, 0.2]), np.array([20, 30, 10]), 50
    best = allocation._best(truth, variances, weights, sizes, total)

    def swaps(added):
        first, second = np.triu_indices(4, 1)
        sd = np.sqrt((weights[:, None] ** 2 * variances / (sizes + added)[:, None]).sum(axis=0))
        return norm.cdf(-np.abs(truth[:, first] - truth[:, second]) / sd).mean(axis=0).sum()

    every = [
        np.array([a, b, total - a - b])
        for a, b in itertools.product(range(total + 1), repeat=2)
        if a + b <= total
    ]
    assert swaps(best) <= min(map(swaps, every)) + 1e-4


def test_variances_of_pairs():
    noise = np.random.default_rng(1).standard_normal((2, 50, 3))
    found = allocation.pair_variances(noise)
    assert np.allclose(found[1, 1], np.square(noise[1, :, 0] - noise[1, :, 2]).mean())


def test_extended_means_by_hand():
    observed, means = np.array([[0.2], [0.6]]), np.array([[[0.4]], [[0.5]]])
    noise = np.array([[[3.0]], [[1.0]]])
    arguments = np.array([0.25, 0.75]), np.array([12, 5]), np.array([4, 0])
    found = allocation._extended(observed, means, noise, *arguments)
    assert found[0, 0] == pytest.approx(0.25 * (12 * 0.2 + 4 * 0.4 + 2 * 3.0) / 16 + 0.75 * 0.6)


def test_fits_without_tasks_are_refused():
    _, scores, _ = benchmark(np.random.default_rng(1))
    fit = bayescorr.fit(scores, KnownCovariance(), random_seed=1)
    with pytest.raises(bayescorr.BayescorrError, match="no tasks to divide new items among"):
        bayescorr.allocate_items(fit)


@pytest.mark.slow
def test_the_plan_beats_equal_shares_on_new_items():
    """New items are drawn from the simulator that made the scores, 40 times."""
    gains = []
    for seed in range(40):
        rng = np.random.default_rng([7, seed])
        spread = (0.05, 0.6, 0.1)
        truth, scores, tasks = benchmark(rng)
        fit = bayescorr.fit(scores, KnownCovariance(), strata=tasks, random_seed=1)
        plan = bayescorr.allocate_items(fit, 300, draws=200, random_seed=1).items
        taus = {}
        for name in ("best", "equal"):
            means = []
            for k, (task, new) in enumerate(zip(plan["task"], plan[name], strict=True)):
                more = truth[k] + spread[k] * rng.standard_normal((new, truth.shape[1]))
                means.append(np.vstack([scores[tasks == task].to_numpy(), more]).mean(axis=0))
            taus[name] = float(bayescorr.tau(truth.mean(axis=0), np.mean(means, axis=0)))
        gains.append(taus["best"] - taus["equal"])
    assert np.mean(gains) > 2 * np.std(gains) / np.sqrt(len(gains))
