"""``bayescorr fit``, ``show``, ``models``, ``compare`` and ``compare-models``: Bayesian."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import bayescorr
from bayescorr.cli._app import command
from bayescorr.cli._input import ScoresToFit, show_fit
from bayescorr.cli._options import (
    Coefficients,
    Level,
    Methods,
    argument,
    check_folder,
    named,
    option,
    split_names,
)
from bayescorr.cli._output import JsonOption, Output, show_json, show_notes, show_table
from bayescorr.cli._progress import stage, stages
from bayescorr.cli._sampling import NOT_CONVERGED, Fitting, Sampling, finish, in_words
from bayescorr.errors import OptionError, listing

if TYPE_CHECKING:
    import pandas as pd

    from bayescorr.bayes.result import Fit

PANEL = "Bayesian"


@command(
    "fit",
    PANEL,
    examples=(
        "bayescorr fit scores.csv --seed 1 --out fit.nc",
        "bayescorr fit demo --model flat",
    ),
)
def fit_command(
    scores_in: ScoresToFit,
    sampling: Fitting,
    out: Annotated[
        Path | None, option("NetCDF file to store the fit in.", check=check_folder)
    ] = None,
    level: Level = 0.95,
    as_json: JsonOption = False,
) -> None:
    """Sample the posterior of the correlation with the true ranking."""
    fit = sampling.fit(scores_in.load(), **scores_in.treatment)
    if out is not None:
        fit.to_netcdf(out)
    _report(fit, level, as_json)
    if out is not None:
        show_notes([f"fit written to {out}; 'bayescorr show {out}' prints it again."])
    finish(fit.convergence, say=as_json)


@command(
    "show",
    PANEL,
    examples=(
        "bayescorr show fit.nc --ranking",
        "bayescorr show fit.nc --ranking --latex",
        "bayescorr show fit.nc --decided --level 0.9",
        "bayescorr show fit.nc --pairs --csv",
    ),
)
def show_command(
    path: Annotated[Path, argument("FIT", "File written by 'bayescorr fit --out'.")],
    output: Output,
    level: Level = 0.95,
    ranking: Annotated[bool, option("Show all systems: means, ranks, P(best).")] = False,
    groups: Annotated[bool, option("Show groups of systems that are not ordered.")] = False,
    pairs: Annotated[bool, option("Show pairs of systems that are not ordered.")] = False,
    decided: Annotated[
        bool, option("Show pairs of systems that are decided, all together.")
    ] = False,
    pairwise: Annotated[
        bool, option("Decide pairs one by one, not together, for --decided and --latex.")
    ] = False,
    plots: Annotated[Path | None, option("Draw all plots into a folder.", metavar="FOLDER")] = None,
) -> None:
    """Show a stored fit: what may be claimed, estimates, ranking, groups, pairs, plots.

    A pair of systems is ordered if the posterior probability of one order is at least the level
    (one-sided). Pairs are decided if all of them together have at least that probability. With
    --json, --csv or --latex, choose at most one of --ranking, --groups, --pairs, --decided. The
    LaTeX ranking has superscripts: the systems that each system is better than.
    """
    choices = {"ranking": ranking, "groups": groups, "pairs": pairs, "decided": decided}
    asked = [name for name, wanted in choices.items() if wanted]
    if len(asked) > 1 and not output.for_people:
        raise OptionError(
            f"Cannot print {listing(f'--{name}' for name in asked)} at once in this format.",
            "Choose one of them.",
        )
    from bayescorr.report.paper import ranking_tabular

    fit = bayescorr.load_fit(path)
    show_fit(fit)
    tables = {name: _table_of(fit, name, level, pairwise) for name in asked}
    if output.as_latex and ranking:
        found = fit.decided_pairs(level, together=not pairwise)
        print(ranking_tabular(fit, level, pairs=found))
    elif output.for_people:
        _report(fit, level, as_json=False)
        for name, table in tables.items():
            show_table(table, _title(fit, name, level, pairwise))
    elif output.as_json and not (groups or pairs or decided):
        _report(fit, level, as_json=True, ranking=tables.get("ranking"))
    else:
        output.show(next(iter(tables.values()), fit.estimates(level)))
    if plots is not None:
        from bayescorr.report.figures import fit_figures, save_figures

        files, absent = save_figures(fit_figures(fit, level), plots, ("png", "pdf"))
        show_notes(f"plot written to {file}." for file in files)
        show_notes(f"no plot of {name}: {reason}" for name, reason in absent.items())
    finish(fit.convergence, say=not output.for_people)


@command(
    "models",
    PANEL,
    examples=("bayescorr models",),
)
def models_command(output: Output) -> None:
    """List the models."""
    table = bayescorr.list_models()
    output.show(table.drop(columns="citation") if output.for_people else table)


@command(
    "compare",
    PANEL,
    examples=("bayescorr compare scores.csv --methods ML,MSQD --seed 1",),
)
def compare_command(
    scores_in: ScoresToFit,
    sampling: Fitting,
    output: Output,
    methods: Methods = [],  # noqa: B006 - typer takes a list and never changes it
    coefficients: Coefficients = [],  # noqa: B006
    level: Level = 0.95,
) -> None:
    """Compare the posterior with frequentist estimates."""
    scores = scores_in.load()
    # The frequentist estimators warn about the scores.
    fit = sampling.fit(scores, **scores_in.treatment, warn=False)
    with stage("computing frequentist estimates"):
        table = bayescorr.compare(
            scores,
            fit,
            **named(methods=methods, coefficients=coefficients),
            level=level,
            random_seed=sampling.seed,
            **scores_in.treatment,
        )
    output.show(table, f"{scores.shape[1]} systems, {scores.shape[0]} topics")
    # Convergence is reported below, with the remedy in options.
    show_notes(note for note in table.attrs["notes"] if str(fit.convergence) not in note)
    finish(fit.convergence)


@command(
    "compare-models",
    PANEL,
    examples=("bayescorr compare-models scores.csv --models matrix-t additive",),
)
def compare_models_command(
    scores_in: ScoresToFit,
    sampling: Sampling,
    output: Output,
    models: Annotated[
        list[str], option("Names of models; see 'bayescorr models'.", metavar="MODEL...")
    ] = [],  # noqa: B006
) -> None:
    """Rank models by how well they predict unseen topics: --models a b c."""
    from bayescorr.bayes.model import get_model

    names = list(dict.fromkeys(split_names(models)))
    if len(names) < 2:
        raise OptionError(
            f"--models needs at least two models; got {len(names)}.", "Example: --models a b c"
        )
    for name in names:
        get_model(name)
    scores = scores_in.load()
    sampling.warn_if_long(sum(sampling.expected(*scores.shape, name) for name in names))
    options = {**sampling.options, **scores_in.treatment, "progressbar": False}
    with stages() as begin:
        table = bayescorr.compare_models(names, scores, progress=begin, **options)
    output.show(table, digits=2)
    if output.for_people:
        print(table.attrs["words"])
    else:
        show_notes([table.attrs["words"]])
    failed = table.attrs["convergence"]
    show_notes(f"{name}: {in_words(found)}" for name, found in failed.items())
    if failed:
        raise typer.Exit(NOT_CONVERGED)


def _table_of(fit: Fit, name: str, level: float, pairwise: bool) -> pd.DataFrame:
    """Return the ranking, the groups or the pairs of a fit."""
    from bayescorr.report import lists

    if name == "groups":
        return lists.group_table(fit.groups(level), fit.systems)
    if name == "pairs":
        return lists.pair_table(lists.unordered(fit, level), fit.discordance())
    if name == "decided":
        return fit.decided_pairs(level, together=not pairwise).pairs
    return fit.ranking(level)


def _title(fit: Fit, name: str, level: float, pairwise: bool) -> str:
    if name == "ranking":
        return f"Ranking by {fit.measure or 'mean score'}, {level * 100:g}% intervals"
    if name == "decided":
        return str(fit.decided_pairs(level, together=not pairwise))
    what = "Groups without an ordered pair" if name == "groups" else "Pairs that are not ordered"
    return f"{what}: no order has a probability of at least {level:g} (one-sided)"


def _report(fit: Fit, level: float, as_json: bool, *, ranking: pd.DataFrame | None = None) -> None:
    """Print the estimates, what they mean, and whether the sampler converged."""
    estimates, passed = fit.estimates(level), fit.convergence.passed
    verdict = None
    if passed:
        from bayescorr.planning.outlook import outlook

        with stage("predicting other topic sets"):
            # As in reports: the same fit always has the same verdict.
            seed = int(fit.idata.attrs.get("random_seed", 0))
            verdict = fit.verdict(level, plans=outlook(fit, level, random_seed=seed))
    if as_json:
        value: dict[str, Any] = {
            "verdict": verdict and verdict.to_dict(),
            "model": fit.method,
            "measure": fit.measure or None,
            "systems": fit.scores.shape[1],
            "topics": fit.scores.shape[0],
            "estimates": estimates.drop(columns="method"),
            "converged": passed,
            "convergence": str(fit.convergence),
        }
        if ranking is not None:
            value["ranking"] = ranking
        show_json(value)
        return
    # Numbers of a failed run must not be quoted.
    if passed:
        print(verdict)
    show_table(estimates)
    if passed:
        print(fit.in_words(level))
    print(in_words(fit.convergence))
