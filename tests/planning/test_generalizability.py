"""Generalizability theory against published tables and a slow analysis of variance."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bayescorr
from bayescorr.errors import OptionError, ScoresError
from bayescorr.planning.generalizability import Generalizability

# Brennan (2001), synthetic data set 4: mean squares of table 6.2, intervals of table 6.5.
BRENNAN = Generalizability(12, 10, 10.2963, 11.6273, 2.7872)


def by_name(table):
    return table.set_index("coefficient")


def test_components_of_brennan():
    variances = BRENNAN.components()["variance"].to_numpy()
    np.testing.assert_allclose(variances, [0.6258, 0.8840, 2.7872], atol=1e-4)


def test_coefficients_of_brennan():
    found = by_name(BRENNAN.coefficients(level=0.8))[["estimate", "lower", "upper"]]
    np.testing.assert_allclose(found.loc["erho2"], [0.729, 0.541, 0.876], atol=6e-4)
    np.testing.assert_allclose(found.loc["phi"], [0.672, 0.457, 0.845], atol=6e-4)


def adhoc3():
    """The study of TREC-3 ad hoc in the vignette of gt4ireval, from its two point estimates."""
    n, m, erho2, phi = 50, 30, 0.93265, 0.78613
    ms_system = 1 / (1 - erho2)
    system = (ms_system - 1) / n
    topic = n * system * (1 / phi - 1) - 1
    return Generalizability(n, m, ms_system, m * topic + 1, 1.0)


def test_intervals_of_gt4ireval():
    found = by_name(adhoc3().coefficients())[["lower", "upper"]]
    np.testing.assert_allclose(found.loc["erho2"], [0.89311, 0.96287], atol=1e-5)
    np.testing.assert_allclose(found.loc["phi"], [0.66141, 0.88039], atol=1e-5)
    at_200 = by_name(adhoc3().coefficients(200)).loc["phi"]
    np.testing.assert_allclose([at_200["lower"], at_200["upper"]], [0.88654, 0.96715], atol=1e-5)
    wide = by_name(adhoc3().coefficients(level=0.99)).loc["erho2"]
    np.testing.assert_allclose([wide["lower"], wide["upper"]], [0.87737, 0.96967], atol=1e-5)


def test_topics_of_gt4ireval():
    found = by_name(adhoc3().topics_needed(0.95))[["topics", "lower", "upper"]]
    assert found.loc["erho2"].tolist() == [69, 37, 114]
    assert found.loc["phi"].tolist() == [259, 130, 487]
    narrow = by_name(adhoc3().topics_needed(0.95, level=0.9)).loc["phi"]
    assert [narrow["lower"], narrow["upper"]] == [145, 439]
    assert by_name(adhoc3().topics_needed(0.97)).loc["erho2", "topics"] == 117
    assert by_name(adhoc3().topics_needed(0.9)).loc["phi", "topics"] == 123


def test_topics_needed_reach_the_target_and_one_fewer_does_not():
    study = bayescorr.generalizability(bayescorr.load_dataset("demo"))
    for row in study.topics_needed(0.9).itertuples():
        enough, too_few = (
            by_name(study.coefficients(int(size))).loc[row.coefficient, "estimate"]
            for size in (row.topics, row.topics - 1)
        )
        assert enough >= 0.9 > too_few


def test_mean_squares_against_a_slow_analysis_of_variance():
    x = np.random.default_rng(1).random((7, 4))
    n, m = x.shape
    study = bayescorr.generalizability(x)
    system = sum(n * (x[:, j].mean() - x.mean()) ** 2 for j in range(m)) / (m - 1)
    topic = sum(m * (x[i].mean() - x.mean()) ** 2 for i in range(n)) / (n - 1)
    rest = sum(
        (x[i, j] - x[i].mean() - x[:, j].mean() + x.mean()) ** 2 for i in range(n) for j in range(m)
    )
    assert study.ms_system == pytest.approx(system)
    assert study.ms_topic == pytest.approx(topic)
    assert study.ms_interaction == pytest.approx(rest / ((n - 1) * (m - 1)))


def test_feldt_interval_covers():
    # Normal effects: the interval of E-rho-squared is exact. 0.9 within 4 standard errors.
    rng = np.random.default_rng(1)
    system, topic, rest, n, m, covered = 0.5, 1.0, 1.0, 12, 8, 0
    actual = system / (system + rest / n)
    for _ in range(300):
        x = math.sqrt(system) * rng.standard_normal(m) + math.sqrt(rest) * rng.standard_normal(
            (n, m)
        )
        x += math.sqrt(topic) * rng.standard_normal((n, 1))
        row = by_name(bayescorr.generalizability(x).coefficients(level=0.9)).loc["erho2"]
        covered += row["lower"] <= actual <= row["upper"]
    assert covered / 300 == pytest.approx(0.9, abs=0.07)


def test_systems_that_do_not_differ_need_infinitely_many_topics():
    study = Generalizability(10, 5, 0.5, 2.0, 1.0)
    assert study.system_variance == 0
    assert by_name(study.coefficients()).loc["erho2", "estimate"] == 0
    assert by_name(study.topics_needed()).loc["erho2", "topics"] == math.inf


def test_systems_without_any_interaction_need_one_topic():
    study = bayescorr.generalizability([[0.1, 0.3], [0.3, 0.5]])
    assert by_name(study.coefficients()).loc["erho2", "estimate"] == pytest.approx(1)
    assert by_name(study.topics_needed()).loc["erho2", "topics"] == 1


def test_bad_options():
    study = bayescorr.generalizability(bayescorr.load_dataset("demo"))
    with pytest.raises(OptionError, match="target must be between 0 and 1; got 1"):
        study.topics_needed(1)
    with pytest.raises(OptionError, match="level must be between 0 and 1; got 2"):
        study.coefficients(level=2)
    with pytest.raises(OptionError, match="does not support missing"):
        bayescorr.generalizability(bayescorr.load_dataset("demo"), missing="model")
    with pytest.raises(ScoresError, match="missing"):
        bayescorr.generalizability([[0.1, None], [0.3, 0.4]])
    assert "erho2 0.9" in repr(study)
