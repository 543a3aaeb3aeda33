"""Speed of the coefficients, as ratios within the same run.

Run with ``pytest benchmarks --benchmark-only``; the ratios are in ``extra_info`` of the stored
results and printed at the end of each benchmark.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest
from scipy.stats import kendalltau

import bayescorr as bc

DRAWS, SYSTEMS = 4000, 97


def means(draws, systems, seed=1):
    """Return draws of true means, and observed means, correlated as in real collections."""
    rng = np.random.default_rng(seed)
    observed = rng.beta(2, 5, systems)
    return observed + 0.03 * rng.standard_normal((draws, systems)), observed


def best_time(function, *arguments, repeats=3, **options):
    """Return the shortest wall time of a few calls, the least disturbed by other processes."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        function(*arguments, **options)
        times.append(perf_counter() - start)
    return min(times)


@pytest.mark.benchmark(group="4,000 draws x 97 systems")
def test_three_coefficients_against_scipy_tau_alone(benchmark):
    truth, observed = means(DRAWS, SYSTEMS)
    bc.correlate(truth, observed)
    peer = best_time(kendalltau, truth, observed, axis=-1)
    benchmark.pedantic(bc.correlate, (truth, observed), rounds=20, warmup_rounds=2)
    ratio = peer / benchmark.stats.stats.min
    benchmark.extra_info["scipy kendalltau (s)"] = peer
    benchmark.extra_info["times faster than scipy"] = ratio
    print(f"\ntau, tau_ap and tau_gap: {ratio:.0f} times faster than scipy's tau alone")
    assert ratio >= 30


@pytest.mark.benchmark(group="4,000 draws x 97 systems")
@pytest.mark.parametrize("case", ["many observed", "paired"])
def test_other_directions_against_one_observed(benchmark, case):
    truth, observed = means(DRAWS, SYSTEMS)
    arguments = (observed, truth) if case == "many observed" else (truth, truth[::-1])
    peer = best_time(kendalltau, *arguments, axis=-1)
    benchmark.pedantic(bc.correlate, arguments, rounds=10, warmup_rounds=1)
    benchmark.extra_info["times faster than scipy"] = peer / benchmark.stats.stats.min


@pytest.mark.benchmark(group="4,000 draws x 97 systems")
def test_observed_ties(benchmark):
    """Means rounded to two decimals, as those of P@10: groups of two to ten tied systems."""
    truth, observed = means(DRAWS, SYSTEMS)
    untied = best_time(bc.correlate, truth, observed)
    tied = observed.round(2)
    benchmark.pedantic(bc.correlate, (truth, tied), rounds=3, warmup_rounds=1)
    benchmark.extra_info["largest tied group"] = int(np.unique(tied, return_counts=True)[1].max())
    benchmark.extra_info["times as long as without ties"] = benchmark.stats.stats.min / untied


@pytest.mark.benchmark(group="growth with the number of systems")
def test_time_per_draw_grows_no_faster_than_the_square(benchmark):
    sizes = {100: 4000, 250: 1600, 500: 400, 1000: 200}
    per_draw = {}
    for systems, draws in sizes.items():
        truth, observed = means(draws, systems)
        per_draw[systems] = best_time(bc.correlate, truth, observed, repeats=7) / draws
    truth, observed = means(sizes[1000], 1000)
    benchmark.pedantic(bc.correlate, (truth, observed), rounds=5, warmup_rounds=1)
    growth = per_draw[1000] / per_draw[100]
    benchmark.extra_info["microseconds per draw"] = {m: t * 1e6 for m, t in per_draw.items()}
    benchmark.extra_info["growth from 100 to 1,000 systems"] = growth
    print(f"\n1,000 systems take {growth:.0f} times as long as 100; the square would be 100 times")
    assert growth <= 100


@pytest.mark.benchmark(group="one pair of vectors")
def test_one_pair_of_vectors(benchmark):
    truth, observed = means(1, SYSTEMS)
    peer = best_time(kendalltau, truth[0], observed, repeats=200)
    benchmark(bc.tau, truth[0], observed)
    benchmark.extra_info["times faster than scipy"] = peer / benchmark.stats.stats.min
