from __future__ import annotations

import numpy as np
import pytest

from bayescorr.errors import render
from bayescorr.planning.needed import TopicsNeeded, error_interval


def plan(topics, lower=None, upper=None, *, observed=600, extend=False):
    return TopicsNeeded(
        "known", "tau", 0.9, 0.95, observed, extend, 10_000, topics, None, {}, lower, upper
    )


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (
            plan(1517, 1320, 1702),
            "A fresh set of about 1,500 topics (95% Monte Carlo interval 1,300 to 1,800) would "
            "reach tau >= 0.9 with probability 0.95; you have 600. To keep those and add more, see "
            "extend=True.",
        ),
        (
            plan(37, 35, 40),
            "A fresh set of about 37 topics (95% Monte Carlo interval 35 to 40) would reach "
            "tau >= 0.9 with probability 0.95; you have 600.",
        ),
        (
            plan(9700, 9000, None),
            "A fresh set of about 9,700 topics (95% Monte Carlo interval 9,000 to more than "
            "10,000) would reach tau >= 0.9 with probability 0.95; you have 600. To keep those and "
            "add more, see extend=True.",
        ),
        (
            plan(1517, 1320, 1702, extend=True),
            "About 1,500 topics in total (95% Monte Carlo interval 1,300 to 1,800) would reach "
            "tau >= 0.9 with probability 0.95; you have 600, so add about 900.",
        ),
        (
            plan(484, 300, 700, observed=50, extend=True),
            "About 500 topics in total (95% Monte Carlo interval 300 to 700) would reach "
            "tau >= 0.9 with probability 0.95; you have 50, so add about 450.",
        ),
        (
            plan(52, 50, 75, observed=50, extend=True),
            "About 52 topics in total (95% Monte Carlo interval 50 to 80) would reach "
            "tau >= 0.9 with probability 0.95; you have 50, so add about 2.",
        ),
        (
            plan(600, 600, 650, extend=True),
            "The 600 topics that you have reach tau >= 0.9 with probability 0.95.",
        ),
        (
            plan(None),
            "Even 10,000 topics in a fresh set would not reach tau >= 0.9 with probability 0.95; "
            "you have 600.",
        ),
    ],
)
def test_plans_are_in_plain_words(found, words):
    assert str(found) == words
    assert render(found.text, shell=True) == words.replace("extend=True", "--extend")


def test_interval_holds_what_other_seeds_find():
    """The share of n uniform numbers below n / 1000 crosses 0.9 at a size that depends on them."""
    truth, inside = 900, 0
    for seed in range(200):
        uniform = np.random.default_rng(seed).random(1000) * 1000
        drawn = lambda n, uniform=uniform: (uniform < n).astype(float)  # noqa: E731
        lower, upper = error_interval(drawn, 0.5, 0.9, 1, 1000)
        inside += lower <= truth <= upper
    # Within three standard errors of 95%.
    assert abs(inside / 200 - 0.95) < 3 * np.sqrt(0.95 * 0.05 / 200)
