from __future__ import annotations

import gzip

import pytest

from bayescorr import ScoresError, ScoresWarning, read_scores
from bayescorr.errors import OptionError, RunsError
from bayescorr.scores.encodings import decode
from bayescorr.scores.trec import read_qrels, read_run

TABLE = "topic,naïve,b\nq1,0.5,0.25\nq2,0.125,1\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_that_say_what_they_are(tmp_path, encoding):
    (tmp_path / "s.csv").write_bytes(TABLE.encode(encoding))
    scores = read_scores(tmp_path / "s.csv")
    assert scores.to_dict() == {"naïve": {"q1": 0.5, "q2": 0.125}, "b": {"q1": 0.25, "q2": 1}}


@pytest.mark.parametrize("mark", [b"\xfe\xff", b"\x00\x00\xfe\xff"])
def test_big_endian(mark):
    encoding = {2: "utf-16-be", 4: "utf-32-be"}[len(mark)]
    assert decode(mark + TABLE.encode(encoding)).text == TABLE


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_other_text_is_read_as_windows_1252_with_a_note(tmp_path, encoding):
    (tmp_path / "s.csv").write_bytes(TABLE.encode(encoding))
    note = r"s\.csv, line 1: not UTF-8; read as Windows-1252 .* first such character is 'ï'"
    with pytest.warns(ScoresWarning, match=note):
        scores = read_scores(tmp_path / "s.csv")
    assert list(scores.columns) == ["naïve", "b"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"a,\xff\x01\n", "line 1: not UTF-8 text (byte 0xff)."),
        (b"a,b\n1,\x81\n", "line 2: not UTF-8 text (byte 0x81)."),
        (TABLE.encode("utf-16-le"), "this looks like UTF-16 without a byte order mark."),
        (TABLE.encode("utf-16-be"), "this looks like UTF-16 without a byte order mark."),
        (b"a,b\n\x00,1\n", "line 2: NUL byte in a text file."),
        (b"\xff\xfea\x00b", "line 1: not UTF-16-LE text (byte 0x62)."),
    ],
)
def test_what_is_not_text(content, problem):
    assert decode(content).problem == problem


@pytest.mark.parametrize(
    "content", [b"\xef\xbb\xbf", b"\xff\xfe", b"\xff\xfe\x00\x00", b"\xef\xbb\xbf \n"]
)
def test_a_byte_order_mark_alone_is_an_empty_file(tmp_path, content):
    (tmp_path / "s").write_bytes(content)
    for reader, error in ((read_scores, ScoresError), (read_run, RunsError)):
        with pytest.raises(error, match="s: the file is empty"):
            reader(tmp_path / "s")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_runs_and_judgments_may_start_with_a_byte_order_mark(tmp_path, encoding):
    (tmp_path / "a.run").write_bytes("1 Q0 d1 1 0.5 x\n".encode(encoding))
    (tmp_path / "qrels").write_bytes("1 0 d1 1\n".encode(encoding))
    assert read_run(tmp_path / "a.run")["topic"].tolist() == ["1"]
    assert read_qrels(tmp_path / "qrels")["topic"].tolist() == ["1"]


def test_a_run_in_another_encoding_gives_the_same_note(tmp_path):
    (tmp_path / "a.run").write_bytes("1 Q0 dé 1 0.5 x\n".encode("latin-1"))
    with pytest.warns(ScoresWarning, match=r"a\.run, line 1: not UTF-8"):
        assert read_run(tmp_path / "a.run")["doc"].tolist() == ["dé"]


class TestSize:
    """The largest size of files, in MB."""

    ROWS = "topic,a,b\n" + "".join(f"q{i},0.5,0.25\n" for i in range(200_000))

    @pytest.mark.parametrize("ending", ["csv", "csv.gz"])
    def test_a_large_file_is_not_read(self, tmp_path, ending):
        content = self.ROWS.encode()
        path = tmp_path / f"s.{ending}"
        path.write_bytes(gzip.compress(content) if ending.endswith("gz") else content)
        expected = r"more than 1 MB of data\. If it should be that large, raise max_size \(in MB\)"
        with pytest.raises(ScoresError, match=expected):
            read_scores(path, max_size=1)

    def test_unpacking_stops_at_the_limit(self, tmp_path, monkeypatch):
        """What follows the first pieces is never unpacked: here it is damaged."""
        monkeypatch.setattr("bayescorr.scores.files.CHUNK", 2**16)
        packed = gzip.compress(self.ROWS.encode())
        (tmp_path / "s.csv.gz").write_bytes(packed[: len(packed) // 2] + b"rubbish")
        with pytest.raises(ScoresError, match=r"more than 0\.1 MB"):
            read_scores(tmp_path / "s.csv.gz", max_size=0.1)

    def test_parquet_that_unpacks_to_more(self, tmp_path):
        import pandas as pd

        frame = pd.DataFrame({"a": [0.5] * 300_000, "b": [0.25] * 300_000})
        frame.to_parquet(tmp_path / "s.parquet")
        assert (tmp_path / "s.parquet").stat().st_size < 100_000
        with pytest.raises(ScoresError, match="more than 1 MB"):
            read_scores(tmp_path / "s.parquet", max_size=1)

    def test_runs(self, tmp_path):
        (tmp_path / "a.run").write_text("1 Q0 d1 1 0.5 x\n" * 100)
        with pytest.raises(RunsError, match=r"more than 0\.001 MB"):
            read_run(tmp_path / "a.run", max_size=0.001)

    @pytest.mark.parametrize("size", [0, -1, "5", None, True, float("nan")])
    def test_a_size_is_a_positive_number(self, tmp_path, size):
        with pytest.raises(OptionError, match="max_size must be a positive number of MB"):
            read_scores(tmp_path / "s.csv", max_size=size)
