"""The ranking: one row per system, with everything the posterior says about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from bayescorr._draws import estimates_of
from bayescorr.claims.partial_order import decided_pairs
from bayescorr.coefficients.rank_sets import joint_rank_intervals, rank_intervals

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit


def ranking(fit: Fit, level: float = 0.95) -> pd.DataFrame:
    """Return what the posterior says about each system, in observed order.

    Parameters
    ----------
    level : float
        Level of the intervals: of each alone, and of the joint ones and all pairs together.

    Returns
    -------
    DataFrame
        One row per system: system, observed_mean, true_mean (posterior mean), lower, upper,
        rank_lower, rank_upper, p_best; then what holds for all systems together:
        joint_rank_lower and joint_rank_upper (:meth:`Fit.joint_ranks`), and better_than, the
        observed ranks of the systems that it is better than (:meth:`Fit.decided_pairs`).

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
    >>> fit.ranking()[["system", "observed_mean", "rank_lower", "rank_upper"]].round(2)
           system  observed_mean  rank_lower  rank_upper
    0   bm25-b0.4           0.24           1           3
    1        bm25           0.22           1           4
    2   bm25-stop           0.22           1           4
    3  bm25-title           0.19           2           4
    """
    ranks = fit.true_ranks
    low_rank, high_rank = rank_intervals(ranks, level)
    joint = joint_rank_intervals(ranks, level, sampled=True)
    means = estimates_of(fit.ordered_means, level)
    table = means.rename(columns={"estimate": "true_mean"}).drop(columns="sd")
    table.insert(0, "system", fit.systems)
    table.insert(1, "observed_mean", fit.observed_means.to_numpy())
    return table.assign(
        rank_lower=low_rank,
        rank_upper=high_rank,
        p_best=(ranks == 1).mean(axis=0),
        joint_rank_lower=joint.lower,
        joint_rank_upper=joint.upper,
        better_than=decided_pairs(fit, level).ranges(),
    )
