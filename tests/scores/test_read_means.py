from __future__ import annotations

import gzip

import pandas as pd
import pytest

from bayescorr.errors import CoefficientError
from bayescorr.scores.means import read_means


@pytest.mark.parametrize(
    "text",
    ["a,0.5\nb,0.4\n", "run\tAP\na\t.5\nb\t.4\n", "\ufeffname; map\n\na; 0.5\nb;0.4", "a .5\nb .4"],
)
def test_files_of_means(tmp_path, text):
    (tmp_path / "means").write_text(text, encoding="utf-8")
    with gzip.open(tmp_path / "means.gz", "wt", encoding="utf-8") as file:
        file.write(text)
    for name in ("means", "means.gz"):
        pd.testing.assert_series_equal(read_means(tmp_path / name), pd.Series({"a": 0.5, "b": 0.4}))


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"a,b,c\n1,2,3\n", b"topic_id,bm25\nx,.3\n", b"a,b\nc,d\n", b"\xff\xfe\x00"),
        *(b"a,1\nb,1,2\n", b"a,b\n.1,.2\n.3,.4\n", b"1,.5\n2,.4\n", b"id,bm25\n1,.3\n2,.4\n"),
        gzip.compress(b"a,.5\nb,.4\n", mtime=0)[:-9],
        b"\x1f\x8b\x08 and rubbish",
    ],
)
def test_files_that_are_not_of_means(tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    assert read_means(tmp_path / "file") is None


def test_systems_may_be_numbers_under_their_name(tmp_path):
    (tmp_path / "means").write_text("run,map\n1,0.5\n2,0.4\n")
    assert read_means(tmp_path / "means").to_dict() == {"1": 0.5, "2": 0.4}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system,mean\n\na,0.5\nb,n/a\n", r"means: expected a mean on line 4; got 'n/a'"),
        ("a,\nb,0.4\nc,0.3\n", r"means: expected a mean on line 1; got ''"),
        (
            "system,mean\na,0.5\nb,0.4\n\na,0.3\n",
            r"means, line 5: duplicate system 'a'; first on line 2",
        ),
        ("AP\t0.75\nnDCG@10\t0.1\n", r"means of several measures of one run \(AP, nDCG@10\)"),
    ],
)
def test_what_is_wrong_with_means_is_named(tmp_path, text, message):
    (tmp_path / "means").write_text(text)
    with pytest.raises(CoefficientError, match=message):
        read_means(tmp_path / "means")
