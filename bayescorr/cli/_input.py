"""How commands read scores (a file, a data set by name, a stored fit) and write them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

import bayescorr
from bayescorr.cli._app import typed
from bayescorr.cli._options import argument, check_folder, option
from bayescorr.cli._output import show_json
from bayescorr.cli._progress import stage
from bayescorr.errors import OptionError, listing
from bayescorr.scores.files import MAX_RUN_SIZE, MAX_SIZE, check_max_size

if TYPE_CHECKING:
    import pandas as pd

    from bayescorr.bayes.result import Fit
    from bayescorr.cli._sampling import Fitting

WRITERS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")


MaxSize = Annotated[
    float | None,
    option(
        "Largest file to read, in MB, unpacked.",
        check=check_max_size,
        default=f"{MAX_SIZE:g}, and {MAX_RUN_SIZE:g} for runs and judgments",
    ),
]


def _check_weights(text: str) -> None:
    from bayescorr.scores.taskfiles import parse_weights

    parse_weights(text)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How to read scores, wherever they come from."""

    panel: ClassVar = "Scores"

    measure: Annotated[str | None, option("Measure to read from a file with several.")] = None
    format: Annotated[
        str,
        option(
            "auto, wide, matrix, long, headerless, csv, json, parquet, xlsx, trec_eval, "
            "ir_measures, lm_eval, inspect, helm or mteb."
        ),
    ] = "auto"
    repeats: Annotated[
        str,
        option("Several scores of a system on a topic: error, mean, or seeds (a column of each)."),
    ] = "error"
    transpose: Annotated[bool, option("The rows of the table are systems.")] = False
    as_is: Annotated[bool, option("Read every row and column as scores, and ask nothing.")] = False
    max_size: MaxSize = None
    missing: Annotated[
        str | None, option("Missing scores: error, drop (their topics) or zero.")
    ] = "error"
    lower_is_better: Annotated[bool, option("Rank the lowest mean score first.")] = False

    @property
    def treatment(self) -> dict[str, Any]:
        """The arguments of functions that treat missing scores and rank systems."""
        return {"missing": self.missing, "higher_is_better": not self.lower_is_better}

    @property
    def limit(self) -> dict[str, float]:
        """The largest size of files, if it was given."""
        return {} if self.max_size is None else {"max_size": self.max_size}

    def read(self, source: str | list[str], say: bool = True, **options: Any) -> pd.DataFrame:
        """Read scores, and ``say`` what was understood.

        Print the licence and citation of a public data set.
        """
        from bayescorr.scores.load import load_scores

        names = ("format", "measure", "transpose", "as_is", "repeats")
        given = {name: getattr(self, name) for name in names} | self.limit | options
        with stage("reading the scores"):
            scores = load_scores(source, higher_is_better=not self.lower_is_better, **given)
        if scores.attrs.get("name", "demo") != "demo":
            show_credit(scores)
        scores = self.with_name(scores)
        if say:
            show_understood(scores, self.lower_is_better)
        return scores

    def with_name(self, scores: pd.DataFrame) -> pd.DataFrame:
        """Return the scores with the name of their measure, if an option names it."""
        return scores


@dataclass(frozen=True, kw_only=True)
class ScoresIn(Reading):
    """The scores that a command works on."""

    source: Annotated[
        list[str],
        argument(
            "SCORES",
            "File of scores, name of a data set, folder of evaluation logs, or files with one run "
            "each: paths, folders or patterns.",
        ),
    ]
    drop_worst: Annotated[
        float, option("Leave out this share of the worst systems.", metavar="FRACTION")
    ] = 0.0
    drop_identical: Annotated[bool, option("Keep one of each set of identical systems.")] = False
    strata: Annotated[
        str | None,
        option(
            "Tasks of the items, over which scores are averaged: a file with columns item and "
            "task, or a column of a long table.",
            metavar="FILE|COLUMN",
        ),
    ] = None
    weights: Annotated[
        str | None,
        option(
            "Weights of the tasks: equal, size (number of items) or NAME=NUMBER,...",
            check=_check_weights,
            default="equal",
        ),
    ] = None
    pool: Annotated[
        int | None, option("Merge tasks with fewer items than this into one.", min=1)
    ] = None

    def load(self, missing: str | None = None, say: bool = True) -> pd.DataFrame:
        """Read the scores; missing ones stay missing unless ``missing`` says otherwise."""
        names = ("drop_worst", "drop_identical", "strata", "weights", "pool")
        chosen = {name: getattr(self, name) for name in names}
        return self.read(self.source, say, missing=missing, **chosen)


@dataclass(frozen=True, kw_only=True)
class ScoresToRank(ScoresIn):
    """The scores that a command ranks systems by, summarised in some way."""

    summary: Annotated[
        str | None,
        option(
            "Summary of a system's scores: mean, win-rate, borda, or with bootstraps median or "
            "trimmed-mean.",
            default="mean",
        ),
    ] = None

    def load(self, missing: str | None = None, say: bool = True) -> pd.DataFrame:
        """Read the scores, with their summary."""
        from bayescorr.scores.aggregates import with_summary

        scores: pd.DataFrame = with_summary(super().load(missing, say=False), self.summary)
        if say:
            show_understood(scores, self.lower_is_better)
        return scores


@dataclass(frozen=True, kw_only=True)
class ScoresToFit(ScoresToRank):
    """The scores that a command fits a model to."""

    missing: Annotated[
        str | None, option("Missing scores: error, drop (their topics), zero or model.")
    ] = "error"
    name: Annotated[
        str | None,
        option(
            "Name of the measure in sentences, tables and figures.", default="that of the scores"
        ),
    ] = None

    def with_name(self, scores: pd.DataFrame) -> pd.DataFrame:
        """Return the scores with the name of their measure, if it is known."""
        if name := self.name or scores.attrs.get("measure") or self.measure:
            scores.attrs["measure"] = name
        return scores


SCORES_OR_FIT = argument(
    "SCORES|FIT", "Scores as for other commands, or a .nc file written by 'bayescorr fit --out'."
)


@dataclass(frozen=True, kw_only=True)
class ScoresOrFit(ScoresToFit):
    """Scores to fit a model to, or a fit."""

    source: Annotated[list[str], SCORES_OR_FIT]

    @property
    def is_fit(self) -> bool:
        """Whether the source is a stored fit."""
        return len(self.source) == 1 and self.source[0].endswith(".nc")

    def fit(
        self,
        context: typer.Context,
        sampling: Fitting,
        check: Callable[[pd.DataFrame], object] = lambda scores: None,
    ) -> Fit:
        """Load the fit, or fit the scores; ``check`` refuses scores before they are fitted."""
        if self.is_fit:
            fit = self.load_fit(context, sampling)
            check(fit.scores)
            return fit
        scores = self.load()
        check(scores)
        return sampling.fit(scores, **self.treatment)

    def load_fit(self, context: typer.Context, sampling: Fitting) -> Fit:
        """Load the fit; refuse options that only apply to reading scores or sampling."""
        names = {field.name for group in (self, sampling) for field in fields(group)}
        if given := typed(context, names - {"source", "seed", "name"}):
            raise OptionError(
                f"A stored fit cannot be changed by {listing(one.opts[0] for one in given)}.",
                "Leave these options out, or give the scores instead of the fit.",
            )
        fit = bayescorr.load_fit(self.source[0])
        if self.name is not None:
            fit.idata.attrs["measure"] = self.name
        show_fit(fit)
        return fit


def show_fit(fit: Fit) -> None:
    """Print in one line of standard error what a stored fit is of."""
    scores = fit.scores.copy()
    scores.attrs["measure"] = fit.measure
    show_understood(scores, not fit.higher_is_better)


def show_understood(scores: pd.DataFrame, lower_is_better: bool = False, name: str = "") -> None:
    """Print in one line of standard error what was read, so that a misreading is noticed.

    ``name`` says which of several tables it is.
    """
    from bayescorr.scores.describe import understood

    line = understood(scores, higher_is_better=not lower_is_better)
    print(f"Read {name}{': ' * bool(name)}{line}", file=sys.stderr)


def show_credit(scores: pd.DataFrame) -> None:
    """Print licence and citation of a data set to standard error."""
    print(f"Licence: {scores.attrs['licence']}. Cite: {scores.attrs['citation']}", file=sys.stderr)


def check_out(path: Path) -> None:
    """Refuse a file that scores cannot be written to."""
    if not path.name.endswith(WRITERS):
        raise OptionError(
            f"Cannot tell a format from the file name {path.name!r}.",
            f"End it with one of: {', '.join(WRITERS)}.",
        )
    check_folder(path)


def out_option(help: str) -> Any:
    """Return the option ``--out`` for a file of scores."""
    return option(help, check=check_out)


SCORES_OUT = out_option(
    "File for the scores: .csv, .tsv (.gz) or .parquet. Prints CSV if left out."
)


def write_scores(scores: pd.DataFrame, path: Path) -> None:
    """Write a table in the format that the file name ends with: wide, but long if it has seeds."""
    from bayescorr.scores.groups import one_row_per_score, seeds_of, task_labels

    labelled = scores.rename(index=str, columns=str).rename_axis(index="topic")
    if (tasks := task_labels(scores)) is not None:
        labelled.insert(0, "task", tasks.to_numpy())
    if (seeds := seeds_of(scores)) is not None:
        labelled = one_row_per_score(scores, seeds).set_index("topic")
    if path.suffix == ".parquet":
        labelled.to_parquet(path)
    else:
        labelled.to_csv(path, sep="\t" if ".tsv" in path.suffixes else ",")


def show_scores(scores: pd.DataFrame, out: Path | None, as_json: bool) -> None:
    """Write scores to ``out`` and print them as JSON if asked to; print CSV otherwise."""
    labelled = scores.rename_axis(index="topic")
    if out is not None:
        write_scores(scores, out)
    if as_json:
        show_json(labelled.reset_index())
    elif out is None:
        print(labelled.to_csv(), end="")
