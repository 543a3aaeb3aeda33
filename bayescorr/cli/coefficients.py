"""Commands about coefficients: compute them, list them, see what a swap of systems costs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bayescorr.cli._input import (
    FormatOption,
    MeasureOption,
    MissingAtOnceOption,
    ScoresArgument,
    load_scores,
)
from bayescorr.cli._options import LowerOption, SeedOption, check_plot, name_coefficients
from bayescorr.cli._output import CsvOption, JsonOption, LatexOption, show_frame, show_json

if TYPE_CHECKING:
    import pandas as pd

PANEL = "Coefficients"

CoefficientsOption = Annotated[
    str, typer.Option("--coefficients", help="Names with commas; see 'bayescorr coefficients'.")
]
LevelOption = Annotated[float, typer.Option("--level", help="Significant means p below this.")]
PlotOption = Annotated[
    Path | None,
    typer.Option("--plot", help="Also draw a heat map: .png, .svg or .pdf.", show_default=False),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("correlate", rich_help_panel=PANEL)(correlate_command)
    app.command("coefficients", rich_help_panel=PANEL)(coefficients_command)
    app.command("swap-weights", rich_help_panel=PANEL)(swap_weights_command)
    app.command("significance", rich_help_panel=PANEL)(significance_command)
    app.command("swap-experiment", rich_help_panel=PANEL)(swap_experiment_command)


def correlate_command(
    truth: Annotated[
        str, typer.Argument(metavar="TRUTH", help="Scores, or a file of two columns: system, mean.")
    ],
    observed: Annotated[
        str, typer.Argument(metavar="OBSERVED", help="The same, of the same systems.")
    ],
    coefficients: CoefficientsOption = "tau,tau_ap,tau_gap",
    strict: Annotated[
        bool, typer.Option("--strict", help="Systems tied in OBSERVED are not discordant.")
    ] = False,
    measure: MeasureOption = None,
    format: FormatOption = "auto",
    missing: MissingAtOnceOption = "error",
    lower_is_better: LowerOption = False,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
    as_latex: LatexOption = False,
) -> None:
    """Correlate two rankings of the same systems, matched by name."""
    import pandas as pd

    import bayescorr

    options = {"format": format, "measure": measure, "missing": missing}
    true_means, observed_means = _load_means(truth, **options), _load_means(observed, **options)
    values = bayescorr.correlate(
        true_means,
        observed_means,
        name_coefficients(coefficients),
        strict=strict,
        higher_is_better=not lower_is_better,
    )
    table = pd.DataFrame({"coefficient": list(values), "value": map(float, values.values())})
    title = f"{len(true_means)} systems"
    show_frame(table, as_json=as_json, as_csv=as_csv, as_latex=as_latex, title=title)


def coefficients_command(as_json: JsonOption = False) -> None:
    """List the coefficients: what each counts, and who defined it."""
    import pandas as pd

    from bayescorr.coefficients import COEFFICIENTS

    rows = [(c.name, c.description, c.citation) for c in COEFFICIENTS.values()]
    table = pd.DataFrame(rows, columns=["coefficient", "description", "citation"])
    show_frame(table, as_json=as_json)


def swap_weights_command(
    source: ScoresArgument,
    coefficient: Annotated[
        str, typer.Option("--coefficient", help="See 'bayescorr coefficients'.")
    ] = "tau_gap",
    top: Annotated[int, typer.Option("--top", min=1, help="How many pairs to show.")] = 10,
    plot: PlotOption = None,
    measure: MeasureOption = None,
    format: FormatOption = "auto",
    missing: MissingAtOnceOption = "error",
    lower_is_better: LowerOption = False,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
    as_latex: LatexOption = False,
) -> None:
    """Show which pairs of systems cost a coefficient most when they swap places.

    JSON and CSV give all pairs, heaviest first.
    """
    import bayescorr
    from bayescorr.coefficients import resolve

    check_plot(plot)
    scores = load_scores(source, format=format, measure=measure, missing=missing)
    weights = bayescorr.swap_weights(scores, coefficient, higher_is_better=not lower_is_better)
    table = _pairs(weights, "weight").sort_values("weight", ascending=False, kind="stable")
    show_frame(
        table if as_json or as_csv else table.head(top),
        as_json=as_json,
        as_csv=as_csv,
        as_latex=as_latex,
        title=f"Swap weights of {coefficient}, heaviest of {len(table)} pairs",
    )
    if plot is not None:
        _draw(weights, plot, title=f"Swap weights of {resolve(coefficient).label}", label="weight")


def significance_command(
    source: ScoresArgument,
    level: LevelOption = 0.05,
    plot: PlotOption = None,
    measure: MeasureOption = None,
    format: FormatOption = "auto",
    missing: MissingAtOnceOption = "error",
    lower_is_better: LowerOption = False,
    as_json: JsonOption = False,
) -> None:
    """Test every pair of systems (paired t-tests) and show how many differ significantly."""
    import bayescorr

    check_plot(plot)
    scores = load_scores(source, format=format, measure=measure, missing=missing)
    result = bayescorr.significance_matrix(
        scores, level=level, higher_is_better=not lower_is_better
    )
    if as_json:
        pairs = _pairs(result.p_values, "p").to_dict(orient="records")
        show_json({"level": result.level, "share": result.share, "pairs": pairs})
    else:
        print(result)
    if plot is not None:
        _draw(
            result.p_values.rename_axis(index="system", columns="other system"),
            plot,
            title="Paired t-tests",
            label="p",
            cmap="Blues_r",
            boundaries=[0, level, 1],
        )


def swap_experiment_command(
    source: ScoresArgument,
    pairs: Annotated[int, typer.Option("--pairs", help="Pairs to swap each time.")] = 5,
    repeats: Annotated[int, typer.Option("--repeats", help="How many times.")] = 50,
    coefficients: CoefficientsOption = "pearson,tau_ap,tau_gap",
    level: LevelOption = 0.05,
    seed: SeedOption = None,
    measure: MeasureOption = None,
    format: FormatOption = "auto",
    missing: MissingAtOnceOption = "error",
    lower_is_better: LowerOption = False,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
    as_latex: LatexOption = False,
) -> None:
    """Swap random pairs that differ significantly, and ones that do not: what each costs."""
    import pandas as pd

    import bayescorr

    scores = load_scores(source, format=format, measure=measure, missing=missing)
    means = {
        name: bayescorr.swap_experiment(
            scores,
            significant=significant,
            pairs=pairs,
            repeats=repeats,
            coefficients=name_coefficients(coefficients),
            level=level,
            higher_is_better=not lower_is_better,
            random_seed=seed,
        ).mean()
        for name, significant in (("significant", True), ("not significant", False))
    }
    table = pd.DataFrame(means).T.rename_axis("swapped pairs").reset_index()
    title = f"Means over {repeats} times {pairs} swaps"
    show_frame(table, as_json=as_json, as_csv=as_csv, as_latex=as_latex, title=title)


def _load_means(source: str, **options: Any) -> pd.Series[float]:
    """Means of the systems, from a file of two columns or from scores of any format."""
    from bayescorr.coefficients.means import read_means
    from bayescorr.scores.check import check_scores, observed_means

    # A format that is given is one of scores.
    may_be_means = options["format"] == "auto" and Path(source).is_file()
    means = read_means(source) if may_be_means else None
    if means is not None:
        return means
    return observed_means(check_scores(load_scores(source, **options), warn=False))


def _pairs(matrix: pd.DataFrame, value: str) -> pd.DataFrame:
    """List the pairs of a symmetric matrix once each, the better system first."""
    import numpy as np
    import pandas as pd

    first, second = np.triu_indices(len(matrix), 1)
    return pd.DataFrame(
        {
            "system": matrix.index[first],
            "other": matrix.index[second],
            value: matrix.to_numpy()[first, second],
        }
    )


def _draw(matrix: pd.DataFrame, path: Path, **options: object) -> None:
    from bayescorr.report.files import save_plot
    from bayescorr.report.heatmap import plot_matrix

    save_plot(plot_matrix(matrix, **options), path)  # type: ignore[arg-type]
    print(f"Wrote {path}", file=sys.stderr)
