"""Parquet files."""

from __future__ import annotations

import io

from bayescorr.errors import ScoresError
from bayescorr.scores.files import File
from bayescorr.scores.tables import Format, Table, from_frame


def read_parquet(file: File) -> Table:
    """Read a Parquet file."""
    from pyarrow import parquet

    try:
        stored = parquet.ParquetFile(io.BytesIO(file.content))
        # Repeated values take little room in the file but as much as others in memory.
        file.check_size(8 * stored.metadata.num_rows * stored.metadata.num_columns)
        frame = stored.read().to_pandas()
    except ScoresError:
        raise
    except Exception as problem:  # pyarrow has errors of many types for damaged files
        reason = (str(problem).splitlines() or [type(problem).__name__])[0].rstrip(".")
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
