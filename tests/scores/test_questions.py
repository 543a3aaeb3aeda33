"""Questions about tables that are probably not what they seem; and tables that raise none."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescorr import ScoresError, ScoresWarning, check_scores, load_dataset, read_scores
from bayescorr.scores.found import Found
from bayescorr.scores.questions import (
    ask_long,
    ask_numbering,
    ask_orientation,
    ask_scale,
    ask_sparse,
    doubts,
    review,
)
from bayescorr.scores.registry import DATASETS

rng = np.random.default_rng(16)
SCORES = load_dataset("demo").iloc[:, :8].rename_axis("topic")
N = len(SCORES)


def leaderboard(questions, models, seed=0):
    """Simulate 0/1 scores of models on questions of varying difficulty."""
    generator = np.random.default_rng(seed)
    chance = 0.3 * generator.beta(2, 2, models) + 0.7 * generator.beta(1, 1, (questions, 1))
    values = (generator.random((questions, models)) < chance).astype(int)
    rows, columns = ([f"{a}{i}" for i in range(n)] for a, n in (("q", questions), ("gpt-", models)))
    return pd.DataFrame(values, index=rows, columns=columns)


ANSWERS = leaderboard(60, 5)
LONG = SCORES.iloc[:20, :3].reset_index().melt("topic", var_name="system", value_name="score")
NUMBERS = LONG.assign(system=LONG["system"].astype("category").cat.codes)


def read(tmp_path, frame, **options):
    frame.to_csv(tmp_path / "s.csv")
    return read_scores(tmp_path / "s.csv", **options)


SCALES = {
    "years": (SCORES.assign(year=2010 + np.arange(N) % 5), r"'year' \(2010 to 2014\)"),
    "counts": (SCORES.assign(num_rel=rng.integers(2, 300, N)), r"'num_rel' \(\d+ to \d+\)"),
    "a percentage": (SCORES.assign(bm25=SCORES["bm25"] * 100), r"'bm25' \(.*\)"),
    "a typing error": (SCORES.assign(bm25=[35, *SCORES["bm25"][1:]]), r"'bm25' \(.* to 35\)"),
    "years beside 0/1": (ANSWERS.assign(year=2020), r"'year' \(2020 to 2020\)"),
    "lengths beside 0/1": (ANSWERS.assign(length=rng.integers(0, 300, 60)), r"'length' \(.*\)"),
    "years beside percentages": (SCORES.mul(100).assign(year=2020), r"'year' \(2020 to 2020\)"),
}


@pytest.mark.parametrize("name", SCALES)
def test_a_column_of_another_scale(tmp_path, name):
    table, column = SCALES[name]
    expected = rf"column {column} has another scale than the rest \(.*\)\. Remove it, or use as_is"
    with pytest.raises(ScoresError, match=expected):
        read(tmp_path, table)
    pd.testing.assert_frame_equal(
        read(tmp_path, table, as_is=True),
        table.set_axis(table.index.map(str)).astype(float),
        check_names=False,
    )
    assert re.match(rf"Column {column} has another scale than the rest", doubts(table)[0])


def test_tables_in_memory_with_a_column_of_another_scale():
    with pytest.warns(ScoresWarning, match=r"Column 'year' .* has another scale than the rest"):
        check_scores(SCALES["years"][0])


def test_several_columns_are_asked_about_at_once(tmp_path):
    table = SCORES.assign(year=2010, mean=0.5, num_rel=rng.integers(2, 300, N))
    with pytest.raises(ScoresError) as caught:
        read(tmp_path, table)
    message = str(caught.value)
    assert "'year' (2010 to 2010), 'num_rel'" in message
    assert "Column 'mean' has" in message or "column 'mean' has" in message


def test_a_row_of_another_scale(tmp_path):
    table = pd.concat([SCORES, (SCORES.iloc[:1] * 100).set_axis(["q9"])])
    with pytest.raises(ScoresError, match=r"row 'q9' \(.*\) has another scale .* if it is a topic"):
        read(tmp_path, table.rename_axis("topic"))


@pytest.mark.parametrize("name", ["rank", "position"])
def test_row_numbers_under_a_name(tmp_path, name):
    with pytest.raises(ScoresError, match=f"column '{name}' numbers the rows"):
        read(tmp_path, SCORES.assign(**{name: range(1, N + 1)}))


@pytest.mark.parametrize("names", [("annotator", "doc", "label"), ("a", "b", "c")])
@pytest.mark.parametrize("digits", [0, 4])
def test_a_long_table_of_numbers(tmp_path, names, digits):
    table = NUMBERS[["system", "topic", "score"]].set_axis(names, axis=1)
    table = table.assign(**{names[2]: (table[names[2]] * 3).round(digits)})
    table.to_csv(tmp_path / "s.csv", index=False)
    with pytest.raises(ScoresError, match=rf"columns '{names[0]}' and '{names[1]}' look like"):
        read_scores(tmp_path / "s.csv")
    assert read_scores(tmp_path / "s.csv", as_is=True).shape == (60, 3)


TRANSPOSED = {
    "model": (ANSWERS.T.rename_axis("model"), r"the rows \('gpt-0', .*\) are labelled as systems"),
    "system": (ANSWERS.T.rename_axis("system"), "are labelled as systems"),
    "no name": (
        ANSWERS.T,
        r"60 systems on 5 topics, but the columns \('q0', .*\) look like topics",
    ),
    "numbers": (SCORES.T.rename_axis(columns=None), r"the columns \(.*401.*\) look like topics"),
    "odd names": (
        leaderboard(600, 25).T.set_axis([f"hle-{i:x}x" for i in range(600)], axis=1),
        "600 systems on 25 topics: the rows may be systems",
    ),
    "numbered models": (
        leaderboard(4, 40).T.set_axis([f"m{i}" for i in range(40)]).set_axis(list("abcd"), axis=1),
        r"4 systems on 40 topics, but the rows \('m0', 'm1', \.\.\.\) look like systems",
    ),
    "names": (
        leaderboard(4, 6)
        .T.set_axis(["gpt-4", "bert", "llama-3-8b", "t5", "phi-2", "yi"])
        .set_axis(list("abcd"), axis=1),
        r"neither the rows \('gpt-4', .*\) nor the columns \('a', 'b', \.\.\.\) look like topics",
    ),
    "benchmarks": (
        leaderboard(3, 4).T.set_axis(list("wxyz")).set_axis(["mmlu", "arc", "gsm8k"], axis=1),
        r"neither the rows \('w', .*\) nor the columns \('mmlu', 'arc', \.\.\.\) look like topics",
    ),
}


@pytest.mark.parametrize("name", TRANSPOSED)
def test_systems_as_rows(tmp_path, name):
    table, message = TRANSPOSED[name]
    with pytest.raises(ScoresError, match=rf"{message}\. Use transpose=True if .* or as_is=True"):
        read(tmp_path, table)
    with pytest.raises(ScoresError, match=message):
        read_scores(table)
    for scores in (read(tmp_path, table, transpose=True), read_scores(table, transpose=True)):
        np.testing.assert_array_equal(scores, table.T)
        assert list(scores.columns) == list(table.index)
    assert read(tmp_path, table, as_is=True).shape == table.shape


def test_tables_in_memory_with_systems_as_rows():
    with pytest.raises(ScoresError, match="rows are named 'model'"):
        check_scores(ANSWERS.T.rename_axis("model"))
    with pytest.warns(ScoresWarning, match=r"The columns \(401, 402, \.\.\.\) look like topics"):
        check_scores(SCORES.T.rename_axis(columns=None).rename(columns=int).iloc[:, :5])


def test_arrays_are_transposed_without_labels(tmp_path):
    values = ANSWERS.to_numpy()
    assert read_scores(values.T, transpose=True).shape == values.shape
    assert read_scores(values.T.tolist(), transpose=True).columns[0] == "sys1"
    pd.DataFrame(values.T, columns=[f"item {i}" for i in range(60)]).to_csv(
        tmp_path / "s.csv", index=False
    )
    with pytest.raises(ScoresError, match="look like topics"):
        read_scores(tmp_path / "s.csv")
    assert read_scores(tmp_path / "s.csv", transpose=True).columns[0] == "sys1"


def test_nearly_all_scores_are_missing(tmp_path):
    run = pd.DataFrame(
        [(f"q{t}", f"d{t}-{k}", 1 / k) for t in range(30) for k in range(1, 6)],
        columns=["topic", "name", "score"],
    )
    with pytest.raises(ScoresError, match=r"only 3\.3% of the scores .* as if this were a run"):
        read(tmp_path, run.set_index("topic"))


# No questions ------------------------------------------------------------------------------------


def asked(frame, topics="labels"):
    """Return the notes and doubts about a table; questions are errors."""
    return [*review(Found("", frame, topics), as_is=False).notes, *doubts(frame)]


@pytest.mark.parametrize("name", [name for name in DATASETS if name != "demo"])
def test_published_matrices(reference, name):
    path = reference("trec", f"{name}.csv")
    assert read_scores(path).shape[1] > 30
    assert asked(pd.read_csv(path), "numbers") == []


def test_the_demo():
    assert asked(load_dataset("demo")) == []


@pytest.mark.parametrize("seed", range(5))
def test_leaderboards(tmp_path, seed):
    table = leaderboard(600, 25, seed)
    assert asked(table) == []
    assert read(tmp_path, table.rename_axis("question_id")).shape == (600, 25)
    assert asked(table.set_axis([f"t{i}" for i in range(600)]), "numbers") == []


def test_numbered_systems_on_numbered_rows():
    table = leaderboard(40, 4).set_axis([f"m{i}" for i in range(40)])
    assert asked(table.set_axis([f"run{i}" for i in range(4)], axis=1)) == []
    assert asked(table, "named") == []


TOPIC_LABELS = {
    "queries": ["who wrote hamlet and when was that", "how to boil an egg for six minutes", "cats"],
    "identifiers": ["3f2a9c1e", "b71c0d2f", "90aa41bd"],
    "a series": ["Mercury_417466", "MCAS_2000_4_6", "Mercury_71", "Mercury_7175658"],
    "one per benchmark": ["wt09-1", "wt09-12", "wt10-3"],
}


@pytest.mark.parametrize("name", TOPIC_LABELS)
def test_topics_without_a_name_for_their_column(name):
    labels = TOPIC_LABELS[name]
    table = leaderboard(len(labels), 2).set_axis(labels).set_axis(["bm25", "lm"], axis=1)
    assert asked(table, "unnamed") == []


def test_names_are_topics_beside_numbered_systems_or_under_a_header(tmp_path):
    table = leaderboard(3, 3).set_axis(["cats", "dogs", "birds"])
    assert asked(table.set_axis(["sys1", "sys2", "sys3"], axis=1), "unnamed") == []
    assert read(tmp_path, table.rename_axis("subject")).shape == (3, 3)
    columns = pd.Index(["bm25", "lm", "rm3"], name="system")
    assert read_scores(table.set_axis(columns, axis=1)).shape == (3, 3)
    with pytest.raises(ScoresError, match="neither the rows"):
        read_scores(table)


def test_subsets_of_a_matrix(trec):
    scores = trec("adhoc6_ap")
    for _ in range(50):
        n, m = rng.integers(3, len(scores) + 1), rng.integers(2, scores.shape[1] + 1)
        rows, columns = (
            rng.choice(size, k, False) for size, k in zip(scores.shape, (n, m), strict=True)
        )
        assert asked(scores.iloc[rows, columns]) == []


@pytest.mark.parametrize("kind", ["ratings", "counts", "gains", "P@10", "grades"])
def test_other_measures(kind):
    for n, m in ((10, 2), (10, 5), (12, 3), (50, 10), (200, 25)):
        values = {
            "ratings": rng.integers(1, 11, (n, m)),
            "counts": rng.poisson(rng.gamma(1, 10, m), (n, m)),
            "gains": rng.gamma(1, 3, (n, m)) * rng.lognormal(0, 0.5, m),
            "P@10": rng.binomial(10, rng.beta(1, 2, (n, 1)) * np.ones(m)) / 10,
            "grades": rng.integers(0, 5, (n, m)),
        }[kind]
        table = pd.DataFrame(values, dtype=float).add_prefix("sys")
        assert asked(table.set_axis([f"q{i}" for i in range(n)])) == []
        assert asked(table, "numbers") == []


def test_ratings_that_happen_to_be_a_permutation():
    table = pd.DataFrame({"a": [3, 1, 2, 5, 4], "b": [5, 5, 1, 2, 2], "c": [4, 4, 4, 1, 5.0]})
    assert asked(table, "numbers") == []


def test_two_systems_of_very_different_counts():
    table = pd.DataFrame({"a": [300.0, 500, 410], "b": [2.0, 3, 5]}, index=["q1", "q2", "q3"])
    assert asked(table) == []


def test_unlabelled_columns_say_nothing():
    assert asked(pd.DataFrame(np.eye(5), index=list("abcde"))) == []


@given(
    st.integers(2, 12).flatmap(
        lambda m: st.lists(
            st.lists(st.floats(0, 1, allow_subnormal=False), min_size=m, max_size=m),
            min_size=2,
            max_size=8,
        )
    )
)
def test_scores_between_0_and_1_are_of_one_scale(rows):
    table = pd.DataFrame(rows).add_prefix("sys").set_axis([f"q{i}" for i in range(len(rows))])
    found = Found("", table, "labels")
    assert [*ask_numbering(found), *ask_long(found), *ask_scale(found)] == []
    assert [*ask_orientation(found), *ask_sparse(found)] == []
    assert doubts(table) == []
