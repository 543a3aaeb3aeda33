"""Commands that sample exit with 3 if the sampler did not converge; the remedy names options."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from bayescorr.bayes.convergence import Convergence
from bayescorr.cli import app
from bayescorr.cli._sampling import in_words

FEW = ("--draws", "10", "--tune", "10", "--chains", "2", "--seed", "1")
SAMPLING = (
    "agree",
    "compare",
    "compare-models",
    "fit",
    "infer-ap",
    "rank-sets",
    "report",
    "topics",
)


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def files(tmp_path):
    """Two tables of scores, a run and its judgments."""
    rng = np.random.default_rng(1)
    scores = pd.DataFrame(rng.random((8, 3)), columns=list("abc")).rename_axis("topic")
    scores.to_csv(tmp_path / "a.csv")
    (scores + rng.normal(0, 0.05, scores.shape)).to_csv(tmp_path / "b.csv")
    lines, judgments = [], []
    for topic in "12":
        lines += [f"{topic} Q0 d{i} {i} {9 - i + rng.random():.3f} x" for i in range(8)]
        judgments += [f"{topic} 0 d{i} {int(i in (0, 1, 3))}" for i in range(8)]
    (tmp_path / "x.run").write_text("\n".join(lines))
    (tmp_path / "qrels").write_text("\n".join(judgments))
    return tmp_path


@pytest.mark.parametrize("name", SAMPLING)
def test_options_of_the_remedies_exist(name):
    options = {option for one in get_command(app).commands[name].params for option in one.opts}
    assert {"--draws", "--tune", "--target-accept"} <= options


def test_remedy_names_options():
    diverged = Convergence(1.0, 900.0, 900.0, 3, 0.9, ("3 divergent transitions.",))
    assert "(--target-accept 0.99, --tune 1000)" in in_words(diverged)
    short = Convergence(1.02, 90.0, 90.0, 0, 0.9, ("R-hat above 1.01 for tau.",))
    assert "(--draws 2000, --tune 1000)" in in_words(short)
    # Twice what was asked for, and no tuning where there was none.
    again = replace(short, draws=3000, tune=2000)
    assert "(--draws 6000, --tune 4000)" in in_words(again)
    assert "(--draws 6000)" in in_words(replace(again, tune=0))
    assert in_words(Convergence(1.0, 900.0, 900.0, 0, 0.9)).endswith("0 divergences.")


@pytest.mark.parametrize(
    "arguments",
    [
        ("fit",),
        ("fit", "--json"),
        ("compare", "--csv"),
        ("rank-sets",),
        ("report", "--no-figures", "--out", "r"),
    ],
)
def test_exit_code_of_models_without_a_sampler(files, monkeypatch, arguments):
    monkeypatch.chdir(files)
    command, *options = arguments
    result = run(command, "a.csv", "--model", "flat", *FEW, *options)
    assert result.exit_code == 3
    assert "Not converged: " in result.output
    assert "Sample longer (--draws 1000)." in result.output
    assert "draws=" not in result.output


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("topics", "a.csv", "--target", "0.5", "--max-topics", "20"),
        ("agree", "a.csv", "b.csv"),
        ("compare-models", "a.csv", "--models", "matrix-t", "additive"),
        ("infer-ap", "x.run", "qrels", "--method", "posterior"),
    ],
)
def test_exit_code(files, monkeypatch, arguments):
    monkeypatch.chdir(files)
    result = run(*arguments, *FEW)
    assert result.exit_code == 3
    assert "Not converged: " in result.stderr
    assert "--draws 1000" in result.stderr or "--target-accept 0.99" in result.stderr
    assert result.stdout
