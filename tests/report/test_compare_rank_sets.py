"""Credible and confidence sets side by side: each is what its own function gives."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from typer.testing import CliRunner

import bayescorr
from bayescorr.cli import app
from bayescorr.errors import OptionError, render


@pytest.fixture(scope="module")
def fit():
    return bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, ::3], "flat", random_seed=1)


def test_sets_are_those_of_each_kind(fit):
    table = bayescorr.compare_rank_sets(fit, 3, 0.9, random_seed=2).set_index("system")
    assert list(table.index) == fit.systems
    joint = fit.joint_ranks(0.9).table.set_index("system")
    confidence = bayescorr.rank_confidence_sets(fit.scores, random_seed=2)
    own = confidence.table(0.9).set_index("system").loc[fit.systems]
    for end in ("lower", "upper"):
        assert (table[f"credible_{end}"] == joint[f"rank_{end}"]).all()
        assert (table[f"confidence_{end}"] == own[f"rank_{end}"]).all()
    assert table.index[table["credible_top"]].tolist() == fit.top_set(3, 0.9).systems
    assert table.index[table["confidence_top"]].tolist() == confidence.top(3, 0.9)
    credible, frequentist = table.attrs["notes"]
    assert str(fit.joint_ranks(0.9)) in credible
    assert frequentist.startswith("confidence (frequentist): ")


def test_lower_is_better(fit):
    mirrored = bayescorr.fit(-fit.scores, "flat", higher_is_better=False, random_seed=1)
    first = bayescorr.compare_rank_sets(fit, random_seed=2).drop(columns="observed_mean")
    second = bayescorr.compare_rank_sets(mirrored, random_seed=2).drop(columns="observed_mean")
    names = ["system", "confidence_lower", "confidence_upper", "confidence_top"]
    pd.testing.assert_frame_equal(first[names], second[names])


def test_command(tmp_path, fit):
    path = fit.to_netcdf(tmp_path / "fit.nc")
    words = ["rank-sets", str(path), "--top", "2", "--level", "0.9", "--seed", "2"]
    result = CliRunner().invoke(app, [*words, "--json"])
    assert result.exit_code == 0, result.output
    expected = bayescorr.compare_rank_sets(fit, 2, 0.9, random_seed=2)
    found = pd.DataFrame(json.loads(result.stdout))
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    text = CliRunner().invoke(app, words).output
    assert "True ranks and top 2, 90% sets that hold together" in text
    assert "confidence (frequentist)" in text


def test_command_says_what_is_wrong(tmp_path, fit):
    path = fit.to_netcdf(tmp_path / "fit.nc")
    result = CliRunner().invoke(app, ["rank-sets", str(path), "--bootstrap", "wild"])
    assert isinstance(result.exception, OptionError)
    assert "Choose one of: normal, plug-in, topics" in render(result.exception.texts[1])
