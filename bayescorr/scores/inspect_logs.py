"""Logs of Inspect as JSON, and tables of samples that it exports (``samples_df``)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from bayescorr.errors import ScoresError, listing
from bayescorr.scores.files import File
from bayescorr.scores.objects import json_document, start_of_json
from bayescorr.scores.tables import Cells, Format, Table, each

HEADER = ["system", "task", "topic", "epoch", "measure", "score"]
#: Inspect's grades: correct, partial, incorrect, no answer.
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
#: Columns that every table of samples has.
SAMPLES = frozenset({"sample_id", "eval_id", "id", "epoch"})
_REMEDY = "Convert the log with: inspect log convert --to json."
_EXPORT = "Export with samples_df(logs, columns=EvalTask + EvalModel + SampleSummary)."


def read_inspect(file: File) -> Table:
    """Read a log: the samples of one model on one task, in one or several epochs.

    Scores of several scorers are measures, named after them; so are the values of a scorer that
    gives several (``scorer/value``). The scores of samples without any are missing.
    """
    document = json_document(file)
    try:
        model, task = str(document["eval"]["model"]), str(document["eval"]["task"])
    except (KeyError, TypeError):
        raise ScoresError(f"{file.path}: no model and task in the log.", _REMEDY) from None
    samples = document.get("samples")
    if not samples or not isinstance(samples, list):
        raise ScoresError(f"{file.path}: a log without samples.", _REMEDY)
    rows: list[list[Any]] = []
    places, unscored = [], []
    for i, sample in enumerate(samples, start=1):
        where = f"sample {i}"
        try:
            item, epoch = str(sample["id"]), str(sample.get("epoch", 1))
            scores = sample.get("scores") or {}
            found = [pair for name, x in scores.items() for pair in _values(name, x["value"])]
        except (KeyError, TypeError, AttributeError):
            raise ScoresError(
                f"{file.path}, {where}: expected an id and scores with values.", _REMEDY
            ) from None
        for name, value in found:
            score = _grade(value)
            if score is None:
                raise ScoresError(
                    f"{file.path}, {where}: the score of {name} is {value!r}; expected a number or "
                    f"a grade ({', '.join(GRADES)}).",
                    "Score the log again with a scorer that gives numbers (inspect score).",
                )
            rows.append([model, remove_namespace(task), item, epoch, name, score])
            places.append(where)
        if not found:
            unscored.append([model, remove_namespace(task), item, epoch])
    if not rows:
        raise ScoresError(f"{file.path}: no sample has a score.", "Score the log: inspect score.")
    for name in dict.fromkeys(row[4] for row in rows):
        rows += [[*sample, name, float("nan")] for sample in unscored]
    places += ["a sample without scores"] * (len(rows) - len(places))
    table = Table.of_rows(str(file.path), list(HEADER), rows, places, shape="long")
    return table.with_notes(*(["Samples without scores are missing."] if unscored else []))


def remove_namespace(task: str) -> str:
    """Return the name of a task without that of its package.

    Examples
    --------
    >>> remove_namespace("inspect_evals/gsm8k")
    'gsm8k'
    """
    return task.rpartition("/")[2]


def _values(name: str, value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, dict):
        return [(f"{name}/{key}", x) for key, x in value.items()]
    return [(name, value)]


def _grade(value: Any) -> float | None:
    """Return a score as a number, None if it is something else."""
    if isinstance(value, str):
        return GRADES.get(value)
    return float(value) if isinstance(value, int | float) else None


def from_samples(table: Table) -> Table:
    """Turn Inspect's table of samples into a long one; return any other table as it is."""
    names = {str(name): i for i, name in enumerate(table.header)}
    scorers = {name: i for name, i in names.items() if name.startswith("score_")}
    if not names.keys() >= SAMPLES or not scorers:
        return table
    if "model" not in names:
        raise ScoresError(f"{table.source}: samples without a column model.", _EXPORT)
    kept = {"system": "model", "task": "task_name", "topic": "id", "epoch": "epoch"}
    columns = {new: names[old] for new, old in kept.items() if old in names}
    graded = {name.removeprefix("score_"): _graded(table.cells(i)) for name, i in scorers.items()}
    values = {name: cells for name, cells in graded.items() if cells is not None}
    if not values:
        raise ScoresError(
            f"{table.source}: no numbers or grades in {listing(map(repr, scorers))}.",
            "Use scorers that give numbers.",
        )
    data = [table.cells(i) for i in columns.values()]
    if len(values) == 1:
        ((measure, cells),) = values.items()
        return replace(
            table, header=[*columns, measure], data=[*data, cells], shape="long", numbers=None
        )
    # Samples that a scorer has not scored belong to other tasks.
    parts = [
        replace(
            table.take(rows),
            header=[*columns, "measure", "score"],
            data=[
                *([column[i] for i in rows] for column in data),
                [name] * len(rows),
                [cells[i] for i in rows],
            ],
            numbers=None,
        )
        for name, cells in values.items()
        if (rows := [i for i, cell in enumerate(cells) if str(cell).strip() not in ("", "nan")])
    ]
    places = [place for part in parts for place in part.places]
    joined = [[cell for part in parts for cell in part.data[i]] for i in range(len(columns) + 2)]
    return replace(parts[0], data=joined, places=places, shape="long")


def _graded(cells: Cells) -> Cells | None:
    """Return a column of scores with grades as numbers; None if it holds something else."""
    converted = each(lambda cell: GRADES.get(cell, cell) if isinstance(cell, str) else cell, cells)
    numeric = Table("", ["x"], [converted], [""] * len(cells)).kind(0) != "text"
    return converted if numeric else None


def _recognises(file: File) -> bool:
    start = start_of_json(file)
    return start.startswith("{") and '"eval"' in start and '"run_id"' in start and '"task"' in start


def _files(folder: Path) -> list[Path]:
    """List the logs below a folder, if the first JSON file is one."""
    listed = ("eval-set.json", "logs.json")
    found = sorted(p for p in folder.rglob("*.json") if p.name not in listed)
    return found if found and _recognises(File(found[0])) else []


INSPECT = Format(
    "inspect",
    "Inspect logs as JSON (``inspect log convert --to json``): a file per model and task. Tables "
    "of its samples (``samples_df``) are read from any file.",
    _recognises,
    read_inspect,
    shaped=True,
    files=_files,
)
