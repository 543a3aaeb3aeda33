"""The agreement of two true rankings: the change of coordinates exactly, the posterior by cases."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescorr
from bayescorr.bayes.agreement import align, pair_data
from bayescorr.errors import OptionError, ScoresError
from bayescorr.models._niw import Posterior
from bayescorr.models.matrix_t_pair import MatrixTPair

# Chains of 400 draws: what is tested does not depend on their convergence.
pytestmark = pytest.mark.filterwarnings("ignore::bayescorr.ConvergenceWarning")

OPTIONS = {"draws": 400, "tune": 400, "chains": 2, "random_seed": 1, "warn": False}


def make_scores(seed=1, n=12, m=4, sd=0.05):
    rng = np.random.default_rng(seed)
    values = np.linspace(0.2, 0.5, m) + rng.normal(0, 0.1, (n, 1)) + rng.normal(0, sd, (n, m))
    return pd.DataFrame(values, index=[f"t{i:02}" for i in range(n)], columns=list("abcdefgh")[:m])


def noisy(scores, sd, seed=2):
    return scores + np.random.default_rng(seed).normal(0, sd, scores.shape)


def test_align_by_label_and_refuse_what_differs():
    a = make_scores()
    _, b = align(a, a.iloc[::-1, ::-1])
    pd.testing.assert_frame_equal(a, b, check_index_type=False, check_column_type=False)
    with pytest.raises(ScoresError, match="Only A has the systems: d"):
        align(a, a.drop(columns="d"))
    with pytest.raises(ScoresError, match="Only B has the topics: t00, t01"):
        align(a.iloc[2:], a)


def test_align_treats_missing_scores_in_both():
    a, b = make_scores(), make_scores(2)
    b.iloc[3, 1] = np.nan
    with pytest.raises(ScoresError, match="1 score is missing"):
        align(a, b)
    for found in align(a, b, "drop"):
        assert list(found.index) == [t for t in a.index if t != "t03"]
    assert align(a, b, "zero")[1].iloc[3, 1] == 0
    with pytest.raises(OptionError, match="way to treat missing scores 'model'"):
        align(a, b, "model")


def test_sums_and_differences_are_orthogonal_and_undone():
    a, b = make_scores(), 10 * make_scores(2)
    data, means_of = pair_data(a, b)
    assert data.n_systems == 8
    assert sorted(data.join) == [-1] * 4 + [1] * 4
    # Draws at the observed values come back as the scores, on either scale.
    back_a, back_b = means_of(data.values)
    np.testing.assert_allclose(back_a, a)
    np.testing.assert_allclose(back_b, b)
    # An orthogonal change keeps every sum of squares.
    separate = sum(
        ((x - x.to_numpy().mean()) ** 2).to_numpy().sum() / s**2 for x, s in _scales(a, b)
    )
    assert (data.values**2).sum() == pytest.approx(separate)


def _scales(*tables):
    from bayescorr.bayes.data import contrast_sd

    return [(table, contrast_sd(table.to_numpy())) for table in tables]


def test_target_is_the_one_of_the_formula():
    rho, phi, m = 0.3, 0.6, 4
    a, b = make_scores(), make_scores(2)
    data, _ = pair_data(a, b)
    sd = np.array([0.5, 1.0, 1.5, 2.0])
    owner = data.owner.astype(int)
    parameters = {"rho": rho, "phi": phi, "s": 1.0, "w": 1.0, "e": np.log(sd)}
    delta, loadings = MatrixTPair().target(parameters, np, data)
    joined = (owner[:, None] == owner).astype(float)
    d = np.diag(sd[owner])
    ones = np.ones((2 * m, 2 * m))
    expected = d @ (rho * ones + (1 - rho) * (phi * joined + (1 - phi) * np.eye(2 * m))) @ d
    turn = np.kron(np.array([[1, 1], [1, -1]]) / np.sqrt(2), np.eye(m))
    np.testing.assert_allclose(
        np.diag(delta) + loadings @ loadings.T, turn @ expected @ turn.T, atol=1e-12
    )


def test_equal_columns_are_modelled_once():
    a = make_scores()
    data, means_of = pair_data(a, 3 * a + 1)
    assert data.n_systems == 4
    assert data.level.shape == (4, 1)
    assert not data.join.any()
    of_a, of_b = means_of(np.random.default_rng(1).normal(size=(5, 4)))
    np.testing.assert_allclose(of_b, 3 * of_a + 1)


def test_identical_systems_within_a_condition_share_their_draws():
    a, b = make_scores(), make_scores(2)
    a["twin"], b["twin"] = a["b"], b["b"] + 0.01 * np.arange(12)
    data, means_of = pair_data(a, b)
    # Five columns of B, four of A; the second partner of A's shared column stands alone.
    assert data.n_systems == 9
    assert sorted(data.join) == [-1] * 4 + [0] + [1] * 4
    of_a, of_b = means_of(np.random.default_rng(1).normal(size=(5, 9)))
    np.testing.assert_array_equal(of_a[:, 1], of_a[:, 4])
    assert (of_b[:, 1] != of_b[:, 4]).all()


def test_a_level_per_system_is_a_shift_of_the_scores():
    rng = np.random.default_rng(1)
    scores, level = rng.normal(size=(6, 3)), np.array([[1.0, 2.0, -1.0]])
    common = {
        "c": np.array([5.0]),
        "delta": np.ones((1, 3)),
        "loadings": np.ones((1, 3, 1)),
        "kappa": 0.2,
    }
    one = Posterior(scores=scores, mu0=level, **common)
    other = Posterior(scores=scores - level, mu0=np.zeros(1), **common)
    shifted = [p.draw_means(np.random.default_rng(2)) for p in (one, other)]
    np.testing.assert_allclose(shifted[0], shifted[1] + level)
    covariances = [
        p.draw_covariance(means, np.random.default_rng(3))
        for p, means in zip((one, other), shifted, strict=True)
    ]
    np.testing.assert_allclose(*covariances)


def test_unknown_prior():
    with pytest.raises(OptionError, match="has no prior 'kappa'"):
        bayescorr.fit_pair(make_scores(), make_scores(2), priors={"kappa": 1})


@pytest.fixture(scope="module")
def pair():
    a = make_scores()
    return bayescorr.fit_pair(a, noisy(a, 0.1), **OPTIONS)


@pytest.mark.slow
class TestFitted:
    """What needs the model compiled: once for all of these."""

    def test_draws_are_those_of_the_true_means(self, pair):
        a, b = (pair.posterior[f"true_means_{name}"].to_numpy().reshape(-1, 4) for name in "ab")
        for name in ("tau", "tau_ap", "tau_gap"):
            expected = bayescorr.correlate(a, b, name)[name]
            np.testing.assert_allclose(pair.draws(name), expected)
        np.testing.assert_allclose(pair.draws("pearson"), bayescorr.pearson(a, b))

    def test_estimates_stand_beside_the_observed_coefficient(self, pair):
        table = pair.estimates(0.8).set_index("coefficient")
        means = [scores.mean() for scores in pair.scores]
        assert table.loc["tau", "observed"] == bayescorr.tau(*means)
        assert table.loc["tau", "estimate"] == pytest.approx(pair.draws("tau").mean())
        assert table.loc["tau_gap", "estimate"] == pytest.approx(np.median(pair.draws("tau_gap")))
        assert table.loc["tau", "lower"] == pytest.approx(np.quantile(pair.draws("tau"), 0.1))
        assert "between the observed means" in repr(pair)

    def test_order_does_not_matter(self, pair):
        a, b = pair.scores
        again = bayescorr.fit_pair(a.iloc[::-1, ::-1], b.iloc[:, [2, 0, 3, 1]], **OPTIONS)
        np.testing.assert_allclose(again.draws("tau"), pair.draws("tau"))

    def test_lower_is_better_on_one_side_turns_tau(self, pair):
        a, b = pair.scores
        turned = bayescorr.fit_pair(a, b, higher_is_better=(True, False), **OPTIONS)
        np.testing.assert_allclose(turned.draws("tau"), -pair.draws("tau"), atol=1e-12)
        assert turned.observed() == -pair.observed()

    def test_near_duplicates_agree_nearly(self, pair):
        a, _ = pair.scores
        near = bayescorr.fit_pair(a, noisy(a, 0.002), **OPTIONS)
        assert near.draws("pearson").mean() > 0.99
        assert near.posterior["phi"].mean() > 0.8
        assert near.draws("pearson").mean() > pair.draws("pearson").mean()

    def test_intervals_cover_when_the_model_is_true(self):
        model, rng, covered = MatrixTPair(), np.random.default_rng(1), []
        sigma = 0.01 * (0.5 * np.eye(8) + 0.3 + 0.2 * np.kron(np.ones((2, 2)), np.eye(4)))
        factor = np.linalg.cholesky(sigma)
        kappa = 1 / model.priors["prior_topics"]
        for seed in range(40):
            truth = 0.4 + np.sqrt(kappa) * factor @ rng.standard_normal(8)
            x = truth + rng.standard_normal((12, 8)) @ factor.T
            a, b = (pd.DataFrame(part, columns=list("abcd")) for part in (x[:, :4], x[:, 4:]))
            found = bayescorr.fit_pair(a, b, **{**OPTIONS, "random_seed": seed})
            means = found.posterior["true_means_b"].to_numpy().reshape(-1, 4)
            for contrast in ([1, -1, 0, 0], [0, 0, 1, -1]):
                low, high = np.quantile(means @ contrast, [0.1, 0.9])
                covered.append(low <= truth[4:] @ contrast <= high)
        # 0.8 within four standard errors.
        assert np.mean(covered) == pytest.approx(0.8, abs=0.18)


@pytest.mark.slow
def test_the_same_scores_agree_fully():
    a = make_scores()
    for b in (a, 3 * a + 1):
        found = bayescorr.fit_pair(a, b, **OPTIONS)
        for name in ("tau", "tau_ap", "tau_gap"):
            np.testing.assert_allclose(found.draws(name), 1)
