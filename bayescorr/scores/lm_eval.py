"""Logs of lm-evaluation-harness: ``samples_<task>_<date>.jsonl``, a folder per model."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from bayescorr.errors import ScoresError, listing
from bayescorr.scores.files import File
from bayescorr.scores.objects import json_lines, start_of_json
from bayescorr.scores.tables import Format, Places, Table

HEADER = ["system", "task", "topic", "repeat", "measure", "score"]
NAME = re.compile(r"samples_(?P<task>.+?)(_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+))?\.jsonl(\.gz)?")
#: Keys of a sample that are not measures.
_OTHERS = frozenset(
    {
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "filter",
        "metrics",
        "doc_hash",
        "prompt_hash",
        "target_hash",
        "schema",
    }
)
_REMEDY = "Use the unmodified output of lm_eval --log_samples."


def read_lm_eval(file: File) -> Table:
    """Read the samples of one model on one task; the folder is the model, the file the task.

    Every measure that is a number is read. If answers were filtered in several ways, as by
    ``strict-match`` and ``flexible-extract``, a measure is named ``exact_match,strict-match``.
    """
    match = NAME.fullmatch(file.path.name)
    if match is None:
        raise ScoresError(
            f"{file.path}: expected a file name samples_TASK_DATE.jsonl.",
            "Keep the names that lm_eval gives its files.",
        )
    model, task, date = model_of(file.path), match["task"], match["date"] or ""
    found: list[tuple[int, str, str, str, float]] = []
    for line, sample in json_lines(file, _REMEDY):
        if "doc_id" not in sample:
            raise ScoresError(f"{file.path}, line {line}: a sample without doc_id.", _REMEDY)
        names = sample.get("metrics") or [key for key in sample if key not in _OTHERS]
        scores = {name: x for name in names if (x := _number(sample.get(name))) is not None}
        if not scores:
            raise ScoresError(
                f"{file.path}, line {line}: no measure with a number among "
                f"{listing(map(repr, names)) or 'none'}.",
                "Measures such as perplexity have no score of single items; use another task.",
            )
        kind = str(sample.get("filter") or "none")
        found += [(line, str(sample["doc_id"]), kind, name, x) for name, x in scores.items()]
    several = len({kind for _, _, kind, _, _ in found}) > 1
    rows = [
        [model, task, item, date, f"{name},{kind}" if several else name, x]
        for _, item, kind, name, x in found
    ]
    places = Places.of("line", [line for line, *_ in found])
    return Table.of_rows(str(file.path), list(HEADER), rows, places, shape="long")


def model_of(path: Path) -> str:
    """Return the name of the model: that in the results beside the samples, or the folder."""
    for results in sorted(path.parent.glob("results_*.json"), reverse=True):
        try:
            name = json.loads(results.read_text("utf-8"))["model_name"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if isinstance(name, str) and name.strip():
            return name
    return path.resolve().parent.name


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _recognises(file: File) -> bool:
    start = start_of_json(file)
    named = NAME.fullmatch(file.path.name) is not None
    return '"doc_id"' in start and (named or '"resps"' in start)


LM_EVAL = Format(
    "lm_eval",
    "Folder of lm-evaluation-harness logs (``lm_eval --log_samples``): a folder per model, a file "
    "per task.",
    _recognises,
    read_lm_eval,
    shaped=True,
    files=lambda folder: sorted(p for p in folder.rglob("samples_*") if NAME.fullmatch(p.name)),
)
