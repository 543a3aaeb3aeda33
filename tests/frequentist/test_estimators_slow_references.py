"""The estimators against the text of the paper, done slowly, and against published values."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import slow_estimators as slow

import bayescorr as bc
from bayescorr.coefficients import resolve
from bayescorr.frequentist import ESTIMATORS
from bayescorr.frequentist.estimates import estimates, pair_discordance
from bayescorr.frequentist.sample import make_sample

COEFFICIENTS = [resolve("tau"), resolve("tau_ap")]
MATRICES = [
    "adhoc5_ap", "adhoc6_ap", "adhoc7_ap", "adhoc8_ap",
    "web2010_ap", "web2010_p10", "web2011_ap", "web2011_p10",
]  # fmt: skip


def values_of(sample, method, **options):
    found, _ = estimates(sample, [ESTIMATORS[method]], COEFFICIENTS, **options)
    return [e.value for e in found]


def small():
    scores = bc.load_dataset("demo")
    return scores.to_numpy()[:20, [1, 4, 9, 13, 18, 22, 26]]


def test_published_values_of_msqd(trec):
    found = values_of(make_sample(trec("adhoc6_ap").to_numpy()), "MSQD", intervals=False)
    assert found == pytest.approx([0.8600266, 0.816099], abs=5e-8)


@pytest.mark.slow
@pytest.mark.parametrize("drop", [False, True], ids=["all", "best 75%"])
@pytest.mark.parametrize("matrix", MATRICES)
def test_ml_and_msqd_against_a_loop(trec, matrix, drop):
    scores = trec(matrix)
    if drop:
        scores = bc.drop_worst(scores, 0.25)
    sample = make_sample(scores.to_numpy())
    for method, probability in (("ML", slow.ml_probability), ("MSQD", slow.msqd_probability)):
        p = pair_discordance(ESTIMATORS[method], sample)
        loop = np.zeros_like(p)
        for i, j, x in slow.pairs(sample.values):
            loop[j, i] = probability(x)
        np.testing.assert_allclose(p, loop, atol=1e-10)
        found = values_of(sample, method, intervals=False)
        if not sample.tied.any():
            by_pairs = slow.expected([(i, j, loop[j, i]) for j in range(len(p)) for i in range(j)])
            assert found == pytest.approx(by_pairs, abs=1e-10)


def test_ml_and_msqd_against_a_loop_on_the_demo():
    values = slow.ranked(bc.load_dataset("demo").to_numpy())
    sample = make_sample(values)
    for method, probability in (("ML", slow.ml_probability), ("MSQD", slow.msqd_probability)):
        loop = [(i, j, probability(x)) for i, j, x in slow.pairs(values)]
        assert values_of(sample, method) == pytest.approx(slow.expected(loop), abs=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["RES", "KD"])
def test_resampling_against_pair_by_pair(method):
    values = slow.ranked(small())
    size = 2000
    rng = np.random.default_rng(1)
    probability = {"RES": slow.res_probability, "KD": slow.kd_probability}[method]
    loop = [(i, j, probability(x, size, rng)) for i, j, x in slow.pairs(values)]
    sample = make_sample(values, draws=8 * size, random_seed=2)
    p = pair_discordance(ESTIMATORS[method], sample)
    for i, j, x in loop:
        error = np.sqrt(p[j, i] * (1 - p[j, i]) * (1 / size + 1 / (8 * size)))
        assert p[j, i] == pytest.approx(x, abs=4 * error + 1e-12)
    found, _ = estimates(sample, [ESTIMATORS[method]], COEFFICIENTS)
    for estimate, by_pairs, weights in zip(
        found, slow.expected(loop), sample.weights.values(), strict=True
    ):
        ours = estimate.sd**2 / sample.draws
        theirs = (weights**2 * p * (1 - p)).sum() / size
        assert estimate.value == pytest.approx(by_pairs, abs=4 * np.sqrt(ours + theirs))


@pytest.mark.parametrize("method", ["SHw", "SHwo"])
def test_split_half_against_the_text(method):
    values = small()
    loops = [
        slow.split_half(values, method == "SHw", np.random.default_rng(seed)) for seed in range(6)
    ]
    ours = [values_of(make_sample(values, random_seed=seed), method) for seed in range(60)]
    mean, error = np.mean(ours, axis=0), np.std(ours, axis=0, ddof=1)
    difference = abs(mean - np.mean(loops, axis=0))
    assert (difference < 4 * error * np.sqrt(1 / 60 + 1 / 6)).all()


def test_sh_is_a_plain_mean():
    values = small()
    rng = np.random.default_rng(1)
    loop = []
    for _ in range(1000):
        first, second = rng.choice(20, (2, 20))
        loop.append(slow.correlation(values[first].mean(axis=0), values[second].mean(axis=0)))
    sample = make_sample(values, draws=4000, random_seed=1)
    found, _ = estimates(sample, [ESTIMATORS["SH"]], COEFFICIENTS)
    for estimate, draws in zip(found, np.transpose(loop), strict=True):
        error = estimate.sd * np.sqrt(1 / 1000 + 1 / 4000)
        assert estimate.value == pytest.approx(draws.mean(), abs=4 * error)
        assert estimate.interval(0.9) == tuple(np.quantile(estimate.draws, [0.05, 0.95]))
        assert estimate.interval(0.9) == pytest.approx(np.quantile(draws, [0.05, 0.95]), abs=0.05)


@pytest.mark.parametrize("method", ["ML", "RES"])
def test_tau_gap_is_the_mean_over_true_means(method):
    scores = pd.DataFrame(small())
    scores.columns = list("abcdefg")
    table = bc.estimate(scores, method, ["tau", "tau_gap"], random_seed=1, draws=500)
    sample = make_sample(scores.to_numpy(), draws=500, random_seed=1)
    truth = ESTIMATORS[method].true_means(sample)
    by_hand = bc.tau_gap(truth, sample.means)
    assert table["estimate"][1] == pytest.approx(by_hand.mean(), abs=1e-12)
    assert table["sd"][1] == pytest.approx(by_hand.std(ddof=1), abs=1e-12)
