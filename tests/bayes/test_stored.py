"""Stored fits: whatever is wrong with a file, loading says so in one line."""

from __future__ import annotations

import contextlib
import shutil

import h5py
import numpy as np
import pandas as pd
import pytest

import bayescorr
from bayescorr.bayes import stored
from bayescorr.errors import OptionError, ScoresError


@pytest.fixture(scope="module")
def scores():
    labels = {"index": [f"t{i}" for i in range(6)], "columns": list("abcd")}
    return pd.DataFrame(np.random.default_rng(1).random((6, 4)), **labels)


@pytest.fixture(scope="module")
def good(scores, tmp_path_factory):
    """A stored fit with a model."""
    with pytest.warns(bayescorr.ConvergenceWarning):
        fit = bayescorr.fit(scores, "flat", random_seed=1, draws=20, chains=2)
    return fit.to_netcdf(tmp_path_factory.mktemp("good") / "fit.nc")


@pytest.fixture
def change(good, tmp_path):
    """Change a copy of the stored fit and return what loading it raises."""

    def act(edit):
        path = tmp_path / "x.nc"
        shutil.copy(good, path)
        with h5py.File(path, "r+") as file:
            edit(file)
        with pytest.raises(ScoresError) as caught:
            bayescorr.load_fit(path)
        assert "x.nc" in caught.value.message
        assert "\n" not in str(caught.value)
        return caught.value.message

    return act


def drop_records(file):
    """Make the file one of the first releases."""
    del file.attrs["format_version"], file.attrs["contents"]


def test_a_fit_survives_with_and_without_records(good, scores, tmp_path):
    fit = bayescorr.load_fit(good)
    pd.testing.assert_frame_equal(fit.scores, scores, check_names=False)
    assert fit.idata.attrs["format_version"] == stored.FORMAT_VERSION
    again = bayescorr.load_fit(fit.to_netcdf(tmp_path / "again.nc"))
    np.testing.assert_array_equal(again.draws(), fit.draws())
    with h5py.File(tmp_path / "again.nc", "r+") as file:
        drop_records(file)
    np.testing.assert_array_equal(bayescorr.load_fit(tmp_path / "again.nc").draws(), fit.draws())


@pytest.mark.parametrize("records", [True, False])
@pytest.mark.parametrize(
    ("gone", "message"),
    [
        ("posterior", "is not a bayescorr fit: group posterior is missing."),
        ("observed_data", "is not a bayescorr fit: group observed_data is missing."),
        ("posterior/true_means", "variable true_means of group posterior is missing"),
        ("posterior/tau_gap", "variable tau_gap of group posterior is missing"),
        # A group without variables is dropped on reading.
        ("observed_data/scores", "group observed_data is missing"),
        ("observed_data/topic", "x.nc"),
    ],
)
def test_what_is_missing_is_named(change, gone, message, records):
    def edit(file):
        if not records:
            drop_records(file)
        del file[gone]

    assert message in change(edit)
    assert message in change(lambda file: (edit(file), file.create_group("other")))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda f: f.attrs.modify("format_version", 7), "has format version 7, written by bayes"),
        (lambda f: f.attrs.create("format_version", "new"), "has format version new"),
        (lambda f: f.attrs.pop("contents"), "attribute contents is missing"),
        (lambda f: f.attrs.modify("contents", "{]"), "attribute contents is garbled"),
        (lambda f: f.attrs.modify("contents", '{"posterior": 3}'), "contents is garbled"),
        (lambda f: f.attrs.pop("model"), "attribute model is missing"),
        (lambda f: f.attrs.create("model", 3), "attribute model is missing or not text"),
        (lambda f: f.attrs.pop("higher_is_better"), "attribute higher_is_better is missing"),
        (lambda f: f.attrs.modify("higher_is_better", 5), "neither 0 nor 1"),
        (lambda f: f.attrs.modify("priors", "[1"), "attribute priors"),
        (lambda f: f.attrs.create("inference", "guess"), "neither nuts nor laplace"),
        (lambda f: f.attrs.create("draws", "many"), "attribute draws"),
        (lambda f: f["posterior/true_means"].__setitem__((0, 0, 0), np.nan), "missing or infin"),
        (lambda f: f["posterior/tau"].__setitem__((0, 0), np.inf), "missing or infinite"),
        (lambda f: f["observed_data/scores"].__setitem__((0, 0), np.inf), "scores are invalid"),
        (
            lambda f: f["observed_data/scores"].__setitem__((0, 0), np.nan),
            "variable scores of group observed_data was changed",
        ),
        (lambda f: f["posterior/tau"].__setitem__((0, 0), 0.9), "tau of group posterior was chang"),
        (lambda f: f["posterior/tau"].__setitem__((0, 0), 1e3), "has values beyond -1 and 1"),
        (lambda f: f["posterior/tau"].__setitem__(..., 0.123), "do not match the scores"),
        (lambda f: f.attrs.create("higher_is_better", [1, 0]), "neither 0 nor 1"),
        (lambda f: f["posterior/system"].__setitem__(0, "z"), "not those of the scores"),
        (lambda f: f["observed_data/system"].__setitem__(0, "b"), "has duplicate labels"),
    ],
)
def test_what_is_wrong_is_named(change, edit, message):
    assert message in change(edit)


def test_swapped_scores_are_noticed(change):
    def edit(file):
        values = file["observed_data/scores"][:]
        file["observed_data/scores"][:] = 1 - values

    assert "the coefficients of the draws do not match the scores" in change(edit)


def test_truncated_and_foreign_files_are_refused(good, tmp_path):
    content = good.read_bytes()
    rng = np.random.default_rng(5)
    path = tmp_path / "x.nc"
    for size in [0, 1, 8, 100, *rng.integers(100, len(content), 40)]:
        path.write_bytes(content[:size])
        with pytest.raises(ScoresError, match=r"x\.nc") as caught:
            bayescorr.load_fit(path)
        assert "\n" not in str(caught.value)
    for text in (b"topic,a,b\n1,2,3\n", b"CDF\x01" + bytes(40), b"\x89HDF\r\n\x1a\n" + bytes(600)):
        path.write_bytes(text)
        with pytest.raises(ScoresError, match=r"Cannot read .*x\.nc' as NetCDF"):
            bayescorr.load_fit(path)
    with pytest.raises(ScoresError, match="does not exist"):
        bayescorr.load_fit(tmp_path / "none.nc")
    with pytest.raises(ScoresError, match="is a folder, not a file"):
        bayescorr.load_fit(tmp_path)
    with pytest.raises(ScoresError, match="must be text or a path; got None"):
        bayescorr.load_fit(None)


@pytest.mark.slow
def test_garbled_bytes_give_a_fit_or_one_line(good, tmp_path):
    content = np.frombuffer(good.read_bytes(), dtype=np.uint8)
    rng = np.random.default_rng(6)
    path = tmp_path / "x.nc"
    for _ in range(25):
        garbled = content.copy()
        start = rng.integers(0, len(content) - 64)
        garbled[start : start + 64] = rng.integers(0, 256, 64)
        path.write_bytes(garbled.tobytes())
        with contextlib.suppress(ScoresError):
            bayescorr.load_fit(path)


def test_a_fit_is_not_saved_to_a_folder_that_does_not_exist(good, tmp_path):
    fit = bayescorr.load_fit(good)
    with pytest.raises(OptionError, match=r"path: the folder .* does not exist"):
        fit.to_netcdf(tmp_path / "none" / "fit.nc")
    with pytest.raises(OptionError, match="is a folder"):
        fit.to_netcdf(tmp_path)
    with pytest.raises(OptionError, match="path must be the path of a file; got 3"):
        fit.to_netcdf(3)
