"""How commands take scores: a file of any format, or the name of a data set."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bayescorr.cli._notes import warnings_as_notes
from bayescorr.errors import BayescorrError, OptionError
from bayescorr.scores import load
from bayescorr.scores.load import leave_out as leave_out

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


def load_scores(source: str, **options: Any) -> pd.DataFrame:
    """Read scores as :func:`bayescorr.scores.load.load_scores`; say whose a public data set is."""
    with warnings_as_notes():
        scores = load.load_scores(source, **options)
    if scores.attrs.get("name", "demo") != "demo":
        show_credit(scores)
    return scores


def show_credit(scores: pd.DataFrame) -> None:
    """Print licence and citation of a data set to standard error."""
    print(f"Licence: {scores.attrs['licence']}. Cite: {scores.attrs['citation']}", file=sys.stderr)


def check_out(path: Path | None) -> None:
    """Say that scores cannot be written before there are any."""
    if path is None:
        return
    _format(path)
    if not path.absolute().parent.is_dir():
        raise BayescorrError(
            f"{path}: cannot be written: there is no folder {str(path.parent)!r}.", "Make it first."
        )


def _format(path: Path) -> str:
    kind = next((ending for ending in WRITERS if path.name.endswith(ending)), None)
    if kind is None:
        raise OptionError(
            f"Cannot tell a format from the file name {path.name!r}.",
            f"End it with one of: {', '.join(WRITERS)}.",
        )
    return kind


def write_scores(scores: pd.DataFrame, path: Path) -> None:
    """Write a wide table in the format that the ending of the file name says."""
    kind = _format(path)
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
