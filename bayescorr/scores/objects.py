"""JSON: nested objects, lists of records, and JSON Lines."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from bayescorr.errors import ScoresError, listing
from bayescorr.scores.files import File, stem
from bayescorr.scores.measures import is_measure
from bayescorr.scores.questions import like_topics
from bayescorr.scores.tables import Format, Table

JSON_SUFFIXES = (".json", ".jsonl", ".gz")
#: How much of a long file is looked at to recognise its format, at both ends.
LOOK = 20_000
LONG = ["system", "topic", "measure", "score"]
_RECORDS = "Write one object per score, with the keys system, topic, measure and score."


def read_json(file: File) -> Table:
    """Read JSON: records, or objects of objects as pytrec_eval, ranx and pandas write them."""
    documents = _parse(file)
    if len(documents) > 1:
        return _records(file, documents)
    ((place, document),) = documents.items()
    if isinstance(document, dict) and set(document) == {"schema", "data"}:  # pandas' orient="table"
        document = document["data"]
    if isinstance(document, list):
        return _records(file, {f"item {i}": x for i, x in enumerate(document, start=1)})
    if not isinstance(document, dict):
        raise ScoresError(f"{file.path}: JSON without scores: {document!r}.", _RECORDS)
    if set(document) == {"columns", "index", "data"}:  # pandas' orient="split"
        return _split(file, document)
    if document and not any(isinstance(x, dict | list) for x in document.values()):
        if any(isinstance(x, str) for x in document.values()):
            return _records(file, {place: document})
        raise ScoresError(
            f"{file.path}: one number for each of {len(document)} keys: means, not scores.",
            "Provide the scores of each topic.",
        )
    return read_objects(document, str(file.path), stem(file.path))


def _parse(file: File) -> dict[str, Any]:
    """Parse a document, or one document per line (JSON Lines), by place."""
    try:
        return {"line 1": _load(file.text)}
    except json.JSONDecodeError as problem:
        if problem.msg != "Extra data":
            raise _malformed(file, f"line {problem.lineno}", problem.msg) from None
    except (ValueError, RecursionError) as problem:
        raise _malformed(file, "", problem) from None
    found = {}
    for place, line in file.lines.items():
        try:
            found[place] = _load(line)
        except (ValueError, RecursionError) as problem:
            raise _malformed(file, place, problem) from None
    return found


def json_document(file: File) -> Any:
    """Parse a file with one JSON document."""
    documents = _parse(file)
    if len(documents) > 1:
        raise _malformed(file, list(documents)[1], "a second document")
    return next(iter(documents.values()))


def json_lines(file: File, remedy: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line number and the JSON object of every line."""
    for number, line in enumerate(io.StringIO(file.text), start=1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
        except (ValueError, RecursionError) as problem:
            raise _malformed(file, f"line {number}", problem) from None
        if not isinstance(item, dict):
            raise ScoresError(
                f"{file.path}, line {number}: expected a JSON object; got {_kind(item)}.", remedy
            )
        yield number, item


def start_of_json(file: File) -> str:
    """Return the text of a file if it may be JSON, or its start and end if it is long."""
    text = file.text.lstrip() if file.path.suffix in JSON_SUFFIXES else ""
    if text[:1] not in ("{", "["):
        return ""
    return text if len(text) <= 2 * LOOK else text[:LOOK] + text[-LOOK:]


def _load(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_unique)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"key {twice!r} occurs twice in one object")
    return found


def _malformed(file: File, place: str, problem: Exception | str) -> ScoresError:
    if isinstance(problem, RecursionError):
        return ScoresError(f"{file.path}: JSON nested too deeply.", _RECORDS)
    reason = problem.msg if isinstance(problem, json.JSONDecodeError) else str(problem)
    where = f"{file.path}{', ' if place else ''}{place}"
    return ScoresError(f"{where}: malformed JSON ({reason}).", "Check the file, or write it again.")


def _records(file: File, records: dict[str, Any]) -> Table:
    """Make a table of objects: keys are columns, and a missing key is a missing cell."""
    header: dict[str, None] = {}
    for place, record in records.items():
        if not isinstance(record, dict) or not record:
            raise ScoresError(
                f"{file.path}, {place}: expected a JSON object with keys and values; got "
                f"{_kind(record)}.",
                _RECORDS,
            )
        for key, value in record.items():
            if isinstance(value, dict | list):
                raise ScoresError(
                    f"{file.path}, {place}: the value of {key!r} is {_kind(value)}; expected text "
                    "or a number.",
                    "Remove this key from all objects, or replace its value.",
                )
        header |= dict.fromkeys(record)
    if not header:
        raise ScoresError(f"{file.path}: an empty list.", _RECORDS)
    rows = [[record.get(key) for key in header] for record in records.values()]
    return Table.of_rows(str(file.path), list(header), rows, list(records))


def _split(file: File, document: dict[str, Any]) -> Table:
    index, columns, data = (document[key] for key in ("index", "columns", "data"))
    lists = all(isinstance(x, list) for x in (index, columns, data))
    if not lists or len(index) != len(data) or any(len(row) != len(columns) for row in data):
        raise ScoresError(
            f"{file.path}: the lists of columns, index and data differ in length.",
            'Write the table again with pandas\' to_json(orient="split").',
        )
    rows = [[label, *row] for label, row in zip(index, data, strict=True)]
    places = [f"row {i}" for i in range(1, len(rows) + 1)]
    return Table.of_rows(str(file.path), ["", *columns], rows, places, shape="auto")


def read_objects(document: dict[Any, Any], source: str, run: str) -> Table:
    """Make a table of objects in objects, two or three levels deep; ``run`` names a single run."""
    paths = list(_leaves(source, document, ()))
    depth = len(paths[0][0]) if paths else 0
    other = next((keys for keys, _ in paths if len(keys) != depth), None)
    if other is not None or depth not in (2, 3):
        found = f"{' > '.join(paths[0][0])} and {' > '.join(other)}" if other else f"{depth} levels"
        raise ScoresError(
            f"{source}: expected system > topic > score, with a level of measures if there are "
            f"several; got {found}.",
            _RECORDS,
        )
    levels = [list(dict.fromkeys(keys[i] for keys, _ in paths)) for i in range(depth)]
    measures = [i for i, keys in enumerate(levels) if all(map(is_measure, keys))]
    if depth == 2 and not measures:
        return _wide(source, dict(paths), levels)
    if len(measures) != 1:
        raise ScoresError(
            f"{source}: cannot tell which level holds the measure: {_first(levels)}.", _RECORDS
        )
    outer, *inner = (keys for i, keys in enumerate(levels) if i != measures[0])
    swapped = bool(inner) and like_topics(outer) and not like_topics(inner[0])
    rows = []
    for keys, value in paths:
        others = [key for i, key in enumerate(keys) if i != measures[0]][:: -1 if swapped else 1]
        # One run per file: topic > measure > score (pytrec_eval), measure > topic > score (ranx).
        system, topic = others if depth == 3 else (run, others[0])
        rows.append([system, topic, keys[measures[0]], value])
    places = [" > ".join(keys) for keys, _ in paths]
    notes = (f"Read the keys {listing(map(repr, outer), 2)} as topics.",) if swapped else ()
    table = Table.of_rows(source, list(LONG), rows, places, shape="long")
    return replace(table, notes=notes)


def _leaves(
    source: str, value: Any, keys: tuple[str, ...]
) -> Iterable[tuple[tuple[str, ...], Any]]:
    """Yield the keys and the value of every number."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(source, inner, (*keys, str(key)))
    elif isinstance(value, list | np.ndarray):
        raise ScoresError(
            f"{source}: a list of values at {' > '.join(keys)}, without topics.", _RECORDS
        )
    else:
        yield keys, value


def _wide(source: str, cells: dict[tuple[str, ...], Any], levels: list[list[str]]) -> Table:
    """Make a wide table of system > topic > score."""
    systems, topics = levels
    rows = [[topic, *(cells.get((system, topic)) for system in systems)] for topic in topics]
    places = [f"topic {topic!r}" for topic in topics]
    return Table.of_rows(source, ["", *systems], rows, places, shape="wide")


def _first(levels: list[list[str]]) -> str:
    return " > ".join(repr(keys[0]) for keys in levels)


def _kind(value: Any) -> str:
    if isinstance(value, dict):
        return "an object" if value else "an empty object"
    return "a list" if isinstance(value, list) else repr(value)


JSON = Format(
    "json",
    "JSON: a list of records or JSON Lines, wide or long; or objects in objects, system > topic > "
    "score, as pytrec_eval, ranx and pandas write them.",
    lambda file: file.text.lstrip()[:1] in ("{", "["),
    read_json,
    one_per_run=True,
)
