"""Read scores, whatever they come in."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from numpy.typing import ArrayLike

from bayescorr.errors import ScoresError, choose, listing
from bayescorr.scores.check import as_frame, as_numbers
from bayescorr.scores.evaluations import PARSERS, detect_evaluation, evaluation_scores
from bayescorr.scores.files import PathLike, decode, expand_paths, read_bytes
from bayescorr.scores.tables import Table, from_frame, is_long, long_scores, parse_text, wide_scores

if TYPE_CHECKING:
    import xarray as xr

FORMATS = ("auto", "ir_measures", "long", "matrix", "parquet", "trec_eval", "wide")
PARQUET_MAGIC = b"PAR1"


def read_scores(
    source: PathLike | Sequence[PathLike] | pd.DataFrame | xr.DataArray | ArrayLike,
    *,
    format: str = "auto",
    measure: str | None = None,
) -> pd.DataFrame:
    """Read scores from a file, files or a table in memory into topics x systems.

    ============= =================================================================================
    Format        What it is
    ============= =================================================================================
    wide          CSV or TSV, one column per system, one row per topic. Topic labels are in the
                  column named topic, qid, query_id or query, or else in the first one if it has no
                  name or holds text. Different whole numbers, or numbers above all others, under
                  any other name could be labels or scores: an error asks.
    matrix        CSV or TSV without topic labels: every column is a system, topics are t1, t2, ...
    long          CSV or TSV, one row per score: a system column (system, run, name), a topic
                  column (topic, qid, query_id), a score column (score, value) and, if there are
                  several measures, a column named measure; or one column per measure.
    parquet       a wide or long table.
    trec_eval     output of ``trec_eval -q``, one file per run; the runid line names the system,
                  or else (and where run ids clash) the file.
    ir_measures   output of ``ir_measures -q``, one file per run; the file names the system.
    ============= =================================================================================

    Text may be gzipped. The topic ``all`` is a summary and is left out of every file.

    Parameters
    ----------
    source : path, list of paths, DataFrame, DataArray or 2-D array
        A file; a folder, a pattern (with * ? [) or a list of files, one per run; or a table in
        memory: wide or long, such as PyTerrier's ``Experiment(..., perquery=True)``.
    format : str
        One of the formats above, or "auto" to find out.
    measure : str, optional
        The measure to read, where the source has several.

    Returns
    -------
    DataFrame
        Scores of systems (columns) on topics (rows), in the order they appear; NaN where a topic
        has no score. Labels from files are strings. :func:`check_scores` has the final word on
        whether the scores can be used.

    Raises
    ------
    ScoresError
        Naming file and line, column or cell, when something cannot be read or is ambiguous.

    Examples
    --------
    >>> read_scores(pd.DataFrame({"name": ["bm25", "bm25", "lm", "lm"], "qid": ["1", "2", "1", "2"],
    ...                           "measure": "AP", "value": [0.1, 0.2, 0.3, 0.4]}))
       bm25   lm
    1   0.1  0.3
    2   0.2  0.4
    """
    choose(format, FORMATS, "format of scores")
    if isinstance(source, pd.DataFrame):
        return _read_table(from_frame(source, "DataFrame"), format, measure)
    if not _is_path(source) and not _are_paths(source):
        _refuse_measure(measure, "an array")
        return as_numbers(as_frame(source))
    paths, several = expand_paths(source, ScoresError)  # type: ignore[arg-type]
    if several:
        return _read_runs(paths, format, measure)
    return _read_file(paths[0], format, measure)


def _is_path(source: object) -> bool:
    return isinstance(source, (str, os.PathLike))


def _are_paths(source: Any) -> bool:
    return isinstance(source, (list, tuple)) and all(_is_path(item) for item in source)


def _read_file(path: Path, format: str, measure: str | None) -> pd.DataFrame:
    content = read_bytes(path, ScoresError)
    if format == "parquet" or content.startswith(PARQUET_MAGIC):
        table = from_frame(_read_parquet(content, path), str(path))
        kind = "auto" if format == "parquet" else format
        return _string_labels(_read_table(table, kind, measure))
    text = decode(content, path, ScoresError)
    format = _detect(text, path) if format == "auto" else format
    if format in PARSERS:
        return evaluation_scores([(path, text, format)], measure)
    return _read_table(parse_text(text, str(path)), format, measure)


def _read_runs(paths: Sequence[Path], format: str, measure: str | None) -> pd.DataFrame:
    """Read several files, one per run."""
    files = []
    for path in paths:
        content = read_bytes(path, ScoresError)
        parquet = content.startswith(PARQUET_MAGIC)
        text = "" if parquet else decode(content, path, ScoresError)
        found = "parquet" if parquet else format if format != "auto" else _detect(text, path)
        files.append((path, text, found))
    kinds = {kind: str(path) for path, _, kind in reversed(files)}
    if len(kinds) > 1 or not set(kinds) <= set(PARSERS):
        names = {"auto": "table"}
        found = listing(f"{path} ({names.get(kind, kind)})" for kind, path in kinds.items())
        raise ScoresError(
            f"Several files must be all trec_eval or all ir_measures output, one per run: {found}.",
            "Give the path of one table, or only the files of one kind.",
        )
    return evaluation_scores(files, measure)


def _read_table(table: Table, format: str, measure: str | None) -> pd.DataFrame:
    if format == "long" or (format == "auto" and is_long(table)):
        return long_scores(table, measure)
    if format not in ("auto", "matrix", "wide"):
        raise ScoresError(
            f"{table.source}: a table cannot be read as format {format!r}.",
            "Use format='auto', 'wide' or 'long'.",
        )
    _refuse_measure(measure, f"{table.source}: a wide table")
    return wide_scores(table, labels=format != "matrix")


def _read_parquet(content: bytes, path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(io.BytesIO(content))
    except (OSError, ValueError) as problem:
        reason = str(problem).splitlines()[0].rstrip(".")
        raise ScoresError(
            f"{path}: not a whole Parquet file ({reason}).", "Copy or write the file again."
        ) from None


def _detect(text: str, path: Path) -> str:
    """Tell evaluation output, one score per line, from tables ("auto": wide or long)."""
    fields = next(line for line in text.splitlines() if line.strip()).split()
    if len(fields) == 6 and fields[1].upper() == "Q0":
        raise ScoresError(
            f"{path}, line 1: this is a TREC run, not a table of scores.",
            "Score runs against qrels with score_runs.",
        )
    return detect_evaluation(text, str(path)) or "auto"


def _refuse_measure(measure: str | None, what: str) -> None:
    if measure is not None:
        raise ScoresError(
            f"{what} does not say which measure its scores are, but {measure!r} was asked for.",
            "Leave out measure=.",
        )


def _string_labels(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.rename(index=str, columns=str)
