from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayescorr
from bayescorr.bayes.convergence import check_convergence
from bayescorr.errors import ConvergenceError, ConvergenceWarning


def posterior(**values):
    return xr.Dataset({name: (("chain", "draw"), value) for name, value in values.items()})


def stats(diverging=0, energy=None):
    energy = np.random.default_rng(0).standard_normal((4, 500)) if energy is None else energy
    flags = np.zeros((4, 500), bool)
    flags[0, :diverging] = True
    return posterior(diverging=flags, energy=energy)


@pytest.fixture
def good():
    return np.random.default_rng(1).standard_normal((4, 500))


def test_independent_draws_pass(good):
    found = check_convergence(posterior(x=good), stats())
    assert found.passed
    assert found.rhat < 1.01
    assert found.ess_bulk > 1500
    assert found.remedy == ""
    assert str(found).startswith("Converged: R-hat 1.00")


def test_a_chain_elsewhere_is_named(good):
    stuck = good.copy()
    stuck[2] += 3
    found = check_convergence(posterior(fine=good, stuck=stuck), stats())
    assert not found.passed
    assert any(problem.startswith("R-hat above 1.01 for stuck.") for problem in found.problems)
    assert "Sample longer" in found.remedy
    assert str(found).startswith("Not converged: R-hat above")


def test_a_chain_that_does_not_move_is_a_failure(good):
    good[1] = good[1, 0]
    assert not check_convergence(posterior(x=good), stats()).passed


def test_slow_chains_fail_by_effective_sample_size():
    steps = np.random.default_rng(2).standard_normal((4, 500))
    slow = np.zeros_like(steps)
    for i in range(1, 500):
        slow[:, i] = 0.97 * slow[:, i - 1] + steps[:, i]
    found = check_convergence(posterior(x=slow), stats())
    assert any("Bulk ESS below 400 for x" in problem for problem in found.problems)


def test_a_constant_quantity_is_no_failure(good):
    found = check_convergence(posterior(x=good, tau=np.ones((4, 500))), stats())
    assert found.passed
    assert np.isfinite(found.rhat)
    assert check_convergence(posterior(tau=np.ones((4, 500))), None).passed


def test_divergences_and_energy_have_another_remedy(good):
    found = check_convergence(posterior(x=good), stats(diverging=7))
    assert found.divergences == 7
    assert found.problems == ("7 divergent transitions.",)
    assert "target_accept=0.99" in found.remedy
    walk = np.cumsum(np.random.default_rng(3).standard_normal((4, 500)), axis=1)
    found = check_convergence(posterior(x=good), stats(energy=walk))
    assert "E-BFMI" in found.problems[0]


def test_one_chain_is_judged_by_its_halves(good):
    assert check_convergence(posterior(x=good[:1]), None).passed
    drifting = good[:1] + np.linspace(0, 4, 500)
    assert not check_convergence(posterior(x=drifting), None).passed


def test_elements_are_named_by_label(good):
    values = np.stack([good, good + 9 * np.arange(4)[:, None]], axis=-1)
    data = xr.Dataset(
        {"true_means": (("chain", "draw", "system"), values)}, coords={"system": ["a", "b"]}
    )
    assert "R-hat above 1.01 for true_means[b]." in check_convergence(data, None).problems


def test_bfmi_by_hand(good):
    energy = np.tile([0.0, 1.0, 3.0, 2.0], (4, 125))
    steps = np.diff(energy[0]) ** 2
    found = check_convergence(posterior(x=good), stats(energy=energy))
    assert found.bfmi == pytest.approx(steps.mean() / np.var([0, 1, 3, 2]))


def test_fit_warns_or_raises(small):
    with pytest.warns(ConvergenceWarning, match=r"Not converged: .* Sample longer"):
        result = bayescorr.fit(small, "flat", draws=20, random_seed=1)
    assert not result.convergence.passed
    with pytest.raises(ConvergenceError, match="Not converged"):
        bayescorr.fit(small, "flat", draws=20, random_seed=1, strict=True)


def test_items_that_are_right_or_wrong_may_repeat(small):
    items = (small > small.median()).astype(float)
    with pytest.warns(ConvergenceWarning) as caught:
        bayescorr.fit(items, "flat", draws=20, random_seed=1, warn=False)
    assert "same scores as another" not in str(caught[0].message)


def test_topics_that_repeat_others_are_named_in_the_remedy(small):
    twice = pd.concat([small, small.iloc[[3]].rename(index=lambda topic: f"{topic}-again")])
    with pytest.warns(ConvergenceWarning, match=f"same scores as another: {small.index[3]}-again"):
        bayescorr.fit(twice, "flat", draws=20, random_seed=1)
