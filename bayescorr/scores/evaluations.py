"""Output of ``trec_eval -q`` and ``ir_measures -q``: one line per score, one file per run.

trec_eval writes ``measure topic value`` and names the run in a ``runid`` line; ir_measures writes
``topic measure value`` (or JSON Lines) and does not name the run. Both use the topic ``all`` for
averages.
"""

from __future__ import annotations

import json
import re

from bayescorr.errors import Argument, ScoresError
from bayescorr.scores.files import File, stem
from bayescorr.scores.frames import number
from bayescorr.scores.tables import SUMMARY, Format, Table

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
REMEDY = "Use the unmodified output of the evaluation tool."


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
    if file.text.lstrip().startswith("{"):
        return "ir_measures"
    rows = [line.split() for line in file.lines.values()]
    start = f"{file.path}, {next(iter(file.lines))}"
    if len(rows[0]) == 6 and rows[0][1].upper() == "Q0":
        raise ScoresError(
            f"{start}: this is a TREC run, not a table of scores.",
            "Score runs against qrels with score_runs.",
        )
    if ["runid", SUMMARY] in [row[:2] for row in rows]:  # trec_eval, even if malformed
        return "trec_eval"
    if any(len(row) != 3 for row in rows):
        return None
    scored = [row for row in rows if not row[0].startswith("relstring")]
    if any(number(row[2]) is None for row in scored):
        return None
    if number(rows[0][0]) is not None and number(rows[0][1]) is not None:
        return None
    first, second = ({row[i] for row in scored} for i in (0, 1))
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
        f"{start}: the format of these three columns is ambiguous: {' '.join(rows[0])!r}.",
        (
            "Choose with ",
            Argument("format"),
            ": trec_eval (measure topic value), ir_measures (topic measure value) or wide.",
        ),
    )


def _table(file: File, lines: dict[str, list[str]]) -> Table:
    """Make a long table of places and their topic, measure and value."""
    ids = [value for _, measure, value in lines.values() if measure == "runid"]
    run = (ids and ids[0]) or stem(file.path)
    kept = {i: row for i, row in lines.items() if row[0] != SUMMARY and row[1] != "runid"}
    if not kept:
        raise ScoresError(
            f"{file.path}: only averages over topics, no scores per topic.",
            "Run the evaluation again with -q.",
        )
    return Table(
        str(file.path),
        ["system", "topic", "measure", "score"],
        [[run, *row] for row in kept.values()],
        list(kept),
        shape="long",
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
    "Output of ``trec_eval -q``, one file per run. The runid line names the system; without it, or "
    "if run ids clash, the file name does.",
    lambda file: detect(file) == "trec_eval",
    read_trec_eval,
    one_per_run=True,
)
IR_MEASURES = Format(
    "ir_measures",
    "Output of ``ir_measures -q``, one file per run. The file name is the system.",
    lambda file: detect(file) == "ir_measures",
    read_ir_measures,
    one_per_run=True,
)
