from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescorr
from bayescorr.errors import ModelError, OptionError


def test_compare_is_both_tables_together(small):
    options = {"coefficients": ["tau", "tau_ap", "tau_gap"], "level": 0.8}
    table = bayescorr.compare(small, "flat", ["ML", "MSQD"], random_seed=1, **options)
    fit = bayescorr.fit(small, "flat", random_seed=1)
    pd.testing.assert_frame_equal(table[:3], fit.estimates(0.8), check_dtype=False)
    others = bayescorr.estimate(small, ["ML", "MSQD"], random_seed=1, **options)
    pd.testing.assert_frame_equal(table[3:].reset_index(drop=True), others, check_dtype=False)
    assert table.loc[8, ["method", "coefficient"]].tolist() == ["MSQD", "tau_gap"]
    assert np.isnan(table.loc[8, "estimate"])
    assert any("MSQD does not support tau_gap" in note for note in table.attrs["notes"])


def test_compare_takes_a_fit(default, small):
    table = bayescorr.compare(small, default, ["ML"], "tau", random_seed=1)
    expected = default.draws("tau").mean()
    assert table["method"].tolist() == ["matrix-t", "ML"]
    assert table.loc[0, "estimate"] == pytest.approx(expected)
    # Few draws were kept, and the table says so.
    assert any("Not converged" in note for note in table.attrs["notes"])


def test_prior_sensitivity_reuses_the_fit(small):
    fit = bayescorr.fit(small, "bootstrap-shrunk", random_seed=1)
    table = bayescorr.prior_sensitivity(fit, (1.0, 3.0), coefficients=["tau", "tau_ap"])
    assert table.columns.tolist() == [
        "prior", "factor", "value", "coefficient", "estimate", "change",
    ]  # fmt: skip
    # A factor of one is the same fit again, draw by draw.
    assert (table.loc[table["factor"] == 1, "change"] == 0).all()
    tripled = table[table["factor"] == 3].set_index("coefficient")
    assert tripled["value"].tolist() == [20.0, 20.0]
    again = bayescorr.fit(small, "bootstrap-shrunk", random_seed=1, priors={"prior_topics": 20})
    assert tripled.loc["tau", "estimate"] == again.draws("tau").mean()
    assert (tripled["change"] < 0).all()
    with pytest.raises(ModelError, match="'flat' has no priors"):
        bayescorr.prior_sensitivity(bayescorr.fit(small, "flat", random_seed=1))


@pytest.mark.slow
def test_prior_predictive_of_the_default_model():
    options = {"n_topics": 30, "n_systems": 4, "draws": 300}
    found = bayescorr.prior_predictive(random_seed=1, location=0.5, scale=0.1, **options)
    assert dict(found.sizes) == {"sample": 300, "topic": 30, "system": 4}
    again = bayescorr.prior_predictive(random_seed=1, location=0.5, scale=0.1, **options)
    np.testing.assert_array_equal(found["scores"], again["scores"])
    standard = bayescorr.prior_predictive(random_seed=1, **options)
    np.testing.assert_allclose(found["scores"], 0.5 + 0.1 * standard["scores"], rtol=1e-9)
    for name in ("tau", "tau_ap", "tau_gap"):
        assert found[name].dims == ("sample",)
        assert (np.abs(found[name]) <= 1 + 1e-12).all()
    # The prior medians are what the numbers of the priors say.
    assert float(np.log(found["c"]).mean()) == pytest.approx(np.log(12), abs=0.15)
    # Topics are draws around the true means.
    error = (found["scores"].mean("topic") - found["true_means"]).mean()
    assert abs(float(error)) < 0.02
    tight = bayescorr.prior_predictive(random_seed=1, priors={"prior_topics": 600.0}, **options)
    assert tight["tau"].mean() < standard["tau"].mean() - 0.2


def test_prior_predictive_refuses():
    with pytest.raises(ModelError, match="no proper prior"):
        bayescorr.prior_predictive("flat")
    with pytest.raises(ModelError, match="improper"):
        bayescorr.prior_predictive("matrix-t-flat", 5, 3, draws=2)
    with pytest.raises(OptionError, match=r"n_systems must be .* got 1"):
        bayescorr.prior_predictive(n_systems=1)
    with pytest.raises(OptionError, match="has no prior 'kappa'"):
        bayescorr.prior_predictive(priors={"kappa": 1})
