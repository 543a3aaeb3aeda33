"""What every listed model has, what it refuses, and how the default takes uncertain cells."""

import inspect

import numpy as np
import pandas as pd
import pytest

import bayescorr
from bayescorr.bayes import _stack
from bayescorr.bayes.data import prepare
from bayescorr.bayes.model import PyMCModel, get_model, list_models
from bayescorr.errors import ModelError, OptionError
from bayescorr.models.matrix_t import MatrixT

LADDER = {
    "flat",
    "bootstrap",
    "bootstrap-shrunk",
    "additive",
    "additive-hetero",
    "matrix-t-flat",
    "matrix-t",
    "matrix-t-factor",
    "logit-normal",
    "beta-binomial",
}
NAMES = list_models()["name"].tolist()
SAMPLED = [name for name in NAMES if isinstance(get_model(name), PyMCModel)]


def test_the_ladder_is_complete():
    assert set(NAMES) >= LADDER
    assert NAMES[0] == "matrix-t"


@pytest.mark.parametrize("name", NAMES)
def test_metadata(name):
    model = get_model(name)
    assert model.name == name
    for text in (model.description, model.citation, model.good_for, model.bad_for):
        assert text
        assert "\n" not in text
    assert all(isinstance(value, float) and value > 0 for value in model.priors.values())
    # The file reads as a formula: its docstring states one.
    assert ".. math::" in inspect.getdoc(inspect.getmodule(type(model)))


@pytest.mark.parametrize("name", NAMES)
def test_priors_are_overridden_by_name(name):
    model = get_model(name)
    for prior in model.priors:
        full = model.full_priors({prior: 2.5})
        assert full == {**model.priors, prior: 2.5}
    with pytest.raises(OptionError, match=r"has no prior 'colour'.*Its priors are"):
        model.full_priors({"colour": 1.0})
    for value in (0.0, -1.0, np.nan, np.inf):
        if model.priors:
            first = next(iter(model.priors))
            with pytest.raises(OptionError, match="must be positive"):
                model.full_priors({first: value})


@pytest.mark.parametrize("name", [name for name in SAMPLED if name in LADDER])
def test_models_are_built_with_their_coordinates(name):
    rng = np.random.default_rng(0)
    scores = pd.DataFrame(rng.integers(0, 11, size=(5, 3)) / 10, columns=list("abc"))
    data, _ = prepare(scores)
    model = get_model(name)
    model.check(data)
    _stack.pymc()
    built = model.build(data, model.full_priors(None))
    assert set(built.coords) >= {"topic", "system"}
    assert tuple(built.coords["system"]) == ("a", "b", "c")


@pytest.mark.parametrize("name", ["flat", "bootstrap", "bootstrap-shrunk"])
def test_missing_scores_and_errors_are_refused(name, small_scores):
    holes = small_scores.mask(np.eye(7, 4, dtype=bool))
    with pytest.raises(ModelError, match=r"does not support missing scores.*missing=\"drop\""):
        bayescorr.fit(holes, name, missing="model")
    with pytest.raises(ModelError, match="does not support measurement error"):
        bayescorr.fit(small_scores, name, score_sd=0 * small_scores)


def test_what_a_model_cannot_do_is_said(small_scores):
    data, _ = prepare(small_scores)
    model = get_model("matrix-t-flat")
    draw = {"c": 1.0}
    with pytest.raises(ModelError, match="improper"):
        model.simulate(draw, data, model.full_priors(None), np.random.default_rng(0))
    with pytest.raises(ModelError, match=r"cannot compute the density.*default model"):
        get_model("logit-normal").log_likelihood({}, data, {})


def test_bigger_prior_shrinks_more(small_scores):
    weak, strong = (
        bayescorr.fit(small_scores, "bootstrap-shrunk", priors={"prior_topics": p}, random_seed=1)
        for p in (0.1, 100.0)
    )
    spread = [float(r.true_means.mean(("chain", "draw")).std()) for r in (weak, strong)]
    assert spread[1] < 0.2 * spread[0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayescorr.errors.ConvergenceWarning")  # see sampled_well
class TestUncertainCells:
    """Missing scores and measurement error in the default model."""

    def test_no_error_is_no_error(self, small_scores, sampled_well):
        plain = bayescorr.fit(small_scores, random_seed=1, draws=2000, warn=False)
        exact = bayescorr.fit(
            small_scores, score_sd=0 * small_scores, random_seed=2, draws=2000, warn=False
        )
        noisy = bayescorr.fit(
            small_scores, score_sd=0 * small_scores + 0.8, random_seed=2, draws=2000, warn=False
        )
        for result in (plain, exact, noisy):
            sampled_well(result.convergence)
        means = [r.true_means.mean(("chain", "draw")).to_numpy() for r in (plain, exact)]
        sds = [r.true_means.std(("chain", "draw")).to_numpy() for r in (plain, exact)]
        np.testing.assert_allclose(means[0], means[1], atol=0.08)
        np.testing.assert_allclose(sds[0], sds[1], rtol=0.1)
        taus = [r.draws("tau") for r in (plain, exact, noisy)]
        assert abs(taus[0].mean() - taus[1].mean()) < 4 * taus[0].std() / np.sqrt(1500)
        assert taus[2].std() > 1.1 * taus[1].std()
        assert taus[2].mean() < taus[1].mean()

    def test_a_missing_cell_is_near_its_conditional_expectation(self, sampled_well):
        # Two systems that differ by a tenth or so: one tells the other.
        rng = np.random.default_rng(2)
        topic = 2 * rng.normal(size=(30, 1))
        values = topic + 0.1 * rng.normal(size=(30, 3)) + [0.0, 0.5, 1.0]
        scores = pd.DataFrame(values, columns=list("abc"))
        hidden = scores.copy()
        hidden.iloc[4, 1] = np.nan
        result = bayescorr.fit(hidden, missing="model", random_seed=3, draws=3000)
        sampled_well(result.convergence)
        data, _ = prepare(hidden)
        model = get_model()
        draws = {str(k): v.to_numpy() for k, v in result.posterior.items()}
        flat = {k: v.reshape(-1, *v.shape[2:]) for k, v in draws.items()}
        cell = data.to_scores(model.complete_scores(flat, data)[:, 4, 1])
        others = np.delete(np.column_stack([np.ones(30), values]), 4, axis=0)
        predictors = [0, 1, 3]
        coefficients = np.linalg.lstsq(others[:, predictors], others[:, 2], rcond=None)[0]
        expected = np.array([1, *values[4, [0, 2]]]) @ coefficients
        assert abs(cell.mean() - expected) < 0.1
        assert abs(cell.mean() - hidden["b"].mean()) > 2
        assert 0.05 < cell.std() < 0.4

    def test_additive_models_take_them_too(self, small_scores, sampled_well):
        holes = small_scores.copy()
        holes.iloc[2, 1] = np.nan
        full = bayescorr.fit(small_scores, "additive", random_seed=1, warn=False)
        part = bayescorr.fit(holes, "additive", missing="model", random_seed=1, warn=False)
        for result in (full, part):
            sampled_well(result.convergence)
        both = [r.true_means.mean(("chain", "draw")).to_numpy() for r in (full, part)]
        np.testing.assert_allclose(both[0], both[1], atol=0.4)
        sds = [r.true_means.std(("chain", "draw")).to_numpy() for r in (full, part)]
        np.testing.assert_allclose(sds[0], sds[1], rtol=0.25)


class Unbalanced(MatrixT):
    """A model of somebody else."""

    name = "unbalanced"


def test_a_model_can_be_given_itself():
    model = Unbalanced()
    assert get_model(model) is model
    with pytest.raises(OptionError, match="unbalanced"):
        get_model("unbalanced")
