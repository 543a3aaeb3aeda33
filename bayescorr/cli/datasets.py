"""``bayescorr datasets``: the collections known by name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import bayescorr
from bayescorr.cli._app import app, command, group
from bayescorr.cli._input import SCORES_OUT, show_credit, show_scores
from bayescorr.cli._options import argument
from bayescorr.cli._output import JsonOption, show_json, show_table

datasets = group(("bayescorr datasets", "bayescorr datasets get demo --out scores.csv"))
app.add_typer(datasets, name="datasets", rich_help_panel="Scores")


@datasets.callback(invoke_without_command=True)
def datasets_command(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the public data sets, or get one of them."""
    if context.invoked_subcommand is not None:
        return
    listed = bayescorr.list_datasets()
    if as_json:
        show_json(listed)
        return
    show_table(listed[["name", "systems", "topics", "measure", "description"]], "Data sets")
    print("Licences and citations: bayescorr datasets --json")


@command(
    "get",
    to=datasets,
    examples=("bayescorr datasets get demo --out scores.csv",),
)
def get_command(
    name: Annotated[str, argument("NAME", "Name of the data set.")],
    out: Annotated[Path | None, SCORES_OUT] = None,
    as_json: JsonOption = False,
) -> None:
    """Get a data set as a table of topics by systems."""
    scores = bayescorr.load_dataset(name)
    show_credit(scores)
    show_scores(scores, out, as_json)
