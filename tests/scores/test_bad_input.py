"""Bad input of every kind: a line that names the cell, line or column, and one with the remedy."""

from __future__ import annotations

import gzip
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bayescorr import check_scores, read_scores, score_runs
from bayescorr.errors import BayescorrError
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


def renamed(labels, axis):
    def act(folder: Path):
        table = pd.DataFrame([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]])
        return check_scores(table.set_axis(labels, axis=axis))

    return act


def runs(run, qrels="1 0 d1 1\n2 0 d1 1\n", **options):
    def act(folder: Path):
        (folder / "qrels").write_text(qrels)
        (folder / "a.run").write_text(run)
        return score_runs(folder / "a.run", folder / "qrels", **options)

    return act


GZ = gzip.compress(b"topic,a,b\n1,0.5,0.25\n2,0.25,0.5\n" * 50)
PARQUET = b"PAR1 and then nothing of a parquet file"
LINE = "1 Q0 d1 1 0.5 tag\n"

CASES = {
    # tables in files
    "no such file": (lambda d: read_scores(d / "none.csv"), r"none\.csv: cannot be read: No such"),
    "no file matches": (lambda d: read_scores(str(d / "*.csv")), r"\*\.csv: no file matches"),
    "empty folder": (lambda d: read_scores(d), "no files in this folder"),
    "empty file": (text(""), r"s\.csv: the file is empty"),
    "blank file": (text("\n \n"), r"s\.csv: the file is empty"),
    "header only": (text("topic,a,b\n"), r"s\.csv: a header but no rows"),
    "one column": (text("scores\n0.5\n0.25\n"), r"line 1: a header with one column .*'scores'"),
    "no header": (text("0.5,0.25\n0.125,0.75\n"), r"the header holds scores: 0\.5, 0\.25"),
    "no systems": (text("topic,\n1,\n"), r"column 2 has no name"),
    "text in a score": (text("topic,a,b\n1,0.5,x\n2,1,0\n"), r"line 2, column 'b': 'x'"),
    "text in the first of unlabelled columns": (
        text("a,b\n0.5,0.1\noops,0.2\n0.25,0.1\n"),
        r"line 3, column 'a': 'oops'",
    ),
    "infinite score": (text("topic,a,b\n1,0.5,inf\n2,1,0\n"), r"line 2, column 'b': 'inf'"),
    "number with underscore": (text("topic,a,b\n1,1_0,1\n2,1,0\n"), r"line 2, column 'a': '1_0'"),
    "decimal comma": (text("topic;a;b\n1;0,5;0,25\n2;0,5;1\n"), r"line 2, column 'a': '0,5'"),
    "decimal comma in a csv": (text("topic,a\n1,0,5\n2,1\n"), r"line 2: 3 columns .* header has 2"),
    "ragged row": (text("topic,a,b\n1,0.5,1\n2,0.5\n"), r"line 3: 2 columns .* header has 3"),
    "quote left open": (text('topic,a,b\n1,"0.5,1\n2,0.5,1\n'), r"line \d: not a table"),
    "system twice": (text("topic,a,a\n1,0.5,1\n2,1,0\n"), r"column 3 has the name 'a' of column 2"),
    "system without name": (text("topic,a,\n1,0.5,1\n2,1,0\n"), r"column 3 has no name"),
    "topic twice": (text("topic,a,b\n1,0.5,1\n1,1,0\n"), r"line 3: topic '1' was .* line 2"),
    "topic without label": (
        text("topic,a,b\n1,0.5,1\n,1,0\n"),
        r"line 3: no label in column 'topic'",
    ),
    "labels or scores": (text("id,a,b\n7,0.5,1\n8,1,0\n"), r"column 'id' holds different whole"),
    "two topic columns": (
        text("topic,qid,a\n1,1,0.5\n2,2,1\n"),
        r"'topic' and 'qid' could both be",
    ),
    "measure of a wide table": (
        text("topic,a,b\n1,0.5,1\n2,1,0\n", measure="AP"),
        r"does not say .* 'AP' was asked for",
    ),
    "wrong encoding": (
        text("topic,a,b\nö,0.5,1\n2,1,0\n".encode("latin-1")),
        r"line 2: not UTF-8 .*0xf6",
    ),
    "utf-16": (text("topic,a,b\n1,0.5,1\n".encode("utf-16")), r"line 1: not UTF-8"),
    "NUL bytes": (text("topic,a,b\n1,0.5,\0\n"), r"line 2: NUL byte"),
    "truncated gz": (text(GZ[:-12], "s.csv.gz"), r"s\.csv\.gz: not a whole gzip file"),
    "gz with rubbish after it": (
        text(gzip.compress(b"") + GZ[10:], "s.csv.gz"),
        r"s\.csv\.gz: not a whole gzip file",
    ),
    "gz in name only": (text("topic,a,b\n1,1,0\n", "s.csv.gz"), r"s\.csv\.gz: not a whole gzip"),
    "broken parquet": (text(PARQUET, "s.parquet"), r"s\.parquet: not a whole Parquet file"),
    "parquet in name only": (
        text("topic,a,b\n1,1,0\n", "s.pq", format="parquet"),
        r"s\.pq: not a whole Parquet file",
    ),
    # long tables
    "pair scored twice": (
        text("system,topic,score\na,1,0.5\nb,1,0.5\na,1,0.25\n"),
        r"line 4: topic '1' of system 'a' was scored before on line 2",
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
        r"measure 'RR'.*'AP', 'P'",
    ),
    "several measures": (
        text("run,qid,measure,value\na,1,AP,0.5\na,2,P,1\n"),
        r"2 measures: 'AP', 'P'",
    ),
    "system without a name in a long table": (
        text("run,qid,score\na,1,0.5\n,2,1\n"),
        r"line 3: no label in column 'run'",
    ),
    "systems or scores": (
        text("topic,run,score\n1,1,0.5\n2,1,0.75\n"),
        r"column 'run' holds numbers",
    ),
    # evaluation outputs
    "trec_eval line too short": (
        text("map 1 0.5\nmap 2\n", format="trec_eval"),
        r"line 2: 2 columns found, 3 expected",
    ),
    "trec_eval topic twice": (
        text("map 1 0.5\nmap 1 0.5\nmap all 0.5\n"),
        r"line 2: topic '1' was scored before on line 1",
    ),
    "trec_eval text score": (
        text("map 1 0.5\nmap 2 bad\n", format="trec_eval"),
        r"line 2: score of topic '2' .*'bad'",
    ),
    "trec_eval without -q": (
        text("map all 0.5\nP_10 all 0.25\n", measure="map"),
        r"averages over topics only, no scores of topics",
    ),
    "ir_measures broken JSON": (
        text('{"query_id": "1", "measure": "AP", "value": 1}\n{"query_id":\n'),
        r"line 2: not a JSON object",
    ),
    "mixed folder": (
        files({"a.txt": "map 1 0.5\n", "b.txt": "1 AP 0.5\n"}),
        r"b\.txt \(ir_measures\), .*a\.txt \(trec_eval\)",
    ),
    "folder of tables": (files({"a.csv": "topic,a,b\n1,0.5,1\n"}), r"a\.csv \(table\)"),
    "a run without the measure": (
        files({"a.txt": "map 1 0.5\nmap all 1\n", "b.txt": "P_10 1 0.5\n"}, measure="map"),
        r"b\.txt: no topic is scored by measure 'map'",
    ),
    "a run instead of scores": (text(LINE * 2), r"s\.csv, line 1: this is a TREC run"),
    # scores in memory
    "text in a frame": (frame([0.1, "x"], [1, 2]), r"topic 1, system 'a': 'x'"),
    "date in a frame": (
        frame(pd.to_datetime(["2020-01-01", "2020-01-02"]), [1, 2]),
        r"topic 0, system 'a': Timestamp",
    ),
    "complex number": (frame([0.1, 1j], [1, 2]), r"topic 1, system 'a': 1j"),
    "infinite in a frame": (frame([0.1, np.inf], [1, 2]), r"topic 1, system 'a'"),
    "missing in a frame": (frame([0.1, None], [1, 2]), r"topic 1, system 'a'"),
    "one topic": (frame([0.1], [0.2]), r"1 topic and 2 systems"),
    "one system": (frame([0.1, 0.2]), r"2 topics and 1 system "),
    "nothing": (lambda d: check_scores(pd.DataFrame()), r"0 topics and 0 systems"),
    "one dimension": (lambda d: check_scores([0.1, 0.2]), r"1 dimensions found, 2"),
    "three dimensions": (lambda d: check_scores(np.zeros((2, 2, 2))), r"3 dimensions found, 2"),
    "rows of several lengths": (lambda d: check_scores([[1, 2], [3]]), r"rows .* differ in length"),
    "topic label twice": (renamed(["q", "q", "r"], 0), r"Topic label .* 'q'"),
    "system label twice": (renamed(["q", "r", "q"], 1), r"System label .* 'q'"),
    "label missing": (renamed(["q", None, "r"], 1), r"System label is missing at position 2"),
    "labels of several levels": (
        renamed(pd.MultiIndex.from_product([["x"], list("abc")]), 0),
        r"Topic labels have 2 levels",
    ),
    "text in an array": (
        lambda d: read_scores([["x", 1], [2, 3]]),
        r"topic 't1', system 'sys1': 'x'",
    ),
    # runs and qrels
    "run line too short": (
        text(LINE + "1 Q0 d2 2 0.4\n", reader=read_run),
        r"line 2: 5 columns .* 6",
    ),
    "run with a text score": (
        text(LINE + "1 Q0 d2 2 high tag\n", reader=read_run),
        r"line 2: score 'high' is not a finite",
    ),
    "run with a NaN score": (
        text(LINE + "\n1 Q0 d2 2 nan tag\n", reader=read_run),
        r"line 3: score 'nan' is not a finite",
    ),
    "run with a text rank": (
        text(LINE + "1 Q0 d2 two 0.4 tag\n", reader=read_run),
        r"line 2: rank 'two' is not a whole",
    ),
    "run with a huge rank": (
        text(LINE + f"1 Q0 d2 {10**30} 0.4 tag\n", reader=read_run),
        r"line 2: rank '1000",
    ),
    "document twice": (
        text(LINE + "1 Q0 d2 2 0.4 t\n" + LINE, reader=read_run),
        r"line 3: topic '1' had document 'd1' before on line 1",
    ),
    "empty run": (text("", reader=read_run), r"the file is empty"),
    "truncated run": (
        text(gzip.compress(LINE.encode() * 9)[:-9], "r.gz", read_run),
        r"r\.gz: not a",
    ),
    "qrels line too long": (text("1 0 d1 1 x\n", reader=read_qrels), r"line 1: 5 columns .* 4"),
    "qrels grade": (
        text("1 0 d1 0.5\n", reader=read_qrels),
        r"line 1: relevance '0\.5' is not a whole",
    ),
    "judged twice": (text("1 0 d1 1\n1 0 d1 0\n", reader=read_qrels), r"line 2: topic '1' had"),
    "other qrels": (runs("9 Q0 d1 1 0.5 x\n"), r"a\.run: none of its 1 topics is in the qrels"),
    "topic without results": (runs(LINE, missing="error"), r"missing: topic '2', system 'a'"),
    "unknown measure": (runs(LINE, measure="MAP@"), r"Unknown measure 'MAP@'"),
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


def test_at_least_twenty_kinds():
    assert len(CASES) >= 20


def test_many_bad_cells_are_listed_up_to_ten(tmp_path):
    rows = "\n".join(f"{i},x,y" for i in range(20))
    with pytest.raises(BayescorrError, match="and 30 more"):
        text(f"topic,a,b\n{rows}\n")(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("topic,a,b\n1,1,0\n")
    path.chmod(0)
    with pytest.raises(BayescorrError, match="Permission denied"):
        read_scores(path)
