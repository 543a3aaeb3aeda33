"""The sentences on other topics: the winner only if it is not decided, then the target."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from known_covariance import KnownCovariance, make_scores

import bayescorr
from bayescorr import Fit
from bayescorr.planning.outlook import outlook


@pytest.fixture(scope="module")
def fit():
    return bayescorr.fit(make_scores(), KnownCovariance(), random_seed=1)


def test_other_topics_come_first_then_the_plan_for_an_open_winner(fit):
    plan = bayescorr.topics_to_decide(fit, level=0.9999, extend=True, random_seed=1)
    agreement = fit.predict_agreement(draws=1000, random_seed=1)
    assert fit.best().iloc[0] < 0.9999
    found = outlook(fit, 0.9999, random_seed=1)
    assert found == [agreement.in_words(0.9999), plan.answer]
    assert found[0].startswith("Another team that ranks the 5 systems on 20 other topics")
    assert "which system is the best" in found[1]


def test_a_decided_winner_has_no_plan(fit):
    agreement = fit.predict_agreement(30, random_seed=2)
    assert outlook(fit, 0.6, agreement=agreement) == [agreement.in_words(0.6)]
    assert outlook(fit, 0.4, agreement=agreement) == [agreement.in_words(0.4)]


def test_the_target_comes_last_without_its_hint(fit):
    needed = bayescorr.topics_needed(fit, target=0.5, random_seed=1)
    found = outlook(fit, 0.6, needed=needed, random_seed=1)
    assert found[1:] == [needed.answer]
    assert "extend" not in found[1]
    assert str(needed).startswith(found[1])


def test_draws_without_a_model_have_no_outlook():
    rng = np.random.default_rng(1)
    scores = pd.DataFrame(rng.random((5, 3)), columns=list("abc"))
    draws = rng.standard_normal((1000, 3))
    assert outlook(Fit.from_draws(draws, scores), random_seed=1) == []
