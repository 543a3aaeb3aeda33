"""The parts of a study's results: one Parquet file per unit, checked when it is read.

The metadata of a part hold its unit, the seed of the study, the digest of the scores it was
simulated from and that of its rows. A part that was truncated, garbled, renamed or swapped with
another is therefore noticed. Parts of the first releases have no such metadata; their rows must
still be those of their unit.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from bayescorr.study.definition import Study
from bayescorr.study.work import KEYS, Unit, methods_of

_TEXT = ("source", "simulator", "method", "coefficient", "diagnostics")
_WHOLE = ("n_topics", "trial")
#: Columns that earlier versions did not write; their rows have NaN there.
_LATER = ("pit",)
_METADATA = b"bayescorr"


class Damage(Exception):
    """Why a file is not a part of the results."""


def write_part(
    path: Path, unit: Unit, rows: list[dict[str, Any]], study: Study, digest: str
) -> None:
    """Write the results of a unit, simulated from scores with this digest."""
    table = pa.table({c: pa.array([row[c] for row in rows], type=_type(c)) for c in rows[0]})
    record = _record(unit, study, digest) | {"rows": digest_rows(table)}
    metadata = {_METADATA: json.dumps(record).encode()}
    pa.parquet.write_table(table.replace_schema_metadata(metadata), path)


def unit_of(path: Path, study: Study) -> Unit:
    """Return the unit that a file is named after."""
    try:
        unit = Unit.from_key(path.name.removesuffix(".parquet"))
    except ValueError:
        raise Damage("its name is not that of a batch") from None
    if unit.cell not in study.cells:
        raise Damage("the study has no such source, simulator or number of topics")
    return unit


def read_part(path: Path, unit: Unit, study: Study, digest: str | None) -> pa.Table:
    """Return the rows of a unit; raise Damage if the file holds anything else."""
    try:
        table = pa.parquet.ParquetFile(path).read()
    # A garbled file makes Arrow raise errors of any kind.
    except Exception as problem:
        lines = str(problem).splitlines() or [type(problem).__name__]
        raise Damage(f"unreadable: {lines[0].rstrip('.')}") from None
    metadata = (table.schema.metadata or {}).get(_METADATA)
    table = table.replace_schema_metadata(None)
    lacking = [c for c in _columns(study) if c not in table.column_names]
    if wrong := [c for c in lacking if c not in _LATER]:
        raise Damage(f"column {wrong[0]} is missing")
    table = table.select([c for c in _columns(study) if c not in lacking])
    for name in table.column_names:
        if table.schema.field(name).type != _type(name) or table[name].null_count:
            raise Damage(f"column {name} must hold {_type(name)} without gaps")
    if metadata is not None:
        _check_record(metadata, _record(unit, study, digest), digest_rows(table))
    expected = [
        (*unit.cell, trial, method.name, coefficient)
        for trial in unit.trials
        for method in methods_of(study, unit, trial)
        for coefficient in study.coefficients
    ]
    found = list(zip(*(table[name].to_pylist() for name in KEYS), strict=True))
    if sorted(found) != sorted(expected):
        raise Damage("its rows are not those of its batch")
    for name in lacking:
        table = table.append_column(name, pa.array(np.full(len(table), np.nan)))
    return table.select(_columns(study))


def _check_record(metadata: bytes, expected: dict[str, Any], rows: str) -> None:
    try:
        record = dict(json.loads(metadata))
    except (TypeError, ValueError):
        raise Damage("its metadata are garbled") from None
    if record.get("unit") != expected["unit"]:
        raise Damage(f"it holds the batch {record.get('unit')}")
    if record.get("seed") != expected["seed"]:
        raise Damage("it was run with another seed")
    if expected["scores"] is not None and record.get("scores") != expected["scores"]:
        raise Damage("it was simulated from other scores")
    if record.get("rows") != rows:
        raise Damage("its rows were changed")


def _record(unit: Unit, study: Study, digest: str | None) -> dict[str, Any]:
    return {"unit": unit.key, "seed": study.seed, "scores": digest}


def _columns(study: Study) -> list[str]:
    ends = [f"{end}_{level:g}" for level in study.levels for end in ("lower", "upper")]
    return [*KEYS, "actual", "estimate", "sd", "pit", *ends, "seconds", "diagnostics"]


def digest_rows(table: pa.Table) -> str:
    """Return the SHA-256 of the names and values of the columns."""
    found = hashlib.sha256()
    for name in table.column_names:
        found.update(f"{name}\n".encode())
        if name in _TEXT:
            found.update(json.dumps(table[name].to_pylist()).encode())
        else:
            kind = "<i8" if name in _WHOLE else "<f8"
            found.update(np.ascontiguousarray(table[name].to_numpy(), dtype=kind).tobytes())
    return found.hexdigest()


def _type(name: str) -> pa.DataType:
    return pa.string() if name in _TEXT else pa.int64() if name in _WHOLE else pa.float64()
