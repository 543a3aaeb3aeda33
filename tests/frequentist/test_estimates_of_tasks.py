"""Frequentist estimates of weighted means over tasks, against slow computations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescorr
from bayescorr.frequentist.api import prepare
from bayescorr.frequentist.ml import unbiasing_factor

WEIGHTS = {"x": 0.5, "y": 0.2, "z": 0.3}


@pytest.fixture(scope="module")
def scores():
    """Four systems on 40 items of three tasks of different spread."""
    rng = np.random.default_rng(2)
    names = np.repeat(["x", "y", "z"], [6, 14, 20])
    spread = np.repeat([1.0, 3.0, 0.5], [6, 14, 20])[:, None]
    table = pd.DataFrame(spread * rng.standard_normal((40, 4)) + [0.1, 0.2, 0.3, 0.9])
    return bayescorr.with_strata(table, pd.Series(names, index=table.index), WEIGHTS)


def by_task(scores):
    names = np.repeat(["x", "y", "z"], [6, 14, 20])
    return [(WEIGHTS[name], scores[names == name].to_numpy()) for name in "xyz"]


def test_variance_of_the_weighted_mean(scores):
    _, sample = prepare(scores, 1000, True, "error", 1)
    expected = sum(w**2 * np.cov(x.T) / len(x) for w, x in by_task(scores))
    order = sample.order
    noise = sample.deviations.T @ sample.deviations / (40 * 39)
    assert np.allclose(noise, expected[np.ix_(order, order)])
    difference = expected[3, 3] + expected[0, 0] - 2 * expected[0, 3]
    i, j = sorted(np.flatnonzero(np.isin(order, [0, 3])))
    assert sample.sd[j, i] ** 2 / 40 == pytest.approx(difference)


def test_ml_by_hand(scores):
    """ML of two systems is the t cdf with the degrees of freedom of Welch and Satterthwaite."""
    two = scores[[0, 1]]
    parts = [(w, (x[:, 1] - x[:, 0])) for w, x in by_task(two)]
    mean = sum(w * d.mean() for w, d in parts)
    v = np.array([w**2 * d.var(ddof=1) / len(d) for w, d in parts])
    degrees = v.sum() ** 2 / sum(x**2 / (len(d) - 1) for x, (_, d) in zip(v, parts, strict=True))
    sigma = np.sqrt(v.sum()) * unbiasing_factor(degrees + 1)
    expected = stats.t.cdf(-abs(mean) / sigma, degrees)
    assert bayescorr.discordance(two, "ML").iloc[0, 1] == pytest.approx(expected)


def test_msqd_combines_the_sigma_of_each_task(scores):
    _, sample = prepare(scores, 1000, True, "error", 1)
    from bayescorr.frequentist.msqd import sigma

    total = np.zeros((4, 4))
    for weight, values in by_task(scores):
        _, alone = prepare(pd.DataFrame(values), 1000, True, "error", 1)
        found = sigma(alone) + sigma(alone).T
        back = np.argsort(alone.order)
        total += weight**2 * found[np.ix_(back, back)] ** 2 / len(values)
    expected = np.sqrt(40 * np.tril(total[np.ix_(sample.order, sample.order)], -1))
    assert np.allclose(sigma(sample), expected)


def test_res_resamples_within_tasks(scores):
    from bayescorr.frequentist.sample import bootstrap_means

    _, sample = prepare(scores, 20_000, True, "error", 1)
    drawn = bootstrap_means(sample)
    variance = sum(w**2 * x.var(axis=0) / len(x) for w, x in by_task(scores))[sample.order]
    assert np.allclose(drawn.mean(axis=0), sample.means, atol=5 * np.sqrt(variance.max() / 20_000))
    assert np.allclose(drawn.var(axis=0) / variance, 1, atol=0.06)


def test_one_task_changes_nothing(scores):
    plain = pd.DataFrame(scores.to_numpy())
    one = bayescorr.with_strata(plain, pd.Series("x", index=plain.index))
    tables = [bayescorr.estimate(x, ["ML", "MSQD", "RES"], random_seed=1) for x in (plain, one)]
    pd.testing.assert_frame_equal(*tables, check_exact=True)


def test_others_say_that_they_do_not_support_tasks(scores):
    table = bayescorr.estimate(scores, ["KD", "SH", "ML"], "tau", random_seed=1)
    assert table["estimate"].isna().tolist() == [True, True, False]
    assert table.attrs["notes"] == [
        "KD does not support tasks: use ML, MSQD or RES.",
        "SH does not support tasks: use ML, MSQD or RES.",
    ]
    with pytest.raises(bayescorr.BayescorrError, match="KD does not support discordance"):
        bayescorr.discordance(scores, "KD")


def test_arguments_and_stored_strata_agree(scores):
    plain = pd.DataFrame(scores.to_numpy())
    strata = pd.Series(np.repeat(["x", "y", "z"], [6, 14, 20]))
    given = bayescorr.estimate(plain, "ML", strata=strata, weights=WEIGHTS, random_seed=1)
    pd.testing.assert_frame_equal(given, bayescorr.estimate(scores, "ML", random_seed=1))
    table = bayescorr.compare(plain, "flat", "ML", "tau", strata=strata, random_seed=1)
    assert table["estimate"].notna().all()
