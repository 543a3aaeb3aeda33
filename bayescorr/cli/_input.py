"""How commands take scores: a file of any format, or the name of a data set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bayescorr.errors import BayescorrError, OptionError
from bayescorr.scores.load import leave_out as leave_out
from bayescorr.scores.load import load_scores as load_scores

if TYPE_CHECKING:
    import pandas as pd

ScoresArgument = Annotated[
    str,
    typer.Argument(
        metavar="SCORES",
        help="File of scores, folder or pattern of trec_eval outputs, or name of a data set.",
        show_default=False,
    ),
]
MeasureOption = Annotated[
    str | None,
    typer.Option(
        "--measure", help="Measure to read, where a file has several.", show_default=False
    ),
]
FormatOption = Annotated[
    str,
    typer.Option("--format", help="auto, wide, matrix, long, parquet, trec_eval or ir_measures."),
]
MissingAtOnceOption = Annotated[
    str, typer.Option("--missing", help="Missing scores: error, drop (topics) or zero.")
]
DropWorstOption = Annotated[
    float, typer.Option("--drop-worst", metavar="FRACTION", help="Leave out the worst systems.")
]
DropIdenticalOption = Annotated[
    bool, typer.Option("--drop-identical", help="Keep one of each set of identical systems.")
]

WRITERS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")


def write_scores(scores: pd.DataFrame, path: Path) -> None:
    """Write a wide table in the format that the ending of the file name says."""
    kind = next((ending for ending in WRITERS if path.name.endswith(ending)), None)
    if kind is None:
        raise OptionError(
            f"Cannot tell a format from the file name {path.name!r}.",
            f"End it with one of: {', '.join(WRITERS)}.",
        )
    labelled = scores.rename(index=str, columns=str).rename_axis(index="topic")
    try:
        if kind == ".parquet":
            labelled.to_parquet(path)
        else:
            labelled.to_csv(path, sep="\t" if ".tsv" in kind else ",")
    except OSError as problem:
        raise BayescorrError(
            f"{path}: cannot be written: {problem.strerror or problem}.", "Check the path."
        ) from None
