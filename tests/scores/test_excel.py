from __future__ import annotations

import io
import sys
import zipfile

import pandas as pd
import pytest

from bayescorr import ScoresError, read_scores

SCORES = pd.DataFrame({"bm25": [0.5, 0.25], "lm": [0.125, 1.0]}, index=["q1", "q2"])


@pytest.fixture
def book(tmp_path):
    """Write sheets, lists of rows, into a workbook."""
    openpyxl = pytest.importorskip("openpyxl")

    def write(**sheets):
        workbook = openpyxl.Workbook()
        workbook.remove(workbook.active)
        for name, rows in sheets.items():
            sheet = workbook.create_sheet(name)
            for row in rows:
                sheet.append(row)
        workbook.save(tmp_path / "s.xlsx")
        return tmp_path / "s.xlsx"

    return write


ROWS = [["topic", "bm25", "lm"], ["q1", 0.5, 0.125], ["q2", 0.25, 1]]


def test_the_only_sheet_with_data(book):
    path = book(Notes=[], AP=[[], [None, None], *([None, *row] for row in ROWS)])
    pd.testing.assert_frame_equal(read_scores(path), SCORES)


def test_a_long_sheet(book):
    rows = [
        ["model", "item", "accuracy"],
        *(
            [system, topic, SCORES.loc[topic, system]]
            for system in SCORES
            for topic in SCORES.index
        ),
    ]
    scores = read_scores(book(long=rows))
    pd.testing.assert_frame_equal(scores, SCORES)
    assert scores.attrs["measure"] == "accuracy"


@pytest.mark.parametrize(
    ("sheets", "message"),
    [
        ({"AP": ROWS, "P10": ROWS}, r"2 sheets have data: 'AP', 'P10'\. Keep one sheet"),
        ({"AP": []}, "all sheets are empty"),
        ({"AP": ROWS[:1]}, "a header but no rows"),
        ({"AP": [*ROWS, ["q3", "bad", 1]]}, r"row 4, column 'bm25': 'bad'"),
    ],
)
def test_what_is_wrong_is_named(book, sheets, message):
    with pytest.raises(ScoresError, match=message):
        read_scores(book(**sheets))


def archive(**entries):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries.items():
            file.writestr(name.replace("__", "/").replace("_xml", ".xml"), content)
    return stream.getvalue()


ARCHIVES = {
    "rubbish": (b"PK\x03\x04 and rubbish", "truncated or damaged"),
    "xls": (b"\xd0\xcf\x11\xe0 and so on", r"an old Excel file\. Save the table as \.xlsx or CSV"),
    "ods": (archive(mimetype="ods"), r"not an Excel workbook\. Save the table as \.xlsx or CSV"),
    "broken": (archive(xl__workbook_xml="<broken"), "invalid or truncated Excel file"),
    "large": (archive(xl__workbook_xml="0" * 2_000_000), "more than 1 MB"),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_other_archives(tmp_path, name):
    pytest.importorskip("openpyxl")
    content, message = ARCHIVES[name]
    (tmp_path / "s.xlsx").write_bytes(content)
    with pytest.raises(ScoresError, match=message):
        read_scores(tmp_path / "s.xlsx", max_size=1)


def test_without_openpyxl_the_error_says_what_to_install(book, monkeypatch):
    path = book(AP=ROWS)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    expected = r"needs the library openpyxl\. Install it with: pip install 'bayescorr\[excel\]', or"
    with pytest.raises(ScoresError, match=expected):
        read_scores(path)
