"""Delimited text: CSV, TSV and semicolons, with the quirks of spreadsheets and R."""

from __future__ import annotations

import csv
import io
from typing import Any

from bayescorr.errors import ScoresError
from bayescorr.scores.files import File
from bayescorr.scores.frames import SYSTEM_NAMES, TOPIC_NAMES, is_name
from bayescorr.scores.tables import Format, Table


def read_delimited(file: File) -> Table:
    """Split text at the commas, tabs or semicolons that its header uses."""
    source = str(file.path)
    place, first = next(iter(file.lines.items()))
    delimiter = max(",\t;", key=first.count)
    if delimiter not in first:
        raise ScoresError(
            f"{source}, {place}: the header has a single column: {first.strip()[:60]!r}.",
            "Separate columns by commas, tabs or semicolons, with one column per system.",
        )
    stream = io.StringIO(file.text)
    reader = csv.reader(stream, delimiter=delimiter, strict=True, skipinitialspace=True)
    rows: list[list[Any]] = []
    places: list[str] = []
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append([cell.strip() for cell in row])
                places.append(f"line {reader.line_num}")
    except csv.Error as problem:
        raise ScoresError(
            f"{source}, line {reader.line_num}: malformed table ({problem}).",
            "Check the quotes and separators on this line.",
        ) from None
    header, rows, places = rows[0], rows[1:], places[1:]
    if not rows:
        raise ScoresError(f"{source}: a header but no rows.", "Provide one row per topic.")
    if all(len(row) == len(header) + 1 for row in rows):
        header, rows = _without_extra_column(header, rows)
    for row, place in zip(rows, places, strict=True):
        if len(row) != len(header):
            raise ScoresError(
                f"{source}, {place}: expected {len(header)} columns, as in the header; "
                f"got {len(row)}.",
                "Check this line for a missing cell, a decimal comma or a trailing separator.",
            )
    return Table(source, header, rows, places)


def _without_extra_column(header: list[Any], rows: list[list[Any]]) -> tuple[list[Any], Any]:
    """Account for one more cell in every row than in the header, if its cause is clear."""
    trailing = not any(row[-1] for row in rows)
    if header[0] and not any(is_name(name, TOPIC_NAMES) for name in header):
        # R's write.table gives no header to the row names.
        return (header if trailing else ["", *header]), rows
    if trailing:
        return header, [row[:-1] for row in rows]
    if any(is_name(name, SYSTEM_NAMES) for name in header):
        # The row names of a long table in R are row numbers, not topics.
        numbered = [row[0] for row in rows] == [str(i + 1) for i in range(len(rows))]
        return header, [row[1:] for row in rows] if numbered else rows
    return header, rows


CSV = Format(
    "csv",
    "Text with columns separated by commas, tabs or semicolons, wide or long.",
    lambda file: True,  # any other text; the reader reports what is wrong with it
    read_delimited,
)
