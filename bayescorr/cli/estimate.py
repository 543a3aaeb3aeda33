"""``bayescorr estimate``, ``discordance`` and ``estimators``: frequentist estimates."""

from __future__ import annotations

from typing import Annotated

import bayescorr
from bayescorr.cli._app import command
from bayescorr.cli._input import ScoresToRank
from bayescorr.cli._options import Level, Methods, Plot, Seed, coefficients_option, named, option
from bayescorr.cli._output import Output, list_pairs, show_notes, write_plot
from bayescorr.cli._progress import stage

PANEL = "Estimates"

# Wider matrices are unreadable in a terminal: the pairs that matter most are listed instead.
_MOST_COLUMNS = 12
_MOST_PAIRS = 20

Resamples = Annotated[int, option("Number of draws, or of resamples of the topics.")]


@command(
    "estimate",
    PANEL,
    examples=(
        "bayescorr estimate scores.csv",
        "bayescorr estimate demo --methods ML,RES --coefficients tau --seed 1",
    ),
)
def estimate_command(
    scores_in: ScoresToRank,
    output: Output,
    methods: Methods = [],  # noqa: B006 - typer takes a list and never changes it
    coefficients: Annotated[list[str], coefficients_option("tau, tau_ap")] = [],  # noqa: B006
    level: Level = 0.95,
    interval: Annotated[str, option("quantile (of the draws) or normal.")] = "quantile",
    draws: Resamples = 1000,
    seed: Seed = None,
) -> None:
    """Estimate the correlation with the true ranking."""
    scores = scores_in.load()
    with stage("estimating"):
        table = bayescorr.estimate(
            scores,
            **named(methods=methods, coefficients=coefficients),
            level=level,
            interval=interval,
            draws=draws,
            random_seed=seed,
            **scores_in.treatment,
        )
    output.show(table, f"{scores.shape[1]} systems, {scores.shape[0]} topics")
    show_notes(table.attrs["notes"])


@command(
    "discordance",
    PANEL,
    examples=("bayescorr discordance scores.csv --method ML --plot pairs.png",),
)
def discordance_command(
    scores_in: ScoresToRank,
    output: Output,
    method: Annotated[str, option("ML, MSQD, RES or KD.")] = "MSQD",
    plot: Plot = None,
    draws: Resamples = 1000,
    seed: Seed = None,
) -> None:
    """Estimate the probability that the true ranking swaps two systems."""
    from bayescorr.report.heatmap import plot_matrix

    scores = scores_in.load()
    with stage("estimating"):
        table = bayescorr.discordance(
            scores, method, draws=draws, random_seed=seed, **scores_in.treatment
        )
    title = f"P(truth swaps two systems), {method}"
    if len(table) > _MOST_COLUMNS and output.for_people:
        pairs = list_pairs(table, "discordance")
        closest = pairs.sort_values("discordance", ascending=False, kind="stable")
        output.show(closest.head(_MOST_PAIRS), f"{title}: the pairs hardest to tell apart", 3)
        show_notes(["use --csv or --json to print all pairs, or --plot to draw them."])
    else:
        output.show(table.rename_axis("system").reset_index(), title, 3)
    show_notes(table.attrs["notes"])
    if plot is not None:
        label = "P(truth swaps the two systems)"
        write_plot(plot_matrix(table, title=method, label=label, vmin=0.0, vmax=0.5), plot)


@command(
    "estimators",
    PANEL,
    examples=("bayescorr estimators",),
)
def estimators_command(output: Output) -> None:
    """List the estimators."""
    table = bayescorr.list_estimators()
    output.show(table.drop(columns="citation") if output.for_people else table)
