"""``bayescorr infer-ap``: average precision from the scores of the documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

import bayescorr
from bayescorr.cli._app import command, typed
from bayescorr.cli._options import Level, Plot, argument, option
from bayescorr.cli._output import Output, show_notes, write_plot
from bayescorr.cli._progress import stage
from bayescorr.cli._sampling import Sampling, finish
from bayescorr.errors import OptionError, choose, listing


@dataclass(frozen=True, kw_only=True)
class Distributions:
    """What every method takes."""

    panel: ClassVar = "Score distributions"

    family: Annotated[
        str, option("gamma, lognormal, normal, exponential, poisson or exponential-normal.")
    ] = "gamma"
    points: Annotated[
        int | None,
        option("Number of integration points.", default="64, placed where they are needed"),
    ] = None
    denominator: Annotated[
        str, option("Average over relevant documents that are 'returned' or 'judged'.")
    ] = "returned"
    min_relevance: Annotated[int, option("Lowest relevance that counts as relevant.")] = 1
    strict: Annotated[
        bool, option("Stop if a topic cannot be used or the sampler does not converge.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class Curve:
    """How the methods other than 'posterior' fit the score distributions."""

    panel: ClassVar = "Score distributions"

    constrained: Annotated[
        bool,
        option(
            "Whether the probability of relevance must rise with the score.", "--constrained/--free"
        ),
    ] = True
    estimator: Annotated[str, option("moments or likelihood.")] = "moments"


@command(
    "infer-ap",
    "Scores",
    examples=("bayescorr infer-ap run.gz qrels.txt --method posterior",),
)
def infer_ap_command(
    context: typer.Context,
    run: Annotated[Path, argument("RUN", "TREC run with raw scores; may end in .gz.")],
    qrels: Annotated[Path, argument("QRELS", "File of relevance judgments.")],
    distributions: Distributions,
    curve: Curve,
    sampling: Sampling,
    output: Output,
    method: Annotated[
        str, option("aupr, expected (AP of the ranking), exact (slow) or posterior.")
    ] = "aupr",
    level: Level = 0.95,
    plot: Plot = None,
) -> None:
    """Infer average precision from the scores of the documents."""
    from bayescorr.scoredist.infer import METHODS

    choose(method, (*METHODS, "posterior"), "method")
    posterior, options = None, vars(distributions)
    if method == "posterior":
        _refuse(context, method, vars(curve))
        with stage("fitting the model"):
            posterior = bayescorr.sample_ap(
                run, qrels, progressbar=False, **options, **sampling.options
            )
        table = posterior.summary(level)
    else:
        unused = {"level", *vars(sampling), *(["points"] * (method != "aupr"))} - {"seed"}
        _refuse(context, method, unused)
        with stage("inferring average precision"):
            table = bayescorr.infer_ap(run, qrels, method=method, **options, **vars(curve))
    title = f"Average precision by {distributions.family} score distributions, {method}"
    output.show(table.reset_index(), title)
    number, tau, rmse = bayescorr.inference_error(table)
    found = f"Kendall's tau with actual AP {tau:.4f}, " if tau == tau else ""
    show_notes([f"{number:.0f} topic{'s' * (number > 1)}; {found}RMS error {rmse:.4f}."])
    if plot is not None:
        write_plot(bayescorr.plot_inferred(table, title=run.name), plot)
    if posterior is not None:
        finish(posterior.convergence)


def _refuse(context: typer.Context, method: str, names: Iterable[str]) -> None:
    """Refuse options that a method does not use."""
    options = [" or ".join([*one.opts, *one.secondary_opts]) for one in typed(context, names)]
    if options:
        raise OptionError(
            f"--method {method} does not use {listing(options)}.", "Leave these options out."
        )
