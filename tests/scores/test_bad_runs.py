"""Bad runs and qrels: a line that names the file and the line, and one with the remedy."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from bad_cases import LINE, assert_named, text

from bayescorr import score_runs
from bayescorr.scores.trec import read_qrels, read_run


def runs(run, qrels="1 0 d1 1\n2 0 d1 1\n", paths="a.run", judged="qrels", **options):
    """Give score_runs a run and qrels of that content, or something else as their paths."""

    def act(folder: Path):
        (folder / "qrels").write_text(qrels)
        (folder / "a.run").write_text(run)
        given = [folder / x if isinstance(x, str) else x for x in (paths, judged)]
        return score_runs(*given, **options)

    return act


CASES = {
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
    assert_named(*CASES[name], tmp_path)
