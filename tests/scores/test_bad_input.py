"""Bad input of every kind: a line that names the cell, line or column, and one with the remedy."""

from __future__ import annotations

import gzip
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from bayescorr import check_scores, read_scores, score_runs
from bayescorr.errors import BayescorrError
from bayescorr.scores.load import load_scores
from bayescorr.scores.trec import read_qrels, read_run


def text(content, name="s.csv", reader=read_scores, **options):
    """Give a reader a file of that content."""

    def act(folder: Path):
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)
        return reader(folder / name, **options)

    return act


def files(contents, **options):
    """Give read_scores a folder of files."""

    def act(folder: Path):
        for name, content in contents.items():
            (folder / name).write_text(content)
        return read_scores(folder, **options)

    return act


def frame(*columns, index=None, reader=check_scores, **options):
    """Give check_scores a DataFrame of systems a, b, c ..."""
    names = list("abcdef"[: len(columns)])

    def act(folder: Path):
        table = pd.DataFrame(dict(zip(names, columns, strict=True)), index=index)
        return reader(table, **options)

    return act


def table(*, parquet=False, **columns):
    """Give read_scores a DataFrame, or a Parquet file of it."""

    def act(folder: Path):
        if not parquet:
            return read_scores(pd.DataFrame(columns))
        pd.DataFrame(columns).to_parquet(folder / "s.parquet")
        return read_scores(folder / "s.parquet")

    return act


def renamed(labels, axis):
    def act(folder: Path):
        table = pd.DataFrame([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]])
        return check_scores(table.set_axis(labels, axis=axis))

    return act


def runs(run, qrels="1 0 d1 1\n2 0 d1 1\n", paths="a.run", judged="qrels", **options):
    """Give score_runs a run and qrels of that content, or something else as their paths."""

    def act(folder: Path):
        (folder / "qrels").write_text(qrels)
        (folder / "a.run").write_text(run)
        given = [folder / x if isinstance(x, str) else x for x in (paths, judged)]
        return score_runs(*given, **options)

    return act


GZ = gzip.compress(b"topic,a,b\n1,0.5,0.25\n2,0.25,0.5\n" * 50)
PARQUET = b"PAR1 and then nothing of a parquet file"
LINE = "1 Q0 d1 1 0.5 tag\n"

CASES = {
    # tables in files
    "no such file": (lambda d: read_scores(d / "none.csv"), r"none\.csv: cannot be read: No such"),
    "no file matches": (lambda d: read_scores(str(d / "*.csv")), r"\*\.csv: no file matches"),
    "no path": (lambda d: read_scores(""), "The path is empty"),
    "no path in a list": (lambda d: read_scores([""]), "The path is empty"),
    "no path by name": (lambda d: load_scores(""), "The path is empty"),
    "long path": (lambda d: read_scores("s" * 5000), "cannot be read: File name too long"),
    "long path by name": (lambda d: load_scores("s/" * 5000), "cannot be read: File name too long"),
    "long name": (lambda d: load_scores("s" * 5000), "neither a file nor a data set"),
    "NUL in a path": (lambda d: read_scores("s\0.csv"), "cannot be read: embedded null"),
    "NUL in a pattern": (lambda d: read_scores("s\0/*.csv"), "cannot be read: embedded null"),
    "NUL in a path by name": (lambda d: load_scores("s\0"), "cannot be read: embedded null"),
    "NUL in the path of a run": (lambda d: read_run("s\0"), "cannot be read: embedded null"),
    "empty folder": (lambda d: read_scores(d), "the folder contains no files"),
    "empty file": (text(""), r"s\.csv: the file is empty"),
    "byte order mark only": (text(b"\xef\xbb\xbf\n"), r"s\.csv: the file is empty"),
    "blank file": (text("\n \n"), r"s\.csv: the file is empty"),
    "header only": (text("topic,a,b\n"), r"s\.csv: a header but no rows"),
    "one column": (
        text("scores\n0.5\n0.25\n"),
        r"line 1: the header has a single column: 'scores'",
    ),
    "no header": (text("0.5,0.25\n0.125,0.75\n"), r"the header contains scores: 0\.5, 0\.25"),
    "no header but labels": (
        text("q1,0.10,0.22\nq2,0.3,0.4\nq3,0.2,0.2\n"),
        r"the header contains scores: q1, 0\.10, 0\.22\. Add a header line",
    ),
    "no header but whole labels": (
        text("301,1e-3,NA,0.5\n302,0.3,0.4,1\n"),
        r"the header contains scores: 301, 1e-3, NA",
    ),
    "no header but percentages": (text("q1,5%,7%\nq2,3%,4%\n"), "the header contains scores"),
    "no header but words": (text("q1,TRUE,FALSE\nq2,TRUE,TRUE\n"), "the header contains scores"),
    "only separators": (text(",,\n,,\n"), "no cells with content"),
    "no header, the same score twice": (text("q1,.5,.5\nq2,.3,.4\n"), "the header contains scores"),
    "no systems": (text("topic,\n1,\n"), r"column 2 has no name"),
    "text in a score": (text("topic,a,b\n1,0.5,x\n2,1,0\n"), r"line 2, column 'b': 'x'"),
    "text in the first of unlabelled columns": (
        text("a,b\n0.5,0.1\noops,0.2\n0.25,0.1\n"),
        r"line 3, column 'a': 'oops'",
    ),
    "infinite score": (text("topic,a,b\n1,0.5,inf\n2,1,0\n"), r"line 2, column 'b': 'inf'"),
    "number with underscore": (text("topic,a,b\n1,1_0,1\n2,1,0\n"), r"line 2, column 'a': '1_0'"),
    "decimal comma and point": (
        text("topic;a;b\n1;0,5;0.25\n2;0,5;1\n"),
        r"line 2, column 'a': '0,5'.* Write decimals with a point",
    ),
    "thousands or decimals": (
        text("topic;a;b\n1;1,234;2,000\n2;3,456;1\n"),
        r"column 'a': '1,234'.* '1,234' could be 1\.234 or 1234",
    ),
    "thousands": (
        text('topic,a,b\n1,"2,577.5",1\n2,900.25,1\n'),
        r"column 'a': '2,577\.5'.* Leave out thousands separators",
    ),
    "percent sign in one cell": (
        text("topic,a,b\n1,35%,0.2\n2,0.4,0.3\n"),
        r"column 'a': '35%'.* percent signs in the whole column",
    ),
    "decimal comma in a csv": (text("topic,a\n1,0,5\n2,1\n"), r"line 2: expected 2 columns.*got 3"),
    "ragged row": (text("topic,a,b\n1,0.5,1\n2,0.5\n"), r"line 3: expected 3 columns.*got 2"),
    "separator at the end of lines, and no topic column": (
        text("a,b,c\n.1,.2,.3,\n.3,.4,.5,\n"),
        r"line 2: expected 3 columns.*got 4\..*trailing separator",
    ),
    "one column too many under a topic column": (
        text("topic,a,b\n1,.1,.2,.3\n2,.3,.4,.5\n"),
        r"line 2: expected 3 columns.*got 4",
    ),
    "quote left open": (text('topic,a,b\n1,"0.5,1\n2,0.5,1\n'), r"line \d: malformed table"),
    "system twice": (
        text("topic,a,a\n1,0.5,1\n2,1,0\n"),
        r"columns 2 and 3 have the same name, 'a'",
    ),
    "system without name": (text("topic,a,\n1,0.5,1\n2,1,0\n"), r"column 3 has no name"),
    "topic twice": (
        text("topic,a,b\n1,0.5,1\n1,1,0\n"),
        r"line 3: duplicate topic '1'; first on line 2",
    ),
    "topic without label": (
        text("topic,a,b\n1,0.5,1\n,1,0\n"),
        r"line 3: no label in column 'topic'",
    ),
    "labels or scores": (
        text("x,a,b\n7,0.5,1\n8,1,0\n"),
        r"column 'x' contains distinct whole numbers",
    ),
    "labels with decimals": (
        text("x,a,b\n301.0,.1,.2\n302.0,.3,.4\n"),
        r"column 'x' contains distinct numbers larger than all others",
    ),
    "labels of turns": (
        text("turn,a,b\n31.1,.1,\n31.2,.3,1\n"),
        r"column 'turn' contains distinct numbers larger than all others",
    ),
    "labels or scores in a frame": (
        table(x=[401, 402], a=[0.5, 1], b=[1, 0]),
        r"column 'x' contains distinct whole",
    ),
    "labels or scores in parquet": (
        table(x=[401, 402], a=[0.5, 1], b=[1, 0], parquet=True),
        r"s\.parquet: column 'x' contains distinct whole",
    ),
    "averages": (text("name,map\nx,0.5\ny,0.25\n"), r"one row per system \(column 'name'\)"),
    "averages in a frame": (
        table(name=["x", "y"], map=[0.5, 0.25]),
        r"one row per system \(column 'name'\)",
    ),
    "averages in parquet": (
        table(name=["x", "y"], map=[0.5, 0.25], parquet=True),
        r"one row per system \(column 'name'\)",
    ),
    "one topic in a file": (
        text("topic,a,b\n1,0.5,1\n", reader=lambda path: load_scores(str(path))),
        r"s\.csv: Need at least .* got 1 topic and 2 systems",
    ),
    "two topic columns": (
        text("topic,qid,a\n1,1,0.5\n2,2,1\n"),
        r"more than one topic column: 'topic' and 'qid'",
    ),
    "measure of a wide table": (
        text("topic,a,b\n1,0.5,1\n2,1,0\n", measure="AP"),
        r"a wide table does not name its measure; 'AP' was requested",
    ),
    "binary file": (text(b"topic,a,b\n\xf6\x01,0.5,1\n2,1,0\n"), r"line 2: not UTF-8 .*0xf6"),
    "utf-16 without a byte order mark": (
        text("topic,a,b\n1,0.5,1\n".encode("utf-16-le")),
        r"s\.csv: this looks like UTF-16 without a byte order mark",
    ),
    "truncated utf-16": (
        text("topic,a,b\n1,0.5,1\n".encode("utf-16")[:-1]),
        r"line \d: not UTF-16-LE text",
    ),
    "NUL bytes": (text("topic,a,b\n1,0.5,\0\n"), r"line 2: NUL byte"),
    "truncated gz": (text(GZ[:-12], "s.csv.gz"), r"s\.csv\.gz: invalid or truncated gzip file"),
    "gz with rubbish after it": (
        text(gzip.compress(b"") + GZ[10:], "s.csv.gz"),
        r"s\.csv\.gz: invalid or truncated gzip file",
    ),
    "gz in name only": (text("topic,a,b\n1,1,0\n", "s.csv.gz"), r"s\.csv\.gz: invalid or tr"),
    "broken parquet": (text(PARQUET, "s.parquet"), r"s\.parquet: invalid or truncated Parquet"),
    "parquet in name only": (
        text("topic,a,b\n1,1,0\n", "s.pq", format="parquet"),
        r"s\.pq: invalid or truncated Parquet file",
    ),
    # long tables
    "pair scored twice": (
        text("system,topic,score\na,1,0.5\nb,1,0.5\na,1,0.25\n"),
        r"line 4: duplicate score of system 'a' on topic '1'; first on line 2",
    ),
    "text in a long score": (
        text("run,qid,score\na,1,0.5\na,2,good\n"),
        r"line 3, column 'score': 'good'",
    ),
    "no topic column": (
        text("run,score\na,0.5\nb,0.25\n"),
        r"no topic column among 'run', 'score'",
    ),
    "no system column": (
        text("qid,measure,value\n1,AP,0.5\n2,AP,0.5\n"),
        r"no system column among 'qid', 'measure'",
    ),
    "no such measure": (
        text("run,qid,measure,value\na,1,AP,0.5\na,2,P,1\n", measure="RR"),
        r"no scores of measure 'RR'\. Available measures: 'AP', 'P'",
    ),
    "several measures": (
        text("run,qid,measure,value\na,1,AP,0.5\na,2,P,1\n"),
        r"2 measures: 'AP', 'P'",
    ),
    "topic that pandas calls NA in a long table": (
        table(run=["a", "a"], qid=[1, pd.NA], score=[0.5, 1]),
        r"row 2: no label in column 'qid'",
    ),
    "system without a name in a long table": (
        text("run,qid,score\na,1,0.5\n,2,1\n"),
        r"line 3: no label in column 'run'",
    ),
    "systems or scores": (
        text("topic,run,score\n1,1,0.5\n2,1,0.75\n"),
        r"column 'run' contains numbers",
    ),
    # evaluation outputs
    "trec_eval line too short": (
        text("map 1 0.5\nmap 2\n", format="trec_eval"),
        r"line 2: expected 3 columns \(measure topic value\); got 2",
    ),
    "trec_eval topic twice": (
        text("map 1 0.5\nmap 1 0.5\nmap all 0.5\n"),
        r"line 2: second score of map on topic '1'; first on line 1\. If .* several runs",
    ),
    "trec_eval text score": (
        text("map 1 0.5\nmap 2 bad\n", format="trec_eval"),
        r"line 2, column 'score': 'bad'",
    ),
    "trec_eval text score after its run id": (
        text("runid\tall\tx\nmap\t1\t0.5\nmap\t2\tbad\n"),
        r"line 3, column 'score': 'bad'",
    ),
    "trec_eval text score before its run id": (
        text("map\t1\t0.5\nmap\t2\tbad\nrunid\tall\tx\nmap\tall\t0.5\n"),
        r"line 2, column 'score': 'bad'",
    ),
    "trec_eval truncated": (
        text("runid\tall\tx\nmap\t1\t0.5\nmap\t2"),
        r"line 3: expected 3 columns .*; got 2",
    ),
    "trec_eval without -q": (
        text("map all 0.5\nP_10 all 0.25\n", measure="map"),
        r"only averages over topics, no scores per topic",
    ),
    "ir_measures broken JSON": (
        text('{"query_id": "1", "measure": "AP", "value": 1}\n{"query_id":\n'),
        r"line 2: expected a JSON object",
    ),
    "ir_measures without a topic": (
        text('{"query_id": null, "measure": "AP", "value": 1}\n'),
        r"line 1: expected a JSON object with query_id",
    ),
    "mixed folder": (
        files({"a.txt": "map 1 0.5\n", "b.txt": "1 AP 0.5\n"}),
        r"b\.txt \(ir_measures\), .*a\.txt \(trec_eval\)",
    ),
    "folder of tables": (files({"a.csv": "topic,a,b\n1,0.5,1\n"}), r"a\.csv \(csv\)"),
    "a run without the measure": (
        files({"a.txt": "map 1 0.5\nmap all 1\n", "b.txt": "P_10 1 0.5\n"}, measure="map"),
        r"b\.txt: no scores of measure 'map'. Available measures: 'P_10'",
    ),
    "a run instead of scores": (text(LINE * 2), r"s\.csv, line 1: this is a TREC run"),
    # scores in memory
    "text in a frame": (frame([0.1, "x"], [1, 2]), r"topic 1, system 'a': 'x'"),
    "date in a frame": (
        frame(pd.to_datetime(["2020-01-01", "2020-01-02"]), [1, 2]),
        r"topic 0, system 'a': Timestamp",
    ),
    "time in a frame": (
        frame(*np.array([[1, 2], [1, 3]], dtype="timedelta64[ns]")),
        r"4 scores are not numeric: topic 0, system 'a': ",
    ),
    "date in an array": (
        lambda d: check_scores(np.array([["2020", "2021"]] * 2, dtype="datetime64[ns]")),
        r"4 scores are not numeric: topic 't1', system 'sys1': ",
    ),
    "masked in an array": (
        lambda d: check_scores(np.ma.array([[0.1, 0.2], [0.3, 0.5]], mask=[[0, 1], [0, 0]])),
        r"1 score is missing: topic 't1', system 'sys2'",
    ),
    "column of topics": (
        lambda d: check_scores(pd.DataFrame({"Topic": [1, 2], "a": [0.1, 0.2], "b": [1, 0]})),
        r"Column 'Topic' looks like topic labels.*read_scores or set_index\('Topic'\)",
    ),
    "rows of systems": (
        frame([0.1, 0.2], [1, 0], index=pd.Index(["x", "y"], name="system")),
        "rows are named 'system' and the columns None",
    ),
    "rows of systems, read_scores": (
        frame([0.1, 0.2], [1, 0], index=pd.Index(["x", "y"], name="method"), reader=read_scores),
        r"but the rows \('x', 'y'\) are labelled as systems\. Use transpose=True",
    ),
    "row numbers as a system": (
        lambda d: check_scores(pd.DataFrame({"Unnamed: 0": [0, 1], "a": [0.5, 1], "b": [1, 0]})),
        r"Column 'Unnamed: 0' numbers the rows\. .*index_col=0",
    ),
    "dimensions of any name": (
        lambda d: check_scores(xr.DataArray(np.eye(3), dims=("row", "col"))),
        "Expected the dimensions topic and system; got 'row', 'col'",
    ),
    "a whole number too large for a float": (
        frame(np.array([0.1, 10**400], dtype=object), [1, 2]),
        r"system 'a': 1000",
    ),
    "complex number": (frame([0.1, 1j], [1, 2]), r"topic 1, system 'a': 1j"),
    "infinite in a frame": (frame([0.1, np.inf], [1, 2]), r"topic 1, system 'a'"),
    "huge in a frame": (
        frame([0.1, 1e308], [1, 1e308]),
        r"beyond 1e\+150: topic 1, system 'a'; topic 1, system 'b'",
    ),
    "huge and missing in a frame": (frame([None, -1e200], [1, 2]), r"topic 1, system 'a'"),
    "missing in a frame": (frame([0.1, None], [1, 2]), r"topic 1, system 'a'"),
    "one topic": (frame([0.1], [0.2]), r"1 topic and 2 systems"),
    "one system": (frame([0.1, 0.2]), r"2 topics and 1 system\."),
    "nothing": (lambda d: check_scores(pd.DataFrame()), r"0 topics and 0 systems"),
    "one dimension": (lambda d: check_scores([0.1, 0.2]), "2 dimensions; got 1"),
    "three dimensions": (lambda d: check_scores(np.zeros((2, 2, 2))), "2 dimensions; got 3"),
    "rows of several lengths": (lambda d: check_scores([[1, 2], [3]]), r"rows .* differ in length"),
    "topic label twice": (
        renamed(["q", "q", "r"], 0),
        r"Topic labels must be unique; duplicated: 'q'",
    ),
    "system label twice": (
        renamed(["q", "r", "q"], 1),
        r"System labels must be unique; duplicated: 'q'",
    ),
    "label missing": (renamed(["q", None, "r"], 1), r"System label is missing at position 2"),
    "labels of several levels": (
        renamed(pd.MultiIndex.from_product([["x"], list("abc")]), 0),
        "Topic labels must have 1 level; got 2",
    ),
    "text in an array": (
        lambda d: read_scores([["x", 1], [2, 3]]),
        r"topic 't1', system 'sys1': 'x'",
    ),
    "xarray Dataset": (
        lambda d: read_scores(xr.Dataset({"ap": (("topic", "system"), np.eye(2)), "n": 2})),
        r"Expected an xarray DataArray; got a Dataset.*: 'ap', 'n'",
    ),
    # runs and qrels
    "run line too short": (
        text(LINE + "1 Q0 d2 2 0.4\n", reader=read_run),
        r"line 2: expected 6 columns .* got 5",
    ),
    "run with a text score": (
        text(LINE + "1 Q0 d2 2 high tag\n", reader=read_run),
        r"line 2: score must be a finite number; got 'high'",
    ),
    "run score with underscore": (
        text(LINE + "1 Q0 d2 2 5_9 tag\n", reader=read_run),
        r"line 2: score must be a finite number; got '5_9'",
    ),
    "grade with underscore": (
        text("1 0 d1 1\n1 0 d2 1_0\n", reader=read_qrels),
        r"line 2: relevance must be a whole number; got '1_0'",
    ),
    "run with a NaN score": (
        text(LINE + "\n1 Q0 d2 2 nan tag\n", reader=read_run),
        r"line 3: score must be a finite number; got 'nan'",
    ),
    "run with a text rank": (
        text(LINE + "1 Q0 d2 two 0.4 tag\n", reader=read_run),
        r"line 2: rank must be a whole number; got 'two'",
    ),
    "run with a huge rank": (
        text(LINE + f"1 Q0 d2 {10**30} 0.4 tag\n", reader=read_run),
        r"line 2: rank must be a whole number; got '1000",
    ),
    "document twice": (
        text(LINE + "1 Q0 d2 2 0.4 t\n" + LINE, reader=read_run),
        r"line 3: duplicate document 'd1' for topic '1'; first on line 1",
    ),
    "empty run": (text("", reader=read_run), r"the file is empty"),
    "truncated run": (
        text(gzip.compress(LINE.encode() * 9)[:-9], "r.gz", read_run),
        r"r\.gz: invalid or truncated",
    ),
    "qrels line too long": (
        text("1 0 d1 1 x\n", reader=read_qrels),
        r"line 1: expected 4 columns .* got 5",
    ),
    "qrels grade": (
        text("1 0 d1 0.5\n", reader=read_qrels),
        r"line 1: relevance must be a whole number; got '0\.5'",
    ),
    "judged twice": (
        text("1 0 d1 1\n1 0 d1 0\n", reader=read_qrels),
        r"line 2: duplicate document 'd1'",
    ),
    "other qrels": (
        runs("9 Q0 d1 1 0.5 x\n"),
        r"a\.run: none of its 1 topics \(9\) is in the qrels",
    ),
    "topic without results": (runs(LINE, missing="error"), r"missing: topic '2', system 'a'"),
    "no runs": (runs(LINE, paths=None), "Expected a path; got NoneType"),
    "number among runs": (runs(LINE, paths=[5]), "Expected a path; got int"),
    "no qrels": (runs(LINE, judged=None), "Expected a path; got NoneType"),
    "unknown measure": (runs(LINE, measure="MAP@"), r"Unknown measure 'MAP@'"),
    "grade that wraps around": (
        runs(LINE, qrels=f"1 0 d1 {2**32 - 2}\n2 0 d1 1\n"),
        r"qrels: relevance must be .*; got 4294967294 for document 'd1' of topic '1'",
    ),
    **{
        f"measure {measure}": (
            runs(LINE, measure=measure),
            f"cutoff .* at least 1; got '{measure}'",
        )
        for measure in ("P@0", "nDCG@0", "Success@0", "AP@0", "Judged@0")
    },
    "measure without relevance": (
        runs(LINE, measure="AP(rel=0)"),
        r"AP\(rel=0\) cannot be computed: .*positive",
    ),
    "measure of no library": (
        runs(LINE, measure="RBP(p=0.8)"),
        r"RBP cannot be computed: .* Choose another measure, such as AP, RR",
    ),
    "unknown way with missing": (runs(LINE, missing="no"), r"'no'.* Choose one of: drop, error"),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_named_in_one_line(name, tmp_path):
    act, expected = CASES[name]
    with pytest.raises(BayescorrError) as caught:
        act(tmp_path)
    error = caught.value
    assert re.search(expected, str(error)), str(error)
    assert "\n" not in error.message
    assert error.message.endswith(".")
    assert error.remedy
    assert "\n" not in error.remedy


def test_many_bad_cells_are_listed_up_to_ten(tmp_path):
    rows = "\n".join(f"{i},{'x' if i % 2 else 0.5},{'y' if i % 2 else 0.5}" for i in range(40))
    with pytest.raises(BayescorrError, match="and 30 more"):
        text(f"topic,a,b\n{rows}\n")(tmp_path)


def test_unreadable_folder(tmp_path, monkeypatch):
    def iterdir(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", iterdir)  # for root no folder is unreadable
    with pytest.raises(BayescorrError, match="cannot be read: Permission denied"):
        read_scores(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("topic,a,b\n1,1,0\n")
    path.chmod(0)
    with pytest.raises(BayescorrError, match="Permission denied"):
        read_scores(path)
