"""Simulators with given means, and with true means drawn from their posterior."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescorr
from bayescorr.errors import OptionError, ScoresError

SIMULATORS = [
    bayescorr.EffectsSimulator,
    bayescorr.CopulaSimulator,
    bayescorr.ResampleSimulator,
]


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_scores_move_to_the_given_means(continuous, simulator, tmp_path):
    plain = simulator(continuous)
    target = plain.true_means * 0.8 + 0.05
    moved = plain.with_means(target)
    np.testing.assert_allclose(moved.true_means, target, atol=1e-7)
    assert list(moved.true_means.index) == list(continuous.columns)
    drawn = moved.sample(20_000, random_seed=1)
    error = 5 * drawn.std() / np.sqrt(20_000)
    assert ((drawn.mean() - target).abs() < error).all()
    # One system only; the others keep their means. The simulator itself is unchanged.
    one = plain.with_means({"a": 0.5})
    assert one.true_means["a"] == pytest.approx(0.5)
    pd.testing.assert_series_equal(
        one.true_means.drop("a"), plain.true_means.drop("a"), check_exact=False, rtol=1e-6
    )
    moved.save(tmp_path / "s.json")
    again = bayescorr.load_simulator(tmp_path / "s.json")
    pd.testing.assert_frame_equal(again.sample(5, 3), moved.sample(5, 3), rtol=1e-6)
    np.testing.assert_allclose(again.true_means, target, atol=1e-7)


def test_normal_effects_move_by_any_amount(continuous):
    moved = bayescorr.EffectsSimulator(continuous, normal=True).with_means([-3, 0, 1, 2, 3, 4])
    assert moved.true_means.tolist() == [-3, 0, 1, 2, 3, 4]


def test_errors(continuous):
    simulator = bayescorr.EffectsSimulator(continuous)
    with pytest.raises(OptionError, match=r"between 0 and 1; got 1\.5"):
        simulator.with_means({"a": 1.5})
    with pytest.raises(OptionError, match="Unknown system 'z'"):
        simulator.with_means({"z": 0.5})
    with pytest.raises(ScoresError, match="one value for each of 6 systems"):
        simulator.with_means([0.5])
    shrunk = bayescorr.EffectsSimulator(continuous, truth="shrunk")
    with pytest.raises(OptionError, match="Each collection has its own true means"):
        shrunk.true_means  # noqa: B018


@pytest.mark.slow
def test_shrunk_truth_is_the_posterior():
    scores = bayescorr.load_dataset("demo")
    simulator = bayescorr.ResampleSimulator(scores, truth="shrunk")
    cases = [simulator.case(20, seed) for seed in range(400)]
    truth = pd.DataFrame([case.means for case in cases])
    fit = bayescorr.fit(scores, inference="laplace", random_seed=2, warn=False)
    expected = fit.true_means.mean(("chain", "draw")).to_numpy()
    error = 5 * fit.true_means.std(("chain", "draw")).to_numpy() / np.sqrt(400)
    assert (np.abs(truth.mean() - expected) < error).all()
    # True means are less spread than the observed ones of the original scores.
    assert truth.var(axis=1).mean() < 0.99 * scores.mean().var()
    # Scores belong to their truth, and the same seed gives the same collection.
    apart = [case.scores.mean() - case.means for case in cases]
    within = pd.DataFrame(apart).var().mean() * 20
    assert within == pytest.approx(scores.var(ddof=0).mean(), rel=0.15)
    again = simulator.case(20, 7)
    pd.testing.assert_frame_equal(again.scores, cases[7].scores)
    pd.testing.assert_frame_equal(simulator.sample(20, 7), cases[7].scores)
