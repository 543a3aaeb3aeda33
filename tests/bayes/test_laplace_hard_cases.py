"""Collections that are hard to fit: Laplace works, or says why not and what to do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescorr
from bayescorr.errors import ConvergenceError

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::bayescorr.ScoresWarning")]
demo = bayescorr.load_dataset


def factors(systems, topics):
    """Scores with shared and separate variance."""
    rng = np.random.default_rng([systems, topics])
    loadings = rng.standard_normal((systems, 3)) / 5
    values = 0.3 * rng.standard_normal(systems) + 0.8 * rng.standard_normal((topics, 1))
    values = values + rng.standard_normal((topics, 3)) @ loadings.T
    values += 0.5 * rng.standard_normal((topics, systems))
    return pd.DataFrame(values, columns=[f"s{j}" for j in range(systems)])


def with_two_constants():
    return demo("demo").assign(none=0.2, some=0.4)


def with_copies():
    scores = demo("demo")
    return scores.assign(twin=scores.iloc[:, 0], other=scores.iloc[:, 5])


def with_multiples():
    scores = demo("demo")
    return scores.assign(half=scores.iloc[:, 0] / 2 + 0.1, third=scores.iloc[:, 0] / 3)


CASES = {
    "two constant systems": with_two_constants,
    "identical systems": with_copies,
    "multiples of a system": with_multiples,
    "two systems": lambda: demo("demo").iloc[:, :2],
    "many systems on few topics": lambda: factors(300, 10),
}


@pytest.mark.parametrize("case", CASES)
def test_works(case):
    fit = bayescorr.fit(CASES[case](), inference="laplace", random_seed=1, strict=True)
    row = fit.estimates(coefficients="tau").iloc[0]
    assert -1 <= row["lower"] <= row["estimate"] <= row["upper"] <= 1
    assert np.isfinite(fit.true_means).all()


def test_two_topics_are_too_few_and_said_to_be():
    with pytest.raises(ConvergenceError, match='inference="nuts"'):
        bayescorr.fit(demo("demo").iloc[:2], inference="laplace", random_seed=1, strict=True)


def test_true_means_of_many_topics_are_the_observed_ones():
    scores = factors(5, 5000)
    fit = bayescorr.fit(scores, inference="laplace", random_seed=1, strict=True)
    drawn = fit.true_means.stack(sample=("chain", "draw")).transpose("sample", "system")
    error = scores.std() / np.sqrt(len(scores))
    np.testing.assert_allclose(drawn.mean("sample"), scores.mean(), atol=0.2 * error.max())
    np.testing.assert_allclose(drawn.std("sample"), error, rtol=0.1)


def test_missing_cells_are_parameters():
    scores = demo("demo").iloc[:20, :10]
    missing = scores.mask(np.random.default_rng(1).random(scores.shape) < 0.3)
    options = {"inference": "laplace", "random_seed": 1, "strict": True}
    some = bayescorr.fit(missing, missing="model", **options).estimates(coefficients="tau")
    every = bayescorr.fit(scores, **options).estimates(coefficients="tau")
    assert abs(some["estimate"] - every["estimate"]).item() < 0.15


@pytest.mark.parametrize(("shift", "scale"), [(0, 1e6), (1, 1e-6)])
@pytest.mark.parametrize("case", ["constant systems", "missing scores", "measurement errors"])
def test_location_and_scale_change_no_draw_of_tau(case, shift, scale):
    scores, options = demo("demo").iloc[:20, :10], {"inference": "laplace", "random_seed": 1}
    other = dict(options)
    if case == "constant systems":
        scores = with_two_constants()
    elif case == "missing scores":
        scores = scores.mask(np.random.default_rng(1).random(scores.shape) < 0.3)
        options["missing"] = other["missing"] = "model"
    else:
        options["score_sd"] = 0 * scores + 0.1
        other["score_sd"] = scale * options["score_sd"]
    drawn = bayescorr.fit(scores, **options).draws("tau")
    again = bayescorr.fit(shift + scale * scores, **other).draws("tau")
    assert np.isclose(drawn, again).mean() > 0.99


def test_measurement_errors_are_parameters():
    scores = demo("demo").iloc[:20, :10]
    options = {"inference": "laplace", "random_seed": 1, "strict": True}
    fits = [bayescorr.fit(scores, score_sd=0 * scores + sd, **options) for sd in (0, 0.1)]
    plain, exact, noisy = (
        fit.estimates(coefficients="tau").iloc[0]
        for fit in (bayescorr.fit(scores, **options), *fits)
    )
    assert exact["sd"] == pytest.approx(plain["sd"], rel=0.1)
    assert exact["estimate"] == pytest.approx(plain["estimate"], abs=0.02)
    # The scores vary because of the errors, too: the true means differ less.
    assert noisy["estimate"] < plain["estimate"]
