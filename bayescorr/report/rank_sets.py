"""Credible and confidence sets for the true ranks of all systems, side by side."""

from __future__ import annotations

import pandas as pd

from bayescorr._random import RandomSeed
from bayescorr.bayes.result import Fit
from bayescorr.frequentist.rank_sets import rank_confidence_sets


def compare_rank_sets(
    fit: Fit,
    k: int = 1,
    level: float = 0.95,
    *,
    bootstrap: str = "normal",
    resamples: int = 1000,
    random_seed: RandomSeed = None,
) -> pd.DataFrame:
    """Compare the credible sets of a fit with frequentist confidence sets of the same scores.

    The sets of each kind hold together. Credible sets hold with a probability of at least the level
    given these scores; confidence sets in at least this share of repeated samples of topics.

    Parameters
    ----------
    fit : Fit
        A fit of scores of which none is missing.
    k : int
        Size of the top.
    level : float
        Level of all sets.
    bootstrap, resamples, random_seed
        Of the confidence sets, as in :func:`bayescorr.rank_confidence_sets`.

    Returns
    -------
    DataFrame
        One row per system, in observed order: system, observed_mean, the ends of the rank intervals
        (credible_lower, credible_upper, confidence_lower, confidence_upper), and whether the system
        is in the sets for the true top k (credible_top, confidence_top).
        ``attrs["notes"]`` says how large they are.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, ::6], "flat", random_seed=1)
    >>> compare_rank_sets(fit, random_seed=1).drop(columns="observed_mean").iloc[:2].T
                               0      1
    system            dense-late    dph
    credible_lower             1      2
    credible_upper             1      3
    confidence_lower           1      1
    confidence_upper           2      3
    credible_top            True  False
    confidence_top          True   True
    """
    joint, top = fit.joint_ranks(level), fit.top_set(k, level)
    confidence = rank_confidence_sets(
        fit.scores,
        bootstrap=bootstrap,
        resamples=resamples,
        higher_is_better=fit.higher_is_better,
        random_seed=random_seed,
    )
    ends = confidence.table(level).set_index("system").loc[fit.systems]
    members = confidence.top(k, level)
    table = pd.DataFrame(
        {
            "system": fit.systems,
            "observed_mean": fit.observed_means.to_numpy(),
            "credible_lower": joint.table["rank_lower"].to_numpy(),
            "credible_upper": joint.table["rank_upper"].to_numpy(),
            "confidence_lower": ends["rank_lower"].to_numpy(),
            "confidence_upper": ends["rank_upper"].to_numpy(),
            "credible_top": [system in top.systems for system in fit.systems],
            "confidence_top": [system in members for system in fit.systems],
        }
    )
    what = "the best system" if k == 1 else f"the whole top {k}"
    table.attrs["notes"] = [
        f"credible: {joint} {_contain(len(top.systems))} {what} with probability "
        f"{top.probability:.3f}.",
        f"confidence (frequentist): in at least {level * 100:g}% of repeated samples of topics, "
        f"all true ranks lie in their intervals and {_contain(len(members))} {what}.",
    ]
    return table


def _contain(systems: int) -> str:
    return "1 system contains" if systems == 1 else f"{systems} systems contain"
