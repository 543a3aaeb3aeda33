"""``bayescorr allocate``: how to spend new items over the tasks of a benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import bayescorr
from bayescorr.cli._app import command
from bayescorr.cli._input import ScoresOrFit
from bayescorr.cli._options import Coefficient, Level, check_defined, option
from bayescorr.cli._output import Output, show_json, show_table
from bayescorr.cli._progress import stage
from bayescorr.cli._sampling import Fitting, finish

if TYPE_CHECKING:
    import pandas as pd


@command(
    "allocate",
    "Planning and decisions",
    examples=(
        "bayescorr allocate scores.csv --strata tasks.csv --spend 500",
        "bayescorr allocate fit.nc --spend 1000",
    ),
)
def allocate_command(
    context: typer.Context,
    scores_in: ScoresOrFit,
    sampling: Fitting,
    output: Output,
    spend: Annotated[int, option("Number of new items.", min=1)] = 500,
    coefficient: Coefficient = "tau",
    level: Level = 0.95,
) -> None:
    """Divide new items among tasks so that the ranking improves most; needs --strata."""
    from bayescorr.planning.allocation import check_tasks

    def check(scores: pd.DataFrame) -> None:
        check_tasks(scores)
        check_defined([coefficient], scores.shape[1])

    fit = scores_in.fit(context, sampling, check)
    with stage("dividing items among tasks"):
        found = bayescorr.allocate_items(fit, spend, coefficient, random_seed=sampling.seed)
    if output.as_json:
        show_json(
            {
                "summary": str(found),
                "items": found.items,
                "plans": found.table(level),
                "converged": fit.convergence.passed,
            }
        )
    else:
        output.show(found.items, f"{spend:,} new items by task")
    if output.for_people:
        show_table(found.table(level), f"{found.coefficient} with the true ranking, by plan")
        print(found)
    finish(fit.convergence)
