"""Speed of drawing new topics, compared with the published method: one root per score.

The R code of Urbano & Marrero (2016) takes 7.2 s for 1,000 topics of adhoc6 without the worst
quarter (50 topics x 55 systems); ``pytest benchmarks/bench_simulation.py`` compares both.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, special

from bayescorr import CopulaSimulator, EffectsSimulator

TOPICS = 1000
#: Seconds that the R code takes, as reported by its authors.
IN_R = 7.2


@pytest.fixture(scope="module")
def scores():
    """Scores of the size of adhoc6: speed does not depend on their values."""
    rng = np.random.default_rng(6)
    x = rng.normal(-1.2, 1, size=(50, 1)) + rng.normal(0, 0.6, size=(50, 55))
    return 1 / (1 + np.exp(-x))


def by_roots(simulator: EffectsSimulator, rng: np.random.Generator) -> np.ndarray:
    """Invert each kernel cdf, linear between 401 points, at each uniform variable."""
    z = rng.standard_normal((TOPICS, len(simulator._factor))) @ simulator._factor
    u = special.ndtr(z)
    grid = np.linspace(-6.1, 6.1, 401)
    for j, column in enumerate(simulator._effects.T):
        cdf = special.ndtr((grid[:, None] - column) / 0.3).mean(axis=1)
        u[:, j] = [
            optimize.brentq(lambda x, cdf=cdf, p=p: np.interp(x, grid, cdf) - p, -6.1, 6.1)
            for p in u[:, j]
        ]
    return u


@pytest.mark.benchmark(group="simulate 1,000 topics of 55 systems")
def test_effects(benchmark, scores):
    simulator = EffectsSimulator(scores)
    simulator.sample(1)
    benchmark(simulator.sample, TOPICS, random_seed=1)
    assert IN_R / benchmark.stats["min"] >= 100


@pytest.mark.benchmark(group="simulate 1,000 topics of 55 systems")
def test_copula(benchmark, scores):
    simulator = CopulaSimulator(scores)
    simulator.sample(1)
    benchmark(simulator.sample, TOPICS, random_seed=1)


@pytest.mark.benchmark(group="simulate 1,000 topics of 55 systems")
def test_copula_on_a_grid(benchmark, scores):
    simulator = CopulaSimulator((scores * 10).round() / 10, support="p10")
    simulator.sample(1)
    benchmark(simulator.sample, TOPICS, random_seed=1)


@pytest.mark.benchmark(group="simulate 1,000 topics of 55 systems")
def test_one_root_per_score(benchmark, scores):
    simulator = EffectsSimulator(scores)
    benchmark.pedantic(by_roots, args=(simulator, np.random.default_rng(1)), rounds=2)


@pytest.mark.benchmark(group="fit a simulator to 50 topics of 55 systems")
def test_fit_effects(benchmark, scores):
    benchmark(lambda: EffectsSimulator(scores).sample(1))


@pytest.mark.benchmark(group="fit a simulator to 50 topics of 55 systems")
def test_fit_copula(benchmark, scores):
    benchmark.pedantic(lambda: CopulaSimulator(scores).sample(1), rounds=3)
