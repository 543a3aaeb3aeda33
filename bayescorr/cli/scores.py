"""``bayescorr scores`` and ``bayescorr score-runs``: describe, convert and compute scores."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import bayescorr
from bayescorr.cli._app import command
from bayescorr.cli._input import (
    SCORES_OUT,
    MaxSize,
    ScoresIn,
    out_option,
    show_scores,
    show_understood,
    write_scores,
)
from bayescorr.cli._options import argument, option
from bayescorr.cli._output import JsonOption, show_json, show_notes
from bayescorr.cli._progress import stage

PANEL = "Scores"


@dataclass(frozen=True, kw_only=True)
class ScoresAsTheyAre(ScoresIn):
    """Scores whose missing values stay missing by default."""

    missing: Annotated[
        str | None,
        option("Missing scores: error, drop (their topics) or zero.", default="keep them"),
    ] = None


@command(
    "scores",
    PANEL,
    examples=(
        "bayescorr scores scores.csv",
        "bayescorr scores results.tsv --measure AP --out scores.csv",
    ),
)
def scores_command(
    scores_in: ScoresAsTheyAre,
    out: Annotated[
        Path | None, out_option("Also write the scores to this file: .csv, .tsv (.gz) or .parquet.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Describe scores: size, spread, variances, identical systems."""
    scores = scores_in.load(scores_in.missing, say=as_json)
    higher = not scores_in.lower_is_better
    description = bayescorr.describe_scores(scores, higher_is_better=higher)
    if out is not None:
        write_scores(scores, out)
    if as_json:
        # NaN is not JSON.
        show_json({k: None if v != v else v for k, v in asdict(description).items()})
    else:
        print(description)


@command(
    "score-runs",
    PANEL,
    examples=(
        "bayescorr score-runs 'runs/*.gz' --qrels qrels.txt --measure nDCG@10 --out scores.csv",
    ),
)
def score_runs_command(
    runs: Annotated[list[str], argument("RUNS", "Run files, folders or patterns; may end in .gz.")],
    qrels: Annotated[Path, option("File of relevance judgments.")],
    measure: Annotated[str, option("A measure of ir-measures: AP, nDCG@10, P@10 ...")] = "AP",
    missing: Annotated[
        str, option("Topics without results: zero, drop (the topic), error or model.")
    ] = "zero",
    max_size: MaxSize = None,
    out: Annotated[Path | None, SCORES_OUT] = None,
    as_json: JsonOption = False,
) -> None:
    """Score TREC runs against relevance judgments."""
    limit = {} if max_size is None else {"max_size": max_size}
    with stage("scoring the runs"):
        scores = bayescorr.score_runs(runs, qrels, measure, missing, **limit)
    # Otherwise the description below says the same.
    if out is None or as_json:
        show_understood(scores)
    if unscored := scores.attrs["unscored"]:
        treated = {"zero": "; counted as 0", "drop": "; their topics are left out"}.get(missing, "")
        show_notes([f"Scores without results in the runs: {unscored}{treated}."])
    if unjudged := scores.attrs["unjudged"]:
        show_notes([f"Topics of the runs without judgments: {unjudged}; ignored."])
    show_scores(scores, out, as_json)
    if out is None or as_json:
        return
    if scores.shape[1] == 1:
        print(f"1 system, {len(scores)} topics; mean {scores.iloc[:, 0].mean():.4f}.")
    else:
        print(bayescorr.describe_scores(scores))
