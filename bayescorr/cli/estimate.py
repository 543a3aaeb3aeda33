"""``bayescorr estimate``, ``discordance`` and ``estimators``: the frequentist side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from bayescorr.cli._input import (
    DropIdenticalOption,
    DropWorstOption,
    FormatOption,
    MeasureOption,
    ScoresArgument,
    load_scores,
)
from bayescorr.cli._notes import show_notes, warnings_as_notes
from bayescorr.cli._options import LowerOption, SeedOption, split_names
from bayescorr.cli._output import CsvOption, JsonOption, LatexOption, show_frame
from bayescorr.errors import BayescorrError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

PANEL = "Estimates"

# A wider matrix cannot be read in a terminal: the pairs that matter most are listed instead.
_MOST_COLUMNS = 12
_MOST_PAIRS = 20

DrawsOption = Annotated[int, typer.Option("--draws", help="Draws or resamples of the topics.")]
MissingOption = Annotated[
    str, typer.Option("--missing", help="Missing scores: error, drop (topics) or zero.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("estimate", rich_help_panel=PANEL)(estimate_command)
    app.command("discordance", rich_help_panel=PANEL)(discordance_command)
    app.command("estimators", rich_help_panel=PANEL)(estimators_command)


def estimate_command(
    source: ScoresArgument,
    methods: Annotated[
        list[str],
        typer.Option("--methods", help="Names with commas, or several times; see 'estimators'."),
    ] = ["ML,MSQD,RES,KD"],  # noqa: B006 - typer takes a list and never changes it
    coefficients: Annotated[
        list[str],
        typer.Option("--coefficients", help="Names with commas, or several times."),
    ] = ["tau,tau_ap"],  # noqa: B006
    level: Annotated[float, typer.Option("--level", help="Level of the intervals.")] = 0.95,
    interval: Annotated[
        str, typer.Option("--interval", help="quantile (of the draws) or normal.")
    ] = "quantile",
    measure: MeasureOption = None,
    format: FormatOption = "auto",
    drop_worst: DropWorstOption = 0.0,
    drop_identical: DropIdenticalOption = False,
    missing: MissingOption = "error",
    lower_is_better: LowerOption = False,
    draws: DrawsOption = 1000,
    seed: SeedOption = None,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
    as_latex: LatexOption = False,
) -> None:
    """Estimate the correlation of the observed with the true ranking, with intervals."""
    import bayescorr

    with warnings_as_notes():
        scores = load_scores(
            source,
            format=format,
            measure=measure,
            drop_worst=drop_worst,
            drop_identical=drop_identical,
            higher_is_better=not lower_is_better,
        )
        table = bayescorr.estimate(
            scores,
            split_names(methods),
            split_names(coefficients),
            level,
            interval=interval,
            draws=draws,
            higher_is_better=not lower_is_better,
            missing=missing,
            random_seed=seed,
        )
    title = f"{scores.shape[1]} systems, {scores.shape[0]} topics"
    show_frame(table, as_json=as_json, as_csv=as_csv, as_latex=as_latex, title=title)
    show_notes(table.attrs["notes"])


def discordance_command(
    source: ScoresArgument,
    method: Annotated[str, typer.Option("--method", help="ML, MSQD, RES or KD.")] = "MSQD",
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", help="Also draw a heat map: .png, .svg or .pdf.", show_default=False
        ),
    ] = None,
    measure: MeasureOption = None,
    format: FormatOption = "auto",
    drop_worst: DropWorstOption = 0.0,
    drop_identical: DropIdenticalOption = False,
    missing: MissingOption = "error",
    lower_is_better: LowerOption = False,
    draws: DrawsOption = 1000,
    seed: SeedOption = None,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
    as_latex: LatexOption = False,
) -> None:
    """Estimate the probability that the truth swaps each pair of systems."""
    import bayescorr

    with warnings_as_notes():
        scores = load_scores(
            source,
            format=format,
            measure=measure,
            drop_worst=drop_worst,
            drop_identical=drop_identical,
            higher_is_better=not lower_is_better,
        )
        table = bayescorr.discordance(
            scores,
            method,
            draws=draws,
            higher_is_better=not lower_is_better,
            missing=missing,
            random_seed=seed,
        )
    title = f"P(truth swaps two systems), {method}"
    if len(table) > _MOST_COLUMNS and not (as_json or as_csv or as_latex):
        show_frame(_closest(table), title=f"{title}: the pairs hardest to tell apart", digits=3)
        show_notes(["--csv or --json gives all pairs, --plot a picture of them."])
    else:
        matrix = table.rename_axis("system").reset_index()
        show_frame(matrix, as_json=as_json, as_csv=as_csv, as_latex=as_latex, title=title, digits=3)
    show_notes(table.attrs["notes"])
    if plot is not None:
        _draw(table, method, plot)


def estimators_command(as_json: JsonOption = False) -> None:
    """List the estimators: what each does and offers."""
    import bayescorr

    table = bayescorr.list_estimators()
    show_frame(table if as_json else table.drop(columns="citation"), as_json=as_json)


def _draw(table: pd.DataFrame, method: str, path: Path) -> None:
    from bayescorr.report.heatmap import plot_matrix

    label = "P(truth swaps the two systems)"
    axes = plot_matrix(table, title=method, label=label, vmin=0.0, vmax=0.5)
    try:
        cast("Figure", axes.figure).savefig(path, dpi=150, bbox_inches="tight")
    except (OSError, ValueError) as problem:
        raise BayescorrError(
            f"{path}: cannot be written: {str(problem).splitlines()[0]}.",
            "Check the path, and end it with .png, .svg or .pdf.",
        ) from None
    show_notes([f"heat map written to {path}."])


def _closest(table: pd.DataFrame) -> pd.DataFrame:
    """List the pairs that are hardest to tell apart, the better system first."""
    import numpy as np
    import pandas as pd

    low, high = np.tril_indices(len(table), -1)
    pairs = pd.DataFrame(
        {
            "system": table.index[high],
            "other": table.index[low],
            "discordance": table.to_numpy()[low, high],
        }
    )
    return pairs.sort_values("discordance", ascending=False, kind="stable").head(_MOST_PAIRS)
