"""A small simulation-based calibration of the default model, and that it can fail."""

import numpy as np
import pandas as pd
import pytest

from bayescorr.bayes.model import get_model
from bayescorr.study.calibration import DRAWS, calibrate, rank, uniformity


def test_rank_with_ties_is_uniform_over_them():
    rng = np.random.default_rng(0)
    draws = np.array([1.0, 2, 2, 2, 3])
    assert rank(0.5, draws, rng) == 0
    assert rank(2.5, draws, rng) == 4
    counts = np.bincount([rank(2.0, draws, rng) for _ in range(4000)], minlength=6)
    assert counts[[0, 5]].sum() == 0
    np.testing.assert_allclose(counts[1:5], 1000, atol=130)


def test_uniformity_tells_uniform_from_not():
    rng = np.random.default_rng(1)
    even = rng.integers(0, DRAWS + 1, 200)
    table = uniformity(pd.DataFrame({"even": even, "low": even // 2})).set_index("quantity")
    assert table.loc["even", "p_value"] > 0.01
    assert table.loc["low", "p_value"] < 1e-10
    assert table.filter(like="bin_").sum(axis=1).tolist() == [200, 200]


@pytest.mark.slow
def test_default_model_is_calibrated_and_a_wrong_one_is_not():
    model = get_model()
    size = {"systems": 4, "topics": 5, "replications": 100}
    right = uniformity(calibrate(model, **size, random_seed=1), bins=5)
    assert (right["p_value"] > 0.01 / len(right)).all()

    honest = model.true_means

    def overconfident(draws, data, priors, rng):
        means = honest(draws, data, priors, rng)
        return means.mean(axis=0) + (means - means.mean(axis=0)) / 4

    model.true_means = overconfident
    wrong = uniformity(calibrate(model, **size, random_seed=1), bins=5)
    assert (wrong.set_index("quantity").loc["true_mean_1", "p_value"]) < 1e-4
