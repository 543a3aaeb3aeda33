"""``bayescorr topics`` and ``agree``: how many topics, and how true rankings agree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

import bayescorr
from bayescorr.cli._app import command
from bayescorr.cli._input import Reading, ScoresOrFit
from bayescorr.cli._options import (
    Coefficient,
    Coefficients,
    Level,
    Plot,
    argument,
    check_share,
    named,
    option,
)
from bayescorr.cli._output import Output, show_json, show_notes, show_table, write_plot
from bayescorr.cli._progress import stages
from bayescorr.cli._sampling import Fitting, Sampling, finish, in_words
from bayescorr.errors import OptionError, render

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit

PANEL = "Planning and decisions"


def _check_target(target: float) -> None:
    from bayescorr.planning.predictive import check_target

    check_target(target)


def _sizes(text: str) -> list[int]:
    """Read the numbers of ``--topics``."""
    try:
        return [int(size) for size in text.split(",") if size.strip()]
    except ValueError:
        raise OptionError(
            f"--topics must be whole numbers separated by commas; got {text!r}.",
            "Example: --topics 25,50,100",
        ) from None


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What to reach, and with which topic sets."""

    panel: ClassVar = "Plan"

    target: Annotated[float, option("Value to reach.", check=_check_target)] = 0.9
    probability: Annotated[
        float, option("Probability of reaching the target.", check=check_share("probability"))
    ] = 0.95
    coefficient: Coefficient = "tau"
    sizes: Annotated[
        str | None,
        option(
            "Sizes of topic sets to predict for.",
            "--topics",
            metavar="N,N,...",
            check=_sizes,
            default="half to eight times the number of topics",
        ),
    ] = None
    extend: Annotated[bool, option("Add topics to the existing ones.")] = False
    max_topics: Annotated[int, option("Largest number of topics to consider.")] = 10_000


@command(
    "topics",
    PANEL,
    examples=(
        "bayescorr topics scores.csv --target 0.9 --probability 0.95",
        "bayescorr topics fit.nc --extend --plot topics.png",
    ),
)
def topics_command(
    context: typer.Context,
    goal: Goal,
    scores_in: ScoresOrFit,
    sampling: Fitting,
    output: Output,
    plot: Plot = None,
    level: Level = 0.95,
) -> None:
    """Predict how many topics a reliable ranking needs."""
    if scores_in.is_fit:
        fit = scores_in.load_fit(context, sampling)
    else:
        fit = sampling.fit(scores_in.load(), **scores_in.treatment)
    name, target = goal.coefficient, goal.target
    options: dict[str, Any] = {"extend": goal.extend, "random_seed": sampling.seed}
    sizes = None if goal.sizes is None else _sizes(goal.sizes)
    with stages() as begin:
        begin("predicting other topic sets")
        needed = bayescorr.topics_needed(
            fit, name, target, goal.probability, max_topics=goal.max_topics, **options
        )
        plan = bayescorr.expected_coefficient(fit, sizes, name, **options)
        curve = plan.table(level, target)
        reliability, reliable = _reliability(fit, curve["n_topics"], level)
    words = render(needed.text, shell=True)
    if output.as_json:
        show_json(
            {
                "summary": words,
                "needed": needed.table(),
                "curve": curve,
                "generalizability": reliability,
                "generalizability_needed": reliable,
                "converged": fit.convergence.passed,
            }
        )
    else:
        kind = "extended" if goal.extend else "new"
        output.show(curve, f"{name} with the true ranking, by {kind} topic sets")
    if output.for_people:
        show_table(needed.table(), "Topics needed")
        if reliability is not None:
            show_table(reliability, "Generalizability theory, by number of topics")
            show_table(reliable, "Generalizability theory: topics needed for 0.95")
        print(words)
    if plot is not None:
        write_plot(plan.plot(level, target=target), plot)
    finish(fit.convergence)


@command(
    "agree",
    PANEL,
    examples=("bayescorr agree human.csv llm.csv --seed 1",),
)
def agree_command(
    source: Annotated[str, argument("SCORES", "Scores under the first condition.")],
    other: Annotated[
        str,
        argument(
            "SCORES", "Scores of the same systems on the same topics under another condition."
        ),
    ],
    reading: Reading,
    sampling: Sampling,
    output: Output,
    coefficients: Coefficients = [],  # noqa: B006 - typer takes a list and never changes it
    level: Level = 0.95,
    other_measure: Annotated[
        str | None, option("Measure to read from the second file.", default="same as --measure")
    ] = None,
    other_lower_is_better: Annotated[
        bool | None,
        option(
            "The ranking order of the second file.",
            "--other-lower-is-better/--other-higher-is-better",
            default="same as the first",
        ),
    ] = None,
) -> None:
    """Correlate the true rankings under two conditions."""
    lower = reading.lower_is_better
    other_lower = lower if other_lower_is_better is None else other_lower_is_better
    first = reading.read(source)
    second = reading.read(other, measure=other_measure or reading.measure)
    with stages() as begin:
        begin("fitting the model")
        agreement = bayescorr.fit_pair(
            first,
            second,
            missing=reading.treatment["missing"],
            higher_is_better=(not lower, not other_lower),
            progressbar=False,
            **sampling.options,
        )
    table = agreement.estimates(level, **named(coefficients=coefficients)).drop(columns="method")
    output.show(table, f"True ranking by {source} with that by {other}")
    show_notes([in_words(agreement.convergence)])
    finish(agreement.convergence, say=False)


def _reliability(fit: Fit, sizes: Iterable[int], level: float) -> tuple[Any, Any]:
    """Return coefficients of generalizability theory and topics needed, None for missing scores."""
    if fit.scores.isna().to_numpy().any():
        return None, None
    theory = bayescorr.generalizability(fit.scores)
    return theory.coefficients([int(n) for n in sizes], level), theory.topics_needed(level=level)
