"""Output of ``trec_eval -q`` and ``ir_measures -q``: one line per score, one file per run.

trec_eval writes ``measure topic value`` and names the run in a ``runid`` line; ir_measures writes
``topic measure value`` (or JSON lines) and does not. Both sum up in lines of the topic ``all``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from bayescorr.errors import ScoresError, listing
from bayescorr.scores.files import name_systems, stem
from bayescorr.scores.tables import SUMMARY, choose_measure, number, pivot

TREC_EVAL_MEASURE = re.compile(
    r"runid|relstring.*|num_\w+|(gm_)?map|gm_bpref|bpref|(I|R)prec\w*|recip_rank|iprec_at_\S+"
    r"|11pt_avg|(P|recall|relative_P|success|map_cut|ndcg_cut)_[\d.]+|R?ndcg\w*|G|binG|inf\w+"
    r"|utility\S*|set_\w+"
)
IR_MEASURES_MEASURE = re.compile(
    r"(Accuracy|AP|AP_IA|alpha_n?DCG|\u03b1_n?DCG|Bpref|BPM|Compat|n?ERR|n?ERR_IA|infAP|INS[QT]|IPrec"
    r"|Judged|nDCG|NERR\d+|n?NRBP|Num(Q|Rel|Ret)|P|P_IA|R|RBP|Rprec|RR|SDCG|Set(AP|F|P|R)"
    r"|StRecall|Success)(\(.*\))?(@\d+)?"
)


@dataclass(frozen=True)
class Line:
    """One score of one topic, where it is and what it says."""

    place: int
    measure: str
    topic: str
    value: str


def trec_eval_lines(text: str, path: Path) -> list[Line]:
    """Split trec_eval output into lines."""
    return [Line(i, *fields) for i, fields in _fields(text, path, "measure topic value")]


def ir_measures_lines(text: str, path: Path) -> list[Line]:
    """Split ir_measures output, tab-separated or JSON lines, into lines."""
    if text.lstrip().startswith("{"):
        return _json_lines(text, path)
    lines = _fields(text, path, "topic measure value")
    return [Line(i, measure, topic, value) for i, (topic, measure, value) in lines]


PARSERS = {"ir_measures": ir_measures_lines, "trec_eval": trec_eval_lines}


def evaluation_scores(
    files: Sequence[tuple[Path, str, str]], measure: str | None = None
) -> pd.DataFrame:
    """Read (path, text, format) of one file per run into topics x systems."""
    parsed = [(path, PARSERS[format](text, path)) for path, text, format in files]
    found = {
        line.measure: None
        for _, lines in parsed
        for line in lines
        if line.topic != SUMMARY and line.measure != "runid"
    }
    if not found:
        raise ScoresError(
            f"{files[0][0]}: averages over topics only, no scores of topics.",
            "Run the evaluation again with -q.",
        )
    chosen = choose_measure(measure, list(found), str(files[0][0]))
    paths = [path for path, _ in parsed]
    stems = [stem(path) for path in paths]
    ids = [_run_id(lines) or name for (_, lines), name in zip(parsed, stems, strict=True)]
    names = name_systems(paths, ids, stems, ScoresError)
    pairs: list[tuple[str, str]] = []
    values: list[float] = []
    for (path, lines), name in zip(parsed, names, strict=True):
        scores = _topic_scores(lines, chosen, path)
        pairs += [(topic, name) for topic in scores]
        values += scores.values()
    return pivot(pairs, np.array(values))


def detect_evaluation(text: str, source: str) -> str | None:
    """Name the format when every line is a score of a topic; None when it is something else."""
    if text.lstrip().startswith("{"):
        return "ir_measures"
    rows = [line.split() for line in text.splitlines() if line.strip()]
    if ["runid", SUMMARY] in [row[:2] for row in rows]:  # of trec_eval, even where it is damaged
        return "trec_eval"
    if any(len(row) != 3 for row in rows):
        return None
    scored = [row for row in rows if not row[0].startswith("relstring")]
    if any(number(row[2]) is None for row in scored):
        return None
    first, second = ({row[i] for row in scored} for i in (0, 1))
    if all(number(cell) is not None for cell in (rows[0][0], rows[0][1])):
        return None
    candidates = {"trec_eval": SUMMARY in second, "ir_measures": SUMMARY in first}
    if sum(candidates.values()) != 1:
        candidates = {
            "trec_eval": all(TREC_EVAL_MEASURE.fullmatch(cell) for cell in first),
            "ir_measures": all(IR_MEASURES_MEASURE.fullmatch(cell) for cell in second),
        }
    likely = [name for name, matches in candidates.items() if matches]
    if len(likely) == 1:
        return likely[0]
    raise ScoresError(
        f"{source}, line 1: three columns that could be several formats: {' '.join(rows[0])!r}.",
        "Say which with format='trec_eval' (measure topic value), 'ir_measures' "
        "(topic measure value) or 'wide'.",
    )


def _fields(text: str, path: Path, expected: str) -> list[tuple[int, list[str]]]:
    found = []
    for i, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        fields = [f.strip() for f in line.split("\t")] if line.count("\t") == 2 else line.split()
        if len(fields) != 3:
            raise ScoresError(
                f"{path}, line {i}: {len(fields)} columns found, 3 expected ({expected}).",
                "Give the output of the evaluation tool as it was written.",
            )
        found.append((i, fields))
    return found


def _json_lines(text: str, path: Path) -> list[Line]:
    lines = []
    for i, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
            if item["measure"] is None or item["query_id"] is None:
                raise ValueError
            fields = (str(item["measure"]), str(item["query_id"]), str(item["value"]))
        except (ValueError, KeyError, TypeError):
            raise ScoresError(
                f"{path}, line {i}: not a JSON object with query_id, measure and value.",
                "Give the output of ir_measures -q -o jsonl as it was written.",
            ) from None
        lines.append(Line(i, *fields))
    return lines


def _run_id(lines: Sequence[Line]) -> str | None:
    return next((line.value for line in lines if line.measure == "runid"), None)


def _topic_scores(lines: Sequence[Line], measure: str, path: Path) -> dict[str, float]:
    scores: dict[str, float] = {}
    places: dict[str, int] = {}
    for line in lines:
        if line.measure != measure or line.topic == SUMMARY:
            continue
        if line.topic in scores:
            raise ScoresError(
                f"{path}, line {line.place}: topic {line.topic!r} was scored before on line "
                f"{places[line.topic]}.",
                "Give one run per file.",
            )
        value = number(line.value)
        if value is None:
            raise ScoresError(
                f"{path}, line {line.place}: score of topic {line.topic!r} is not a finite "
                f"number: {line.value!r}.",
                "Correct the line, or score the run again.",
            )
        scores[line.topic], places[line.topic] = value, line.place
    if not scores:
        measures = {line.measure for line in lines if line.topic != SUMMARY} - {"runid"}
        raise ScoresError(
            f"{path}: no topic is scored by measure {measure!r}.",
            f"Measures in this file: {listing(sorted(measures)) or 'none (was -q left out?)'}.",
        )
    return scores
