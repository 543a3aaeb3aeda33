"""``bayescorr scores`` and ``bayescorr score-runs``: look at scores, convert them, make them."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from bayescorr.cli._input import (
    DropIdenticalOption,
    DropWorstOption,
    FormatOption,
    MeasureOption,
    ScoresArgument,
    check_out,
    load_scores,
    write_scores,
)
from bayescorr.cli._notes import warnings_as_notes
from bayescorr.cli._options import LowerOption
from bayescorr.cli._output import JsonOption, show_json

PANEL = "Scores"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("scores", rich_help_panel=PANEL)(scores_command)
    app.command("score-runs", rich_help_panel=PANEL)(score_runs_command)


def scores_command(
    source: ScoresArgument,
    measure: MeasureOption = None,
    format: FormatOption = "auto",
    drop_worst: DropWorstOption = 0.0,
    drop_identical: DropIdenticalOption = False,
    lower_is_better: LowerOption = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Also write the scores as .csv, .tsv (.gz) or .parquet."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Describe scores: size, spread, variance components, systems that cannot be told apart."""
    import bayescorr

    check_out(out)
    scores = load_scores(
        source,
        format=format,
        measure=measure,
        drop_worst=drop_worst,
        drop_identical=drop_identical,
        higher_is_better=not lower_is_better,
    )
    description = bayescorr.describe_scores(scores)
    if out is not None:
        write_scores(scores, out)
    if as_json:
        # NaN is not JSON.
        show_json({k: None if v != v else v for k, v in asdict(description).items()})
        return
    print(description)


def score_runs_command(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUNS...", help="Run files, folders or patterns; .gz is fine."),
    ],
    qrels: Annotated[Path, typer.Option("--qrels", help="Relevance judgments.")],
    measure: Annotated[
        str, typer.Option("--measure", help="A measure of ir-measures: AP, nDCG@10, P@10 ...")
    ] = "AP",
    missing: Annotated[
        str,
        typer.Option("--missing", help="Topics without results: zero, drop, error or model."),
    ] = "zero",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="File to write: .csv, .tsv (.gz) or .parquet. Else CSV is printed."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Score TREC runs against qrels and write the table of topics by systems."""
    import bayescorr

    check_out(out)
    with warnings_as_notes():
        scores = bayescorr.score_runs(runs, qrels, measure, missing)
    unscored, unjudged = scores.attrs["unscored"], scores.attrs["unjudged"]
    if unscored:
        treatment = {"zero": "counted as 0", "drop": "their topics are left out"}
        print(
            f"{unscored} scores without results in the run: {treatment.get(missing, 'missing')}.",
            file=sys.stderr,
        )
    if unjudged:
        print(f"{unjudged} topics of the runs are not in the qrels: left out.", file=sys.stderr)
    labelled = scores.rename_axis(index="topic")
    if out is not None:
        write_scores(scores, out)
    if as_json:
        show_json(labelled.reset_index())
    elif out is None:
        print(labelled.to_csv(), end="")
    elif scores.shape[1] == 1:
        print(f"1 system, {len(scores)} topics; mean {scores.iloc[:, 0].mean():.4f}.")
    else:
        print(bayescorr.describe_scores(scores))
