"""Excel workbooks (.xlsx), if openpyxl is installed."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from bayescorr._optional import require
from bayescorr.errors import MissingDependencyError, ScoresError, listing
from bayescorr.scores.files import File
from bayescorr.scores.tables import Format, Table

ZIP_MAGIC = b"PK\x03\x04"
XLS_MAGIC = b"\xd0\xcf\x11\xe0"


def read_excel(file: File) -> Table:
    """Read the only sheet with data; empty rows and columns around the table are skipped."""
    source = str(file.path)
    try:
        names = _check_archive(file)
    except zipfile.BadZipFile:
        names = []
    if "xl/workbook.xml" not in names and names:
        raise ScoresError(f"{source}: not an Excel workbook.", "Save the table as .xlsx or CSV.")
    if not names:
        kind = "an old Excel file" if file.content.startswith(XLS_MAGIC) else "truncated or damaged"
        raise ScoresError(f"{source}: {kind}.", "Save the table as .xlsx or CSV.")
    try:
        library = require("openpyxl", extra="excel")
    except MissingDependencyError as problem:
        raise ScoresError(
            f"{source}: reading Excel files needs the library openpyxl.",
            f"{problem.remedy}, or save the sheet as CSV.",
        ) from None
    sheets = _sheets(file, library)
    filled = [name for name, rows in sheets.items() if rows]
    if len(filled) != 1:
        listed = listing(map(repr, filled))
        found = f"{len(filled)} sheets have data: {listed}" if filled else "all sheets are empty"
        raise ScoresError(f"{source}: {found}.", "Keep one sheet, or save one of them as CSV.")
    rows = sheets[filled[0]]
    used = [j for j in range(len(rows[0][1])) if any(row[j] is not None for _, row in rows)]
    places = [f"row {i}" for i, _ in rows]
    cells = [[_cell(row[j]) for j in used] for _, row in rows]
    header = ["" if name is None else name for name in cells[0]]
    if len(rows) < 2:
        raise ScoresError(f"{source}: a header but no rows.", "Provide one row per topic.")
    return Table.of_rows(source, header, cells[1:], places[1:])


def _check_archive(file: File) -> list[str]:
    """Return the names in the archive; raise if its unpacked content is too large."""
    with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
        file.check_size(sum(entry.file_size for entry in archive.infolist()))
        return archive.namelist()


def _sheets(file: File, library: Any) -> dict[str, list[tuple[int, list[Any]]]]:
    """Return the rows with data of every sheet, with their numbers."""
    try:
        book = library.load_workbook(io.BytesIO(file.content), read_only=True, data_only=True)
        sheets = {
            sheet.title: [
                (i, list(row))
                for i, row in enumerate(sheet.iter_rows(values_only=True), start=1)
                if any(cell is not None and str(cell).strip() for cell in row)
            ]
            for sheet in book.worksheets
        }
    except Exception as problem:  # of the archive, of its XML, or of openpyxl itself
        reason = " ".join(str(problem).split()).rstrip(".")
        raise ScoresError(
            f"{file.path}: invalid or truncated Excel file ({reason}).",
            "Copy or save the file again.",
        ) from None
    for rows in sheets.values():
        width = max((len(row) for _, row in rows), default=0)
        for _, row in rows:
            row += [None] * (width - len(row))
    return sheets


def _cell(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


XLSX = Format(
    "xlsx",
    "Excel workbook with one sheet of data, wide or long; needs openpyxl.",
    lambda file: file.content.startswith((ZIP_MAGIC, XLS_MAGIC)),
    read_excel,
)
