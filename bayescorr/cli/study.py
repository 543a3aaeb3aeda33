"""``bayescorr study``: run a study, follow its progress, summarise and plot it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bayescorr.cli._app import app, command, group
from bayescorr.cli._options import argument, option, split_names
from bayescorr.cli._output import Output, show_json, show_notes, show_table
from bayescorr.errors import OptionError

if TYPE_CHECKING:
    import pandas as pd

    from bayescorr.study import Study

study_app = group(
    ("bayescorr study list", "bayescorr study run bavdaz-2018 --smoke --out results"),
    no_args_is_help=True,
    help="Measure error, bias and coverage on simulated collections.",
)
app.add_typer(study_app, name="study", rich_help_panel="Studies")

# Columns of a summary that a table has no room for, and those moved to the title if constant.
_LESS = (
    *("mean_actual", "pit", "pit_se", "variance", "variance_se"),
    *("actual_variance", "actual_variance_se", "seconds"),
)
_SAID_ONCE = ("source", "simulator", "collections", "baseline")

Folder = Annotated[Path, argument("DIR", "Folder written by 'bayescorr study run --out'.")]
StudyName = Annotated[
    str, argument("STUDY", "A TOML file, or a name listed by 'bayescorr study list'.")
]


@command(
    "list",
    to=study_app,
    examples=("bayescorr study list",),
)
def list_command(output: Output) -> None:
    """List the ready-made studies."""
    from bayescorr.study import list_studies

    output.show(list_studies(), "Studies")


@command(
    "show",
    to=study_app,
    examples=("bayescorr study show bavdaz-2018",),
)
def show_command(study: StudyName) -> None:
    """Print a study as TOML, as a start for your own."""
    from bayescorr.study import load_study

    print(load_study(study).to_toml(), end="")


@command(
    "run",
    to=study_app,
    examples=("bayescorr study run bavdaz-2018 --smoke --out results",),
)
def run_command(
    study: StudyName,
    out: Annotated[Path, option("Folder for the results.")],
    workers: Annotated[
        int | None, option("Number of processes.", default="one per processor")
    ] = None,
    scheduler: Annotated[
        str | None, option("Dask cluster to run on, such as tcp://host:8786.", metavar="ADDRESS")
    ] = None,
    trials: Annotated[
        int | None, option("Collections per cell.", default="set by the study")
    ] = None,
    smoke: Annotated[
        bool, option("Run a tiny version of the study, in seconds, to test it.")
    ] = False,
    repair: Annotated[
        bool, option("Set damaged files of an earlier run aside and repeat their collections.")
    ] = False,
) -> None:
    """Run a study, or resume one that was stopped."""
    from bayescorr.study import load_study, run_study, study_status

    chosen = load_study(study)
    if smoke:
        chosen = chosen.smoke_size()
    if trials is not None:
        chosen = chosen.with_trials(trials)
    try:
        with _progress_bar(chosen) as progress:
            run_study(
                chosen,
                out,
                workers=workers,
                scheduler=scheduler,
                repair=repair,
                progress=progress,
            )
    except KeyboardInterrupt:
        done = int(study_status(out)["done"].sum()) if (out / "study.toml").is_file() else 0
        print(
            f"Stopped. {done} of {len(chosen.cells) * chosen.trials} collections are in {out}.\n"
            "Run the same command again to resume.",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None
    status = study_status(out)
    print(f"{int(status['done'].sum())} collections in {out}. Next: bayescorr study summary {out}")
    if failed := int(status["failed"].sum()):
        show_notes([f"{failed} estimates failed; see 'bayescorr study status {out}'."])


@command(
    "status",
    to=study_app,
    examples=("bayescorr study status results",),
)
def status_command(folder: Folder, output: Output) -> None:
    """Count finished collections and failed estimates."""
    from bayescorr.study import study_status

    status = study_status(folder)
    done, total = int(status["done"].sum()), int(status["trials"].sum())
    output.show(status, f"{done} of {total} collections done ({done / total:.0%})")


@command(
    "summary",
    to=study_app,
    examples=("bayescorr study summary results --intervals",),
)
def summary_command(
    folder: Folder,
    output: Output,
    by: Annotated[
        str, option("Columns to group by: source, simulator, n_topics.")
    ] = "source,simulator,n_topics",
    intervals: Annotated[bool, option("Show coverage, width and score of the intervals.")] = False,
    paired: Annotated[
        str | None,
        option("Show differences to this method, paired by collection.", metavar="METHOD"),
    ] = None,
    compare: Annotated[
        Path | None, option("Compare error and bias with a published table (CSV).", metavar="FILE")
    ] = None,
) -> None:
    """Summarise a study, finished or not, with standard errors.

    The table shows the main columns; --csv, --json and --latex print all of them.
    """
    from bayescorr import study

    if intervals + (paired is not None) + (compare is not None) > 1:
        raise OptionError(
            "--intervals, --paired and --compare exclude each other.", "Use one at a time."
        )
    results, groups = study.read_results(folder), split_names([by])
    if compare is not None:
        _show_comparison(study.compare_published(results, compare), output)
        return
    if intervals:
        table = study.summarise_intervals(results, groups)
    elif paired is not None:
        table = study.paired_differences(results, paired, groups)
    else:
        table = study.summarise(results, groups)
    if output.for_people:
        _show_summary(table, str(folder))
    else:
        output.show(table)


@command(
    "plot",
    to=study_app,
    examples=("bayescorr study plot results --format pdf",),
)
def plot_command(
    folder: Folder,
    out: Annotated[Path | None, option("Folder for the figures.", default="DIR/figures")] = None,
    format: Annotated[str, option("Format of the figures: png, pdf, svg ...")] = "png",
) -> None:
    """Draw error, bias, coverage and variance of a study."""
    from bayescorr.study import read_results
    from bayescorr.study.plots import save_figures

    for path in save_figures(read_results(folder), out or folder / "figures", format):
        print(path)


def _show_summary(table: pd.DataFrame, title: str) -> None:
    """Print the main columns, each with its standard error in brackets."""
    shown, numbers = table.drop(columns=[name for name in _LESS if name in table]), []
    # Paired differences are small.
    digits = 4 if "difference" in table else 3
    for name in [name for name in shown.columns if f"{name}_se" in shown.columns]:
        pairs = zip(shown[name], shown.pop(f"{name}_se"), strict=True)
        shown[name] = [_with_error(*pair, digits) for pair in pairs]
        numbers.append(name)
    if "failed" in shown and not shown["failed"].any():
        del shown["failed"]
    same = [name for name in _SAID_ONCE if name in shown and shown[name].nunique() == 1]
    title += "".join(f", {name} {shown[name].iloc[0]}" for name in same)
    show_table(shown.drop(columns=same), title, digits, numbers)
    show_notes(["standard errors in brackets; --csv prints all columns."])


def _with_error(value: float, error: float, digits: int) -> str:
    """Return both without the zero before the point, to save room: .034 (.009)."""
    if value != value:
        return ""
    texts = [f"{number:.{digits}f}" for number in (value, error)]
    short = [text.replace("0.", ".") if text.lstrip("-")[:2] == "0." else text for text in texts]
    return short[0] if error != error else f"{short[0]} ({short[1]})"


def _show_comparison(table: pd.DataFrame, output: Output) -> None:
    """Print how many cells agree with a published table, and those that do not."""
    agree, rest = int(table["agrees"].sum()), table[~table["agrees"]]
    if output.as_json:
        show_json({"cells": len(table), "agree": agree, "rest": rest})
    elif not output.for_people:
        output.show(table)
    else:
        share = f"{agree} of {len(table)} cells ({agree / len(table):.1%}) agree"
        print(f"{share}: error and bias are within 4 standard errors of the difference.")
        if len(rest):
            show_table(rest, "The rest")


@contextmanager
def _progress_bar(study: Study) -> Iterator[Callable[[int, int], None] | None]:
    """Show a progress bar with rate and remaining time, on a terminal only."""
    from rich import progress
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TextColumn("{task.fields[rate]}"),
        progress.TimeRemainingColumn(compact=True, elapsed_when_finished=True),
    )
    # Batches take seconds to minutes, so the rate must be averaged over more than the default.
    with progress.Progress(*columns, console=console, speed_estimate_period=600.0) as bar:
        task = bar.add_task(study.name, total=None, rate="")

        def show(done: int, total: int) -> None:
            if bar.tasks[0].total is None:
                # Collections of an earlier run must not count as speed.
                bar.reset(task, total=total, completed=done)
                return
            speed = bar.tasks[0].speed
            bar.update(task, completed=done, rate=f"{speed:.2f}/s" if speed else "")

        yield show
