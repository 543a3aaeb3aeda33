"""``bayescorr study``: run a study, see how far it is, summarise and plot it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bayescorr.cli._notes import show_notes
from bayescorr.cli._output import (
    CsvOption,
    JsonOption,
    LatexOption,
    show_frame,
    show_json,
    show_table,
)

if TYPE_CHECKING:
    import pandas as pd

    from bayescorr.study import Study

study_app = typer.Typer(
    no_args_is_help=True, help="Error, bias and coverage of methods on simulated collections."
)

# Columns of a summary that a terminal has no room for, and those said in the title if they can be.
_LESS = (
    *("mean_actual", "variance", "variance_se", "actual_variance", "actual_variance_se"),
    "seconds",
)
_SAID_ONCE = ("source", "simulator", "collections", "baseline")

FolderArgument = Annotated[
    Path, typer.Argument(metavar="DIR", help="Folder that 'study run --out' wrote.")
]
StudyArgument = Annotated[
    str, typer.Argument(metavar="STUDY", help="A TOML file, or a name that 'study list' shows.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(study_app, name="study", rich_help_panel="Studies")


@study_app.command("list")
def list_command(
    as_json: JsonOption = False, as_csv: CsvOption = False, as_latex: LatexOption = False
) -> None:
    """List the ready-made studies."""
    from bayescorr.study import list_studies

    show_frame(list_studies(), as_json=as_json, as_csv=as_csv, as_latex=as_latex, title="Studies")


@study_app.command("show")
def show_command(study: StudyArgument) -> None:
    """Print a study as TOML, to start one's own from."""
    from bayescorr.study import load_study

    print(load_study(study).to_toml(), end="")


@study_app.command("run")
def run_command(
    study: StudyArgument,
    out: Annotated[Path, typer.Option("--out", help="Folder for the results.")],
    workers: Annotated[
        int | None,
        typer.Option("--workers", help="Processes; all processors if unsaid.", show_default=False),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="ADDRESS",
            help="Work on a Dask cluster, such as tcp://host:8786.",
            show_default=False,
        ),
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option("--trials", help="Collections per cell, instead of the study's."),
    ] = None,
    smoke: Annotated[
        bool, typer.Option("--smoke", help="The study's smoke size: seconds, to see that it runs.")
    ] = False,
) -> None:
    """Run a study; stopped at any moment, the same command goes on with it."""
    from bayescorr.study import load_study, run_study, study_status

    chosen = load_study(study)
    if smoke:
        chosen = chosen.smoke_size()
    if trials is not None:
        chosen = chosen.with_trials(trials)
    try:
        with _progress_bar(chosen) as progress:
            run_study(chosen, out, workers=workers, scheduler=scheduler, progress=progress)
    except KeyboardInterrupt:
        done = int(study_status(out)["done"].sum()) if (out / "study.toml").is_file() else 0
        print(
            f"Stopped. {done} of {len(chosen.cells) * chosen.trials} collections are in {out}.\n"
            "Run the same command again to go on.",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None
    status = study_status(out)
    failed = int(status["failed"].sum())
    print(f"{int(status['done'].sum())} collections in {out}. Next: bayescorr study summary {out}")
    if failed:
        print(
            f"Note: {failed} estimates failed; see 'bayescorr study status {out}'.", file=sys.stderr
        )


@study_app.command("status")
def status_command(
    folder: FolderArgument,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
    as_latex: LatexOption = False,
) -> None:
    """Show how many collections of each cell are done, and how many estimates failed."""
    from bayescorr.study import study_status

    status = study_status(folder)
    done, total = int(status["done"].sum()), int(status["trials"].sum())
    title = f"{done} of {total} collections done ({done / total:.0%})"
    show_frame(status, as_json=as_json, as_csv=as_csv, as_latex=as_latex, title=title)


@study_app.command("summary")
def summary_command(
    folder: FolderArgument,
    by: Annotated[
        str,
        typer.Option("--by", help="What to keep apart, with commas: source, simulator, n_topics."),
    ] = "source,simulator,n_topics",
    intervals: Annotated[
        bool, typer.Option("--intervals", help="Coverage, width and score of the intervals.")
    ] = False,
    paired: Annotated[
        str | None,
        typer.Option(
            "--paired",
            metavar="METHOD",
            help="Differences to this method on the same collections.",
            show_default=False,
        ),
    ] = None,
    compare: Annotated[
        Path | None,
        typer.Option(
            "--compare",
            metavar="FILE",
            help="Compare error and bias with a published table (CSV).",
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
    as_latex: LatexOption = False,
) -> None:
    """Summarise a study, finished or not, with standard errors.

    The table shows the main columns; --csv, --json and --latex have all of them.
    """
    from bayescorr import study
    from bayescorr.errors import OptionError

    if intervals + (paired is not None) + (compare is not None) > 1:
        raise OptionError("Several summaries asked for.", "Ask for one at a time.")
    results = study.read_results(folder)
    apart = [name.strip() for name in by.split(",") if name.strip()]
    if compare is not None:
        _show_comparison(study.compare_published(results, compare), as_json, as_csv, as_latex)
        return
    if intervals:
        table = study.summarise_intervals(results, apart)
    elif paired is not None:
        table = study.paired_differences(results, paired, apart)
    else:
        table = study.summarise(results, apart)
    if as_json or as_csv or as_latex:
        show_frame(table, as_json=as_json, as_csv=as_csv, as_latex=as_latex)
    else:
        _show_summary(table, str(folder))


@study_app.command("plot")
def plot_command(
    folder: FolderArgument,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder for the figures; DIR/figures if unsaid."),
    ] = None,
    format: Annotated[str, typer.Option("--format", help="png, pdf, svg ...")] = "png",
) -> None:
    """Draw error, bias, coverage and variance of a study, finished or not."""
    from bayescorr.study import read_results
    from bayescorr.study.plots import save_figures

    for path in save_figures(read_results(folder), out or folder / "figures", format):
        print(path)


def _show_summary(table: pd.DataFrame, title: str) -> None:
    """Print the main columns, each with its standard error in brackets."""
    shown, numbers = table.drop(columns=[name for name in _LESS if name in table]), []
    # Differences on the same collections are small.
    digits = 4 if "difference" in table else 3
    for name in [name for name in shown.columns if f"{name}_se" in shown.columns]:
        errors = shown.pop(f"{name}_se")
        shown[name] = [
            _with_error(value, error, digits)
            for value, error in zip(shown[name], errors, strict=True)
        ]
        numbers.append(name)
    if "failed" in shown and not shown["failed"].any():
        del shown["failed"]
    # What is the same in all rows is said once.
    same = [name for name in _SAID_ONCE if name in shown and shown[name].nunique() == 1]
    title += "".join(f", {name} {shown[name].iloc[0]}" for name in same)
    show_table(shown.drop(columns=same), title=title, digits=digits, numbers=numbers)
    show_notes(["standard errors in brackets; --csv prints all columns."])


def _with_error(value: float, error: float, digits: int) -> str:
    """Write both, without the zero before the point to save room: .034 (.009)."""
    if value != value:
        return ""
    texts = [f"{number:.{digits}f}" for number in (value, error)]
    short = [re.sub(r"^(-?)0\.", r"\1.", text) for text in texts]
    return short[0] if error != error else f"{short[0]} ({short[1]})"


def _show_comparison(table: pd.DataFrame, as_json: bool, as_csv: bool, as_latex: bool) -> None:
    agree = int(table["agrees"].sum())
    if as_json:
        rest = table[~table["agrees"]].to_dict("records")
        show_json({"cells": len(table), "agree": agree, "rest": rest})
        return
    if as_csv or as_latex:
        show_frame(table, as_csv=as_csv, as_latex=as_latex)
        return
    print(
        f"{agree} of {len(table)} cells ({agree / len(table):.1%}) agree: error and bias are "
        "within 4 standard errors of the difference."
    )
    if agree < len(table):
        show_frame(table[~table["agrees"]], title="The rest")


@contextmanager
def _progress_bar(study: Study) -> Iterator[Callable[[int, int], None] | None]:
    """Show a bar with rate and time left, on a terminal only."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(compact=True, elapsed_when_finished=True),
    )
    # Batches take seconds to minutes: the rate has to look back further than the default.
    with Progress(*columns, console=console, speed_estimate_period=600.0) as bar:
        task = bar.add_task(study.name, total=None, rate="")

        def show(done: int, total: int) -> None:
            if bar.tasks[0].total is None:
                # What is there already must not count as speed.
                bar.reset(task, total=total, completed=done)
                return
            speed = bar.tasks[0].speed
            rate = f"{speed:.2f}/s" if speed else ""
            bar.update(task, completed=done, rate=rate)

        yield show
