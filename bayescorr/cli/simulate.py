"""``bayescorr simulate``: a new collection like a given one, with known true means."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import bayescorr
from bayescorr.cli._app import command
from bayescorr.cli._input import ScoresIn, out_option, write_scores
from bayescorr.cli._options import Seed, option
from bayescorr.cli._output import Output
from bayescorr.cli._progress import stage
from bayescorr.errors import OptionError, choose


@command(
    "simulate",
    "Studies",
    examples=("bayescorr simulate scores.csv --topics 200 --seed 1 --out simulated.csv",),
)
def simulate_command(
    scores_in: ScoresIn,
    output: Output,
    topics: Annotated[int, option("Number of topics to draw.", min=1)],
    out: Annotated[Path, out_option("File for the scores: .csv, .tsv (.gz) or .parquet.")],
    simulator: Annotated[
        str, option("effects (Urbano 2016) or copula (Urbano & Nagler 2018).")
    ] = "effects",
    normal: Annotated[
        bool, option("Draw normal scores with the effects simulator, not scores between 0 and 1.")
    ] = False,
    support: Annotated[
        str | None, option("Grid of the scores for the copula simulator: p10, rr ...")
    ] = None,
    seed: Seed = None,
) -> None:
    """Draw scores on new topics, with known true means."""
    choose(simulator, ("copula", "effects"), "simulator")
    if support is not None and simulator == "effects":
        raise OptionError(
            "The effects simulator draws continuous scores only.",
            "Leave out --support, or add --simulator copula.",
        )
    if normal and simulator == "copula":
        raise OptionError("The copula simulator does not use --normal.", "Leave it out.")
    scores = scores_in.load(scores_in.missing)
    with stage("simulating topics"):
        fitted = (
            bayescorr.EffectsSimulator(scores, normal=normal)
            if simulator == "effects"
            else bayescorr.CopulaSimulator(scores, support=support)
        )
        drawn = fitted.sample(topics, random_seed=seed)
    write_scores(drawn, out)
    means = fitted.true_means.to_frame().assign(observed_mean=drawn.mean())
    table = means.sort_values("true_mean", ascending=False).rename_axis("system").reset_index()
    output.show(table, f"{topics} topics x {len(means)} systems written to {out}")
