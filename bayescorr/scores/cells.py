"""Turn the cells of a table into numbers: booleans, percentages, decimal commas, and plain numbers.

A rule applies to a column only if all of its cells follow the rule.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bayescorr._numbers import FloatArray
from bayescorr.errors import ScoresError, listing
from bayescorr.scores.frames import number
from bayescorr.scores.tables import Cells, Table, distinct, each, parsed

#: Words for 1 and 0.
BOOLEANS = (
    ("true", "false"),
    ("t", "f"),
    ("yes", "no"),
    ("y", "n"),
    ("pass", "fail"),
    ("correct", "incorrect"),
    ("right", "wrong"),
)
PERCENT = re.compile(r"(-?\d+(?:\.\d+|,\d{1,2})?|-?\.\d+) ?%")
COMMA = re.compile(r"-?\d*,\d+")
#: With a comma, 1234 or 1.234.
AMBIGUOUS = re.compile(r"-?[1-9]\d{0,2},\d{3}")
THOUSANDS = re.compile(r"-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")

Converter = Callable[[str], float]


def clean(table: Table) -> Table:
    """Convert the text of booleans, percentages and numbers with a decimal comma to numbers.

    Labels stay as they are. Notes of the table say what was converted.
    """
    labels = {i for kind in ("topic", "measure", "task", "repeat") for i in table.columns(kind)}
    labels |= {0} if not str(table.header[0]).strip() else set()
    systems = set(table.columns("system"))
    others = [i for i in range(len(table.header)) if i not in labels]
    wrong = {i: cells for i in others if (cells := _not_numbers(table.cells(i)))}
    found: dict[str, list[int]] = {}
    converters: dict[int, Converter] = {}
    for i in wrong:
        texts = [cell for cell in distinct(table.cells(i)) if not _is_missing(cell)]
        if len(table) > 1 and (words := _booleans(texts)):
            note = f"Read {words[0]} as 1 and {words[1]} as 0"
            converters[i] = partial(_from_word, one=words[0])
        elif i not in systems and all(_matches(PERCENT, text) for text in texts):
            note = "Divided percentages by 100"
            converters[i] = _from_percent
        else:
            continue
        found.setdefault(note, []).append(i)
    if commas := _decimal_commas(table, [i for i in others if i not in {*systems, *converters}]):
        converters |= dict.fromkeys(commas, lambda text: float(text.replace(",", ".")))
        if table.separator != ";":
            found["Read ',' as the decimal separator"] = commas
    if not converters:
        return table
    data = [
        each(partial(_converted, convert=converters[i]), cells) if i in converters else cells
        for i, cells in enumerate(table.data)
    ]
    notes = (f"{note} {_columns(table, columns, others)}." for note, columns in found.items())
    return replace(table, data=data, notes=(*table.notes, *notes))


def _converted(cell: Any, convert: Converter) -> Any:
    return cell if _is_missing(cell) else convert(cell)


def _is_missing(cell: Any) -> bool:
    value = number(cell)
    return value is not None and math.isnan(value)


def _not_numbers(cells: Cells) -> list[str]:
    return [cell for cell in distinct(cells) if isinstance(cell, str) and number(cell) is None]


def _matches(pattern: re.Pattern[str], cell: Any) -> bool:
    return isinstance(cell, str) and pattern.fullmatch(cell.strip()) is not None


def _booleans(texts: Cells) -> tuple[str, str] | None:
    """Return the words for 1 and 0 if all cells are such words; letters only if both occur."""
    words = {text.strip().lower() if isinstance(text, str) else "" for text in texts}
    for pair in BOOLEANS:
        if words <= set(pair) and (len(pair[0]) > 1 or len(words) == 2):
            return pair
    return None


def _from_word(text: str, one: str) -> float:
    return float(text.strip().lower() == one)


def _from_percent(text: str) -> float:
    # Dividing by 100 would add digits: 29.16 / 100 is 0.29160000000000003.
    return float(f"{text.strip().rstrip('%').strip().replace(',', '.')}e-2")


def _decimal_commas(table: Table, columns: Iterable[int]) -> list[int]:
    """Return the columns with decimal commas, if no other reading of them is possible."""
    found, clear = [], False
    for i in columns:
        cells = [cell for cell in table.cells(i) if not _is_missing(cell)]
        with_comma = [cell for cell in cells if _matches(COMMA, cell)]
        if with_comma and all(_matches(COMMA, c) or _is_whole(c) for c in cells):
            found.append(i)
            clear |= not all(_matches(AMBIGUOUS, cell) for cell in with_comma)
        elif any("." in str(cell) and number(cell) is not None for cell in cells):
            return []
    return found if clear else []


def _is_whole(cell: Any) -> bool:
    return re.fullmatch(r"-?\d+", str(cell).strip()) is not None


def _columns(table: Table, columns: Sequence[int], all_columns: Sequence[int]) -> str:
    """Name columns in a note."""
    if len(columns) == len(all_columns) > 1:
        return f"in all {len(columns)} columns"
    names = listing((repr(table.header[i]) for i in columns), most=3)
    return f"in column{'s' * (len(columns) > 1)} {names}"


def numbers(table: Table, columns: Sequence[int]) -> FloatArray:
    """Return the cells of columns as numbers; an error lists the cells that are not finite."""
    values = np.empty((len(table), len(columns)))
    bad: list[tuple[int, int]] = []
    for j, column in enumerate(columns):
        found = parsed(table.cells(column))
        values[:, j] = np.array(found, dtype=float)  # None becomes NaN
        if None in found or np.isinf(values[:, j]).any():
            bad += [(i, column) for i, x in enumerate(found) if x is None or math.isinf(x)]
    if bad:
        bad.sort()
        _refuse_text(table, {column for _, column in bad})
        cells = (
            f"{table.places[i]}, column {table.header[j]!r}: {_short(table.cells(j)[i])}"
            for i, j in bad
        )
        raise ScoresError(
            f"{table.source}: not a finite number: {listing(cells, separator='; ')}.",
            _remedy([str(table.cells(j)[i]).strip() for i, j in bad]),
        )
    return values


def _refuse_text(table: Table, columns: Iterable[int]) -> None:
    """Raise if a column holds words rather than numbers with mistakes."""
    for i in sorted(columns):
        words = [cell for cell in table.cells(i) if re.search(r"[^\W\d_]", str(cell))]
        if len(words) > len(table) / 2 and table.kind(i) == "text":
            some = listing(dict.fromkeys(map(_short, words)), most=2)
            raise ScoresError(
                f"{table.source}: column {table.header[i]!r} holds text ({some}).",
                "If this is a long table, name its columns system, topic and score; otherwise "
                "remove the column.",
            )


def _short(cell: Any) -> str:
    text = repr(cell)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _remedy(cells: Sequence[str]) -> str:
    """Say how to correct cells that are not numbers."""
    if any(map(AMBIGUOUS.fullmatch, cells)):
        cell = next(filter(AMBIGUOUS.fullmatch, cells))
        return (
            f"{cell!r} could be {cell.replace(',', '.')} or {cell.replace(',', '')}. Write "
            "decimals with a point, and leave out thousands separators."
        )
    if any(map(THOUSANDS.fullmatch, cells)):
        return "Leave out thousands separators."
    if any(map(COMMA.fullmatch, cells)):
        return "Write decimals with a point, not a comma."
    if any(map(PERCENT.fullmatch, cells)):
        return "Use percent signs in the whole column, or leave them out."
    return "Correct these cells."
