"""Bad files of scores: a line that names the cell, line or column, and one with the remedy."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pandas as pd
import pytest
from bad_cases import LINE, assert_named, text

from bayescorr import read_scores
from bayescorr.errors import BayescorrError
from bayescorr.scores.load import load_scores
from bayescorr.scores.trec import read_run


def files(contents, **options):
    """Give read_scores a folder of files."""

    def act(folder: Path):
        for name, content in contents.items():
            (folder / name).write_text(content)
        return read_scores(folder, **options)

    return act


def table(*, parquet=False, **columns):
    """Give read_scores a DataFrame, or a Parquet file of it."""

    def act(folder: Path):
        if not parquet:
            return read_scores(pd.DataFrame(columns))
        pd.DataFrame(columns).to_parquet(folder / "s.parquet")
        return read_scores(folder / "s.parquet")

    return act


GZ = gzip.compress(b"topic,a,b\n1,0.5,0.25\n2,0.25,0.5\n" * 50)
PARQUET = b"PAR1 and then nothing of a parquet file"

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
}


@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_named_in_one_line(name, tmp_path):
    assert_named(*CASES[name], tmp_path)


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
