"""Results of MTEB: a JSON file per model and task. Tasks are the items."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bayescorr.errors import ScoresError
from bayescorr.scores.files import File
from bayescorr.scores.objects import json_document, start_of_json
from bayescorr.scores.tables import Format, Table

HEADER = ["system", "topic", "revision", "measure", "score"]
META = "model_meta.json"
MAIN = "main_score"
SPLITS = ("test", "validation", "dev", "train")
_REMEDY = "Use the unmodified results folder of mteb."


def read_mteb(file: File) -> Table:
    """Read the results of one model on one task.

    The score is that of the split test, or else the mean over the splits, and the mean over subsets
    (languages). The model is that of ``model_meta.json``, or else of the folder.
    """
    document = json_document(file)
    if not isinstance(document, dict):
        raise ScoresError(f"{file.path}: expected one JSON object.", _REMEDY)
    model, revision = _model(file.path)
    task = document.get("task_name") or document.get("mteb_dataset_name") or file.path.stem
    splits = document.get("scores")
    if splits is None:  # as older versions write them
        splits = {split: _older(document[split]) for split in SPLITS if split in document}
    if not isinstance(splits, dict) or not splits:
        raise ScoresError(f"{file.path}: no scores.", _REMEDY)
    notes = []
    if "test" in splits and len(splits) > 1:
        splits = {"test": splits["test"]}
        notes.append("Left out other splits of the tasks than test.")
    of_measure: dict[str, list[float]] = {}
    for split, subsets in splits.items():
        if not isinstance(subsets, list) or not all(isinstance(x, dict) for x in subsets):
            raise ScoresError(f"{file.path}: no list of subsets in split {split!r}.", _REMEDY)
        for subset in subsets:
            for name, value in subset.items():
                if isinstance(value, int | float) and not isinstance(value, bool):
                    of_measure.setdefault(name, []).append(float(value))
    numbers = len(of_measure.get(MAIN, []))
    if not numbers:
        raise ScoresError(f"{file.path}: no {MAIN} of any subset.", _REMEDY)
    if numbers > 1:
        notes.append("Averaged the subsets (such as languages) of every task.")
    rows = [
        [model, task, revision, name, sum(sorted(x)) / len(x)]
        for name, x in of_measure.items()
        if len(x) == numbers
    ]
    places = [f"measure {name!r}" for _, _, _, name, _ in rows]
    table = Table.of_rows(str(file.path), list(HEADER), rows, places, shape="long", measures=[MAIN])
    return table.with_notes(*notes)


def _older(split: Any) -> Any:
    """Return the subsets of a split in results of older versions: numbers, or objects of them."""
    if not isinstance(split, dict):
        return split
    subsets = [x for x in split.values() if isinstance(x, dict) and MAIN in x]
    return subsets or [split]


def _model(path: Path) -> tuple[str, str]:
    """Return the name of the model and its revision."""
    folder = path.resolve().parent
    name, revision = folder.parent.name, folder.name
    try:
        meta = json.loads((folder / META).read_text("utf-8"))
        name, revision = meta["name"] or name, meta.get("revision") or revision
    except (OSError, ValueError, KeyError, TypeError):
        name = name.replace("__", "/", 1)
    return str(name), str(revision)


def _recognises(file: File) -> bool:
    start = start_of_json(file)
    return '"mteb_version"' in start and ('"task_name"' in start or '"mteb_dataset_name"' in start)


def _files(folder: Path) -> list[Path]:
    """List the results below a folder, if the first of them is one of MTEB."""
    found = sorted(p for p in folder.rglob("*.json") if p.name != META)
    return found if found and _recognises(File(found[0])) else []


MTEB = Format(
    "mteb",
    "Folder of MTEB results: one JSON file per model and task. Tasks are the items.",
    _recognises,
    read_mteb,
    shaped=True,
    files=_files,
)
