"""The commands about coefficients print what the functions give."""

from __future__ import annotations

import gzip
import io
import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bayescorr as bc
from bayescorr.cli import app
from bayescorr.errors import CoefficientError, OptionError, ScoresError

TRUTH = pd.Series({"a": 0.5, "b": 0.4, "c": 0.3, "d": 0.1})
OBSERVED = pd.Series({"d": 0.3, "a": 0.6, "b": 0.2, "c": 0.3})


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0
    return result.stdout


@pytest.fixture
def means(tmp_path):
    TRUTH.rename("mean").rename_axis("system").to_csv(tmp_path / "truth.csv")
    (tmp_path / "observed.txt").write_text(
        "".join(f"{system}  {mean}\n" for system, mean in OBSERVED.items())
    )
    return tmp_path / "truth.csv", tmp_path / "observed.txt"


@pytest.fixture
def scores(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        rng.random((20, 5)) + np.arange(5) / 8, index=[f"q{i}" for i in range(20)]
    ).set_axis(list("vwxyz"), axis=1)
    frame.rename_axis("topic").to_csv(tmp_path / "scores.csv")
    return frame, tmp_path / "scores.csv"


def test_correlate_means(means):
    found = json.loads(run("correlate", *means, "--json", "--coefficients", "tau, tau_ap,pearson"))
    assert [row["coefficient"] for row in found] == ["tau", "tau_ap", "pearson"]
    for row in found:
        assert row["value"] == pytest.approx(
            getattr(bc, row["coefficient"])(TRUTH, OBSERVED), abs=1e-14
        )
    assert "4 systems" in run("correlate", *means)


def test_correlate_options(means):
    strict = json.loads(run("correlate", *means, "--json", "--strict", "--lower-is-better"))
    expected = bc.correlate(TRUTH, OBSERVED, strict=True, higher_is_better=False)
    assert {row["coefficient"]: row["value"] for row in strict} == pytest.approx(
        {name: float(value) for name, value in expected.items()}
    )


def test_correlate_scores(scores, tmp_path):
    frame, path = scores
    (frame.iloc[:10]).rename_axis("topic").to_csv(tmp_path / "half.csv")
    found = pd.read_csv(io.StringIO(run("correlate", path, tmp_path / "half.csv", "--csv")))
    expected = bc.tau(frame.mean(), frame.iloc[:10].mean())
    assert found.set_index("coefficient").loc["tau", "value"] == pytest.approx(expected)


def test_coefficients_are_listed():
    listed = json.loads(run("coefficients", "--json"))
    assert {"tau", "tau_ap", "tau_gap", "spearman"} <= {row["coefficient"] for row in listed}
    assert all(row["citation"] for row in listed)


def test_swap_weights(scores, tmp_path):
    frame, path = scores
    plot = tmp_path / "weights.png"
    rows = json.loads(run("swap-weights", path, "--json", "--plot", plot))
    weights = bc.swap_weights(frame, "tau_gap")
    assert len(rows) == 10
    assert rows[0]["weight"] == 1
    assert all(
        row["weight"] == pytest.approx(weights.loc[row["system"], row["other"]]) for row in rows
    )
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert "heaviest of 10 pairs" in run("swap-weights", path, "--top", 3)


def test_significance(scores, tmp_path):
    frame, path = scores
    plot = tmp_path / "p.svg"
    assert run("significance", path, "--plot", plot).strip() == repr(bc.significance_matrix(frame))
    assert "<svg" in plot.read_text()
    found = json.loads(run("significance", path, "--level", 0.01, "--json"))
    assert found["share"] == bc.significance_matrix(frame, level=0.01).share
    assert len(found["pairs"]) == 10


def test_swap_experiment(scores):
    frame, path = scores
    arguments = ("--pairs", 2, "--times", 4, "--seed", 1, "--json")
    rows = json.loads(run("swap-experiment", path, *arguments))
    expected = bc.swap_experiment(frame, pairs=2, repeats=4, random_seed=1).mean()
    assert rows[0] == {"swapped pairs": "significant", **expected.round(15).to_dict()}
    assert rows[1]["swapped pairs"] == "not significant"


def test_what_goes_wrong(means, scores, tmp_path):
    with pytest.raises(OptionError, match="'txt'"):
        run("swap-weights", scores[1], "--plot", tmp_path / "weights.txt")
    with pytest.raises(CoefficientError, match="have different systems"):
        run("correlate", means[0], scores[1])
    with pytest.raises(OptionError, match="neither a file nor a data set"):
        run("correlate", "nothing", means[0])
    (tmp_path / "one.csv").write_text("topic,bm25\n1,0.3\n2,0.4\n")
    with pytest.raises(ScoresError, match="system"):
        run("correlate", tmp_path / "one.csv", tmp_path / "one.csv")


@pytest.mark.parametrize("options", [(), ("--format", "matrix")])
def test_correlate_a_matrix_of_two_systems(tmp_path, options):
    path = tmp_path / "two.csv"
    path.write_text("a,b\n0.1,0.2\n0.3,0.1\n0.2,0.1\n")
    assert "2 systems" in run("correlate", path, path, *options)


def test_correlate_broken_gzip(tmp_path):
    path = tmp_path / "means.csv.gz"
    path.write_bytes(gzip.compress(b"a,.5\nb,.4\n")[:-9])
    with pytest.raises(ScoresError, match="invalid or truncated gzip file"):
        run("correlate", path, path)
