"""``bayescorr datasets``: the collections known by name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bayescorr.cli._input import check_out, show_credit, write_scores
from bayescorr.cli._notes import warnings_as_notes
from bayescorr.cli._output import JsonOption, show_json, show_table

datasets = typer.Typer()


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.add_typer(datasets, name="datasets", rich_help_panel="Scores")


@datasets.callback(invoke_without_command=True)
def datasets_command(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the data sets known by name, or get one of them."""
    if context.invoked_subcommand is not None:
        return
    import bayescorr

    listed = bayescorr.list_datasets()
    if as_json:
        show_json(listed)
        return
    show_table(listed[["name", "systems", "topics", "measure", "description"]], title="Data sets")
    print("Licences and citations: bayescorr datasets --json")


@datasets.command("get")
def get_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the data set.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="File to write: .csv, .tsv (.gz) or .parquet. Else CSV is printed."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Get a data set as a table of topics by systems; its licence goes to standard error."""
    import bayescorr

    check_out(out)
    with warnings_as_notes():
        scores = bayescorr.load_dataset(name)
    show_credit(scores)
    labelled = scores.rename_axis(index="topic")
    if out is not None:
        write_scores(scores, out)
    if as_json:
        show_json(labelled.reset_index())
    elif out is None:
        print(labelled.to_csv(), end="")
