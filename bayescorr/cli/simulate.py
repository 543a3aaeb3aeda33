"""``bayescorr simulate``: a new collection like a given one, with known true means."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bayescorr.errors import OptionError

if TYPE_CHECKING:
    import pandas as pd


class SimulatorName(StrEnum):
    """The simulators by name."""

    effects = "effects"
    copula = "copula"


def simulate(
    scores: Annotated[Path, typer.Argument(help="Scores to imitate: one column per system.")],
    topics: Annotated[int, typer.Option(help="Number of topics to draw.", min=1)],
    out: Annotated[Path, typer.Option(help="Where the scores go: .csv, .csv.gz or .parquet.")],
    simulator: Annotated[
        SimulatorName,
        typer.Option(help="Effects (Urbano 2016) or margins and a copula (Urbano & Nagler 2018)."),
    ] = SimulatorName.effects,
    support: Annotated[
        str | None, typer.Option(help="For the copula: p10, rr ... if scores lie on a grid.")
    ] = None,
    true_means: Annotated[
        Path | None, typer.Option(help="Write the true means of the systems there, too.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed draws the same scores.")] = None,
) -> None:
    """Draw the scores of the systems on new topics, from a simulator fitted to given scores."""
    if support is not None and simulator is SimulatorName.effects:
        raise OptionError(
            "The effects simulator draws continuous scores only.",
            "Leave out --support, or add --simulator copula.",
        )
    for path in (out, true_means):
        _check_suffix(path)
    import bayescorr

    original = bayescorr.read_scores(scores)
    source: bayescorr.EffectsSimulator | bayescorr.CopulaSimulator
    if simulator is SimulatorName.effects:
        source = bayescorr.EffectsSimulator(original)
    else:
        source = bayescorr.CopulaSimulator(original, support=support)
    _write(source.sample(topics, random_seed=seed).rename_axis("topic").reset_index(), out)
    typer.echo(f"{topics} topics x {len(source.systems)} systems written to {out}")
    if true_means is not None:
        _write(source.true_means.rename_axis("system").reset_index(), true_means)
        typer.echo(f"True means written to {true_means}")


def _check_suffix(path: Path | None) -> None:
    if path is not None and not path.name.endswith((".csv", ".csv.gz", ".parquet")):
        raise OptionError(
            f"Unknown kind of file: {path.name!r}.", "Choose one of: .csv, .csv.gz, .parquet."
        )


def _write(frame: pd.DataFrame, path: Path) -> None:
    try:
        if path.suffix == ".parquet":
            frame.to_parquet(path, index=False)
        else:
            frame.to_csv(path, index=False)
    except OSError as error:
        raise OptionError(
            f"{path} cannot be written: {error.strerror}.", "Choose another place."
        ) from None


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command(rich_help_panel="Studies")(simulate)
