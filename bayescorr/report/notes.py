"""What a reader of a report should know of its data, in sentences."""

from __future__ import annotations

from typing import Any

from bayescorr.scores.check import check_scores
from bayescorr.scores.describe import ScoresDescription


def notes_of_data(scores: Any, description: ScoresDescription, missing: str) -> list[str]:
    """Say what is odd in the scores, every system named, and what was done about it."""
    return [
        *_of_runs(scores, missing),
        *_of_systems(description),
        *_of_missing(scores, description, missing),
    ]


def _of_runs(scores: Any, missing: str) -> list[str]:
    """Say what scoring the runs, if that is where the scores come from, has left out."""
    found = getattr(scores, "attrs", {})
    notes = []
    if unscored := found.get("unscored"):
        treatment = {"zero": "counted as 0", "drop": "their topics are left out"}
        notes.append(
            f"Scores without results in the runs: {unscored}; {treatment.get(missing, 'missing')}."
        )
    if unjudged := found.get("unjudged"):
        notes.append(f"Topics of the runs that are not in the qrels: {unjudged}; left out.")
    return notes


def _of_systems(description: ScoresDescription) -> list[str]:
    """Name all systems that are not told apart: unlike a terminal, a report has room for them."""
    found = {
        "Identical systems": [" = ".join(map(str, group)) for group in description.identical],
        "Same score on all topics": [str(system) for system in description.constant],
        "Equal means": [" = ".join(map(str, group)) for group in description.equal_means],
    }
    return [f"{what}: {', '.join(names)}" for what, names in found.items() if names]


def _of_missing(scores: Any, description: ScoresDescription, missing: str) -> list[str]:
    if not description.missing:
        return []
    table = check_scores(scores, missing="model", warn=False)
    lacking = table.index[table.isna().any(axis=1)]
    treatment = {
        "drop": "these topics are left out",
        "zero": "counted as 0",
        "model": "the model integrates over them",
    }
    return [
        f"Missing scores: {description.missing}, on {len(lacking)} topics; "
        f"{treatment.get(missing, 'left missing')}."
    ]
