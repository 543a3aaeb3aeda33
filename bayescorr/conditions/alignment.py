"""Scores of several conditions: checked, and aligned by the labels of topics and systems."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import pandas as pd

from bayescorr.bayes.data import with_plain_labels
from bayescorr.errors import Argument, OptionError, ScoresError, choose, listing
from bayescorr.scores.check import check_scores, treat_missing
from bayescorr.scores.frames import as_frame
from bayescorr.scores.strata import refuse_seeds, refuse_strata

#: Ways to treat topics and systems that only some conditions have.
UNSHARED = ("drop", "error", "model")
_NO_TASKS = "Fit one task, or the scores without tasks."


def align(
    conditions: Mapping[str, Any],
    *,
    unshared: str = "error",
    missing: str = "error",
    warn: bool = False,
) -> dict[str, pd.DataFrame]:
    """Check the scores of every condition and align them with the labels of the first.

    ``unshared`` and ``missing`` are those of :func:`bayescorr.fit_conditions`.
    """
    choose(unshared, UNSHARED, "treatment of unshared topics and systems")
    choose(missing, ("drop", "error", "zero"), "treatment of missing scores")
    tables = {name: _checked(name, scores, missing) for name, scores in conditions.items()}
    tables = _same_kinds(tables)
    first = next(iter(tables.values()))
    topics = _shared("topics", {name: table.index for name, table in tables.items()}, unshared)
    strict = "error" if unshared == "model" else unshared
    systems = _shared("systems", {name: table.columns for name, table in tables.items()}, strict)
    if len(topics) < 2 or len(systems) < 2:
        raise ScoresError(
            f"The conditions share {_count(topics, 'topic')} and {_count(systems, 'system')}; at "
            "least 2 of each are needed.",
            "Use the same labels of topics and systems under all conditions.",
        )
    columns = [label for label in first.columns if label in systems]
    rows = {name: [label for label in first.index if label in topics] for name in tables}
    if unshared == "model":
        rows = _pattern({name: table.index for name, table in tables.items()}, topics)
    tables = {name: table.loc[rows[name], columns] for name, table in tables.items()}
    if any(table.isna().to_numpy().any() for table in tables.values()):
        tables = _treated(tables, missing)
    return {name: _noted(name, table, warn) for name, table in tables.items()}


def check_names(conditions: Mapping[str, Any], truth: str | None) -> dict[str, Any]:
    """Return the conditions with the truth first; raise an error if there are fewer than two."""
    if not isinstance(conditions, Mapping):
        raise OptionError(
            (Argument("conditions"), f" must map names to scores; got {conditions!r}."),
            'Give a dictionary such as {"human": scores, "gpt": others}.',
        )
    if wrong := [name for name in conditions if not isinstance(name, str) or not name.strip()]:
        raise OptionError(f"The names of conditions must be text; got {listing(map(repr, wrong))}.")
    if len(conditions) < 2:
        raise OptionError(
            f"Need at least 2 conditions; got {len(conditions)}.",
            "Give the scores of the truth and of one or more judges.",
        )
    first = next(iter(conditions)) if truth is None else choose(truth, conditions, "condition")
    return {first: conditions[first], **conditions}


def _checked(name: str, scores: Any, missing: str) -> pd.DataFrame:
    """Check the scores of one condition, without the topics that it has no score for."""
    try:
        refuse_strata(scores, "A model of several conditions", _NO_TASKS)
        refuse_seeds(scores)
        frame = as_frame(scores)
        if missing != "zero":
            frame = frame[~frame.isna().all(axis=1)]
        kept = "zero" if missing == "zero" else "model"
        return with_plain_labels(check_scores(frame, missing=kept, warn=False))
    except ScoresError as error:
        raise ScoresError(f"Condition {name!r}: {error.texts[0]}", error.texts[1]) from None


def _pattern(labels: Mapping[str, pd.Index[Any]], shared: set[Any]) -> dict[str, list[Any]]:
    """Return the topics of every condition: all, or those that all conditions have."""
    whole = list(dict.fromkeys(topic for found in labels.values() for topic in found))
    for name, found in labels.items():
        if len(found) not in (len(whole), len(shared)):
            raise ScoresError(
                f"Condition {name!r} has {len(found)} topics: neither all {len(whole)} nor just "
                f"the {len(shared)} that all conditions have.",
                (
                    "Use ",
                    Argument("unshared", "drop"),
                    " to leave out topics that only some conditions have.",
                ),
            )
    return {
        name: [topic for topic in whole if len(found) == len(whole) or topic in shared]
        for name, found in labels.items()
    }


def _treated(tables: Mapping[str, pd.DataFrame], missing: str) -> dict[str, pd.DataFrame]:
    """Treat missing scores; a topic that is dropped is dropped from all conditions."""
    treated = {name: treat_missing(table, missing) for name, table in tables.items()}
    dropped = {
        topic
        for name, table in tables.items()
        for topic in set(table.index) - set(treated[name].index)
    }
    result = {name: table[~table.index.isin(dropped)] for name, table in treated.items()}
    if (left := min(len(table) for table in result.values())) < 2:
        raise ScoresError(
            f"Only {left} shared topics have a score of every system under every condition; at "
            "least 2 are needed.",
            "First drop the systems with the most missing scores.",
        )
    return result


def _same_kinds(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Make labels text if they are whole numbers in some tables and text in others."""
    result = dict(tables)
    for axis in (0, 1):
        if len({table.axes[axis].dtype for table in result.values()}) > 1:
            result = {
                name: table.set_axis(table.axes[axis].astype(str), axis=axis)
                for name, table in result.items()
            }
    return result


def _noted(name: str, table: pd.DataFrame, warn: bool) -> pd.DataFrame:
    """Check aligned scores; warnings name the condition."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        checked = check_scores(table, warn=warn)
    for one in found:
        warnings.warn(f"Condition {name!r}: {one.message}", one.category, stacklevel=4)
    return checked


def _shared(what: str, labels: Mapping[str, pd.Index[Any]], unshared: str) -> set[Any]:
    """Return the labels that all conditions have; raise an error if some are not shared."""
    shared = set.intersection(*map(set, labels.values()))
    if unshared == "error":
        holders: dict[tuple[str, ...], list[Any]] = {}
        for label in dict.fromkeys(x for found in labels.values() for x in found):
            if label not in shared:
                names = tuple(name for name, found in labels.items() if label in found)
                holders.setdefault(names, []).append(label)
        if holders:
            found = "; ".join(
                f"only {' and '.join(names)} {'has' if len(names) == 1 else 'have'} the {what}: "
                f"{listing(group)}"
                for names, group in list(holders.items())[:3]
            )
            raise ScoresError(
                f"{found[0].upper()}{found[1:]}.",
                (
                    "Give scores of the same systems on the same topics, with the same labels, or "
                    "use ",
                    Argument("unshared", "drop"),
                    " to leave out what only some conditions have.",
                ),
            )
    return shared


def _count(labels: set[Any], what: str) -> str:
    return f"{len(labels)} {what}{'s' * (len(labels) != 1)}"
