"""Read scores from files or from memory; the list of file formats."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from inspect import cleandoc
from pathlib import Path
from pkgutil import resolve_name
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd

from bayescorr.errors import Argument, ScoresError, ScoresWarning, choose, listing
from bayescorr.scores.check import as_numbers
from bayescorr.scores.files import (
    MAX_SIZE,
    File,
    PathLike,
    check_max_size,
    expand_paths,
    name_systems,
    stem,
)
from bayescorr.scores.found import Found
from bayescorr.scores.frames import Scores, as_frame
from bayescorr.scores.long import long_scores
from bayescorr.scores.measures import choose_measure, display
from bayescorr.scores.questions import review
from bayescorr.scores.shapes import SHAPES, table_scores
from bayescorr.scores.tables import Format, from_frame
from bayescorr.scores.wide import refuse_measure

#: Module and declaration of each file format, in the order in which "auto" tries them.
_DECLARED = (
    "parquet:PARQUET",
    "excel:XLSX",
    "evaluations:TREC_EVAL",
    "evaluations:IR_MEASURES",
    "objects:JSON",
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
    transpose: bool = False,
    as_is: bool = False,
    max_size: float = MAX_SIZE,
) -> pd.DataFrame:
    """Read scores from a file, files or a table in memory into topics x systems.

    Files may be gzipped. Rows and columns that summarise the others (``mean``, ``all``, ``total``)
    and row numbers are left out, with a :class:`~bayescorr.ScoresWarning` that names them. A table
    that is probably not what it seems, such as one with systems as rows or with a column of years,
    raises an error that asks; ``transpose`` and ``as_is`` are the answers.

    Parameters
    ----------
    source : path, list of paths, DataFrame, DataArray or 2-D array
        A file; a folder, a pattern (with * ? [) or a list of files with one run each; or a table in
        memory, wide or long, such as the result of PyTerrier's ``Experiment(..., perquery=True)``.
    format : str
        One of the formats below.
    measure : str, optional
        The measure to read, if the source has several. ``nDCG@10`` also finds ``ndcg_cut_10``.
    transpose : bool
        Whether the rows of a wide table are systems.
    as_is : bool
        Whether to read every row and column of a table as scores, and ask nothing.
    max_size : float
        Size of the largest file to read, in MB, unpacked.

    Returns
    -------
    DataFrame
        Scores of systems (columns) on topics (rows), in order of appearance; NaN where a topic has
        no score. Labels read from files are strings. ``attrs["measure"]`` is the measure, if the
        source names it. :func:`check_scores` checks whether the scores can be used.

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
    check_max_size(max_size)
    if isinstance(source, pd.DataFrame):
        if format in FORMATS:
            remedy = f"Use auto or one of: {', '.join(SHAPES)}."
            raise ScoresError(f"A DataFrame cannot be read as {format!r}.", remedy)
        table = from_frame(source, "DataFrame", transpose=transpose)
        found = table_scores(table, format, measure, transpose=transpose, as_is=as_is)
    elif not _is_path(source):
        refuse_measure(measure, "An array")
        turned = getattr(source, "T", None) if transpose else source
        return as_numbers(as_frame(np.asarray(source).T if turned is None else turned))
    else:
        paths, several = expand_paths(source, ScoresError)  # type: ignore[arg-type]
        files = [File(path, max_size=max_size) for path in paths]
        if several:
            if transpose:
                raise ScoresError(
                    "Files with one run each cannot be transposed.",
                    ("Omit ", Argument("transpose"), "."),
                )
            found = _read_runs(files, format, measure)
        else:
            reader = _format_of(files[0], format)
            table = reader.read(files[0])
            shape = format if format in SHAPES else table.shape
            found = table_scores(table, shape, measure, transpose=transpose, as_is=as_is)
        found = found._replace(scores=found.scores.rename(index=str, columns=str))
        for file in files:
            file.warn()
    found = review(found, as_is)
    for note in found.notes:
        warnings.warn(ScoresWarning(note), stacklevel=2)
    if found.measure is not None:
        found.scores.attrs["measure"] = display(found.measure)
    if as_is:
        found.scores.attrs["as_is"] = True
    return found.scores


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

    A shape (wide, matrix, long) excludes formats that have one of their own.
    """
    if format in FORMATS:
        return FORMATS[format]
    candidates = (f for f in FORMATS.values() if format == "auto" or not f.shaped)
    return next(f for f in candidates if f.recognises(file))


def _read_runs(files: Sequence[File], format: str, measure: str | None) -> Found:
    """Read several files with one run each, or several runs of an evaluation tool."""
    formats = {_format_of(file, format): file.path for file in reversed(files)}
    if len(formats) > 1 or not all(f.one_per_run for f in formats):
        raise _not_runs((path, f.name) for f, path in formats.items())
    (reader,) = formats
    tables = [reader.read(file) for file in files]
    if others := [file.path for file, t in zip(files, tables, strict=True) if t.shape != "long"]:
        raise _not_runs((path, reader.name) for path in others)
    measures = dict.fromkeys(
        x for t in tables for x in t.measures or t.cells(t.header.index("measure"))
    )
    if measure is None:
        measure = choose_measure(None, list(measures), str(files[0].path))
    parts = [long_scores(table, measure) for table in tables]
    paths = [file.path for file in files]
    # Clashing names of runs give way to the names of their files.
    first = [label for part in parts for label in part.scores.columns]
    alone = [part.scores.shape[1] == 1 for part in parts]
    second = [
        stem(path) if single else ""
        for path, part, single in zip(paths, parts, alone, strict=True)
        for _ in part.scores.columns
    ]
    where = [path for path, part in zip(paths, parts, strict=True) for _ in part.scores.columns]
    names = name_systems(where, first, second, ScoresError)
    scores = pd.concat([part.scores for part in parts], axis=1).set_axis(names, axis=1)
    notes = tuple(note for part in parts for note in part.notes)
    return Found(str(files[0].path), scores, "named", parts[0].measure, notes)


def _not_runs(found: Iterable[tuple[Path, str]]) -> ScoresError:
    return ScoresError(
        "Several files must hold one run each, as trec_eval and ir_measures write them, in one "
        f"format; got {listing(f'{path} ({name})' for path, name in found)}.",
        "Pass a single table, or only files of one format.",
    )
