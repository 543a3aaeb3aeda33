"""Weights of swaps, significance of pairs, and the experiments of Gao & Oard 2015."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

import bayescorr as bc
from bayescorr.errors import CoefficientError, OptionError, ScoresError

RNG = np.random.default_rng(4)
SCORES = pd.DataFrame(
    RNG.random((25, 7)) + np.arange(7) / 10,
    index=[f"t{i}" for i in range(25)],
    columns=list("gbadfce"),
)


@pytest.mark.parametrize("name", ["tau", "tau_ap", "tau_gap", "pearson"])
def test_weights_are_what_one_swap_costs(name):
    weights = bc.swap_weights(SCORES, name)
    means = SCORES.mean().sort_values(ascending=False)
    assert list(weights.index) == list(weights.columns) == list(means.index)
    raw = pd.DataFrame(0.0, index=means.index, columns=means.index)
    for i in means.index:
        for j in means.index:
            swapped = means.rename({i: j, j: i})
            raw.loc[i, j] = 1 - getattr(bc, name)(means, swapped)
    expected = (raw - raw.to_numpy().min()) / (raw.to_numpy().max() - raw.to_numpy().min())
    pd.testing.assert_frame_equal(weights, expected, atol=1e-12)
    assert weights.to_numpy().min() == 0
    assert weights.to_numpy().max() == 1


def test_weights_of_tau_by_hand():
    # A swap of neighbours turns one pair, of the two ends all three.
    weights = bc.swap_weights([3, 1, 2], "tau")
    assert list(weights.index) == ["sys1", "sys3", "sys2"]
    np.testing.assert_allclose(
        weights, [[0, 1 / 3, 1], [1 / 3, 0, 1 / 3], [1, 1 / 3, 0]], atol=1e-15
    )


def test_weights_from_scores_means_and_negated_scores_agree():
    from_scores = bc.swap_weights(SCORES, "tau_gap")
    pd.testing.assert_frame_equal(bc.swap_weights(SCORES.mean(), "tau_gap"), from_scores)
    pd.testing.assert_frame_equal(
        bc.swap_weights(-SCORES, bc.tau_gap, higher_is_better=False), from_scores
    )
    moved = SCORES.iloc[::-1, ::-1]
    pd.testing.assert_frame_equal(bc.swap_weights(moved, "tau_gap"), from_scores)


def test_systems_that_tie_weigh_nothing():
    assert (bc.swap_weights([1, 1, 1], "tau_gap") == 0).all(axis=None)
    weights = bc.swap_weights(pd.Series({"b": 2, "a": 2, "c": 1}), "tau_ap")
    assert list(weights.index) == ["a", "b", "c"]
    assert weights.loc["a", "b"] == 0


def test_p_values_are_those_of_scipy():
    found = bc.significance_matrix(SCORES)
    for a in SCORES:
        for b in SCORES:
            if a != b:
                expected = ttest_rel(SCORES[a], SCORES[b]).pvalue
                assert found.p_values.loc[a, b] == pytest.approx(expected, abs=1e-12)
    upper = found.p_values.to_numpy()[np.triu_indices(7, 1)]
    assert found.share == np.mean(upper < 0.05)
    assert f"{found.share:.1%}" in repr(found)
    assert bc.significance_matrix(SCORES, level=0.001).share < found.share


def test_identical_and_shifted_systems():
    steps = np.arange(4) / 4
    scores = pd.DataFrame({"a": steps, "same": steps, "shifted": steps + 0.5})
    p = bc.significance_matrix(scores).p_values
    assert p.loc["a", "same"] == 1
    assert p.loc["a", "shifted"] == 0
    assert (np.diag(p) == 1).all()


def test_noise_is_not_significant():
    scores = pd.DataFrame({"a": [0.1 + 0.2] * 4, "b": [0.3] * 4, "c": [0.1, 0.5, 0.2, 0.3]})
    assert bc.significance_matrix(scores).p_values.loc["a", "b"] == 1


def test_experiment_is_repeatable_whatever_the_order():
    first = bc.swap_experiment(SCORES, pairs=2, repeats=6, random_seed=3)
    assert first.shape == (6, 3)
    assert list(first) == ["pearson", "tau_ap", "tau_gap"]
    moved = bc.swap_experiment(SCORES.iloc[::-1, ::-1], pairs=2, repeats=6, random_seed=3)
    pd.testing.assert_frame_equal(first, moved)
    other = bc.swap_experiment(SCORES, pairs=2, repeats=6, random_seed=4)
    assert not first.equals(other)


def test_one_swap_of_neighbours_turns_one_pair():
    scores = pd.DataFrame({"a": [0.9, 0.7, 0.2], "b": [0.6, 0.8, 0.1]})
    found = bc.swap_experiment(scores, significant=False, pairs=1, repeats=2, coefficients=["tau"])
    assert (found["tau"] == -1).all()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: bc.significance_matrix(SCORES, level=0),
            OptionError,
            "got 0. For 5%, use level=0.05",
        ),
        (
            lambda: bc.swap_experiment(SCORES, pairs=0),
            OptionError,
            "pairs must be .* at least 1; got 0",
        ),
        (lambda: bc.swap_experiment(SCORES, pairs=22), CoefficientError, "Cannot swap 22 pairs"),
        (lambda: bc.swap_weights(SCORES, "taugap"), OptionError, "tau_gap"),
        (lambda: bc.swap_weights([0.3, np.nan], "tau"), CoefficientError, "means: 'sys2'"),
        (
            lambda: bc.swap_weights(pd.Series({"a": 1, "b": 2, "c": np.inf}), "tau"),
            CoefficientError,
            "true means: 'c'",
        ),
        (lambda: bc.swap_weights([], "tau"), CoefficientError, "at least 2 systems; got 0"),
        (lambda: bc.significance_matrix(SCORES, level=None), OptionError, "level must be"),
        (lambda: bc.swap_experiment(SCORES, pairs=True), OptionError, "pairs must be"),
        (lambda: bc.significance_matrix(SCORES[["a"]]), ScoresError, "system"),
    ],
)
def test_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_trec5_figure_1(trec):
    """Gao & Oard, Figure 1: 63% against 37%; the text swaps the colours."""
    found = bc.significance_matrix(trec("adhoc5_ap"))
    assert len(found.p_values) == 61
    assert 0.63 <= found.share <= 0.64


@pytest.mark.parametrize("seed", [1, 2])
def test_trec5_section_4_1(trec, seed):
    """Significant swaps cost tau_gap more than tau_ap, others less, as in the paper."""
    scores = trec("adhoc5_ap")
    large = bc.swap_experiment(scores, significant=True, random_seed=seed).mean()
    small = bc.swap_experiment(scores, significant=False, random_seed=seed).mean()
    assert large["tau_gap"] < large["tau_ap"]
    assert small["tau_gap"] > small["tau_ap"]
    assert (small > large).all()
    # The paper's own means, of other random pairs, are within a few hundredths.
    assert large.to_list() == pytest.approx([0.70, 0.68, 0.65], abs=0.11)
    assert small.to_list() == pytest.approx([0.99, 0.92, 0.97], abs=0.04)


def test_trec5_figure_6(trec):
    """The heaviest swap for tau_gap involves the very top and a large gap."""
    weights = bc.swap_weights(trec("adhoc5_ap"), "tau_gap").to_numpy()
    best, other = np.unravel_index(weights.argmax(), weights.shape)
    assert min(best, other) == 0
    assert max(best, other) > 30
    # Neighbours weigh less than in tau_ap, relative to the heaviest swap.
    ap = bc.swap_weights(trec("adhoc5_ap"), "tau_ap").to_numpy()
    assert np.diag(weights, 1).mean() < np.diag(ap, 1).mean()
