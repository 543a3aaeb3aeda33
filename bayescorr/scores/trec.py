"""TREC run and qrels files, read strictly: every error names the file and the line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayescorr.errors import RunsError
from bayescorr.scores.files import PathLike, as_path, read_text

RUN_COLUMNS = ("topic", "Q0", "document", "rank", "score", "tag")
QRELS_COLUMNS = ("topic", "iteration", "document", "relevance")


def read_run(path: PathLike) -> pd.DataFrame:
    """Read a TREC run: lines of ``topic Q0 document rank score tag``, gzipped or not.

    Parameters
    ----------
    path : path
        The run file.

    Returns
    -------
    DataFrame
        Columns topic, doc, rank and score, in the order of the file; ``attrs["tag"]`` is the run's
        tag and ``attrs["path"]`` the file.

    Raises
    ------
    RunsError
        For a line without six columns, a rank or score that is not a number, a document that a
        topic has twice, an empty file or a broken gzip file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "bm25.run")
    ...     _ = path.write_text("301 Q0 FT911-3 1 9.5 bm25")
    ...     read_run(path)
      topic      doc  rank  score
    0   301  FT911-3     1    9.5
    """
    path = as_path(path, RunsError)
    places, columns = _split(path, RUN_COLUMNS)
    topics, _, documents, ranks, scores, tags = columns
    _refuse_repeats(path, places, list(zip(topics, documents, strict=True)))
    run = pd.DataFrame(
        {
            "topic": topics,
            "doc": documents,
            "rank": _numbers(path, places, ranks, "rank", whole=True),
            "score": _numbers(path, places, scores, "score"),
        }
    )
    run.attrs = {"tag": tags[0], "path": str(path)}
    return run


def read_qrels(path: PathLike) -> pd.DataFrame:
    """Read TREC relevance judgments: lines of ``topic iteration document relevance``.

    Parameters
    ----------
    path : path
        The qrels file, gzipped or not.

    Returns
    -------
    DataFrame
        Columns topic, doc, relevance and iteration (the subtopic, in diversity qrels).

    Raises
    ------
    RunsError
        For a line without four columns, a relevance that is not a whole number, a document that is
        judged twice for a topic, an empty file or a broken gzip file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "qrels.txt")
    ...     _ = path.write_text("301 0 FT911-3 1")
    ...     read_qrels(path)
      topic      doc  relevance iteration
    0   301  FT911-3          1         0
    """
    path = as_path(path, RunsError)
    places, columns = _split(path, QRELS_COLUMNS)
    topics, iterations, documents, relevance = columns
    _refuse_repeats(path, places, list(zip(topics, documents, iterations, strict=True)))
    return pd.DataFrame(
        {
            "topic": topics,
            "doc": documents,
            "relevance": _numbers(path, places, relevance, "relevance", whole=True),
            "iteration": iterations,
        }
    )


def _split(path: Path, names: tuple[str, ...]) -> tuple[list[int], list[tuple[str, ...]]]:
    """Line numbers, and the columns of a file in which every line has all of ``names``."""
    places, rows = [], []
    for place, line in enumerate(read_text(path, RunsError).splitlines(), start=1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != len(names):
            raise RunsError(
                f"{path}, line {place}: {len(fields)} columns found, {len(names)} expected "
                f"({' '.join(names)}).",
                "Write one document per line, columns separated by spaces or tabs.",
            )
        places.append(place)
        rows.append(fields)
    return places, list(zip(*rows, strict=True))


def _numbers(
    path: Path, places: Sequence[int], cells: Sequence[str], what: str, *, whole: bool = False
) -> NDArray[Any]:
    kind = np.int64 if whole else np.float64
    try:
        numbers = np.array(list(map(int if whole else float, cells)), dtype=kind)
        if np.isfinite(numbers).all() and "_" not in "".join(cells):
            return numbers
    except (ValueError, OverflowError):
        pass
    i = next(i for i, cell in enumerate(cells) if not _is_number(cell, whole))
    expected = "a whole number" if whole else "a finite number"
    raise RunsError(
        f"{path}, line {places[i]}: {what} {cells[i]!r} is not {expected}.", "Correct the line."
    )


def _is_number(cell: str, whole: bool) -> bool:
    if "_" in cell:  # Python would read 1_000 as a number
        return False
    try:
        return abs(int(cell)) < 2**63 if whole else bool(np.isfinite(float(cell)))
    except ValueError:
        return False


def _refuse_repeats(path: Path, places: Sequence[int], keys: Sequence[tuple[str, ...]]) -> None:
    if len(set(keys)) == len(keys):
        return
    seen: dict[tuple[str, ...], int] = {}
    for place, key in zip(places, keys, strict=True):
        if key in seen:
            raise RunsError(
                f"{path}, line {place}: topic {key[0]!r} had document {key[1]!r} before on line "
                f"{seen[key]}.",
                "Keep one line per topic and document.",
            )
        seen[key] = place
