"""The ranking as a LaTeX table for a paper: superscripts say which systems each is better than."""

from __future__ import annotations

from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import pandas as pd

from bayescorr.report.tables import captioned, latex_table
from bayescorr.scores.aggregates import summary_label

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit
    from bayescorr.claims.partial_order import DecidedPairs


def latex_ranking(
    fit: Fit, level: float = 0.95, *, k: int | None = None, together: bool = True
) -> str:
    r"""Write the ranking as a LaTeX table with superscripts, for a document that loads booktabs.

    The superscript of a system names the systems that it is better than: by letters, or by ranks
    if there are more than 26 systems. Above 40 systems it is a ``longtable`` over several pages.

    Parameters
    ----------
    fit : Fit
        The posterior.
    level : float
        Level of all intervals, and least probability of the superscripts.
    k : int, optional
        Add a column with the probability of being in the true top k.
    together : bool
        Whether all superscripts hold together with the level (the default) or each pair alone.
        The caption says which, and with which joint probability.

    Returns
    -------
    str
        LaTeX code with a caption; names of systems are escaped.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
    >>> print(bayescorr.latex_ranking(fit).splitlines()[10])
    1 & bm25-b0.4 (a) & 0.241\textsuperscript{d} & 0.242 [0.18...] & 1--3 & 1--3 & 0.705 \\
    """
    pairs = fit.decided_pairs(level, together=together)
    topics, systems = fit.scores.shape
    percent, top = f"{level * 100:g}%", "" if k is None else f" and in the true top {k}"
    kind = summary_label(fit.item_summary)
    names = "letters" if _has_letters(pairs) else "ranks"
    if together:
        held = f"all together with probability {pairs.probability:.3f}"
    else:
        held = (
            f"each pair alone with probability at least {level:g}, and all together with "
            f"{pairs.probability:.3f}"
        )
    caption = (
        f"The {systems} systems ranked by {fit.measure or 'mean score'} on {topics} topics: "
        f"observed {kind}, posterior mean with {percent} credible interval, {percent} credible "
        "interval of the true rank, alone and for all systems together, and the probability of "
        f"being truly the best{top}. Superscripts are the {names} of the systems that a system is "
        f"better than, {held}."
    )
    if not fit.convergence.passed:
        caption = f"{fit.convergence} {caption}"
    tabular = ranking_tabular(fit, level, k=k, pairs=pairs)
    return captioned(tabular, caption, "tab:ranking", dense=True)


def ranking_tabular(
    fit: Fit, level: float = 0.95, *, k: int | None = None, pairs: DecidedPairs
) -> str:
    """Return the ``tabular`` of :func:`latex_ranking`."""
    ranking, letters = fit.ranking(level), _has_letters(pairs)
    kind = summary_label(fit.item_summary)
    rows: list[Any] = list(ranking.itertuples(index=False))
    own = [f" ({letter})" for letter in ascii_lowercase] if letters else [""] * len(rows)
    table = pd.DataFrame(
        {
            "rank": range(1, len(rows) + 1),
            "system": [f"{row.system}{mark}" for row, mark in zip(rows, own, strict=False)],
            "observed": ranking["observed_mean"],
            f"true {kind}": [f"{r.true_mean:.3f} [{r.lower:.3f}, {r.upper:.3f}]" for r in rows],
            "true rank": [f"{row.rank_lower}--{row.rank_upper}" for row in rows],
            "jointly": [f"{row.joint_rank_lower}--{row.joint_rank_upper}" for row in rows],
            "$P$(best)": ranking["p_best"],
        }
    )
    if k is not None:
        table[f"$P$(top {k})"] = fit.rank_probabilities().iloc[:, :k].sum(axis=1).to_numpy()
    marks = pairs.ranges(ascii_lowercase if letters else None, dash="--")
    return latex_table(
        table, digits=3, headers=list(table.columns), superscripts={"observed": marks}
    )


def _has_letters(pairs: DecidedPairs) -> bool:
    return len(pairs.systems) <= len(ascii_lowercase)
