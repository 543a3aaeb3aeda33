"""Runs of HELM: a folder per run, with ``per_instance_stats.json`` and ``run_spec.json``."""

from __future__ import annotations

import json
import re
from typing import Any

from bayescorr.errors import ScoresError
from bayescorr.scores.files import File
from bayescorr.scores.objects import json_document
from bayescorr.scores.tables import Format, Table

HEADER = ["system", "task", "topic", "trial", "measure", "score"]
NAME = "per_instance_stats.json"
_REMEDY = "Use the unmodified output of helm-run, in its folders."
#: Arguments in the name of a run that are not part of the task.
_NOT_TASK = re.compile(r"(model|model_deployment|data_augmentation|max_train_instances)=.*")


def read_helm(file: File) -> Table:
    """Read the statistics of the instances of one run.

    The model is that of ``run_spec.json``, or else of the name of the folder; the task is the name
    of the folder without the model. Perturbed instances are left out, and so are other splits
    than test if there are instances of that split.
    """
    model, task = _run(file)
    document = json_document(file)
    if not isinstance(document, list) or not document:
        raise ScoresError(f"{file.path}: expected a list of instances.", _REMEDY)
    rows: list[list[Any]] = []
    places, splits, notes = [], [], []
    for i, instance in enumerate(document, start=1):
        where = f"instance {i}"
        try:
            item, stats = str(instance["instance_id"]), instance["stats"]
            trial = str(instance.get("train_trial_index", 0))
            perturbed = instance.get("perturbation") is not None
            for stat in stats:
                name = stat["name"]
                if perturbed or name.get("perturbation") is not None:
                    notes = ["Left out perturbed instances."]
                elif (score := _mean(stat)) is not None:
                    rows.append([model, task, item, trial, name["name"], score])
                    places.append(where)
                    splits.append(name.get("split"))
        except (KeyError, TypeError, AttributeError, ValueError):
            raise ScoresError(
                f"{file.path}, {where}: expected instance_id and stats with name and mean.", _REMEDY
            ) from None
    if not rows:
        raise ScoresError(f"{file.path}: no statistics of instances.", _REMEDY)
    table = Table.of_rows(str(file.path), list(HEADER), rows, places, shape="long")
    if "test" in splits and len(set(splits)) > 1:
        table = table.take([i for i, split in enumerate(splits) if split == "test"])
        notes.append("Left out instances of other splits than test.")
    return table.with_notes(*notes)


def _mean(stat: dict[str, Any]) -> float | None:
    """Return the mean of a statistic, None if it has no values."""
    if stat.get("mean") is not None:
        return float(stat["mean"])
    return float(stat["sum"]) / stat["count"] if stat.get("count") else None


def _run(file: File) -> tuple[str, str]:
    """Return the model and the task of a run."""
    name = file.path.resolve().parent.name
    scenario, _, given = name.partition(":")
    if not given and "=" in name:
        scenario, given = "", name
    arguments = given.split(",") if given else []
    model = next((a.partition("=")[2] for a in arguments if a.startswith("model=")), "")
    kept = ",".join(a for a in arguments if not _NOT_TASK.fullmatch(a))
    try:
        spec = json.loads((file.path.parent / "run_spec.json").read_text("utf-8"))
        model = str(spec["adapter_spec"]["model"]) or model
    except (OSError, ValueError, KeyError, TypeError):
        pass
    if not model:
        raise ScoresError(
            f"{file.path}: neither run_spec.json nor the folder {name!r} names the model.", _REMEDY
        )
    return model, f"{scenario}:{kept}" if scenario and kept else scenario or kept


HELM = Format(
    "helm",
    "Folder of HELM runs (``helm-run``), each with per_instance_stats.json.",
    lambda file: file.path.name == NAME,
    read_helm,
    shaped=True,
    files=lambda folder: sorted(folder.rglob(NAME)),
)
