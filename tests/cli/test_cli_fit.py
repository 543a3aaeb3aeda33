from __future__ import annotations

import io
import json

import pandas as pd
import pytest
from typer.testing import CliRunner

import bayescorr
from bayescorr.bayes.convergence import Convergence
from bayescorr.cli import app
from bayescorr.planning.outlook import outlook

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
    verdict = expected.verdict(plans=outlook(expected, random_seed=1))
    assert verdict.plans[0].startswith("Another team that ranks the 30 systems on 50 other topics")
    assert result.stdout.startswith(f"{verdict}\n")
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
    assert sorted({path.stem for path in folder.iterdir()}) == [
        "coefficients", "discordance", "order", "rank_probabilities", "ranking", "ranks", "trace",
    ]  # fmt: skip
    assert "no plot of predicted_means: The model 'flat' cannot" in result.stderr


def test_exit_code_says_that_it_did_not_converge():
    result = run(app, ["fit", "demo", "--model", "flat", "--draws", "20", "--seed", "1"])
    assert result.exit_code == 3
    # Numbers of a failed run must not be quoted.
    assert "Kendall's tau = " not in result.stdout
    assert "Not converged: " in result.stdout
    assert "Sample longer (--draws 1000)." in result.stdout


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
        (["fit", "demo", "--prior", "x"], "must be NAME=VALUE"),
        (["fit", "demo", "--prior", "x=1"], "has no prior 'x'"),
        (["fit", "demo", "--model", "nothing"], "Unknown model 'nothing'"),
        (
            ["fit", "demo", "--out", "no/such/folder/fit.nc"],
            "the folder 'no/such/folder' does not exist",
        ),
        (["show", "none.nc"], "File 'none.nc' does not exist"),
        (["compare-models", "demo", "--models", "flat"], "needs at least two models; got 1"),
        (["compare-models", "demo", "--models", "flat,bootstrap"], "cannot compute the density"),
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


@pytest.fixture
def compared(monkeypatch):
    """Replace ``compare_models``; return what it was called with, and the result's convergence."""
    asked, failed = {}, {}

    def compare_models(models, scores, **options):
        asked.update(models=models, **options)
        table = pd.DataFrame({"model": models, "elpd": 1.0})
        table.attrs |= {"words": "The model flat is best.", "convergence": failed}
        return table

    monkeypatch.setattr(bayescorr, "compare_models", compare_models, raising=False)
    return asked, failed


def test_compare_models_takes_names_after_one_another(compared):
    names = ["flat", "matrix-t", "additive"]
    for given in (names, [",".join(names)], ["flat,matrix-t", "flat", "additive"]):
        result = run(app, ["compare-models", "demo", "--models", *given, "--seed", "4"])
        assert result.exit_code == 0, result.output
        assert "The model flat is best." in result.stdout
        assert compared[0]["models"] == names
        assert compared[0]["random_seed"] == 4


def test_compare_models_names_the_models_that_did_not_converge(compared):
    compared[1]["flat"] = Convergence(1.2, 9.0, 9.0, 3, 0.9, ("3 divergent transitions.",))
    result = run(app, ["compare-models", "demo", "--models", "flat", "additive", "--json"])
    assert result.exit_code == 3
    assert "Note: flat: Not converged: 3 divergent transitions." in result.stderr
    assert "--target-accept 0.99" in result.stderr
    assert len(json.loads(result.stdout)) == 2


@pytest.mark.parametrize("name", ["ranking", "groups", "pairs"])
@pytest.mark.slow
def test_show_prints_a_table_in_every_format(stored, name):
    path, *_ = stored
    fit = bayescorr.load_fit(path)
    table = pd.read_csv(io.StringIO(run(app, ["show", str(path), f"--{name}", "--csv"]).stdout))
    latex = run(app, ["show", str(path), f"--{name}", "--latex"]).stdout
    assert latex.startswith(r"\begin{tabular}")
    assert latex.count(r"\\") == len(table) + 1
    found = json.loads(run(app, ["show", str(path), f"--{name}", "--json"]).stdout)
    assert len(found["ranking"] if name == "ranking" else found) == len(table)
    if name == "ranking":
        assert table["system"].tolist() == fit.systems
    elif name == "groups":
        assert table["size"].tolist() == [len(g) for g in fit.groups() if len(g) > 1]
    else:
        one = fit.compare_systems(*table.loc[0, ["a", "b"]], rope=0)
        assert one.p_order < 0.95
        assert one.interval(0.9)[0] < 0 < one.interval(0.9)[1]
    assert "one-sided" in run(app, ["show", str(path), "--groups"]).stdout


def test_show_prints_one_table_for_programs(stored):
    result = run(app, ["show", str(stored[0]), "--ranking", "--pairs", "--csv"])
    assert "Cannot print --ranking, --pairs at once" in str(result.exception)


def test_name_of_the_measure_is_carried_through(tmp_path):
    table, stored = tmp_path / "scores.csv", tmp_path / "fit.nc"
    bayescorr.load_dataset("demo").iloc[:, :5].to_csv(table)
    given = [str(table), "--model", "flat", "--seed", "1", "--out", str(stored)]
    assert "Ranked by mean score on 50 topics" in run(app, ["fit", *given]).stdout
    assert "Ranked by nDCG@10 on" in run(app, ["fit", *given, "--name", "nDCG@10"]).stdout
    assert bayescorr.load_fit(stored).measure == "nDCG@10"
    shown = run(app, ["show", str(stored), "--ranking"]).stdout
    assert "Ranked by nDCG@10 on 50 topics, the 5 systems" in shown
    assert "Ranking by nDCG@10" in shown


def test_a_hint_names_the_option_and_is_given_once(tmp_path):
    scores = bayescorr.load_dataset("demo").iloc[:, :5]
    scores.assign(twin=scores.iloc[:, 0]).to_csv(tmp_path / "scores.csv")
    result = run(app, ["compare", str(tmp_path / "scores.csv"), "--model", "flat"])
    assert result.stderr.count("Identical systems") == 1
    assert "Use --drop-identical to keep one of each." in result.stderr
