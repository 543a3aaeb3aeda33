"""Read scores from files or from memory; the list of file formats."""

from __future__ import annotations

import os
from collections.abc import Sequence
from inspect import cleandoc
from pkgutil import resolve_name
from textwrap import fill
from typing import Any

import pandas as pd

from bayescorr.errors import ScoresError, choose, listing
from bayescorr.scores.check import as_numbers
from bayescorr.scores.files import File, PathLike, expand_paths, name_systems, stem
from bayescorr.scores.frames import Scores, as_frame
from bayescorr.scores.shapes import (
    SHAPES,
    choose_measure,
    long_scores,
    refuse_measure,
    table_scores,
)
from bayescorr.scores.tables import Format, from_frame

#: Module and declaration of each file format, in the order in which "auto" tries them.
_DECLARED = (
    "parquet:PARQUET",
    "evaluations:TREC_EVAL",
    "evaluations:IR_MEASURES",
    "delimited:CSV",
)
FORMATS: dict[str, Format] = {
    format.name: format for format in (resolve_name(f"{__package__}.{x}") for x in _DECLARED)
}

#: Everything that ``format`` can be, with its description.
DESCRIPTIONS = {
    "auto": "Detect the format; ambiguous files raise an error.",
    **{name: shape.description for name, shape in SHAPES.items()},
    **{name: format.description for name, format in FORMATS.items()},
}


def read_scores(
    source: PathLike | Sequence[PathLike] | Scores,
    *,
    format: str = "auto",
    measure: str | None = None,
) -> pd.DataFrame:
    """Read scores from a file, files or a table in memory into topics x systems.

    Files may be gzipped. Rows of the topic ``all`` are averages and are ignored.

    Parameters
    ----------
    source : path, list of paths, DataFrame, DataArray or 2-D array
        A file; a folder, a pattern (with * ? [) or a list of files with one run each; or a table in
        memory, wide or long, such as the result of PyTerrier's ``Experiment(..., perquery=True)``.
    format : str
        One of the formats below.
    measure : str, optional
        The measure to read, if the source has several.

    Returns
    -------
    DataFrame
        Scores of systems (columns) on topics (rows), in order of appearance; NaN where a topic has
        no score. Labels read from files are strings. :func:`check_scores` checks whether the scores
        can be used.

    Raises
    ------
    ScoresError
        If the source cannot be read or is ambiguous; the message names the file and the line,
        column or cell.

    Notes
    -----
    The formats are:

    {formats}

    Examples
    --------
    >>> read_scores(pd.DataFrame({"name": ["bm25", "bm25", "lm", "lm"], "qid": ["1", "2", "1", "2"],
    ...                           "measure": "AP", "value": [0.1, 0.2, 0.3, 0.4]}))
       bm25   lm
    1   0.1  0.3
    2   0.2  0.4
    """
    choose(format, DESCRIPTIONS, "format of scores")
    if isinstance(source, pd.DataFrame):
        if format in FORMATS:
            remedy = f"Use auto or one of: {', '.join(SHAPES)}."
            raise ScoresError(f"A DataFrame cannot be read as {format!r}.", remedy)
        return table_scores(from_frame(source, "DataFrame"), format, measure)
    if not _is_path(source):
        refuse_measure(measure, "An array")
        return as_numbers(as_frame(source))
    paths, several = expand_paths(source, ScoresError)  # type: ignore[arg-type]
    files = [File(path) for path in paths]
    if several:
        return _read_runs(files, format, measure)
    table = _format_of(files[0], format).read(files[0])
    scores = table_scores(table, format if format in SHAPES else table.shape, measure)
    return scores.rename(index=str, columns=str)


read_scores.__doc__ = cleandoc(read_scores.__doc__ or "").replace(
    "{formats}",
    "\n".join(
        fill(f"- ``{name}``: {description}", width=96, subsequent_indent="  ")
        for name, description in DESCRIPTIONS.items()
    ),
)


def _is_path(source: Any) -> bool:
    """Return whether a source is a path or a list of paths."""
    if isinstance(source, list | tuple):
        return all(isinstance(item, str | os.PathLike) for item in source)
    return isinstance(source, str | os.PathLike)


def _format_of(file: File, format: str) -> Format:
    """Return the format of a file: the one given, or the first that recognises it.

    A shape (wide, matrix, long) excludes the output of evaluation tools.
    """
    if format in FORMATS:
        return FORMATS[format]
    candidates = (f for f in FORMATS.values() if format == "auto" or not f.one_per_run)
    return next(f for f in candidates if f.recognises(file))


def _read_runs(files: Sequence[File], format: str, measure: str | None) -> pd.DataFrame:
    """Read several files with one run each."""
    formats = {_format_of(file, format): file.path for file in reversed(files)}
    if len(formats) > 1 or not all(f.one_per_run for f in formats):
        kinds = " or all ".join(f.name for f in FORMATS.values() if f.one_per_run)
        found = listing(f"{path} ({f.name})" for f, path in formats.items())
        raise ScoresError(
            f"Several files must be all {kinds} output, with one run per file; got {found}.",
            "Pass a single table, or only files of one format.",
        )
    (reader,) = formats
    tables = [reader.read(file) for file in files]
    measures = dict.fromkeys(x for t in tables for x in t.cells(t.header.index("measure")))
    chosen = choose_measure(measure, list(measures), str(files[0].path))
    columns = [long_scores(table, chosen) for table in tables]
    paths = [file.path for file in files]
    ids = [column.columns[0] for column in columns]
    names = name_systems(paths, ids, [stem(path) for path in paths], ScoresError)
    return pd.concat(columns, axis=1).set_axis(names, axis=1)
