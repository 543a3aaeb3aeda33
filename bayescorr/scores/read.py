"""Read scores from files or from memory; the list of file formats."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from inspect import cleandoc
from pathlib import Path
from pkgutil import resolve_name
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd

from bayescorr.errors import Argument, ScoresError, ScoresWarning, choose
from bayescorr.scores.check import as_numbers
from bayescorr.scores.files import (
    MAX_SIZE,
    File,
    PathLike,
    check_max_size,
    expand_paths,
)
from bayescorr.scores.found import Found
from bayescorr.scores.frames import Scores, as_frame
from bayescorr.scores.measures import display
from bayescorr.scores.objects import read_objects
from bayescorr.scores.questions import review
from bayescorr.scores.repeats import REPEATS
from bayescorr.scores.several import find_folders, read_files, read_logs
from bayescorr.scores.shapes import SHAPES, table_scores
from bayescorr.scores.tables import Format, from_frame
from bayescorr.scores.wide import refuse_measure

#: Module and declaration of each file format, in the order in which "auto" tries them.
_DECLARED = (
    "parquet:PARQUET",
    "excel:XLSX",
    "evaluations:TREC_EVAL",
    "evaluations:IR_MEASURES",
    "lm_eval:LM_EVAL",
    "inspect_logs:INSPECT",
    "helm:HELM",
    "mteb:MTEB",
    "objects:JSON",
    "headerless:HEADERLESS",
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
    source: PathLike | Sequence[PathLike] | Scores | dict[Any, Any],
    *,
    format: str = "auto",
    measure: str | None = None,
    transpose: bool = False,
    as_is: bool = False,
    repeats: str = "error",
    max_size: float = MAX_SIZE,
) -> pd.DataFrame:
    """Read scores from a file, files or a table in memory into topics x systems.

    Files may be gzipped. Rows and columns that summarise the others (``mean``, ``all``, ``total``)
    and row numbers are left out, with a :class:`~bayescorr.ScoresWarning` that names them. A table
    that is probably not what it seems, such as one with systems as rows or with a column of years,
    raises an error that asks; ``transpose`` and ``as_is`` are the answers.

    Parameters
    ----------
    source : path, list of paths, DataFrame, DataArray, dict or 2-D array
        A file; a folder, a pattern (with * ? [) or a list of files with one run each, or with parts
        of a long table; a folder of evaluation logs (lm-evaluation-harness, Inspect, HELM, MTEB);
        or a table in memory, wide or long, such as the result of PyTerrier's
        ``Experiment(..., perquery=True)``, or a dict of dicts, system > topic > score or with a
        level of measures, such as ``{run.name: run.scores}`` of ranx.
    format : str
        One of the formats below.
    measure : str, optional
        The measure to read, if the source has several. ``nDCG@10`` also finds ``ndcg_cut_10``. With
        tasks, several names with commas: each task has the first of them that it knows.
    transpose : bool
        Whether the rows of a wide table are systems.
    as_is : bool
        Whether to read every row and column of a table as scores, and ask nothing.
    repeats : {"error", "mean", "seeds"}
        What to do with several scores of a system on a topic, such as those of several seeds or
        epochs: raise an error, average them, or make a column of each seed (``system/seed``).
    max_size : float
        Size of the largest file to read, in MB, unpacked.

    Returns
    -------
    DataFrame
        Scores of systems (columns) on topics (rows), in order of appearance; NaN where a topic has
        no score. Labels read from files are strings. ``attrs["measure"]`` is the measure, if the
        source names it, and ``attrs["repeats"]`` says how many scores were averaged. If topics
        belong to tasks, they are labelled task/topic and ``attrs["strata"]`` has the task of each;
        ``attrs["seeds"]`` has the system of each column of a seed. :func:`check_scores` checks
        whether the scores can be used.

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
    choose(repeats, REPEATS, "treatment of repeats")
    check_max_size(max_size)
    if isinstance(source, pd.DataFrame | dict):
        kind = "dict" if isinstance(source, dict) else "DataFrame"
        if format in FORMATS:
            remedy = f"Use auto or one of: {', '.join(SHAPES)}."
            raise ScoresError(f"A {kind} cannot be read as {format!r}.", remedy)
        if isinstance(source, dict):
            table = read_objects(source, kind, "run")
        else:
            table = from_frame(source, kind, transpose=transpose)
        shape = table.shape if format == "auto" else format
        found = table_scores(
            table, shape, measure, transpose=transpose, as_is=as_is, repeats=repeats
        )
    elif not _is_path(source):
        refuse_measure(measure, "An array")
        turned = getattr(source, "T", None) if transpose else source
        return as_numbers(as_frame(np.asarray(source).T if turned is None else turned))
    else:
        found = _read_paths(source, format, measure, transpose, as_is, repeats, max_size)
        found = found._replace(scores=found.scores.rename(index=str, columns=str))
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


def _read_paths(
    source: Any,
    format: str,
    measure: str | None,
    transpose: bool,
    as_is: bool,
    repeats: str,
    max_size: float,
) -> Found:
    """Read one or several files, or folders."""
    given = [source] if isinstance(source, str | os.PathLike) else source
    offered = [x for x in FORMATS.values() if format in ("auto", x.name)]
    logs = find_folders([Path(x) for x in given], offered)
    paths, several = (logs[1], True) if logs else expand_paths(source, ScoresError)
    if several and transpose:
        raise ScoresError(
            "Several files cannot be transposed.", ("Omit ", Argument("transpose"), ".")
        )
    files = [File(path, max_size=max_size) for path in paths]
    reader = logs[0] if logs else _format_of(files[0], format)
    shape = "auto"
    if reader.files is not None:
        table = read_logs(paths, reader, max_size)
    else:
        readers = [reader, *(_format_of(file, format) for file in files[1:])]
        tables = {file.path: own.read(file) for file, own in zip(files, readers, strict=True)}
        for file in files:
            file.warn()
        if several:
            joined = read_files(tables, [own.name for own in readers], measure)
            if isinstance(joined, Found):
                return joined
            table = joined
        else:
            (table,) = tables.values()
            shape = format if format in SHAPES else "auto"
    shape = table.shape if shape == "auto" else shape
    return table_scores(table, shape, measure, transpose=transpose, as_is=as_is, repeats=repeats)
