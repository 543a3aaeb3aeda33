"""Strict readers of TREC run and qrels files; every error names the file and the line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayescorr.errors import RunsError
from bayescorr.scores.files import File, PathLike, as_path, repeated

RUN_COLUMNS = ("topic", "Q0", "document", "rank", "score", "tag")
QRELS_COLUMNS = ("topic", "iteration", "document", "relevance")


def read_run(path: PathLike) -> pd.DataFrame:
    """Read a TREC run, gzipped or not: lines of ``topic Q0 document rank score tag``.

    Returns the columns topic, doc, rank and score, in file order; ``attrs["tag"]`` is the tag of
    the run and ``attrs["path"]`` the file. Raises a RunsError that names the line if the file is
    malformed or lists a document twice.
    """
    path = as_path(path, RunsError)
    places, (topics, _, documents, ranks, scores, tags) = _split(path, RUN_COLUMNS)
    _refuse_repeats(path, places, list(zip(topics, documents, strict=True)))
    run = pd.DataFrame(
        {
            "topic": topics,
            "doc": documents,
            "rank": _numbers(path, places, ranks, "rank", int),
            "score": _numbers(path, places, scores, "score", float),
        }
    )
    run.attrs = {"tag": tags[0], "path": str(path)}
    return run


def read_qrels(path: PathLike) -> pd.DataFrame:
    """Read TREC relevance judgments: lines of ``topic iteration document relevance``.

    Returns the columns topic, doc, relevance and iteration (the subtopic, in diversity qrels).
    Raises a RunsError that names the line if the file is malformed or judges a document twice.
    """
    path = as_path(path, RunsError)
    places, (topics, iterations, documents, relevance) = _split(path, QRELS_COLUMNS)
    _refuse_repeats(path, places, list(zip(topics, documents, iterations, strict=True)))
    return pd.DataFrame(
        {
            "topic": topics,
            "doc": documents,
            "relevance": _numbers(path, places, relevance, "relevance", int),
            "iteration": iterations,
        }
    )


def _split(path: Path, names: tuple[str, ...]) -> tuple[list[int], list[tuple[str, ...]]]:
    """Return the line numbers and the columns of a file whose lines have the columns ``names``."""
    rows = {place: line.split() for place, line in File(path, RunsError).lines().items()}
    for place, fields in rows.items():
        if len(fields) != len(names):
            raise RunsError(
                f"{path}, line {place}: expected {len(names)} columns ({' '.join(names)}); "
                f"got {len(fields)}.",
                "Write one document per line, with columns separated by spaces or tabs.",
            )
    return list(rows), list(zip(*rows.values(), strict=True))


def _numbers(
    path: Path, places: Sequence[int], cells: Sequence[str], what: str, kind: type[int | float]
) -> NDArray[Any]:
    numbers = _parse(cells, kind)
    if numbers is None:
        i = next(i for i, cell in enumerate(cells) if _parse([cell], kind) is None)
        expected = "a whole number" if kind is int else "a finite number"
        raise RunsError(
            f"{path}, line {places[i]}: {what} must be {expected}; got {cells[i]!r}.",
            "Correct this line.",
        )
    return numbers


def _parse(cells: Sequence[str], kind: type[int | float]) -> NDArray[Any] | None:
    try:
        numbers = np.array(list(map(kind, cells)), dtype=np.int64 if kind is int else np.float64)
    except (ValueError, OverflowError):
        return None
    # Python reads 1_000 as a number.
    return numbers if np.isfinite(numbers).all() and "_" not in "".join(cells) else None


def _refuse_repeats(path: Path, places: Sequence[int], keys: Sequence[tuple[str, ...]]) -> None:
    if again := repeated(keys):
        topic, document, *_ = keys[again[0]]
        raise RunsError(
            f"{path}, line {places[again[0]]}: duplicate document {document!r} for topic "
            f"{topic!r}; first on line {places[again[1]]}.",
            "Keep one line per topic and document.",
        )
