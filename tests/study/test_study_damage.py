"""Damaged folders of studies: every command names the file, and ``repair`` mends the folder."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bayescorr.errors import BayescorrError, OptionError, StudyError
from bayescorr.study import Study, read_results, run_study, study_status

FIRST, SECOND = "demo--resample--n5--0-2.parquet", "demo--resample--n5--2-4.parquet"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A finished study and its results."""
    source = {"name": "demo", "drop_worst": 0.75}
    study = Study("small", [source], ["resample"], [5, 8], 4, ["ML"], ["tau"], seed=7, batch=2)
    out = tmp_path_factory.mktemp("whole") / "out"
    return study, out, run_study(study, out, workers=1)


@pytest.fixture
def copy(whole, tmp_path):
    shutil.copytree(whole[1], tmp_path / "out")
    return tmp_path / "out"


def truncate(out):
    path = out / "results" / FIRST
    path.write_bytes(path.read_bytes()[:300])


def empty(out):
    (out / "results" / FIRST).write_bytes(b"")


def garble(out):
    path = out / "results" / FIRST
    content = bytearray(path.read_bytes())
    content[40:400] = bytes(360)
    path.write_bytes(content)


def rename(out):
    (out / "results" / FIRST).rename(out / "results" / "best.parquet")


def rename_to_another_batch(out):
    (out / "results" / FIRST).rename(out / "results" / FIRST.replace("0-2", "10-12"))


def rename_to_another_cell(out):
    (out / "results" / FIRST).rename(out / "results" / FIRST.replace("n5", "n6"))


def duplicate(out):
    shutil.copy(out / "results" / FIRST, out / "results" / FIRST.replace("0-2", "0-1"))


def overlap(out):
    """Add a valid part whose collections other parts hold as well."""
    tables = [pq.ParquetFile(out / "results" / name).read() for name in (FIRST, SECOND)]
    both = pa.concat_tables(table.replace_schema_metadata(None) for table in tables)
    pq.write_table(both.slice(1), out / "results" / FIRST.replace("0-2", "1-4"))


def swap(out):
    one, other = out / "results" / FIRST, out / "results" / SECOND
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)


def swap_without_metadata(out):
    swap(out)
    for name in (FIRST, SECOND):
        strip(out / "results" / name)


def strip(path):
    """Make a part one of the first releases."""
    pq.write_table(pq.ParquetFile(path).read().replace_schema_metadata(None), path)


def change_a_value(out):
    path = out / "results" / FIRST
    table = pq.ParquetFile(path).read()
    values = [0.25, *table["estimate"].to_pylist()[1:]]
    at = table.column_names.index("estimate")
    pq.write_table(table.set_column(at, "estimate", [values]), path)


def drop_a_row(out):
    path = out / "results" / FIRST
    strip(path)
    pq.write_table(pq.ParquetFile(path).read().slice(1), path)


def drop_a_column(out):
    path = out / "results" / FIRST
    pq.write_table(pq.ParquetFile(path).read().drop_columns(["sd"]), path)


def change_a_type(out):
    path = out / "results" / FIRST
    strip(path)
    table = pq.ParquetFile(path).read()
    texts = [str(trial) for trial in table["trial"].to_pylist()]
    pq.write_table(table.set_column(table.column_names.index("trial"), "trial", [texts]), path)


def garble_digests(out):
    (out / "scores.json").write_text('{"demo": ')


def replace_digests(out):
    (out / "scores.json").write_text("[3]")


def lose_digests(out):
    (out / "scores.json").unlink()


@pytest.mark.parametrize(
    ("damage", "named", "reason"),
    [
        (truncate, FIRST, "unreadable"),
        (empty, FIRST, "unreadable"),
        (garble, FIRST, ""),
        (rename, "best.parquet", "its name is not that of a batch"),
        (
            rename_to_another_batch,
            "n5--10-12.parquet",
            "it holds the batch demo--resample--n5--0-2",
        ),
        (rename_to_another_cell, "n6--0-2.parquet", "the study has no such source"),
        (duplicate, "n5--0-1.parquet", "it holds the batch demo--resample--n5--0-2"),
        (overlap, "n5--1-4.parquet", "another file holds the same collections"),
        (swap, SECOND, "2 damaged files"),
        (swap_without_metadata, SECOND, "its rows are not those of its batch"),
        (change_a_value, FIRST, "its rows were changed"),
        (drop_a_row, FIRST, "its rows are not those of its batch"),
        (drop_a_column, FIRST, "column sd is missing"),
        (change_a_type, FIRST, "column trial must hold int64"),
        (garble_digests, "scores.json", "is damaged"),
        (replace_digests, "scores.json", "it does not hold a JSON object"),
    ],
)
def test_damage_is_named_and_repaired(whole, copy, damage, named, reason, without_seconds):
    study, _, expected = whole
    damage(copy)
    for act in (study_status, read_results, lambda out: run_study(study, out, workers=1)):
        with pytest.raises(StudyError) as caught:
            act(copy)
        assert "repair=True" in caught.value.remedy
        assert reason in caught.value.message
        assert named in caught.value.message
        assert "\n" not in str(caught.value)
    without_seconds(run_study(study, copy, workers=1, repair=True), expected)
    assert list((copy / "damaged").iterdir())
    assert study_status(copy)["done"].tolist() == [4, 4]


def test_a_damaged_definition_is_named_and_repaired(whole, copy, without_seconds):
    study, _, expected = whole
    (copy / "study.toml").write_text("name = ")
    for act in (study_status, read_results, lambda out: run_study(study, out, workers=1)):
        with pytest.raises(BayescorrError, match=r"study\.toml is not TOML"):
            act(copy)
    without_seconds(run_study(study, copy, workers=1, repair=True), expected)
    assert (copy / "damaged" / "study.toml").read_text() == "name = "
    # A second damaged file of that name is kept beside the first.
    (copy / "study.toml").write_text("name = 3")
    run_study(study, copy, workers=1, repair=True)
    assert (copy / "damaged" / "study.toml.1").read_text() == "name = 3"


def test_lost_digests_are_named_and_repaired(whole, copy, without_seconds):
    study, _, expected = whole
    lose_digests(copy)
    without_seconds(read_results(copy), expected)
    with pytest.raises(StudyError, match=r"scores\.json is damaged: .*No such file"):
        run_study(study, copy, workers=1)
    run_study(study, copy, workers=1, repair=True)
    assert list(json.loads((copy / "scores.json").read_text())) == ["demo"]


def test_a_part_of_another_study_is_noticed(whole, copy, tmp_path):
    study, _, _ = whole
    run_study(replace(study, seed=8), tmp_path / "other", workers=1)
    shutil.copy(tmp_path / "other" / "results" / FIRST, copy / "results")
    with pytest.raises(StudyError, match="it was run with another seed"):
        read_results(copy)


def test_repair_does_not_touch_another_study(whole, copy):
    truncate(copy)
    with pytest.raises(StudyError, match="contains another study; changed: seed"):
        run_study(replace(whole[0], seed=8), copy, workers=1, repair=True)
    assert not (copy / "damaged").exists()


def test_parts_of_the_first_releases_are_read(whole, copy, without_seconds):
    for path in (copy / "results").iterdir():
        strip(path)
    without_seconds(read_results(copy), whole[2])


def test_folders_of_a_wrong_type_are_refused(whole):
    for out in (None, 3):
        with pytest.raises(OptionError, match="folder of a study must be a path"):
            run_study(whole[0], out, workers=1)
        with pytest.raises(OptionError, match="folder of a study must be a path"):
            read_results(out)
