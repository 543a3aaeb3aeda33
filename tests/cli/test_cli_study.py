from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import bayescorr
from bayescorr.cli import app
from bayescorr.errors import BayescorrError, OptionError, StudyError, render
from bayescorr.study import Study


def run(*arguments):
    result = CliRunner().invoke(app, ["study", *map(str, arguments)])
    if isinstance(result.exception, BayescorrError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small study that was run by the command."""
    place = tmp_path_factory.mktemp("study")
    source = {"name": "demo", "drop_worst": 0.75}
    study = Study("small", [source], ["resample"], [5, 8], 10, ["ML", "MSQD"], ["tau"])
    (place / "study.toml").write_text(study.to_toml())
    out = place / "out"
    said = run("run", place / "study.toml", "--out", out, "--workers", 1, "--trials", 3)
    assert f"6 collections in {out}" in said
    return out


def test_ready_made_studies_are_listed_and_shown():
    assert "urbano-marrero-2016" in run("list")
    assert 'name = "bavdaz-2018"' in run("show", "bavdaz-2018")
    with pytest.raises(StudyError, match="Ready-made studies"):
        run("show", "bavdaz")


def test_errors_name_keys_of_the_file_and_options_of_the_shell(tmp_path):
    study = Study("s", ["demo"], [{"name": "copula", "support": "p10"}], [5], 2, ["ML"])
    path = tmp_path / "study.toml"

    def complaint(text, *options):
        path.write_text(text)
        with pytest.raises(BayescorrError) as caught:
            run("run", path, "--out", tmp_path / "out", "--workers", 1, *options)
        return " ".join(render(text, shell=True) for text in caught.value.texts)

    text = study.to_toml()
    assert "study.toml: trials must be" in complaint(text.replace("trials = 2", "trials = 0"))
    assert complaint(text, "--trials", 0).startswith("--trials must be")
    assert complaint(text, "--smoke").endswith("or use --trials 2.")
    assert "Set support to the possible scores" in complaint(text)
    assert complaint(text, "--scheduler", "x:1").startswith("--workers and --scheduler exclude")


@pytest.mark.slow
def test_a_smoke_size_runs_offline(tmp_path):
    said = run("run", "urbano-marrero-2016", "--smoke", "--workers", 1, "--out", tmp_path / "o")
    assert "8 collections" in said


def test_status_counts_collections(folder):
    assert "6 of 6 collections done (100%)" in run("status", folder)
    rows = json.loads(run("status", folder, "--json"))
    assert [(row["n_topics"], row["done"], row["trials"]) for row in rows] == [(5, 3, 3), (8, 3, 3)]


def test_summaries_are_those_of_the_library(folder):
    results = bayescorr.read_results(folder)
    table = json.loads(run("summary", folder, "--json"))
    expected = bayescorr.summarise(results)
    assert [row["error"] for row in table] == pytest.approx(expected["error"].tolist())
    intervals = json.loads(run("summary", folder, "--intervals", "--by", "n_topics", "--json"))
    assert {row["level"] for row in intervals} == {0.95}
    assert "source" not in intervals[0]
    paired = run("summary", folder, "--paired", "ML", "--csv")
    assert paired.startswith("source,simulator,n_topics,method,coefficient,baseline,measure")
    assert "\\toprule" in run("summary", folder, "--latex")
    with pytest.raises(OptionError, match="one at a time"):
        run("summary", folder, "--intervals", "--paired", "ML")


def test_a_summary_fits_a_terminal_and_shortens_nothing(folder):
    printed = run("summary", folder)
    row = bayescorr.summarise(bayescorr.read_results(folder)).iloc[0]
    assert f"{row['error']:.3f} ({row['error_se']:.3f})".replace("0.", ".") in printed
    assert "source demo, simulator resample, collections 3" in " ".join(printed.split())
    rule = next(line for line in printed.splitlines() if line.startswith("┡"))
    assert len(rule) <= 80
    for options in ([], ["--intervals"], ["--paired", "ML"]):
        printed = run("summary", folder, *options)
        assert "…" not in printed
        assert "MSQD" in printed


def test_published_tables_are_compared(folder, tmp_path):
    published = bayescorr.summarise(bayescorr.read_results(folder)).rename(
        columns={"source": "collection", "method": "estimator"}
    )
    published.loc[0, "error"] += 100 * published.loc[0, "error_se"]
    path = tmp_path / "published.csv"
    published.to_csv(path, index=False)
    said = run("summary", folder, "--compare", path)
    assert "3 of 4 cells (75.0%) agree" in said
    assert "The rest" in said
    found = json.loads(run("summary", folder, "--compare", path, "--json"))
    assert (found["cells"], found["agree"], len(found["rest"])) == (4, 3, 1)


@pytest.mark.slow
def test_figures_are_written(folder, tmp_path):
    written = run("plot", folder, "--out", tmp_path / "figures", "--format", "svg").split()
    assert f"{tmp_path}/figures/error-tau.svg" in written
    with pytest.raises(OptionError, match="format 'doc'"):
        run("plot", folder, "--out", tmp_path, "--format", "doc")


@pytest.mark.slow
@pytest.mark.parametrize("name", bayescorr.list_studies()["name"])
def test_every_ready_made_study_runs_at_smoke_size(name, tmp_path):
    out = tmp_path / "out"
    run("run", name, "--smoke", "--out", out, "--workers", 2)
    results = bayescorr.read_results(out)
    assert results.loc[results["coefficient"] == "tau", "estimate"].notna().all()
    assert len(run("plot", out).split()) >= 4
