"""Several files as one table: one run each, the logs of an evaluation, or parts of a long table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from bayescorr.errors import Argument, ScoresError, listing
from bayescorr.scores.cells import clean
from bayescorr.scores.files import File, name_systems, stem
from bayescorr.scores.found import Found
from bayescorr.scores.long import long_scores
from bayescorr.scores.measures import choose_measure
from bayescorr.scores.shapes import is_long
from bayescorr.scores.tables import Format, Table, join


def find_folders(
    paths: Sequence[Path], formats: Iterable[Format]
) -> tuple[Format, list[Path]] | None:
    """Return the format of whole folders, and their files; None for other paths."""
    folders = [path for path in paths if os.path.isdir(path)]  # takes names that are too long
    found: list[tuple[Format, list[Path]]] = []
    for format in formats:
        if format.files is not None:
            files = [file for folder in folders for file in format.files(folder)]
            found += [(format, files)] if files else []
    if len(found) > 1:
        counts = (f"{format.name} ({len(files)} files)" for format, files in found)
        raise ScoresError(
            f"{listing(paths)}: logs in several formats: {listing(counts)}.",
            ("Choose one with ", Argument("format"), "."),
        )
    return found[0] if found else None


def read_logs(paths: Sequence[Path], reader: Format, max_size: float) -> Table:
    """Read files of one format whose rows make one long table, one after the other."""
    if len(paths) == 1:
        base = paths[0]
        names = [str(base)]
    else:
        base = Path(os.path.commonpath([path.parent for path in paths]))
        names = [str(path.relative_to(base)) for path in paths]
    tables: dict[str, Table] = {}
    for name, path in zip(names, paths, strict=True):
        file = File(path, max_size=max_size)
        tables[name] = reader.read(file)
        file.warn()
    return join(str(base), tables) if len(tables) > 1 else tables[names[0]]


def read_files(
    tables: Mapping[Path, Table], names: Sequence[str], measure: str | None
) -> Found | Table:
    """Read files with one run each into scores, or join the parts of a long table.

    ``names`` are those of the formats of the files.
    """
    parts = list(tables.values())
    if len(set(names)) == 1:
        if all(table.shape == "long" for table in parts):
            return _read_runs(tables, measure)
        first = clean(parts[0])
        if all(table.header == first.header for table in parts) and is_long(first):
            folder = str(next(iter(tables)).parent)
            return join(folder, {path.name: table for path, table in tables.items()})
    one_of_each = {name: path for path, name in reversed(list(zip(tables, names, strict=True)))}
    shown = one_of_each.items() if len(one_of_each) > 1 else zip(names, tables, strict=True)
    found = (f"{path} ({name})" for name, path in shown)
    raise ScoresError(
        "Several files must hold one run each, as trec_eval and ir_measures write them, or parts "
        f"of a long table, in one format; got {listing(found)}.",
        "Pass a single table, or only files of one format.",
    )


def _read_runs(tables: Mapping[Path, Table], measure: str | None) -> Found:
    """Read several files with one run each, or several runs of an evaluation tool."""
    paths = list(tables)
    measures = dict.fromkeys(
        x for t in tables.values() for x in t.measures or t.cells(t.header.index("measure"))
    )
    if measure is None:
        measure = choose_measure(None, list(measures), str(paths[0]))
    parts = [long_scores(table, measure) for table in tables.values()]
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
    return Found(str(paths[0]), scores, "named", parts[0].measure, notes)
