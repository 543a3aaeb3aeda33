"""Delimited text: CSV, TSV, semicolons and blanks, with the quirks of spreadsheets and R."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

from bayescorr.errors import ScoresError
from bayescorr.scores.files import File
from bayescorr.scores.frames import SYSTEM_NAMES, TOPIC_NAMES, is_name, number
from bayescorr.scores.tables import Format, Places, Table

SEPARATORS = ",\t;"


def read_delimited(file: File) -> Table:
    """Split text at the commas, tabs or semicolons that its header uses, or else at blanks."""
    source = str(file.path)
    lines, start = _without_comments(file.text)
    header_line = lines[start].strip()
    separator = _separator(header_line)
    rows, places = _split(source, lines, separator)
    del lines
    if not rows:
        raise ScoresError(f"{source}: no cells with content.", "Provide a table of scores.")
    header, rows, places = list(rows[0]), rows[1:], places[1:]
    widths = {len(row) for row in rows}
    if separator == " " and (len(header) < 2 or not widths <= {len(header), len(header) + 1}):
        raise ScoresError(
            f"{source}, line {start + 1}: the header has a single column: {header_line[:60]!r}.",
            "Separate columns by commas, tabs or semicolons, with one column per system.",
        )
    if not rows:
        raise ScoresError(f"{source}: a header but no rows.", "Provide one row per topic.")
    if widths == {len(header) + 1}:
        header, rows = _without_extra_column(header, rows)
    for row, line in zip(rows, places, strict=True):
        if len(row) != len(header):
            raise ScoresError(
                f"{source}, line {line}: expected {len(header)} columns, as in the header; "
                f"got {len(row)}.",
                "Check this line for a missing cell, a decimal comma or a trailing separator.",
            )
    data = list(map(list, zip(*rows, strict=True)))
    return Table(source, header, data, Places.of("line", places), separator=separator)


def _separator(line: str) -> str:
    separator = max(SEPARATORS, key=line.count)
    return separator if separator in line else " "


def _split(
    source: str, lines: Iterable[str], separator: str
) -> tuple[list[tuple[str, ...]], list[int]]:
    """Split lines into cells, with the line of every row; blank lines are left out."""
    if separator == " ":  # blanks at the end would make an empty cell
        lines = (line.strip() + "\n" for line in lines)
    reader = csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=True)
    rows: list[tuple[str, ...]] = []
    places: list[int] = []
    known: dict[str, str] = {}  # equal cells are one object, for tables of millions of rows
    try:
        for row in reader:
            cells = tuple(known.setdefault(x, x) for x in map(str.strip, row))
            if any(cells):
                rows.append(cells)
                places.append(reader.line_num)
    except csv.Error as problem:
        raise ScoresError(
            f"{source}, line {reader.line_num}: malformed table ({problem}).",
            "Check the quotes and separators on this line.",
        ) from None
    return rows, places


def _without_comments(text: str) -> tuple[list[str], int]:
    """Split text into lines without comments, and return these and the position of the header.

    Comments start with ``#``. A line that starts with ``#`` but has as many cells as the table is a
    row, or the header if it is the last one before the scores.
    """
    lines = list(io.StringIO(text, newline=""))
    filled = [i for i, line in enumerate(lines) if line.strip()]
    data = next((i for i in filled if not lines[i].startswith("#")), None)
    if data is None or not any(lines[i].startswith("#") for i in filled):
        return lines, filled[0]
    before = [i for i in filled if i < data]
    header = data
    if before and _is_header(lines[before[-1]], lines[data]):
        header = before[-1]
        lines[header] = lines[header].lstrip("# ")
    separator = _separator(lines[header].strip())
    width = _width(lines[data], separator)
    for i in filled:
        comment = lines[i].startswith("#") and (i < data or _width(lines[i], separator) != width)
        if comment and i != header:
            lines[i] = "\n"
    return lines, header


def _is_header(comment: str, line: str) -> bool:
    """Return whether a comment is the header of the line of scores below it."""
    names = comment.lstrip("# ").strip()
    separator = _separator(names)
    cells = _cells(line, separator)
    scores = all(number(cell.replace(",", ".")) is not None for cell in cells[1:])
    return scores and len(cells) > 1 and _width(names, separator) == len(cells)


def _width(line: str, separator: str) -> int:
    return len(_cells(line, separator))


def _cells(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line.strip()], delimiter=separator, skipinitialspace=True))
    except (csv.Error, StopIteration):
        return []


def _without_extra_column(
    header: list[Any], rows: list[tuple[str, ...]]
) -> tuple[list[Any], list[tuple[str, ...]]]:
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
    "Text with columns separated by commas, tabs, semicolons or blanks, wide or long; lines that "
    "start with # are comments.",
    lambda file: True,  # any other text; the reader reports what is wrong with it
    read_delimited,
)
