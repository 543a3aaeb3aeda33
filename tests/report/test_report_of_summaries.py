"""Reports and comparisons of win rates, medians and other summaries of item scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bayescorr
from bayescorr.cli import app
from bayescorr.report.page import page
from bayescorr.report.paper import latex_ranking

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

SCORES = bayescorr.load_dataset("demo").iloc[:, :6]
OPTIONS = {"random_seed": 1, "draws": 200, "warn": False}


def low(scores):
    """Return the lower quartile."""
    return float(np.quantile(scores, 0.25))


SUMMARIES = {
    "win-rate": "win rate",
    "borda": "Borda count",
    "median": "median",
    "trimmed-mean": "trimmed mean",
    low: "low",
}


@pytest.mark.parametrize("summary", SUMMARIES)
def test_both_sides_of_a_comparison_are_of_the_same_summary(summary):
    fit = bayescorr.fit(SCORES, "bootstrap-shrunk", summary=summary, **OPTIONS)
    by_fit = bayescorr.compare(SCORES, fit, "RES", "tau", random_seed=1)
    by_name = bayescorr.compare(
        SCORES, "bootstrap-shrunk", "RES", "tau", summary=summary, **OPTIONS
    )
    pd.testing.assert_frame_equal(by_fit, by_name)
    alone = bayescorr.estimate(SCORES, "RES", "tau", summary=summary, random_seed=1)
    assert by_fit["estimate"].tolist() == [fit.draws("tau").mean(), alone["estimate"].item()]


@pytest.mark.parametrize("summary", SUMMARIES)
def test_reports_say_which_summary(summary):
    label = SUMMARIES[summary]
    report = bayescorr.make_report(SCORES, "bootstrap-shrunk", summary=summary, random_seed=1)
    assert report.sentence.startswith(f"Ranked by {label} of AP on 50 topics, ")
    assert f"{label} of AP" in report.description.understood
    html = page(report)
    assert f"Observed {label} ◇" in html
    assert f"interval of the true {label};" in html
    assert "interval of the true mean" not in html
    table = latex_ranking(report.fit, 0.95)
    assert f"observed {label}, posterior mean" in table
    assert f"true {label}" in table


def test_stored_fits_are_of_scores_and_of_what_replaced_them(tmp_path):
    fit = bayescorr.fit(SCORES, "bootstrap-shrunk", summary="win-rate", **OPTIONS)
    stored = bayescorr.load_fit(fit.to_netcdf(tmp_path / "fit.nc"))
    expected = bayescorr.make_report(fit.scores, fit).estimates
    for scores in (SCORES, stored.scores):
        report = bayescorr.make_report(scores, stored)
        pd.testing.assert_frame_equal(report.estimates, expected)
    with pytest.raises(bayescorr.BayescorrError, match="different values"):
        bayescorr.make_report(1 - SCORES, stored)
    missing = SCORES.copy()
    missing.iloc[0, 0] = np.nan
    of_zeros = bayescorr.fit(
        missing, "bootstrap-shrunk", summary="win-rate", missing="zero", **OPTIONS
    )
    assert bayescorr.make_report(missing, of_zeros).estimates["estimate"].notna().any()


def test_a_file_does_not_keep_a_function(tmp_path):
    fit = bayescorr.fit(SCORES, "bootstrap-shrunk", summary=low, **OPTIONS)
    stored = bayescorr.load_fit(fit.to_netcdf(tmp_path / "fit.nc"))
    report = bayescorr.make_report(SCORES, stored)
    assert report.sentence == bayescorr.make_report(SCORES, fit).sentence
    assert "'low' is a function that is not stored" in " ".join(report.notes)
    assert report.estimates["method"].unique().tolist() == ["bootstrap-shrunk"]


@pytest.mark.parametrize("summary", ["borda", "median"])
def test_commands(tmp_path, summary):
    options = ["--summary", summary, "--model", "bootstrap-shrunk", "--seed", "1"]
    label = SUMMARIES[summary]
    out = ["--out", str(tmp_path / "report"), "--no-figures"]
    for command, more in (("report", out), ("compare", []), ("fit", [])):
        found = CliRunner().invoke(app, [command, "demo", *options, *more])
        assert found.exit_code == 0, found.output
        assert f"{label} of AP: best rerank-large" in found.stderr
        if command != "compare":
            assert f"Ranked by {label} of AP on 50 topics" in found.stdout
    assert f"{label} of AP" in (tmp_path / "report" / "summary.md").read_text()
