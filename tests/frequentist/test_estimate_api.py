"""estimate, discordance and list_estimators: what they promise whatever the method."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescorr as bc
from bayescorr.errors import ModelError, OptionError, ScoresError, ScoresWarning
from bayescorr.frequentist import Differences, Estimator

ALL = ("ML", "MSQD", "RES", "KD", "SHw", "SHwo", "SH")
COLUMNS = ["method", "coefficient", "estimate", "sd", "lower", "upper", "level"]


@pytest.fixture(scope="module")
def scores():
    return bc.load_dataset("demo").iloc[:, ::3]


def test_columns_and_rows(scores):
    table = bc.estimate(scores, ALL, ["tau", "tau_ap"], random_seed=1)
    assert list(table.columns) == COLUMNS
    assert table["method"].tolist() == [method for method in ALL for _ in range(2)]
    assert table["coefficient"].tolist() == ["tau", "tau_ap"] * 7
    assert table["estimate"].between(0.5, 1).all()
    extrapolated = table["method"].isin(["SHw", "SHwo"])
    assert table.loc[extrapolated, ["sd", "lower", "upper"]].isna().all(axis=None)
    assert table.loc[~extrapolated].notna().all(axis=None)
    assert (table["lower"] <= table["estimate"])[~extrapolated].all()
    assert (table["upper"] >= table["estimate"])[~extrapolated].all()


def test_notes_name_unsupported_coefficients(scores):
    table = bc.estimate(scores, ALL, ["tau_gap"], random_seed=1).set_index("method")
    assert table["estimate"].notna().to_dict() == {m: m in ("ML", "RES") for m in ALL}
    assert table.loc[["MSQD", "KD", "SHw", "SHwo", "SH"], "sd"].isna().all()
    for method in ("MSQD", "KD", "SHw", "SHwo", "SH"):
        assert any(
            note.startswith(f"{method} does not support tau_gap:") for note in table.attrs["notes"]
        )


@pytest.mark.parametrize("method", ALL)
def test_a_method_does_not_depend_on_the_others(scores, method):
    together = bc.estimate(scores, ALL, ["tau_ap", "tau"], random_seed=5)
    alone = bc.estimate(scores, method, ["tau"], random_seed=5)
    row = together[(together["method"] == method) & (together["coefficient"] == "tau")]
    pd.testing.assert_frame_equal(row.reset_index(drop=True), alone)


@given(st.permutations(range(10)), st.permutations(range(8)), st.sampled_from(["ap", "p10"]))
@settings(max_examples=15, deadline=None)
@pytest.mark.filterwarnings("ignore::bayescorr.errors.ScoresWarning")
def test_order_of_columns_and_rows_does_not_matter(columns, rows, kind):
    rng = np.random.default_rng(11)
    values = rng.beta(1, 3, (8, 10)) + np.arange(10) / 40
    if kind == "p10":
        values = np.round(values.clip(0, 1) * 5) / 10  # many equal means
    scores = pd.DataFrame(values, index=[f"t{i}" for i in range(8)], columns=list("abcdefghij"))
    shuffled = scores.iloc[list(rows), list(columns)]
    coefficients = ["tau", "tau_ap", "tau_gap"]
    pd.testing.assert_frame_equal(
        bc.estimate(shuffled, ALL, coefficients, random_seed=3, draws=200),
        bc.estimate(scores, ALL, coefficients, random_seed=3, draws=200),
        check_exact=True,
    )
    for method in ("MSQD", "RES"):
        pd.testing.assert_frame_equal(
            bc.discordance(shuffled, method, random_seed=3, draws=200),
            bc.discordance(scores, method, random_seed=3, draws=200),
            check_exact=True,
        )


def test_seeds(scores):
    def run(seed):
        return bc.estimate(scores, "RES", random_seed=seed, draws=100)

    pd.testing.assert_frame_equal(run(1), run(1))
    assert not run(1).equals(run(2))
    pd.testing.assert_frame_equal(run(np.random.default_rng(1)), run(1))
    stream = np.random.default_rng(1)
    assert not run(stream).equals(run(stream))


def test_discordance_is_labelled_in_observed_order(scores):
    found = bc.discordance(scores, "ML")
    order = scores.mean().sort_values(ascending=False).index
    assert found.index.tolist() == order.tolist()
    assert found.columns.tolist() == order.tolist()
    np.testing.assert_array_equal(found, found.T)
    assert (np.diag(found) == 0).all()
    m = len(found)
    tau = bc.estimate(scores, "ML", "tau")["estimate"][0]
    assert tau == pytest.approx(1 - 2 * found.to_numpy().sum() / (m * (m - 1)), abs=1e-14)


@pytest.mark.parametrize("method", ["ML", "MSQD", "RES", "KD"])
def test_discordance_agrees_with_the_estimate(scores, method):
    below = np.tril(bc.discordance(scores, method, random_seed=9), -1)
    tau, tau_ap = bc.estimate(scores, method, random_seed=9)["estimate"]
    m = len(below)
    assert tau == pytest.approx(1 - 4 * below.sum() / (m * (m - 1)), abs=1e-12)
    above = below.sum(axis=1)[1:] / np.arange(1, m)
    assert tau_ap == pytest.approx(1 - 2 * above.sum() / (m - 1), abs=1e-12)


def test_lower_is_better(scores):
    pd.testing.assert_frame_equal(
        bc.estimate(1 - scores, ALL, higher_is_better=False, random_seed=1),
        bc.estimate(scores - 1, ALL, random_seed=1),
        rtol=1e-9,
    )


def test_missing_scores(scores):
    holes = scores.copy()
    holes.iloc[3, 2] = np.nan
    with pytest.raises(ScoresError, match="missing"):
        bc.estimate(holes)
    dropped = bc.estimate(holes, "ML", missing="drop")
    expected = bc.estimate(scores.drop(scores.index[3]), "ML")
    pd.testing.assert_series_equal(dropped["estimate"], expected["estimate"])
    with pytest.raises(OptionError, match="drop, error, zero"):
        bc.estimate(holes, missing="model")


def test_a_coefficient_of_ones_own(scores):
    def same_winner(truth, observed):
        return float(truth.argmax() == observed.argmax())

    table = bc.estimate(scores, ["ML", "RES", "KD"], ["tau", same_winner], random_seed=1)
    found = table[table["coefficient"] == "same_winner"].set_index("method")["estimate"]
    assert found[["ML", "RES"]].between(0.2, 1).all()
    assert np.isnan(found["KD"])


def test_an_estimator_of_ones_own(scores):
    def jackknife(sample):
        total = sample.values.sum(axis=0)
        return (total - sample.values) / (sample.topics - 1)  # n draws, whatever sample.draws

    mine = Estimator("JK", "Leave one topic out.", "none", true_means=jackknife)
    table = bc.estimate(scores, ["ML", mine], ["tau", "tau_gap"], random_seed=1)
    assert table["method"].tolist() == ["ML", "ML", "JK", "JK"]
    assert table["estimate"].between(0.5, 1).all()
    assert bc.discordance(scores, mine).to_numpy().max() <= 1


def test_an_estimator_with_draws_of_other_systems(scores):
    wrong = Estimator("X", "Too few.", "none", true_means=lambda sample: sample.values[:, 1:])
    with pytest.raises(ModelError, match=r"shape \(50, 10\); got \(50, 9\)"):
        bc.estimate(scores, wrong)


def test_invalid_estimators_and_differences():
    with pytest.raises(ModelError, match="EMPTY has no estimating function"):
        Estimator("EMPTY", "Nothing.", "none")
    means = np.zeros((5, 3))
    with pytest.raises(ModelError, match="draws x systems"):
        Differences(means, means)
    with pytest.raises(ModelError, match="draws x systems"):
        Differences(means, means[:4], np.ones((3, 3)))
    with pytest.raises(ModelError, match="draws x systems"):
        Differences(means, means, np.ones((2, 3)))
    assert Differences(means[:1], means, np.ones((3, 3))).draws == 5


def test_list_estimators():
    table = bc.list_estimators().set_index("name")
    assert table.index.tolist() == list(ALL)
    assert list(bc.ESTIMATORS) == list(ALL)
    assert table["citation"].str.contains("2016|2018").all()
    assert table["description"].str.endswith(".").all()
    assert not table.loc["SHw", "intervals"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": "MLE"}, "KD, ML, MSQD, RES, SH, SHw, SHwo"),
        ({"methods": ["ML", "ML"]}, "methods must name each method once; got ML, ML"),
        ({"methods": []}, "methods must name each method once; got none"),
        ({"coefficients": "kendall"}, "Unknown coefficient 'kendall'"),
        ({"coefficients": ["tau", "tau"]}, "coefficients must have different names; got tau, tau"),
        ({"coefficients": []}, "coefficients must name at least one; got none"),
        ({"level": 95}, "level must be between 0 and 1; got 95"),
        ({"interval": "bayes"}, "normal, quantile"),
        ({"draws": 1}, "draws must be a whole number, at least 2; got 1"),
        ({"draws": 10.5}, "draws must be a whole number, at least 2; got 10.5"),
    ],
)
def test_bad_options(scores, options, message):
    with pytest.raises(OptionError, match=message):
        bc.estimate(scores, **options)


def test_split_half_does_not_support_discordance(scores):
    with pytest.raises(OptionError, match="ML, MSQD, RES or KD"):
        bc.discordance(scores, "SHw")


def test_split_half_needs_four_topics():
    three = pd.DataFrame(np.random.default_rng(1).random((3, 4))).add_prefix("s")
    with pytest.raises(ScoresError, match="at least 4 topics; got 3"):
        bc.estimate(three, "SHw")
    four = pd.DataFrame(np.random.default_rng(1).random((4, 4))).add_prefix("s")
    assert bc.estimate(four, ["SHw", "SHwo", "SH"])["estimate"].notna().all()


def test_identical_systems_are_named():
    scores = pd.DataFrame(np.random.default_rng(1).random((5, 3)), columns=list("abc"))
    scores["d"] = scores["b"]
    with pytest.warns(ScoresWarning, match="'b' = 'd'"):
        table = bc.estimate(scores, ALL, ["tau", "tau_ap"], random_seed=1)
    assert table["estimate"].notna().all()


def test_split_half_notes_splits_left_out_of_the_fit():
    rng = np.random.default_rng(1)
    scores = pd.DataFrame(rng.normal([0.1, 0.5, 0.9], 0.01, (8, 3)), columns=list("abc"))
    table = bc.estimate(scores, "SHw", "tau")
    assert table["estimate"][0] == 1
    assert (
        "SHw: 100% of the splits agree fully and are left out of the fit." in table.attrs["notes"]
    )


@pytest.mark.slow
def test_a_new_estimator_is_one_file_and_one_line(tmp_path):
    package = tmp_path / "bayescorr"
    shutil.copytree(Path(bc.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "frequentist" / "jackknife.py").write_text(
        "from bayescorr.frequentist.estimator import Estimator\n"
        "def true_means(sample):\n"
        "    return (sample.values.sum(axis=0) - sample.values) / (sample.topics - 1)\n"
        'JK = Estimator("JK", "Leave one topic out.", "Tukey 1958", true_means=true_means)\n',
        encoding="utf-8",
    )
    registry = package / "frequentist" / "registry.py"
    line = '    "splithalf:SH",\n'
    text = registry.read_text("utf-8").replace(line, f'{line}    "jackknife:JK",\n')
    registry.write_text(text, encoding="utf-8")
    code = "import bayescorr as bc; print(*bc.list_estimators()['name'])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [*ALL, "JK"]
