"""``bayescorr rank-sets``: credible and confidence sets for ranks, side by side."""

from __future__ import annotations

from typing import Annotated

import typer

import bayescorr
from bayescorr.cli._app import command
from bayescorr.cli._input import ScoresOrFit
from bayescorr.cli._options import Level, option
from bayescorr.cli._output import Output, show_notes
from bayescorr.cli._progress import stage
from bayescorr.cli._sampling import Fitting, finish
from bayescorr.errors import choose


def _check_bootstrap(kind: str) -> None:
    from bayescorr.frequentist.rank_sets import BOOTSTRAPS

    choose(kind, BOOTSTRAPS, "bootstrap")


@command(
    "rank-sets",
    "Planning and decisions",
    examples=(
        "bayescorr rank-sets scores.csv --seed 1",
        "bayescorr rank-sets fit.nc --top 5 --level 0.9",
    ),
)
def rank_sets_command(
    context: typer.Context,
    scores_in: ScoresOrFit,
    sampling: Fitting,
    output: Output,
    top: Annotated[int, option("Size of the top to find sets for.", min=1)] = 1,
    bootstrap: Annotated[
        str,
        option(
            "How confidence sets resample topics: normal, topics or plug-in.",
            check=_check_bootstrap,
        ),
    ] = "normal",
    resamples: Annotated[
        int, option("Number of resamples of the topics, for confidence sets.", min=1)
    ] = 1000,
    level: Level = 0.95,
) -> None:
    """Show which true ranks are possible: credible and confidence sets that hold together."""
    from bayescorr._numbers import check_count

    fit = scores_in.fit(
        context, sampling, lambda scores: check_count(top, "top", most=scores.shape[1])
    )
    with stage("finding sets of ranks"):
        table = bayescorr.compare_rank_sets(
            fit,
            top,
            level,
            bootstrap=bootstrap,
            resamples=resamples,
            random_seed=sampling.seed,
        )
    output.show(table, f"True ranks and top {top}, {level * 100:g}% sets that hold together")
    show_notes(table.attrs["notes"])
    finish(fit.convergence)
