"""Parquet files."""

from __future__ import annotations

import io

import pandas as pd

from bayescorr.errors import ScoresError
from bayescorr.scores.files import File
from bayescorr.scores.tables import Format, Table, from_frame


def read_parquet(file: File) -> Table:
    """Read a Parquet file."""
    try:
        frame = pd.read_parquet(io.BytesIO(file.content))
    except (OSError, ValueError) as problem:
        reason = str(problem).splitlines()[0].rstrip(".")
        raise ScoresError(
            f"{file.path}: invalid or truncated Parquet file ({reason}).",
            "Copy or write the file again.",
        ) from None
    return from_frame(frame, str(file.path))


PARQUET = Format(
    "parquet",
    "Parquet file, wide or long.",
    lambda file: file.content.startswith(b"PAR1"),
    read_parquet,
)
