from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayescorr import ScoresError, ScoresWarning, read_scores


def read(tmp_path, text, **options):
    (tmp_path / "s.csv").write_text(text)
    return read_scores(tmp_path / "s.csv", **options)


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        *(("TRUE", "FALSE"), ("True", "false"), ("yes", "no"), ("Y", "N"), ("T", "F")),
        *(("pass", "fail"), ("correct", "incorrect"), ("right", "wrong")),
    ],
)
def test_words_for_1_and_0(tmp_path, yes, no):
    note = f"Read {yes.lower()} as 1 and {no.lower()} as 0 in all 2 columns"
    with pytest.warns(ScoresWarning, match=note):
        scores = read(tmp_path, f"topic,a,b\nq1,{yes},{no}\nq2,NA,{yes}\nq3,{no},{no}\n")
    np.testing.assert_array_equal(scores, [[1, 0], [np.nan, 1], [0, 0]])


def test_words_in_the_first_column_are_scores_and_not_labels(tmp_path):
    with pytest.warns(ScoresWarning, match="in all 2 columns"):
        scores = read(tmp_path, "a,b\ntrue,false\ntrue,true\n")
    assert scores.to_numpy().tolist() == [[1, 0], [1, 1]]
    assert list(scores.index) == ["t1", "t2"]


def test_words_in_a_long_table(tmp_path):
    with pytest.warns(ScoresWarning, match="in column 'correct'"):
        scores = read(tmp_path, "model,item,correct\na,1,True\na,2,False\nb,1,True\nb,2,True\n")
    assert scores.to_numpy().tolist() == [[1, 1], [0, 1]]


@pytest.mark.parametrize("column", ["t\nt\nt", "true\nmaybe\nfalse", "yes\nfalse\nno"])
def test_other_words_are_text(tmp_path, column):
    rows = "".join(f"q{i},{cell},0.5\n" for i, cell in enumerate(column.split("\n")))
    with pytest.raises(ScoresError, match=r"column 'a' holds text \('[a-z]+'"):
        read(tmp_path, f"topic,a,b\n{rows}")


def test_booleans_of_other_formats_need_no_note():
    frame = pd.DataFrame(
        {"a": [True, False, True], "b": [False, False, True]}, index=["q1", "q2", "q3"]
    )
    assert read_scores(frame)["a"].tolist() == [1, 0, 1]
    with pytest.warns(ScoresWarning, match="Read true as 1"):
        assert read_scores(frame.astype(str))["a"].tolist() == [1, 0, 1]


def test_percentages_become_shares_without_noise(tmp_path):
    with pytest.warns(ScoresWarning, match="Divided percentages by 100 in all 2 columns"):
        scores = read(tmp_path, "topic,a,b\nq1,29.16%,7 %\nq2,100%,0.1%\nq3,NA,5%\n")
    np.testing.assert_array_equal(scores, [[0.2916, 0.07], [1, 0.001], [np.nan, 0.05]])


def test_percentages_in_one_column(tmp_path):
    with pytest.warns(ScoresWarning, match="by 100 in column 'a'"):
        scores = read(tmp_path, "topic,a,b\nq1,35%,0.4\nq2,20%,0.1\n")
    assert scores["a"].tolist() == [0.35, 0.2]


def test_names_of_systems_may_be_percentages(tmp_path):
    rows = "".join(f"{s},{t},0.{t}\n" for s in ("10%", "50%") for t in (1, 2))
    assert list(read(tmp_path, f"system,topic,score\n{rows}").columns) == ["10%", "50%"]


COMMAS = "topic;a;b\nq1;0,5;0,25\nq2;1;,125\n"


def test_decimal_commas(tmp_path):
    expected = [[0.5, 0.25], [1, 0.125]]
    assert read(tmp_path, COMMAS).to_numpy().tolist() == expected
    quoted = 'topic,a,b\nq1,"0,5","0,25"\nq2,1,",125"\n'
    for text in (COMMAS.replace(";", "\t"), quoted):
        with pytest.warns(ScoresWarning, match="Read ',' as the decimal separator in all 2"):
            assert read(tmp_path, text).to_numpy().tolist() == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topic;a;b\nq1;0,5;0.25\nq2;1;0.125\n", "Write decimals with a point, not a comma"),
        ("topic;a;b\nq1;1,234;2,500\nq2;9;3,125\n", r"'1,234' could be 1\.234 or 1234"),
        ("topic;a;b\nq1;2,577.0;1\nq2;9;3\n", "Leave out thousands separators"),
        ("topic;a;b\nq1;5%;1\nq2;9;3\n", "Use percent signs in the whole column"),
        ("topic;a;b\nq1;0.1;1\nq2;o.2;3\n", "line 3, column 'a': 'o.2'. Correct these cells"),
    ],
)
def test_what_could_be_two_numbers_is_not_guessed(tmp_path, text, message):
    with pytest.raises(ScoresError, match=message):
        read(tmp_path, text)


def test_a_column_of_text_is_named_with_its_remedy(tmp_path):
    with pytest.raises(
        ScoresError, match=r"column 'category' holds text \('x', 'y'\)\. If this is"
    ):
        read(tmp_path, "topic,a,b,category\n1,.1,.2,x\n2,.1,.3,y\n3,.1,.3,x\n")
