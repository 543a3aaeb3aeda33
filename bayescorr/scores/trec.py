"""Strict readers of TREC run and qrels files; every error names the file and the line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayescorr.errors import RunsError
from bayescorr.scores.files import MAX_RUN_SIZE, File, PathLike, as_path, refuse_repeats

REMEDY = "Write one document per line, with columns separated by spaces or tabs."


def read_run(path: PathLike, *, max_size: float = MAX_RUN_SIZE) -> pd.DataFrame:
    """Read a TREC run, gzipped or not: lines of ``topic Q0 document rank score tag``.

    Returns the columns topic, doc, rank and score, in file order; ``attrs["tag"]`` is the tag of
    the run and ``attrs["path"]`` the file. Raises a RunsError that names the line if the file is
    malformed or lists a document twice, or has more than ``max_size`` MB, unpacked.
    """
    file = File(as_path(path, RunsError), RunsError, max_size)
    rows = file.fields("topic Q0 document rank score tag", REMEDY)
    file.warn()
    topics, _, documents, ranks, scores, tags = zip(*rows.values(), strict=True)
    _refuse_repeats(file, rows, topics, documents)
    run = pd.DataFrame(
        {
            "topic": topics,
            "doc": documents,
            "rank": _numbers(file, rows, ranks, "rank", int),
            "score": _numbers(file, rows, scores, "score", float),
        }
    )
    run.attrs = {"tag": tags[0], "path": str(file.path)}
    return run


def read_qrels(path: PathLike, *, max_size: float = MAX_RUN_SIZE) -> pd.DataFrame:
    """Read TREC relevance judgments: lines of ``topic iteration document relevance``.

    Returns the columns topic, doc, relevance and iteration (the subtopic, in diversity qrels).
    Raises a RunsError that names the line if the file is malformed or judges a document twice, or
    if it has more than ``max_size`` MB, unpacked.
    """
    file = File(as_path(path, RunsError), RunsError, max_size)
    rows = file.fields("topic iteration document relevance", REMEDY)
    file.warn()
    topics, iterations, documents, relevance = zip(*rows.values(), strict=True)
    _refuse_repeats(file, rows, topics, documents, iterations)
    return pd.DataFrame(
        {
            "topic": topics,
            "doc": documents,
            "relevance": _numbers(file, rows, relevance, "relevance", int),
            "iteration": iterations,
        }
    )


def _refuse_repeats(file: File, places: Iterable[str], *keys: Sequence[str]) -> None:
    what = "document {1!r} for topic {0!r}"
    refuse_repeats(file.path, list(places), list(zip(*keys, strict=True)), what, RunsError)


def _numbers(
    file: File, places: Iterable[str], cells: Sequence[str], what: str, kind: type[int | float]
) -> NDArray[Any]:
    numbers = _parse(cells, kind)
    if numbers is None:
        pairs = zip(places, cells, strict=True)
        place, cell = next(pair for pair in pairs if _parse(pair[1:], kind) is None)
        expected = "a whole number" if kind is int else "a finite number"
        raise RunsError(
            f"{file.path}, {place}: {what} must be {expected}; got {cell!r}.", "Correct this line."
        )
    return numbers


def _parse(cells: Sequence[str], kind: type[int | float]) -> NDArray[Any] | None:
    try:
        numbers = np.array(list(map(kind, cells)), dtype=np.int64 if kind is int else np.float64)
    except (ValueError, OverflowError):
        return None
    # Python reads 1_000 as a number.
    return numbers if np.isfinite(numbers).all() and "_" not in "".join(cells) else None
