"""Output of ``trec_eval -q`` and ``ir_measures -q``: one line per score, one file per run.

trec_eval writes ``measure topic value`` and names the run in a ``runid`` line, which follows the
scores; several outputs may be in one file. ir_measures writes ``topic measure value`` (or JSON
Lines) and does not name the run. Both use the topic ``all`` for averages.
"""

from __future__ import annotations

import json
import re

from bayescorr.errors import Argument, Function, ScoresError
from bayescorr.scores.files import File, repeated, stem
from bayescorr.scores.frames import SYSTEM_NAMES, is_name, number
from bayescorr.scores.measures import IR_MEASURES_MEASURE, TREC_EVAL_MEASURE
from bayescorr.scores.tables import SUMMARY, Format, Table

RUNID = re.compile(rf"^[ \t]*runid\s+{SUMMARY}\s", re.MULTILINE)
REMEDY = "Use the unmodified output of the evaluation tool."
#: Counts and texts that trec_eval prints beside the measures; they are read only if asked for.
_NO_MEASURES = ("runid", "relstring", "num_")


def read_trec_eval(file: File) -> Table:
    """Read trec_eval output."""
    lines = file.fields("measure topic value", REMEDY, tabs=True)
    return _table(file, {i: [topic, name, value] for i, (name, topic, value) in lines.items()})


def read_ir_measures(file: File) -> Table:
    """Read ir_measures output, in columns or JSON Lines."""
    if file.text.lstrip().startswith("{"):
        return _table(file, _json_lines(file))
    return _table(file, file.fields("topic measure value", REMEDY, tabs=True))


def detect(file: File) -> str | None:
    """Name the evaluation tool that wrote a file; None if the file is something else."""
    start = file.text.lstrip()[:1]
    if start in ("{", "["):
        return "ir_measures" if start == "{" and _is_json_of_one_run(file) else None
    place, line = file.first
    first, where = line.split(), f"{file.path}, {place}"
    if len(first) == 6 and first[1].upper() == "Q0":
        raise ScoresError(
            f"{where}: this is a TREC run, not a table of scores.",
            ("Score runs against qrels with ", Function("score_runs", "score-runs"), "."),
        )
    if RUNID.search(file.text):  # trec_eval, even if malformed
        return "trec_eval"
    if len(first) != 3:
        return None
    rows = [line.split() for line in file.lines.values()]
    if any(len(row) != 3 for row in rows):
        return None
    scored = [row for row in rows if not row[0].startswith("relstring")]
    if any(number(row[2]) is None for row in scored):
        return None
    if number(rows[0][0]) is not None and number(rows[0][1]) is not None:
        return None
    names, others = ({row[i] for row in scored} for i in (0, 1))
    candidates = {"trec_eval": SUMMARY in others, "ir_measures": SUMMARY in names}
    if sum(candidates.values()) != 1:
        candidates = {
            "trec_eval": all(TREC_EVAL_MEASURE.fullmatch(cell) for cell in names),
            "ir_measures": all(IR_MEASURES_MEASURE.fullmatch(cell) for cell in others),
        }
    likely = [name for name, matches in candidates.items() if matches]
    if len(likely) == 1:
        return likely[0]
    raise ScoresError(
        f"{where}: the format of these three columns is ambiguous: {' '.join(rows[0])!r}.",
        (
            "Choose with ",
            Argument("format"),
            ": trec_eval (measure topic value), ir_measures (topic measure value) or wide.",
        ),
    )


def _table(file: File, lines: dict[str, list[str]]) -> Table:
    """Make a long table of places and their topic, measure and value."""
    runs = _runs(file, lines)
    kept = {i: row for i, row in lines.items() if row[0] != SUMMARY and row[1] != "runid"}
    if not kept:
        raise ScoresError(
            f"{file.path}: only averages over topics, no scores per topic.",
            "Run the evaluation again with -q.",
        )
    scored = {i: row for i, row in kept.items() if not row[1].startswith(_NO_MEASURES)}
    return Table.of_rows(
        str(file.path),
        ["system", "topic", "measure", "score"],
        [[runs[i], *row] for i, row in kept.items()],
        list(kept),
        shape="long",
        measures=list(dict.fromkeys(row[1] for row in (scored or kept).values())),
    )


def _runs(file: File, lines: dict[str, list[str]]) -> dict[str, str]:
    """Return the run of every line, by place; the file name is that of a run without a name.

    With several ``runid`` lines, each names the scores before it, as trec_eval prints them, or
    after it, if the file starts with one.
    """
    ids = {i: value for i, (_, measure, value) in lines.items() if measure == "runid"}
    if len(ids) < 2:
        _refuse_second_run(file, lines)
        run = next(iter(ids.values()), "") or stem(file.path)
        return dict.fromkeys(lines, run)
    if again := repeated(list(ids.values())):
        first, second = (list(ids)[i] for i in again)
        raise ScoresError(
            f"{file.path}, {second}: run {ids[second]!r} occurs again; first on {first}.",
            "Give every run a name of its own, or use one file per run.",
        )
    scored = [i for i, (topic, _, _) in lines.items() if topic != SUMMARY]
    order = {place: position for position, place in enumerate(lines)}
    follows = bool(scored) and order[scored[0]] < order[next(iter(ids))]
    runs: dict[str, str] = {}
    current = ""
    for i in reversed(lines) if follows else lines:
        current = ids.get(i, current)
        runs[i] = current
    unnamed = next((i for i in scored if not runs[i]), None)
    if unnamed is not None:
        where = "follows" if follows else "precedes"
        raise ScoresError(
            f"{file.path}, {unnamed}: no runid line {where} this score, but other scores have one.",
            "Name every run with a runid line, or use one file per run.",
        )
    return runs


def _refuse_second_run(file: File, lines: dict[str, list[str]]) -> None:
    """Raise if a score occurs twice and no names tell runs apart."""
    scored = {i: (topic, name) for i, (topic, name, _) in lines.items() if topic != SUMMARY}
    if again := repeated(list(scored.values())):
        first, second = (list(scored)[i] for i in again)
        topic, measure = scored[second]
        raise ScoresError(
            f"{file.path}, {second}: second score of {measure} on topic {topic!r}; first on "
            f"{first}.",
            "If the file holds several runs, keep their runid lines or use one file per run.",
        )


def _is_json_of_one_run(file: File) -> bool:
    """Return whether the first JSON object is a score as ir_measures writes it."""
    try:
        item, _ = json.JSONDecoder().raw_decode(file.text.lstrip())
    except (ValueError, RecursionError):
        return False
    keys = {"query_id", "measure", "value"}
    return (
        isinstance(item, dict)
        and keys <= item.keys()
        and not any(is_name(key, SYSTEM_NAMES) for key in item)
    )


def _json_lines(file: File) -> dict[str, list[str]]:
    found = {}
    for place, line in file.lines.items():
        try:
            item = json.loads(line)
            if item["measure"] is None or item["query_id"] is None:
                raise ValueError
            found[place] = [str(item[key]) for key in ("query_id", "measure", "value")]
        except (ValueError, KeyError, TypeError):
            raise ScoresError(
                f"{file.path}, {place}: expected a JSON object with query_id, measure and value.",
                "Use the unmodified output of ir_measures -q -o jsonl.",
            ) from None
    return found


TREC_EVAL = Format(
    "trec_eval",
    "Output of ``trec_eval -q``, one file per run or several in one file. The runid line names the "
    "system; without it, or if run ids clash, the file name does.",
    lambda file: detect(file) == "trec_eval",
    read_trec_eval,
    one_per_run=True,
    shaped=True,
)
IR_MEASURES = Format(
    "ir_measures",
    "Output of ``ir_measures -q``, one file per run. The file name is the system.",
    lambda file: detect(file) == "ir_measures",
    read_ir_measures,
    one_per_run=True,
    shaped=True,
)
