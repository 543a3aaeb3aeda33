from __future__ import annotations

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from bayescorr import ScoresError, ScoresWarning, check_scores
from bayescorr.errors import OptionError
from bayescorr.scores.check import sort_labels


@pytest.fixture
def scores():
    return pd.DataFrame(
        {"a": [0.1, 0.2, 0.4], "b": [0.3, 0.2, 0.0], "c": [0.5, 0.6, 0.9]}, index=["3", "1", "2"]
    )


def test_returns_a_float_copy_in_the_order_given(scores):
    checked = check_scores(scores)
    pd.testing.assert_frame_equal(checked, scores)
    checked.iloc[0, 0] = 99.0
    assert scores.iloc[0, 0] == 0.1


@pytest.mark.parametrize("dtype", ["int64", "float32", "Float64", "bool", "object"])
def test_every_numeric_type_becomes_float64(dtype):
    given = pd.DataFrame({"a": [0, 1], "b": [1, 0]}).astype(dtype)
    checked = check_scores(given, warn=False)
    assert (checked.dtypes == np.float64).all()
    np.testing.assert_array_equal(checked, [[0, 1], [1, 0]])


def test_mixed_types_are_numbers_too():
    given = pd.DataFrame({"a": [Decimal("0.5"), True], "b": [np.float32(0.25), 1]}, dtype=object)
    np.testing.assert_array_equal(check_scores(given, warn=False), [[0.5, 0.25], [1, 1]])


def test_an_array_gets_labels():
    checked = check_scores([[0.1, 0.2, 0.3], [0.4, 0.5, 0.7]])
    assert list(checked.index) == ["t1", "t2"]
    assert list(checked.columns) == ["sys1", "sys2", "sys3"]


def test_an_xarray_may_have_either_order(scores):
    coords = {"topic": list(scores.index), "system": list(scores.columns)}
    array = xr.DataArray(scores.to_numpy(), dims=("topic", "system"), coords=coords)
    for given_array in (array, array.transpose()):
        pd.testing.assert_frame_equal(check_scores(given_array), scores)


@pytest.mark.parametrize("columns", ["system", "run_id", None])
def test_a_frame_may_have_either_order(scores, columns):
    named = scores.rename_axis(index="qid", columns=columns)
    for given_frame in (named, named.T):
        pd.testing.assert_frame_equal(check_scores(given_frame), named)


def test_an_xarray_without_coordinates_gets_labels():
    checked = check_scores(xr.DataArray([[0.1, 0.2], [0.4, 0.5]]))
    assert checked.loc["t2", "sys1"] == 0.4


def test_attrs_are_kept(scores):
    scores.attrs = {"measure": "AP"}
    assert sort_labels(check_scores(scores)).attrs == {"measure": "AP"}


class TestMissing:
    @pytest.fixture
    def holes(self, scores):
        scores.loc["1", "b"] = np.nan
        return scores

    def test_error_names_the_cell(self, holes):
        with pytest.raises(ScoresError, match=r"1 score is missing: topic '1', system 'b'\."):
            check_scores(holes)

    def test_drop_leaves_out_the_topic(self, holes):
        assert list(check_scores(holes, missing="drop").index) == ["3", "2"]

    def test_zero(self, holes):
        assert check_scores(holes, missing="zero").loc["1", "b"] == 0

    def test_model_leaves_it_in_place(self, holes):
        pd.testing.assert_frame_equal(check_scores(holes, missing="model"), holes)

    def test_at_most_ten_are_listed(self):
        holes = pd.DataFrame(np.full((4, 3), np.nan))
        with pytest.raises(
            ScoresError, match=r"^12 scores are missing: (topic \d.*){10} and 2 more"
        ):
            check_scores(holes)

    def test_drop_needs_two_topics_left(self, holes):
        holes.loc["2", "b"] = np.nan
        with pytest.raises(ScoresError, match=r"1 of 3 topics .* such as 'b'"):
            check_scores(holes, missing="drop")

    def test_model_refuses_a_system_without_scores(self, holes):
        holes["b"] = np.nan
        with pytest.raises(ScoresError, match="All scores are missing for system 'b'"):
            check_scores(holes, missing="model")

    def test_unknown_way(self, scores):
        with pytest.raises(OptionError, match="drop, error, model, zero"):
            check_scores(scores, missing="ignore")


class TestWarnings:
    def test_each_kind_is_named_once(self):
        scores = pd.DataFrame({"a": [0.1, 0.3], "b": [0.1, 0.3], "c": [0.2, 0.2], "d": [0.9, 0.8]})
        with pytest.warns(ScoresWarning) as found:
            check_scores(scores)
        texts = [str(warning.message) for warning in found]
        assert len(texts) == 3
        assert texts[0].startswith("Identical systems: 'a' = 'b'.")
        assert texts[1].startswith("Same score on all topics: 'c'.")
        assert texts[2].startswith("Equal means: 'a' = 'c'.")
        assert found[0].filename == __file__

    def test_silent_when_asked(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_scores(pd.DataFrame({"a": [0.1, 0.1], "b": [0.1, 0.1]}), warn=False)

    def test_silent_when_there_is_nothing_to_say(self, scores):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_scores(scores)


labels = st.one_of(st.integers(-5, 5), st.text(max_size=2), st.tuples(st.integers(0, 3)))


@given(rows=st.lists(labels, min_size=1, unique=True), data=st.data())
def test_sorted_labels_do_not_depend_on_the_order_given(rows, data):
    # Lists of tuples would become a MultiIndex, which check_scores refuses.
    index = pd.Index(rows, tupleize_cols=False)
    scores = pd.DataFrame(np.arange(len(rows))[:, None], index=index, columns=["a"])
    shuffled = scores.iloc[data.draw(st.permutations(range(len(rows))))]
    pd.testing.assert_frame_equal(sort_labels(scores), sort_labels(shuffled))


def test_sorted_labels_put_numbers_before_text():
    scores = pd.DataFrame([[1, 2, 3]] * 2, columns=["b", 10, 9], index=["t2", "t10"])
    assert list(sort_labels(scores).columns) == [9, 10, "b"]
    assert list(sort_labels(scores).index) == ["t10", "t2"]
