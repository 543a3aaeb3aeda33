from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import bayescorr
from bayescorr.cli import app

run = CliRunner().invoke


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("fits") / "fit.nc"
    result = run(app, ["fit", "demo", "--model", "flat", "--seed", "1", "--out", str(path)])
    assert result.exit_code == 0, result.output
    return path, result


def test_fit_prints_what_the_library_says(stored):
    path, result = stored
    expected = bayescorr.fit(bayescorr.load_dataset("demo"), "flat", random_seed=1)
    assert expected.in_words() in result.stdout
    assert str(expected.convergence) in result.stdout
    assert f"{expected.draws('tau').mean():.4f}" in result.stdout
    assert f"fit written to {path}" in result.stderr


def test_show_prints_the_same_again(stored):
    path, result = stored
    again = run(app, ["show", str(path)])
    assert again.exit_code == 0
    assert again.stdout == result.stdout


def test_json_is_a_record(stored):
    shown = json.loads(run(app, ["show", str(stored[0]), "--json", "--ranking"]).stdout)
    assert shown["model"] == "flat"
    assert shown["converged"] is True
    assert [row["coefficient"] for row in shown["estimates"]] == ["tau", "tau_ap", "tau_gap"]
    assert len(shown["ranking"]) == shown["systems"] == 30
    direct = run(app, ["fit", "demo", "--model", "flat", "--seed", "1", "--json"])
    assert json.loads(direct.stdout)["estimates"] == shown["estimates"]


def test_ranking_lists_every_system(stored):
    shown = run(app, ["show", str(stored[0]), "--ranking"]).stdout
    assert all(system in shown for system in bayescorr.load_dataset("demo").columns)


@pytest.mark.slow
def test_plots_are_written_and_those_that_cannot_be_are_named(tmp_path):
    pytest.importorskip("matplotlib")
    few = str(tmp_path / "few.nc")
    run(app, ["fit", "demo", "--drop-worst", "0.8", "--model", "flat", "--out", few])
    folder = tmp_path / "new" / "plots"
    result = run(app, ["show", few, "--plots", str(folder)])
    assert result.exit_code == 0
    assert sorted(path.stem for path in folder.iterdir()) == [
        "coefficients", "discordance", "rank_probabilities", "ranking", "trace",
    ]  # fmt: skip
    assert "no plot of predicted_means: The model 'flat' cannot" in result.stderr


def test_exit_code_says_that_it_did_not_converge():
    result = run(app, ["fit", "demo", "--model", "flat", "--draws", "20", "--seed", "1"])
    assert result.exit_code == 3
    assert "has tau = " in result.stdout
    assert "Not converged: " in result.stdout
    assert "twice the draws" in result.stdout


def test_level_and_options_reach_the_fit():
    arguments = ["--drop-worst", "0.25", "--level", "0.5", "--prior", "prior_topics=30"]
    result = run(
        app, ["fit", "demo", "--model", "bootstrap-shrunk", "--seed", "1", *arguments, "--json"]
    )
    shown = json.loads(result.stdout)
    scores = bayescorr.drop_worst(bayescorr.load_dataset("demo"), 0.25)
    expected = bayescorr.fit(
        scores, "bootstrap-shrunk", random_seed=1, priors={"prior_topics": 30}
    ).estimates(0.5)
    assert shown["systems"] == scores.shape[1]
    for row, found in zip(expected.itertuples(), shown["estimates"], strict=True):
        assert found["estimate"] == pytest.approx(row.estimate)
        assert found["lower"] == pytest.approx(row.lower)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "demo", "--prior", "x"], "not NAME=VALUE"),
        (["fit", "demo", "--prior", "x=1"], "has no prior 'x'"),
        (["fit", "demo", "--model", "nothing"], "Unknown model 'nothing'"),
        (["fit", "demo", "--out", "no/such/folder/fit.nc"], "There is no folder"),
        (["show", "none.nc"], "There is no file"),
        (["compare-models", "demo", "--models", "flat"], "Only one model"),
        (["compare-models", "demo", "--models", "flat,bootstrap"], "cannot give the density"),
    ],
)
def test_mistakes_are_explained(arguments, message):
    result = run(app, arguments)
    assert isinstance(result.exception, bayescorr.BayescorrError)
    assert message in str(result.exception)


def test_models_are_listed_with_the_default_first():
    rows = json.loads(run(app, ["models", "--json"]).stdout)
    assert rows[0]["name"] == "matrix-t"
    assert all(row["citation"] for row in rows)
    assert "bootstrap-shrunk" in run(app, ["models"]).stdout


def test_compare_puts_the_posterior_first():
    arguments = ["--model", "flat", "--methods", "ML,MSQD", "--seed", "1", "--csv"]
    result = run(app, ["compare", "demo", *arguments])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line.split(",")[0] for line in lines] == ["method"] + [
        name for name in ("flat", "ML", "MSQD") for _ in range(3)
    ]
    assert "MSQD" in result.stderr


def test_compare_models_takes_names_after_one_another(monkeypatch):
    asked = {}

    def compare_models(models, scores, **options):
        import pandas as pd

        asked.update(models=models, shape=scores.shape, **options)
        table = pd.DataFrame({"model": models, "elpd": 1.0})
        table.attrs["words"] = "a is best."
        return table

    monkeypatch.setattr(bayescorr, "compare_models", compare_models, raising=False)
    for given in (["a", "b", "c"], ["a,b,c"], ["a,b", "c"]):
        result = run(app, ["compare-models", "demo", "--models", *given, "--seed", "4"])
        assert result.exit_code == 0, result.output
        assert "a is best." in result.stdout
        assert asked["models"] == ["a", "b", "c"]
        assert asked["random_seed"] == 4
