"""Updates of a difference: against a grid, step by step, and against simulated topics."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from bayescorr.planning.conjugate import Belief


def above_on_a_grid(belief, x, level):
    """Multiply prior and likelihood on a grid of differences and standard deviations."""
    delta = (np.arange(-600, 600) + 0.5)[:, None] / 100
    s = np.linspace(0.02, 6, 1500)[None, :]
    # The density of s when freedom * variance / s^2 is chi-square.
    log = -(belief.freedom + 1) * np.log(s) - belief.freedom * belief.variance / (2 * s**2)
    log = log + norm.logpdf(delta, belief.centre, s / np.sqrt(belief.topics))
    for value in x:
        log = log + norm.logpdf(value, delta, s)
    density = np.exp(log - log.max())
    return density[delta[:, 0] > level].sum() / density.sum()


def test_update_against_a_grid():
    belief = Belief(0.3, 3.0, 1.2, 5.0)
    x = np.array([0.4, -0.8, 1.5, 0.9])
    after = belief.updated(4, x.mean(), ((x - x.mean()) ** 2).sum())
    for level in (0.0, 0.5):
        expected = above_on_a_grid(belief, x, level)
        assert float(after.above(level)) == pytest.approx(expected, abs=3e-3)


def test_two_updates_are_one():
    belief = Belief(0.3, 3.0, 1.2, 5.0)
    x = np.random.default_rng(1).normal(size=7)

    def update(belief, x):
        return belief.updated(len(x), x.mean(), ((x - x.mean()) ** 2).sum())

    once, twice = update(belief, x), update(update(belief, x[:3]), x[3:])
    for name in ("centre", "topics", "variance", "freedom"):
        assert getattr(once, name) == pytest.approx(getattr(twice, name))


def test_probabilities_are_those_of_draws():
    belief, rng = Belief(0.3, 3.0, 1.2, 5.0), np.random.default_rng(1)
    variance = 5.0 * 1.2 / rng.chisquare(5, 400_000)
    draws = rng.normal(0.3, np.sqrt(variance / 3))
    assert float(belief.above(0.5)) == pytest.approx((draws > 0.5).mean(), abs=4e-3)
    # The bound is that of one topic: its distance shrinks with the root of the topics.
    bound = 0.3 - float(belief.bound(0.9)) / np.sqrt(3)
    assert float(belief.above(bound)) == pytest.approx(0.9)


def test_a_known_variance_stays():
    found = Belief.from_draws(0.1, np.full(10, 2.0), 20)
    assert found.variance == pytest.approx(2.0, rel=1e-5)
    assert found.freedom >= 1e6


@pytest.mark.parametrize("level", [0.2, 1.0, 5.0])
def test_without_undoes_an_update_from_equal_systems(level):
    """Also where topics vary much less or more than was expected."""
    before, rng = Belief(0.0, 4.0, 1.2, 15.0), np.random.default_rng(1)
    x = 0.3 + level * rng.normal(size=20)
    topics = len(x), float(x.mean()), float(((x - x.mean()) ** 2).sum())
    found = before.updated(*topics).without(*topics)
    assert found.centre == 0
    for name in ("topics", "variance", "freedom"):
        assert getattr(found, name) == pytest.approx(getattr(before, name))


def test_a_flat_prior_leaves_the_variance_of_one_topic():
    # Reference posterior of 20 topics with scatter 19.
    found = Belief(0.3, 20.0, 1.0, 19.0).without(20, 0.3, 19.0)
    assert (found.centre, found.topics, found.freedom, found.variance) == (0, 0, 1, 1)
