from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescorr
from bayescorr.errors import OptionError


def test_topics_are_those_given_and_the_truth_is_their_mean(tmp_path):
    rng = np.random.default_rng(2)
    scores = pd.DataFrame(rng.normal(size=(6, 3)), columns=["c", "a", "b"])
    simulator = bayescorr.ResampleSimulator(scores)
    drawn = simulator.sample(4000, random_seed=1)
    given = {tuple(row) for row in scores.to_numpy()}
    assert {tuple(row) for row in drawn.to_numpy()} == given
    pd.testing.assert_series_equal(simulator.true_means, scores.mean(), check_names=False)
    error = 5 * scores.std() / np.sqrt(4000)
    assert ((drawn.mean() - simulator.true_means).abs() < error).all()
    turned = bayescorr.ResampleSimulator(scores[["a", "b", "c"]]).sample(5, random_seed=1)
    pd.testing.assert_frame_equal(turned, simulator.sample(5, random_seed=1)[["a", "b", "c"]])
    simulator.save(tmp_path / "s.json")
    again = bayescorr.load_simulator(tmp_path / "s.json")
    pd.testing.assert_frame_equal(again.sample(5, 3), simulator.sample(5, 3), check_exact=True)


def test_smoothed_topics_never_repeat_and_keep_means_and_covariance():
    rng = np.random.default_rng(3)
    scores = pd.DataFrame(rng.normal(size=(40, 3)) @ [[1, 0.8, 0.1], [0, 1, 0], [0, 0, 2]])
    simulator = bayescorr.ResampleSimulator(scores, smooth=0.5)
    drawn = simulator.sample(40000, random_seed=1)
    assert not simulator.sample(40, random_seed=1).duplicated().any()
    np.testing.assert_allclose(simulator.true_means, scores.mean())
    np.testing.assert_allclose(drawn.mean(), scores.mean(), atol=0.05)
    np.testing.assert_allclose(drawn.cov(), scores.cov(ddof=0), rtol=0.03, atol=0.05)
    with pytest.raises(OptionError, match="smooth"):
        bayescorr.ResampleSimulator(scores, smooth=-1)


@pytest.mark.parametrize("constant", [["b"], ["a", "b"]])
def test_constant_systems_have_no_correlations(constant):
    scores = pd.DataFrame({"a": [0.1, 0.3, 0.8], "b": [0.2, 0.5, 0.6]})
    scores[constant] = 0.5
    table = bayescorr.ResampleSimulator(scores).diagnostics(100)
    assert table["statistic"].tolist() == ["mean", "mean", "variance", "variance"]
