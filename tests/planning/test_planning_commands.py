"""``bayescorr topics`` prints what the functions give."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest
from known_covariance import KnownCovariance, make_scores
from typer.testing import CliRunner

import bayescorr
from bayescorr.cli import app
from bayescorr.errors import ModelError, OptionError, render

# Short chains of independent draws: what is tested does not depend on their convergence.
pytestmark = pytest.mark.filterwarnings("ignore::bayescorr.ConvergenceWarning")


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    # Short chains may not converge: the exit code then says so, as the text does.
    assert result.exit_code == (3 if "Not converged" in result.output else 0), result.output
    return result


@pytest.fixture(scope="module")
def fit():
    return bayescorr.fit(make_scores(), KnownCovariance(), chains=2, draws=1000, random_seed=1)


@pytest.fixture
def stored(fit, monkeypatch):
    """The fit, as if it were read from a file: its model is not an installed one."""
    monkeypatch.setattr(bayescorr, "load_fit", lambda path: fit)
    return fit


def test_topics_json(stored):
    given = ("--target", 0.8, "--probability", 0.9, "--topics", "10,40", "--seed", 2)
    found = json.loads(run("topics", "fit.nc", "--json", *given).stdout)
    needed = bayescorr.topics_needed(stored, "tau", 0.8, 0.9, random_seed=2)
    assert found["summary"] == render(needed.text, shell=True)
    assert [row["topics"] for row in found["needed"]] == needed.table()["topics"].tolist()
    plan = bayescorr.expected_coefficient(stored, [10, 40], random_seed=2)
    expected = plan.table(0.95, 0.8)
    pd.testing.assert_frame_equal(pd.DataFrame(found["curve"]), expected, check_dtype=False)
    study = bayescorr.generalizability(stored.scores).topics_needed()
    assert [row["topics"] for row in found["generalizability_needed"]] == study["topics"].tolist()
    study = bayescorr.generalizability(stored.scores).coefficients([10, 40])
    pd.testing.assert_frame_equal(pd.DataFrame(found["generalizability"]), study)
    agreement = stored.predict_agreement([10, 40], random_seed=2).table()
    pd.testing.assert_frame_equal(pd.DataFrame(found["agreement"]), agreement)
    assert found["converged"] is True


def test_topics_table_csv_and_plot(stored, tmp_path):
    given = ("--extend", "--coefficient", "tau_ap", "--target", 0.8, "--seed", 2)
    text = run("topics", "fit.nc", *given, "--plot", tmp_path / "curve.png").output
    assert "Topics needed" in text
    needed = bayescorr.topics_needed(stored, "tau_ap", 0.8, extend=True, random_seed=2)
    assert render(needed.text, shell=True) in text
    assert (tmp_path / "curve.png").stat().st_size > 1000
    table = pd.read_csv(io.StringIO(run("topics", "fit.nc", *given, "--csv").stdout))
    assert table["n_topics"].iloc[0] == 20
    assert "p_target" in table


def test_topics_says_what_is_wrong(stored, tmp_path):
    with pytest.raises(OptionError, match="must be whole numbers"):
        run("topics", "fit.nc", "--topics", "ten")
    with pytest.raises(OptionError, match="target must be between -1 and 1; got 2"):
        run("topics", "fit.nc", "--target", 2)


def test_decisions_json(stored):
    given = ("--pair", "d", "b", "--rope", 0.01, "--extend", "--topics", "40,80", "--seed", 2)
    found = json.loads(run("topics", "fit.nc", "--json", *given).stdout)
    options = {"pair": ("b", "d"), "rope": 0.01, "extend": True, "random_seed": 2}
    needed = bayescorr.topics_to_decide(stored, **options)
    assert found["summary"] == render(needed.text, shell=True)
    assert found["notes"] == needed.question.notes
    assert found["never"] == needed.never
    plan = bayescorr.expected_decision(stored, [40, 80], **options)
    pd.testing.assert_frame_equal(pd.DataFrame(found["curve"]), plan.table(), check_dtype=False)


@pytest.mark.slow
@pytest.mark.parametrize("question", [("--winner",), ("--top", 2)])
def test_decisions_table_and_plot(stored, tmp_path, question):
    text = run("topics", "fit.nc", *question, "--seed", 2, "--plot", tmp_path / "c.png").output
    needed = bayescorr.topics_to_decide(stored, top=int(question[-1:] == (2,)) + 1, random_seed=2)
    assert render(needed.text, shell=True) in text
    assert "Decided means" in text
    assert (tmp_path / "c.png").stat().st_size > 1000


def test_decisions_say_what_is_wrong(stored):
    with pytest.raises(OptionError, match="Cannot plan for --winner and --target at once"):
        run("topics", "fit.nc", "--winner", "--target", 0.8)
    with pytest.raises(OptionError, match="--rope needs --pair, --winner or --top"):
        run("topics", "fit.nc", "--rope", 0.1)
    with pytest.raises(OptionError, match="Unknown system 'z'"):
        run("topics", "fit.nc", "--pair", "a", "z")


def test_topics_needs_a_model(tmp_path):
    scores = make_scores()
    draws = np.random.default_rng(1).normal(scores.mean(), 0.05, (400, 5))
    path = bayescorr.Fit.from_draws(draws, scores).to_netcdf(tmp_path / "draws.nc")
    with pytest.raises(ModelError, match="made from draws"):
        run("topics", path)


@pytest.mark.slow
def test_topics_samples_itself(tmp_path):
    make_scores(12).rename_axis("topic").to_csv(tmp_path / "a.csv")
    quick = ("--draws", 200, "--tune", 300, "--chains", 2, "--seed", 1)
    text = run("topics", tmp_path / "a.csv", *quick, "--target", 0.7).output
    assert "P(tau >= 0.7) >= 0.95" in text
