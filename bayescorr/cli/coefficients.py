"""Commands about coefficients: compute them, list them, see what a swap of systems costs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import bayescorr
from bayescorr.cli._app import command
from bayescorr.cli._input import Reading, ScoresIn
from bayescorr.cli._options import (
    Coefficient,
    Coefficients,
    Plot,
    Seed,
    argument,
    coefficients_option,
    named,
    option,
)
from bayescorr.cli._output import JsonOption, Output, list_pairs, show_json, write_plot
from bayescorr.cli._progress import stage

if TYPE_CHECKING:
    import pandas as pd

PANEL = "Coefficients"

SignificanceLevel = Annotated[float, option("Pairs with p below this level differ significantly.")]


@command(
    "correlate",
    PANEL,
    examples=("bayescorr correlate all-topics.csv some-topics.csv",),
)
def correlate_command(
    truth: Annotated[str, argument("TRUTH", "Scores, or a file with the columns system and mean.")],
    observed: Annotated[str, argument("OBSERVED", "The same for the observed ranking.")],
    reading: Reading,
    output: Output,
    coefficients: Coefficients = [],  # noqa: B006 - typer takes a list and never changes it
    strict: Annotated[bool, option("Do not count pairs tied in OBSERVED as discordant.")] = False,
) -> None:
    """Correlate two rankings of the same systems."""
    import pandas as pd

    means = _load_means(truth, reading), _load_means(observed, reading)
    values = bayescorr.correlate(
        *means,
        **named(coefficients=coefficients),
        strict=strict,
        higher_is_better=not reading.lower_is_better,
    )
    table = pd.DataFrame({"coefficient": list(values), "value": map(float, values.values())})
    output.show(table, f"{len(means[0])} systems")


@command(
    "coefficients",
    PANEL,
    examples=("bayescorr coefficients",),
)
def coefficients_command(output: Output) -> None:
    """List the coefficients."""
    import pandas as pd

    from bayescorr.coefficients import COEFFICIENTS

    rows = [(c.name, c.description, c.citation) for c in COEFFICIENTS.values()]
    output.show(pd.DataFrame(rows, columns=["coefficient", "description", "citation"]))


@command(
    "swap-weights",
    PANEL,
    examples=("bayescorr swap-weights scores.csv --coefficient tau_ap --top 5",),
)
def swap_weights_command(
    scores_in: ScoresIn,
    output: Output,
    coefficient: Coefficient = "tau_gap",
    top: Annotated[int, option("Number of pairs to show.", min=1)] = 10,
    plot: Plot = None,
) -> None:
    """Show how much a coefficient drops when two systems swap places.

    JSON and CSV list all pairs, the largest drop first.
    """
    from bayescorr.coefficients import resolve
    from bayescorr.report.heatmap import plot_matrix

    scores = scores_in.load(scores_in.missing)
    weights = bayescorr.swap_weights(
        scores, coefficient, higher_is_better=not scores_in.lower_is_better
    )
    table = list_pairs(weights, "weight").sort_values("weight", ascending=False, kind="stable")
    title = f"Swap weights of {coefficient}, heaviest of {len(table)} pairs"
    output.show(table if output.as_json or output.as_csv else table.head(top), title)
    if plot is not None:
        title = f"Swap weights of {resolve(coefficient).label}"
        write_plot(plot_matrix(weights, title=title, label="weight"), plot)


@command(
    "significance",
    PANEL,
    examples=("bayescorr significance scores.csv --plot significance.png",),
)
def significance_command(
    scores_in: ScoresIn,
    level: SignificanceLevel = 0.05,
    plot: Plot = None,
    as_json: JsonOption = False,
) -> None:
    """Test all pairs of systems with paired t-tests."""
    from bayescorr.report.heatmap import plot_matrix

    result = bayescorr.significance_matrix(
        scores_in.load(scores_in.missing),
        level=level,
        higher_is_better=not scores_in.lower_is_better,
    )
    if as_json:
        pairs = list_pairs(result.p_values, "p")
        show_json({"level": result.level, "share": result.share, "pairs": pairs})
    else:
        print(result)
    if plot is not None:
        matrix = result.p_values.rename_axis(index="system", columns="other system")
        look: dict[str, Any] = {"title": "Paired t-tests", "label": "p", "cmap": "Blues_r"}
        write_plot(plot_matrix(matrix, boundaries=[0, level, 1], **look), plot)


@command(
    "swap-experiment",
    PANEL,
    examples=("bayescorr swap-experiment scores.csv --pairs 5 --seed 1",),
)
def swap_experiment_command(
    scores_in: ScoresIn,
    output: Output,
    pairs: Annotated[int, option("Pairs to swap in each repeat.")] = 5,
    times: Annotated[int, option("How often to repeat the swaps.")] = 50,
    coefficients: Annotated[list[str], coefficients_option("pearson, tau_ap, tau_gap")] = [],  # noqa: B006
    level: SignificanceLevel = 0.05,
    seed: Seed = None,
) -> None:
    """Compare swaps of significantly different systems with other swaps."""
    import pandas as pd

    scores = scores_in.load(scores_in.missing)
    options: dict[str, Any] = {
        "pairs": pairs,
        "repeats": times,
        **named(coefficients=coefficients),
        "level": level,
        "higher_is_better": not scores_in.lower_is_better,
        "random_seed": seed,
    }
    with stage("swapping systems"):
        means = {
            name: bayescorr.swap_experiment(scores, significant=significant, **options).mean()
            for name, significant in (("significant", True), ("not significant", False))
        }
    table = pd.DataFrame(means).T.rename_axis("swapped pairs").reset_index()
    output.show(table, f"Means over {times} repeats of {pairs} swaps")


def _load_means(source: str, reading: Reading) -> pd.Series[float]:
    """Read the means of the systems from a file of two columns, or from scores of any format."""
    from bayescorr.scores.check import check_scores, observed_means
    from bayescorr.scores.means import read_means
    from bayescorr.scores.strata import refuse_seeds

    # Formats that can be named are formats of scores.
    may_be_means = reading.format == "auto" and Path(source).is_file()
    means = read_means(source) if may_be_means else None
    if means is not None:
        return means
    scores = reading.read(source, missing=reading.missing)
    refuse_seeds(scores)
    return observed_means(check_scores(scores, warn=False))
