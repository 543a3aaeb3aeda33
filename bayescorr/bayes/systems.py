"""What the draws of the true means say about systems: ranks, the best one, and every pair."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from bayescorr._draws import interval
from bayescorr.bayes.stored import Stored
from bayescorr.coefficients.ranks import rank_shares, swap_shares, true_ranks


class SystemMethods(Stored):
    """What :class:`~bayescorr.Fit` says about systems."""

    def rank_probabilities(self) -> pd.DataFrame:
        """Probability of every true rank (columns, 1 is best) for every system (observed order).

        Systems that tie in the truth, which only identical ones do, share the better rank.

        Returns
        -------
        DataFrame
            Systems x ranks; every row sums to 1.

        Examples
        --------
        >>> import bayescorr
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> fit.rank_probabilities().round(2)
        rank           1     2     3     4
        system
        bm25-b0.4   0.70  0.15  0.13  0.02
        bm25        0.15  0.46  0.35  0.04
        bm25-stop   0.14  0.35  0.40  0.10
        bm25-title  0.00  0.04  0.11  0.84
        """
        labels = pd.Index(self.systems, name="system")
        columns = pd.RangeIndex(1, len(labels) + 1, name="rank")
        return pd.DataFrame(rank_shares(self._ranks()), index=labels, columns=columns)

    def best(self) -> pd.Series:
        """Probability of each system to be truly the best, most probable first.

        Returns
        -------
        Series
            Probabilities by system.

        Examples
        --------
        >>> import bayescorr
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> fit.best().round(2).to_dict()
        {'bm25-b0.4': 0.7, 'bm25': 0.15, 'bm25-stop': 0.14, 'bm25-title': 0.0}
        """
        first = (self._ranks() == 1).mean(axis=0)
        series = pd.Series(first, index=pd.Index(self.systems, name="system"), name="p_best")
        return series.sort_values(ascending=False, kind="stable")

    def ranking(self, level: float = 0.95) -> pd.DataFrame:
        """Observed and true means, ranks and P(best) of the systems, in observed order.

        Parameters
        ----------
        level : float
            Level of the credible intervals of true means and true ranks.

        Returns
        -------
        DataFrame
            One row per system: system, observed_mean, true_mean (posterior mean), lower, upper,
            rank_lower, rank_upper, p_best.

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
        means, ranks = self._ordered(), self._ranks()
        lower, upper = interval(means, level)
        low_rank, high_rank = interval(ranks, level)
        return pd.DataFrame(
            {
                "system": self.systems,
                "observed_mean": self.observed_means.to_numpy(),
                "true_mean": means.mean(axis=0),
                "lower": lower,
                "upper": upper,
                "rank_lower": np.floor(low_rank).astype(int),
                "rank_upper": np.ceil(high_rank).astype(int),
                "p_best": (ranks == 1).mean(axis=0),
            }
        )

    def discordance(self) -> pd.DataFrame:
        """P(truth swaps i and j), systems in observed order; one half for equal observed means.

        Returns
        -------
        DataFrame
            Systems x systems, symmetric, with a zero diagonal; :func:`bayescorr.discordance` has
            the frequentist counterpart.

        Examples
        --------
        >>> import bayescorr
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> fit.discordance().round(2)
        system      bm25-b0.4  bm25  bm25-stop  bm25-title
        system
        bm25-b0.4        0.00  0.22       0.22        0.02
        bm25             0.22  0.00       0.43        0.07
        bm25-stop        0.22  0.43       0.00        0.12
        bm25-title       0.02  0.07       0.12        0.00
        """
        sign = 1 if self.higher_is_better else -1
        labels = pd.Index(self.systems, name="system")
        values = swap_shares(sign * self._ordered(), self.observed_means.to_numpy())
        return pd.DataFrame(values, index=labels, columns=labels)

    def _ranks(self) -> np.ndarray[Any, Any]:
        """Rank the true means, draws x systems in observed order."""
        return true_ranks(self._ordered(), higher_is_better=self.higher_is_better)
