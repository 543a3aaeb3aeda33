"""Notes on the scores of a report, in sentences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from bayescorr.bayes.data import with_plain_labels
from bayescorr.bayes.result import Fit
from bayescorr.errors import OptionError
from bayescorr.scores.aggregates import SUMMARY, apply_summary
from bayescorr.scores.check import check_scores
from bayescorr.scores.describe import ScoresDescription

#: Scores with at most this many values are on a grid, such as those of P@20.
_FEW_VALUES = 21

_TREATMENTS = {
    "drop": "their topics are left out",
    "zero": "counted as 0",
    "model": "the model integrates over them",
}


def notes_of_data(scores: Any, description: ScoresDescription, missing: str) -> list[str]:
    """Describe anomalies of the scores and how they are treated; name every system concerned."""
    notes = []
    treatment = f"; {_TREATMENTS[missing]}" if missing in _TREATMENTS else ""
    # Scoring runs leaves these two numbers with the scores.
    found = getattr(scores, "attrs", {})
    if unscored := found.get("unscored"):
        notes.append(f"Scores without results in the runs: {unscored}{treatment}.")
    if unjudged := found.get("unjudged"):
        notes.append(f"Topics of the runs without judgments: {unjudged}; ignored.")
    if description.repeats:
        notes.append(f"Scores are averages: {description.repeats} of a system on a topic.")
    if description.kind == "means":
        notes += _note_on_grid(check_scores(scores, missing="model", warn=False))
    # Unlike a terminal, a report has room for all names.
    notes += description.notes(most=description.systems)
    if description.missing:
        table = check_scores(scores, missing="model", warn=False)
        topics = int(table.isna().any(axis=1).sum())
        where = f"{topics} topic{'s' * (topics != 1)}"
        notes.append(f"Missing scores: {description.missing}, on {where}{treatment}.")
    return notes


def _note_on_grid(scores: pd.DataFrame) -> list[str]:
    """Say that scores are coarse, and that the default model is good enough for them."""
    values = np.unique(scores.to_numpy(dtype=np.float64))
    values = values[~np.isnan(values)]
    if not 2 <= len(values) <= _FEW_VALUES or scores.size <= _FEW_VALUES:
        return []
    return [
        f"The scores take only {len(values)} values. The default model is made for continuous "
        "scores, but predicts rankings by P@10 on real topics as well as those by AP."
    ]


def treatment_of(scores: Any, fit: Fit) -> str:
    """Return how a fit treats missing scores; raise an error if it is not a fit of ``scores``."""
    found = with_plain_labels(check_scores(scores, missing="model"))
    known = with_plain_labels(fit.scores)
    if set(found.columns) != set(known.columns):
        differ = "systems"
    elif set(known.index) not in (set(found.index), set(found.dropna().index)):
        differ = "topics"
    else:
        same = apply_summary(found).loc[known.index, known.columns]
        unknown = same.isna().to_numpy()
        if found.attrs.get(SUMMARY):  # A missing score changes the win rates of all systems.
            unknown = unknown | unknown.any(axis=1, keepdims=True)
        differ = "" if (unknown | (same == known).to_numpy()).all() else "values"
    if differ:
        raise OptionError(
            f"The fit and the scores have different {differ}.",
            "Pass the scores that the fit was made from.",
        )
    if known.isna().to_numpy().any():
        return "model"
    if not found.isna().to_numpy().any():
        return "error"
    return "drop" if len(known) < len(found) else "zero"
