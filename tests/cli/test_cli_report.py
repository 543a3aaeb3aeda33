from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import bayescorr
from bayescorr.cli import app

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")
run = CliRunner().invoke


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli") / "report"
    arguments = ["demo", "--model", "flat", "--drop-worst", "0.7", "--top", "2", "--seed", "1"]
    result = run(app, ["report", *arguments, "--out", str(folder)])
    assert result.exit_code == 0, result.output
    return folder, result


def test_report_prints_the_table_and_the_sentence(made):
    folder, result = made
    scores = bayescorr.drop_worst(bayescorr.load_dataset("demo"), 0.7)
    report = bayescorr.make_report(scores, "flat", k=2, random_seed=1)
    assert report.sentence in result.stdout
    for row in report.estimates.dropna().itertuples():
        assert f"{row.estimate:.4f}" in result.stdout
    assert f"open {folder / 'report.html'} in a browser" in result.stdout
    assert report.sentence.startswith("Ranked by AP on 50 topics, the 9 systems correlate")
    # Bars are for terminals.
    assert "fitting the model" not in result.stderr


def test_page_says_the_command(made):
    folder, _ = made
    command = f"bayescorr report demo --drop-worst 0.7 --seed 1 --model flat --top 2 --out {folder}"
    assert command in (folder / "report.html").read_text(encoding="utf-8")


def test_a_stored_fit_gives_the_same_report(made, tmp_path):
    folder, _ = made
    arguments = [str(folder / "posterior.nc"), "--top", "2", "--out", str(tmp_path / "again")]
    result = run(app, ["report", *arguments, "--json", "--no-figures"])
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["converged"] is True
    assert found["sentence"] in made[1].stdout
    assert made[1].stdout.startswith("\n".join(found["verdict"]["sentences"]))
    assert not (tmp_path / "again" / "figures").exists()
    assert len(list((folder / "figures").iterdir())) == 21
    for name in ("estimates.csv", "ranking.csv", "table.tex"):
        assert (tmp_path / "again" / name).read_text() == (folder / name).read_text()


def test_a_stored_fit_is_not_sampled_again(made, tmp_path):
    fit = str(made[0] / "posterior.nc")
    arguments = ["--draws", "10", "--prior", "x=1", "--out", str(tmp_path / "out")]
    result = run(app, ["report", fit, *arguments])
    assert "A stored fit cannot be changed by --draws, --prior." in str(result.exception)
    assert not (tmp_path / "out").exists()


def test_exit_code_and_page_say_that_it_did_not_converge(tmp_path):
    few = ["--drop-worst", "0.9", "--model", "flat", "--draws", "10", "--seed", "1"]
    result = run(
        app, ["report", "demo", *few, "--no-sensitivity", "--no-figures", "--out", str(tmp_path)]
    )
    assert result.exit_code == 3
    assert "Not converged: " in result.stdout
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'id="not-converged"' in page
    assert "--no-sensitivity" in page


@pytest.mark.slow
def test_runs_and_judgments_instead_of_scores(tmp_path):
    pytest.importorskip("ir_measures")
    (tmp_path / "qrels").write_text("".join(f"{t} 0 d{t} 1\n" for t in range(1, 7)))
    for name, good in (("a", 5), ("b", 3), ("c", 1)):
        lines = [
            f"{t} Q0 {'d' if t <= good else 'x'}{t} 1 9.5 {name}\n{t} Q0 d{t + 10} 2 9.0 {name}\n"
            for t in range(1, 7)
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    given = ["--runs", str(tmp_path / "*.run"), "--qrels", str(tmp_path / "qrels")]
    options = ["--measure", "P@1", "--model", "flat", "--seed", "1", "--out", str(tmp_path / "r")]
    result = run(app, ["report", *given, *options, "--no-figures"])
    assert result.exit_code == 0, result.output
    assert "Ranked by P@1 on 6 topics, the 3 systems correlate" in result.stdout
    ranking = (tmp_path / "r" / "ranking.csv").read_text().splitlines()
    assert [line.split(",")[1] for line in ranking[1:]] == ["a", "b", "c"]
    lines = (tmp_path / "a.run").read_text().splitlines(keepends=True)
    (tmp_path / "a.run").write_text("".join(lines[2:]))
    for more, topics, treatment in (([], 6, "counted as 0"), (["--missing", "drop"], 5, "left")):
        result = run(app, ["report", *given, *options, *more, "--no-figures"])
        assert f"on {topics} topics" in result.stdout
        page = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
        assert f"Scores without results in the runs: 1; {treatment}" in page.replace(
            "their topics are ", ""
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "either SCORES or --runs; got neither"),
        (["demo", "--runs", "x", "--qrels", "y"], "either SCORES or --runs; got both"),
        (["--runs", "x"], "must be given together"),
        (["demo", "--qrels", "y"], "must be given together"),
        (["demo", "--model", "nothing"], "Unknown model"),
        (["demo", "--target", "2"], "target must be between -1 and 1; got 2"),
        (["demo", "--prior", "x"], "must be NAME=VALUE"),
        (["none.nc"], "File 'none.nc' does not exist"),
    ],
)
def test_mistakes_are_explained(arguments, message, tmp_path):
    result = run(app, ["report", *arguments, "--out", str(tmp_path / "out")])
    assert isinstance(result.exception, bayescorr.BayescorrError)
    assert message in str(result.exception)
