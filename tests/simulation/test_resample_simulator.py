from __future__ import annotations

import numpy as np
import pandas as pd

import bayescorr


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
