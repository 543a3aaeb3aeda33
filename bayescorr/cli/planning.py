"""``bayescorr topics``: how many topics a ranking needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

import bayescorr
from bayescorr.cli._app import command, typed
from bayescorr.cli._input import ScoresOrFit
from bayescorr.cli._options import (
    Coefficient,
    Level,
    Plot,
    check_defined,
    check_share,
    check_target,
    option,
)
from bayescorr.cli._output import Output, show_json, show_table, write_plot
from bayescorr.cli._progress import stage
from bayescorr.cli._sampling import Fitting, finish
from bayescorr.errors import OptionError, listing, render

if TYPE_CHECKING:
    import pandas as pd

    from bayescorr.bayes.result import Fit

PANEL = "Planning and decisions"


def _check_rope(rope: float) -> None:
    from bayescorr.claims.decisions import check_rope

    check_rope(rope)


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

    target: Annotated[float, option("Value to reach.", check=check_target)] = 0.9
    probability: Annotated[
        float | None,
        option(
            "Probability of reaching the target, or of deciding.",
            check=check_share("probability"),
            default="0.95 for a target, 0.8 for a decision",
        ),
    ] = None
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


@dataclass(frozen=True, kw_only=True)
class Deciding:
    """What to decide, instead of reaching a target."""

    panel: ClassVar = "Decide"

    pair: Annotated[
        tuple[str, str] | None,
        option("Plan until it is decided which of two systems is better.", metavar="A B"),
    ] = None
    winner: Annotated[bool, option("Plan until the best system is decided.")] = False
    top: Annotated[
        int | None, option("Plan until the k best systems are decided.", metavar="K")
    ] = None
    rope: Annotated[
        float,
        option("Differences of true means up to this count as equal.", check=_check_rope),
    ] = 0.0

    def check(self, scores: pd.DataFrame) -> None:
        """Raise an error unless the question can be asked of these scores."""
        from bayescorr.planning.decisions import check_question

        check_question(list(map(str, scores)), self.pair, self.top)

    def question(self, context: typer.Context) -> dict[str, Any] | None:
        """Return the question as arguments of the library; None if there is none."""
        asked = {"--pair": self.pair is not None, "--winner": self.winner}
        asked["--top"] = self.top is not None
        names = [name for name, given in asked.items() if given]
        others = [f"--{p.name}" for p in typed(context, ["target", "coefficient"])]
        if len(names) > 1 or (names and others):
            raise OptionError(
                f"Cannot plan for {listing([*names, *others], separator=' and ')} at once.",
                "Choose one of them.",
            )
        if not names:
            if typed(context, ["rope"]):
                raise OptionError("--rope needs --pair, --winner or --top.")
            return None
        return {"pair": self.pair, "top": 1 if self.winner else self.top, "rope": self.rope}


@command(
    "topics",
    PANEL,
    examples=(
        "bayescorr topics scores.csv --target 0.9 --probability 0.95",
        "bayescorr topics fit.nc --extend --plot topics.png",
        "bayescorr topics fit.nc --extend --pair bm25 dph --rope 0.01",
        "bayescorr topics fit.nc --winner",
    ),
)
def topics_command(
    context: typer.Context,
    goal: Goal,
    deciding: Deciding,
    scores_in: ScoresOrFit,
    sampling: Fitting,
    output: Output,
    plot: Plot = None,
    level: Level = 0.95,
) -> None:
    """Predict how many topics a reliable ranking needs, or a decision about systems.

    Also predicts how rankings by other topics would agree with this one. With --pair, --winner or
    --top, the level is the probability from which a posterior decides.
    """
    question = deciding.question(context)

    def check(scores: pd.DataFrame) -> None:
        check_defined([goal.coefficient], scores.shape[1])
        deciding.check(scores)

    fit = scores_in.fit(context, sampling, check)
    if question is None:
        _plan_target(fit, goal, output, plot, level, sampling.seed)
    else:
        _plan_decision(fit, goal, question | {"level": level}, output, plot, sampling.seed)
    finish(fit.convergence)


def _plan_target(
    fit: Fit, goal: Goal, output: Output, plot: Path | None, level: float, seed: int | None
) -> None:
    """Print how many topics a coefficient needs to reach its target."""
    name, target = goal.coefficient, goal.target
    options: dict[str, Any] = {"extend": goal.extend, "random_seed": seed}
    probability = 0.95 if goal.probability is None else goal.probability
    sizes = None if goal.sizes is None else _sizes(goal.sizes)
    with stage("predicting other topic sets"):
        needed = bayescorr.topics_needed(
            fit, name, target, probability, max_topics=goal.max_topics, **options
        )
        plan = bayescorr.expected_coefficient(fit, sizes, name, **options)
        curve = plan.table(level, target)
        reliability, reliable = _reliability(fit, curve["n_topics"], level)
        agreement = None
        if not goal.extend:
            agreement = fit.predict_agreement(sizes, random_seed=seed)
    words = render(needed.text, shell=True)
    if output.as_json:
        show_json(
            {
                "summary": words,
                "needed": needed.table(),
                "curve": curve,
                "generalizability": reliability,
                "generalizability_needed": reliable,
                "agreement": None if agreement is None else agreement.table(level),
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
        if agreement is not None:
            show_table(agreement.table(level), "This ranking with those by new topic sets")
            words += f" {agreement.in_words(level)}"
        print(words)
    if plot is not None:
        write_plot(plan.plot(level, target=target), plot)


def _plan_decision(
    fit: Fit,
    goal: Goal,
    question: dict[str, Any],
    output: Output,
    plot: Path | None,
    seed: int | None,
) -> None:
    """Print how many topics decide a question about systems."""
    if question["pair"] is not None:
        labels = {str(system): system for system in fit.systems}
        question["pair"] = tuple(labels[name] for name in question["pair"])
    options: dict[str, Any] = {**question, "extend": goal.extend, "random_seed": seed}
    probability = 0.8 if goal.probability is None else goal.probability
    sizes = None if goal.sizes is None else _sizes(goal.sizes)
    with stage("predicting other topic sets"):
        needed = bayescorr.topics_to_decide(
            fit, probability=probability, max_topics=goal.max_topics, **options
        )
        plan = bayescorr.expected_decision(fit, sizes, **options)
    words, notes = render(needed.text, shell=True), needed.question.notes
    if output.as_json:
        show_json(
            {
                "summary": words,
                "notes": notes,
                "needed": needed.table(),
                "curve": plan.table(),
                "never": needed.never,
                "converged": fit.convergence.passed,
            }
        )
    else:
        kind = "extended" if goal.extend else "new"
        output.show(plan.table(), f"Deciding {needed.question.words}, by {kind} topic sets")
    if output.for_people:
        show_table(needed.table(), "Topics needed")
        print(words)
        print(*notes, sep="\n")
    if plot is not None:
        write_plot(plan.plot(probability=probability), plot)


def _reliability(fit: Fit, sizes: Iterable[int], level: float) -> tuple[Any, Any]:
    """Return coefficients of generalizability theory and topics needed.

    None for missing scores, and for weighted means over tasks.
    """
    if fit.scores.isna().to_numpy().any() or fit.tasks:
        return None, None
    theory = bayescorr.generalizability(fit.scores)
    return theory.coefficients([int(n) for n in sizes], level), theory.topics_needed(level=level)
