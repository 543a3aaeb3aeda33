"""The columns of several conditions: the change of coordinates exactly, equal columns by cases."""

from __future__ import annotations

import numpy as np
import pytest
from judged import make_scores, noisy
from scipy.linalg import block_diag

from bayescorr.bayes.data import contrast_sd
from bayescorr.conditions.columns import conditions_data
from bayescorr.models.matrix_t_conditions import MatrixTConditions


def named(*tables):
    return {f"c{i}": table for i, table in enumerate(tables)}


@pytest.mark.parametrize("k", [2, 3, 4])
def test_sums_and_contrasts_are_orthogonal_and_undone(k):
    tables = [10.0**i * make_scores(i + 1) for i in range(k)]
    data, means_of = conditions_data(named(*tables))
    assert data.n_systems == 4 * k
    assert sorted(data.join) == [-1] * 4 * (k - 1) + [k - 1] * 4
    # Draws at the observed values come back as the scores, on any scale.
    back = means_of(data.values)
    for i, table in enumerate(tables):
        np.testing.assert_allclose(back[:, i], table)
    # An orthogonal change keeps every sum of squares.
    separate = sum(
        np.square((x - x.mean()) / contrast_sd(x)).sum() for x in (t.to_numpy() for t in tables)
    )
    assert np.square(data.values).sum() == pytest.approx(separate)
    assert data.coords["level"] == ["sum", *(f"contrast {i}" for i in range(1, k))]


@pytest.mark.parametrize("k", [2, 3])
def test_target_is_the_one_of_the_formula(k):
    rho, phi, m = 0.3, 0.6, 4
    data, means_of = conditions_data(named(*(make_scores(i) for i in range(k))))
    sd = np.array([0.5, 1.0, 1.5, 2.0])
    parameters = {"rho": rho, "phi": phi, "s": 1.0, "w": 1.0, "e": np.log(sd)}
    delta, loadings = MatrixTConditions().target(parameters, np, data)
    owner = np.tile(np.arange(m), k)
    joined = (owner[:, None] == owner).astype(float)
    d = np.diag(sd[owner])
    ones, identity = np.ones((k * m, k * m)), np.eye(k * m)
    expected = d @ (rho * ones + (1 - rho) * (phi * joined + (1 - phi) * identity)) @ d
    # means_of undoes the change of coordinates and the scales, one condition after the other.
    turn = (means_of(identity) - means_of(0 * identity)).reshape(k * m, k * m)
    scales = np.repeat([contrast_sd(make_scores(i).to_numpy()) for i in range(k)], m)
    turn /= scales
    np.testing.assert_allclose(turn @ turn.T, identity, atol=1e-12)
    found = turn.T @ (np.diag(delta) + loadings @ loadings.T) @ turn
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_levels_are_turned_like_the_columns():
    data, means_of = conditions_data(named(*(make_scores(i) for i in range(3))))
    # Levels of the conditions, as sum and contrasts; then every system has that of its condition.
    levels = np.array([1.0, 2.0, -1.0])
    helmert = np.array([[1, 1, 1], [1, -1, 0], [1, 1, -2]]) / np.sqrt([[3], [2], [6]])
    back = means_of((data.level @ helmert @ levels)[None])[0] - means_of(np.zeros((1, 12)))[0]
    scales = [contrast_sd(make_scores(i).to_numpy()) for i in range(3)]
    np.testing.assert_allclose(back / np.array(scales)[:, None], levels[:, None] * np.ones(4))


def test_equal_conditions_are_modelled_once():
    a = make_scores()
    b = make_scores(2)
    data, means_of = conditions_data(named(a, 3 * a + 1))
    assert data.n_systems == 4
    assert data.level.shape == (4, 1)
    assert not data.join.any()
    means = means_of(np.random.default_rng(1).normal(size=(5, 4)))
    np.testing.assert_allclose(means[:, 1], 3 * means[:, 0] + 1)
    # The third condition joins the column of the first two.
    data, means_of = conditions_data(named(a, b, 2 * b))
    assert data.n_systems == 8
    assert sorted(data.join) == [-1] * 4 + [1] * 4
    means = means_of(np.random.default_rng(1).normal(size=(5, 8)))
    np.testing.assert_allclose(means[:, 2], 2 * means[:, 1])


def test_a_system_scored_alike_in_two_conditions():
    a, b, c = make_scores(), make_scores(2), make_scores(3)
    scaled = (b - b.to_numpy().mean()) / contrast_sd(b.to_numpy())
    # Replacing a column changes the scale of the table: only of one that keeps it is it equal.
    data, means_of = conditions_data(named(a, b, b.assign(a=b["b"], b=b["a"])))
    assert data.n_systems == 8
    means = means_of(np.random.default_rng(1).normal(size=(5, 8)))
    np.testing.assert_array_equal(means[:, 2, :2], means[:, 1, 1::-1])
    assert conditions_data(named(scaled, b, c))[0].n_systems == 8


def test_identical_systems_within_a_condition_share_their_draws():
    a, b = make_scores(), make_scores(2)
    a["twin"], b["twin"] = a["b"], b["b"] + 0.01 * np.arange(12)
    data, means_of = conditions_data(named(a, b))
    # Five columns of B, four of A; the second partner of A's shared column stands alone.
    assert data.n_systems == 9
    assert sorted(data.join) == [-1] * 4 + [0] + [1] * 4
    means = means_of(np.random.default_rng(1).normal(size=(5, 9)))
    np.testing.assert_array_equal(means[:, 0, 1], means[:, 0, 4])
    assert (means[:, 1, 1] != means[:, 1, 4]).all()
    # With a third condition like the second, the two partners join their own.
    third, _ = conditions_data(named(a, b, noisy(b, 0.1)))
    assert sorted(third.join) == [-1] * 8 + [0] * 2 + [2] * 4


def test_helmert_blocks_are_what_block_diag_makes():
    data, _ = conditions_data(named(make_scores(), make_scores(2)))
    rho, phi = 0.0, 0.7
    parameters = {"rho": rho, "phi": phi, "s": 1.0, "w": 1.0, "e": np.zeros(4)}
    delta, _ = MatrixTConditions().target(parameters, np, data)
    block = phi * np.ones((2, 2)) + (1 - phi) * np.eye(2)
    expected = np.linalg.eigvalsh(block_diag(*[block] * 4))
    np.testing.assert_allclose(np.sort(delta), expected)
