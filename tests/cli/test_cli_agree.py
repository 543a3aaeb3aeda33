"""``bayescorr agree``: conditions from tables and from runs, files, and bad input."""

from __future__ import annotations

import html
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bayescorr
from bayescorr.cli import app
from bayescorr.cli.agree import by_name
from bayescorr.errors import (
    BayescorrError,
    ModelError,
    OptionError,
    RunsError,
    ScoresError,
    ScoresWarning,
)

ROOT = Path(__file__).resolve().parents[2]
LAPLACE = ("--inference", "laplace", "--seed", "1")


def run(*arguments):
    result = CliRunner().invoke(app, ["agree", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def scores():
    return bayescorr.load_dataset("demo").iloc[:15, :6]


@pytest.fixture
def tables(scores, tmp_path, monkeypatch):
    """Files human.csv and gpt.csv in the working folder."""
    monkeypatch.chdir(tmp_path)
    noise = np.random.default_rng(1).normal(0, 0.05, scores.shape)
    for name, table in (("human", scores), ("gpt", (scores + noise).clip(0, 1))):
        table.rename_axis("topic").to_csv(f"{name}.csv")


@pytest.fixture
def collection(tmp_path, monkeypatch):
    """Six runs on ten topics, and the judgments of two people."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    Path("runs").mkdir()
    for j in range(6):
        lines = []
        for topic in range(10):
            quality = np.r_[np.full(5, 0.4 * j), np.zeros(15)]
            order = np.argsort(-(quality + rng.standard_normal(20)))
            lines += [f"{topic} Q0 d{d} {r} {20 - r} s{j}" for r, d in enumerate(order, 1)]
        Path("runs", f"s{j}.run").write_text("\n".join(lines) + "\n")
    for name, share in (("human", 0.0), ("gpt", 0.15)):
        labels = [
            f"{topic} 0 d{d} {int((d < 5) != (rng.random() < share))}"
            for topic in range(10)
            for d in range(20)
        ]
        Path(f"{name}.qrels").write_text("\n".join(labels) + "\n")
    return tmp_path


RUNS = ("--runs", "runs/*", "--qrels", "human=human.qrels", "--qrels", "gpt=gpt.qrels")


def test_names_of_conditions():
    assert by_name(["a=x.csv", "y.csv"], "SCORES") == {"a": "x.csv", "y": "y.csv"}
    with pytest.raises(OptionError, match=r"Two conditions are called 'a': a.csv and b/a.csv"):
        by_name(["a.csv", "b/a.csv"], "SCORES")
    for wrong in ("=x.csv", "a="):
        with pytest.raises(OptionError, match="--qrels must be NAME=FILE; got"):
            by_name([wrong], "--qrels")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((), OptionError, "Need either NAME=SCORES or --runs; got neither"),
        (("human.csv", *RUNS), OptionError, "Need either NAME=SCORES or --runs; got both"),
        (("human.csv",), OptionError, "Need at least 2 conditions; got human"),
        (("--runs", "runs/*"), OptionError, "--runs and --qrels must be given together"),
        (
            ("human.csv", "gpt.csv", "--truth", "x"),
            OptionError,
            "'x'.*gpt, human",
        ),
        (("a=human.csv", "b=none.csv"), BayescorrError, "none.csv"),
    ],
)
def test_wrong_arguments(tables, arguments, error, message):
    with pytest.raises(error, match=message):
        run(*arguments)


def test_systems_missing_from_one_condition(tables, scores):
    scores.iloc[:, 1:].rename_axis("topic").to_csv("fewer.csv")
    with pytest.raises(ScoresError, match=f"[Oo]nly human has the systems: {scores.columns[0]}"):
        run("human.csv", "fewer.csv")


def test_one_shared_topic(tables, scores):
    others = [f"{topic}-other" for topic in scores.index[1:]]
    scores.set_axis([scores.index[0], *others]).rename_axis("topic").to_csv("others.csv")
    with pytest.raises(ScoresError, match="1 topic"):
        run("human.csv", "others.csv", "--unshared", "drop")


def test_judgments_of_other_topics(collection):
    Path("gpt.qrels").write_text("77 0 d1 1\n")
    with pytest.raises(RunsError, match=r"none of its 10 topics .* in the qrels gpt.qrels \(77\)"):
        run(*RUNS)


def test_a_judge_who_finds_nothing_relevant_on_a_topic(collection):
    lines = Path("gpt.qrels").read_text().splitlines()
    barren = [line[:-1] + "0" if line.startswith(("2 ", "3 ")) else line for line in lines]
    Path("gpt.qrels").write_text("\n".join(barren) + "\n")
    judges = {"human": "human.qrels", "gpt": "gpt.qrels"}
    with pytest.warns(ScoresWarning, match=r"gpt judges no .* on 2 of 10 topics \(2, 3\)"):
        tables = bayescorr.score_runs("runs/*", judges)
    assert (tables["gpt"].loc[["2", "3"]] == 0).all(axis=None)


def test_help_names_the_options():
    text = CliRunner().invoke(app, ["agree", "--help"], env={"COLUMNS": "200"}).output
    for name in ("--qrels", "--truth", "--unshared", "--drop-worst", "--out", "--json"):
        assert name in text


@pytest.mark.slow
def test_from_runs_to_the_folder(collection):
    # The shell expands the pattern.
    runs = sorted(map(str, Path("runs").iterdir()))
    given = ("--runs", *runs, "--qrels", "human=human.qrels", "gpt=gpt.qrels")
    options = ("--measure", "nDCG@10", *LAPLACE, "--no-figures", "--out", "agree", "--json")
    result = run(*given, *options)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["truth"], found["measure"]) == ("human", "nDCG@10")
    judged = {"human": "human.qrels", "gpt": "gpt.qrels"}
    tables = bayescorr.score_runs(runs, judged, "nDCG@10")
    fitted = bayescorr.fit_conditions(tables, inference="laplace", random_seed=1)
    assert found["sentences"] == {"gpt": fitted.in_words()}
    estimates = pd.DataFrame(found["estimates"]).set_index("coefficient")
    expected = fitted.estimates(coefficients=["tau", "rbo"]).set_index("coefficient")
    columns = ["estimate", "lower", "upper", "observed"]
    pd.testing.assert_frame_equal(
        estimates.loc[["tau", "rbo"], columns], expected[columns], check_exact=False
    )
    kappa = bayescorr.judgment_agreement(judged, random_seed=1)
    assert found["judgments"][0]["estimate"] == pytest.approx(kappa["estimate"][0])
    page = html.unescape(Path(found["page"]).read_text("utf-8"))
    assert found["sentences"]["gpt"] in page
    assert {path.name for path in Path("agree").iterdir()} >= {"table.tex", "posterior.nc"}
    # The truth may be another condition, and the worst systems are those by the truth.
    worst = tables["gpt"].mean().idxmin()
    turned = run(*given, *options[:-1], "--truth", "gpt", "--drop-worst", "0.2", "--csv")
    assert turned.exit_code == 0, turned.output
    assert "human,tau," in turned.stdout
    ranks = pd.read_csv("agree/ranks.csv")
    assert ranks["condition"].iloc[0] == "gpt"
    assert worst not in set(ranks["system"])
    text = run(*given, *options[:4], "--no-judgments").stdout
    assert fitted.in_words() in text


@pytest.mark.slow
def test_conditions_that_tell_nothing_apart_work(tables, scores):
    scores.assign(**dict.fromkeys(scores.columns, 0.5)).rename_axis("topic").to_csv("flat.csv")
    result = run("human.csv", "same=human.csv", "again=human.csv", *LAPLACE, "--json")
    assert result.exit_code == 0, result.output
    tau = [row for row in json.loads(result.stdout)["estimates"] if row["coefficient"] == "tau"]
    assert [(row["estimate"], row["observed"]) for row in tau] == [(1, 1), (1, 1)]
    with pytest.raises(ModelError, match=r"Condition 'flat': .*no variation to model"):
        run("human.csv", "flat.csv", *LAPLACE)


@pytest.mark.slow
def test_judges_with_known_faults_on_cranfield(cranfield, tmp_path):
    """Of the stemmed runs, at least half are favoured with a probability above .9."""
    script = ROOT / "scripts" / "make_noisy_judges.py"
    subprocess.run([sys.executable, script, cranfield, tmp_path], check=True)
    judges = ("strict", "noisy", "stemmed")
    files = [f"human={cranfield / 'qrels.txt'}"]
    files += [f"{name}={tmp_path / name}.qrels" for name in judges]
    given = [word for file in files for word in ("--qrels", file)]
    options = ("--measure", "nDCG@10", *LAPLACE, "--no-figures", "--out", tmp_path / "agree")
    result = run("--runs", cranfield / "runs" / "*", *given, *options)
    assert result.exit_code == 0, result.output
    assert result.stdout.count("Over 225 topics, the rankings of 27 systems by ") == 3
    agree = pd.read_csv(tmp_path / "agree" / "agreement.csv").set_index(["coefficient", "judge"])
    tau = agree.loc["tau", "estimate"]
    assert tau["noisy"] > tau[["strict", "stemmed"]].max()
    found = pd.read_csv(tmp_path / "agree" / "shifts.csv").query("judge == 'stemmed'")
    stemmed = found["system"].str.contains("stem")
    favoured = found["p_favoured"] > 0.9
    assert (favoured & stemmed).sum() >= stemmed.sum() / 2
    assert not (favoured & ~stemmed).any()
    assert "stemmed" in (tmp_path / "agree" / "agreement.html").read_text("utf-8")


def test_the_lines_on_what_was_read_name_the_conditions(tmp_path):
    scores = bayescorr.load_dataset("demo").iloc[:, :3]
    scores.to_csv(tmp_path / "a.csv")
    words = ["agree", f"people={tmp_path / 'a.csv'}", f"llm={tmp_path / 'a.csv'}", "--top", "9"]
    result = CliRunner().invoke(app, words)
    first, second = result.stderr.splitlines()
    assert first.startswith("Read people: 3 systems on 50 topics")
    assert second.startswith("Read llm: 3 systems on 50 topics")
