"""``bayescorr simulate``: a new collection like a given one, with known true means."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bayescorr.cli._input import (
    DropIdenticalOption,
    DropWorstOption,
    FormatOption,
    MeasureOption,
    MissingAtOnceOption,
    ScoresArgument,
    check_out,
    load_scores,
    write_scores,
)
from bayescorr.cli._options import LowerOption, SeedOption
from bayescorr.cli._output import CsvOption, JsonOption, LatexOption, show_frame
from bayescorr.errors import OptionError, choose


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("simulate", rich_help_panel="Studies")(simulate_command)


def simulate_command(
    source: ScoresArgument,
    topics: Annotated[int, typer.Option("--topics", help="Number of topics to draw.", min=1)],
    out: Annotated[
        Path, typer.Option("--out", help="File for the scores: .csv, .tsv (.gz) or .parquet.")
    ],
    simulator: Annotated[
        str,
        typer.Option(
            "--simulator",
            help="effects (Urbano 2016), or copula: margins and a copula (Urbano & Nagler 2018).",
        ),
    ] = "effects",
    support: Annotated[
        str | None,
        typer.Option(
            "--support", help="For the copula, of scores on a grid: p10, rr ...", show_default=False
        ),
    ] = None,
    seed: SeedOption = None,
    drop_worst: DropWorstOption = 0.0,
    drop_identical: DropIdenticalOption = False,
    format: FormatOption = "auto",
    measure: MeasureOption = None,
    missing: MissingAtOnceOption = "error",
    lower_is_better: LowerOption = False,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
    as_latex: LatexOption = False,
) -> None:
    """Draw scores on new topics from a simulator fitted to scores; show the true means."""
    choose(simulator, ("copula", "effects"), "simulator")
    if support is not None and simulator == "effects":
        raise OptionError(
            "The effects simulator draws continuous scores only.",
            "Leave out --support, or add --simulator copula.",
        )
    check_out(out)
    import bayescorr

    scores = load_scores(
        source,
        format=format,
        measure=measure,
        missing=missing,
        drop_worst=drop_worst,
        drop_identical=drop_identical,
        higher_is_better=not lower_is_better,
    )
    fitted = (
        bayescorr.EffectsSimulator(scores)
        if simulator == "effects"
        else bayescorr.CopulaSimulator(scores, support=support)
    )
    drawn = fitted.sample(topics, random_seed=seed)
    write_scores(drawn, out)
    means = fitted.true_means.to_frame().assign(observed_mean=drawn.mean())
    show_frame(
        means.sort_values("true_mean", ascending=False).rename_axis("system").reset_index(),
        as_json=as_json,
        as_csv=as_csv,
        as_latex=as_latex,
        title=f"{topics} topics x {len(means)} systems written to {out}",
    )
