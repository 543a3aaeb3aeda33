from __future__ import annotations

import io
import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from bayescorr import infer_ap
from bayescorr.cli import app
from bayescorr.errors import OptionError, RunsError


@pytest.fixture
def files(tmp_path):
    run = qrels = ""
    for topic, good in (("1", {1, 2, 4}), ("2", {2, 3}), ("3", {1})):
        for i in range(1, 9):
            run += f"{topic} Q0 d{i} {i} {10 - i - 0.1 * int(topic)} x\n"
            qrels += f"{topic} 0 d{i} {int(i in good)}\n"
    (tmp_path / "x.run").write_text(run)
    (tmp_path / "qrels").write_text(qrels)
    return tmp_path / "x.run", tmp_path / "qrels"


def invoke(*arguments):
    result = CliRunner().invoke(app, ["infer-ap", *(str(a) for a in arguments)])
    if result.exception is not None:
        raise result.exception
    return result


@pytest.mark.parametrize("method", ["aupr", "expected", "exact"])
@pytest.mark.parametrize("family", ["gamma", "normal"])
def test_csv_is_the_table(files, method, family):
    output = invoke(*files, "--family", family, "--method", method, "--csv")
    table = pd.read_csv(io.StringIO(output.stdout), dtype={"topic": str}).set_index("topic")
    expected = infer_ap(*files, family, method, warn=False)
    pd.testing.assert_frame_equal(table, expected, check_index_type=False, check_column_type=False)
    assert "1 topic was left out: 3 (1 relevant and 7 non-relevant" in output.stderr
    assert "2 topics; Kendall's tau with actual AP" in output.stderr


def test_table_and_json(files):
    output = invoke(*files, "--denominator", "judged").stdout
    assert "inferred" in output
    assert "gamma score distributions, aupr" in output
    rows = json.loads(invoke(*files, "--json", "--points", "8").stdout)
    assert [row["topic"] for row in rows] == ["1", "2"]
    assert rows[0]["inferred"] == pytest.approx(
        infer_ap(*files, points=8, warn=False)["inferred"].iloc[0]
    )


def test_free_and_likelihood(files):
    output = invoke(*files, "--free", "--estimator", "likelihood", "--csv").stdout
    expected = infer_ap(*files, constrained=False, estimator="likelihood", warn=False)
    table = pd.read_csv(io.StringIO(output))
    assert table["inferred"].tolist() == pytest.approx(expected["inferred"].tolist())


def test_plot(files, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    path = tmp_path / "scatter.png"
    output = invoke(*files, "--plot", path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert "plot written to" in output.stderr


def test_one_topic_has_a_plot_and_no_tau(files, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    run, qrels = files
    run.write_text("".join(run.read_text().splitlines(keepends=True)[:8]))
    output = invoke(run, qrels, "--plot", tmp_path / "scatter.png")
    assert (tmp_path / "scatter.png").exists()
    assert "1 topic; RMS error" in output.stderr


@pytest.mark.parametrize(
    ("typed", "named"),
    [
        (["--method", "posterior", "--free"], "--constrained or --free"),
        (["--method", "posterior", "--estimator", "likelihood"], "--estimator"),
        (["--method", "expected", "--points", "8"], "--points"),
        (["--tune", "9", "--level", "0.5"], "--tune, --level"),
    ],
)
def test_options_that_a_method_does_not_use(files, typed, named):
    with pytest.raises(OptionError, match=f"does not use {named}"):
        invoke(*files, *typed)


def test_strict_posterior_refuses_topics_before_it_samples(files):
    with pytest.raises(RunsError, match=r"x\.run, line 17: topic '3' cannot be used"):
        invoke(*files, "--method", "posterior", "--strict")


def test_notes_name_options(files):
    run, qrels = files
    qrels.write_text(qrels.read_text() + "1 0 d99 1\n")
    assert "Use --denominator judged to compare the two." in invoke(run, qrels).stderr


def test_errors(files):
    with pytest.raises(OptionError, match="Unknown method 'area'"):
        invoke(*files, "--method", "area")
    with pytest.raises(RunsError, match=r"x\.run, line 17: topic '3' cannot be used"):
        invoke(*files, "--strict")
    files[0].write_text(files[0].read_text().replace("d5 5", "d5 4", 1))
    with pytest.raises(RunsError, match=r"x\.run, line 5: rank 4 comes after rank 4"):
        invoke(*files)
