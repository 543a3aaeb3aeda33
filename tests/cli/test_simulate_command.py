from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bayescorr
from bayescorr.cli import app
from bayescorr.errors import BayescorrError, OptionError


@pytest.fixture
def scores(tmp_path):
    values = np.random.default_rng(1).binomial(10, [0.2, 0.4, 0.5], size=(15, 3)) / 10
    path = tmp_path / "scores.csv"
    frame = pd.DataFrame(values, columns=["bm25", "lm", "dph"])
    frame.rename_axis("topic").to_csv(path)
    return path


def run(*arguments):
    result = CliRunner().invoke(app, ["simulate", *map(str, arguments)])
    if isinstance(result.exception, BayescorrError):
        raise result.exception
    return result


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_simulated_scores_can_be_read_again(scores, tmp_path, name):
    out = tmp_path / name
    result = run(scores, "--topics", 40, "--seed", 3, "--out", out)
    assert result.exit_code == 0
    assert "40 topics x 3 systems written" in result.output
    expected = bayescorr.EffectsSimulator(bayescorr.read_scores(scores)).sample(40, 3)
    pd.testing.assert_frame_equal(
        bayescorr.read_scores(out), expected, check_names=False, rtol=1e-12
    )


def test_copula_with_a_support_and_its_true_means(scores, tmp_path):
    out = tmp_path / "out.csv"
    options = ("--simulator", "copula", "--support", "p10", "--seed", 1, "--csv")
    result = run(scores, "--topics", 25, "--out", out, *options)
    assert result.exit_code == 0
    drawn = bayescorr.read_scores(out)
    assert drawn.shape == (25, 3)
    assert np.isin((drawn * 10).round(9), np.arange(11)).all()
    means = pd.read_csv(io.StringIO(result.stdout), index_col="system")
    simulator = bayescorr.CopulaSimulator(bayescorr.read_scores(scores), support="p10")
    assert means.index.tolist() == ["dph", "lm", "bm25"]
    np.testing.assert_allclose(means["true_mean"], simulator.true_means[means.index])
    np.testing.assert_allclose(means["observed_mean"], drawn.mean()[means.index])


def test_systems_can_be_left_out(scores, tmp_path):
    out = tmp_path / "out.csv"
    assert run(scores, "--topics", 5, "--out", out, "--drop-worst", 0.25).exit_code == 0
    assert bayescorr.read_scores(out).columns.tolist() == ["lm", "dph"]


def test_mistakes_are_explained(scores, tmp_path):
    out = tmp_path / "a.csv"
    with pytest.raises(OptionError, match="add --simulator copula"):
        run(scores, "--topics", 5, "--out", out, "--support", "p10")
    with pytest.raises(OptionError, match="Choose one of: copula, effects"):
        run(scores, "--topics", 5, "--out", out, "--simulator", "vine")
    with pytest.raises(BayescorrError, match="cannot be written"):
        run(scores, "--topics", 5, "--out", tmp_path / "nowhere" / "a.csv")
    assert run(scores, "--topics", 0, "--out", out).exit_code == 2
    assert not out.exists()
