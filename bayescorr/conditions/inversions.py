"""Pairs of systems that truth and judge both order, but in opposite ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bayescorr._draws import estimates_of
from bayescorr._numbers import FloatArray, check_level
from bayescorr.coefficients.ranks import order_shares

if TYPE_CHECKING:
    from bayescorr.conditions.agreement import Agreement


def inversions(agreement: Agreement, level: float = 0.95) -> pd.DataFrame:
    """Return the shares of pairs of systems that truth and judge decide, and that they invert.

    A pair is decided under a condition if the posterior probability of one order is at least
    ``level`` (one-sided, as in :meth:`bayescorr.Fit.groups`), each pair and condition on its own.

    Parameters
    ----------
    level : float
        Probability of one order from which a pair counts as decided.

    Returns
    -------
    DataFrame
        One row per judge: judge, pairs (their number), decided_truth, decided_judge, decided_both
        and inverted (decided under both, in opposite orders) as shares of all pairs; discordant,
        the posterior mean of the share of pairs that truly have opposite orders, with its interval
        lower and upper at the same level; observed, the share that the observed means put in
        opposite orders; level.
    """
    check_level(level)
    rows = []
    for name in agreement.judges:
        truth, judge = _orders(agreement, name)
        upper = np.triu_indices(len(truth), 1)
        one, other = (_decided(x, level)[upper] for x in (truth, judge))
        # (1 - tau) / 2 also with ties, which count as half.
        draws = (1 - agreement.draws("tau", name)) / 2
        discordant = estimates_of(draws[:, None], level).iloc[0]
        rows.append(
            {
                "judge": name,
                "pairs": len(one),
                "decided_truth": (one != 0).mean(),
                "decided_judge": (other != 0).mean(),
                "decided_both": (one * other != 0).mean(),
                "inverted": (one * other < 0).mean(),
                "discordant": discordant["estimate"],
                "lower": discordant["lower"],
                "upper": discordant["upper"],
                "observed": (1 - agreement.observed("tau", name)) / 2,
                "level": level,
            }
        )
    return pd.DataFrame(rows)


def inverted_pairs(agreement: Agreement, level: float = 0.95) -> pd.DataFrame:
    """List the pairs of systems that are decided under truth and judge, in opposite orders.

    Parameters
    ----------
    level : float
        Probability of one order from which a pair counts as decided.

    Returns
    -------
    DataFrame
        One row per judge and pair, the surest first: judge, better and worse (the systems by the
        truth), p_truth (``better`` is truly better under the truth), p_judge (``worse`` is truly
        better under the judge), p_both (both at once, a joint probability), level. Empty if there
        are none.
    """
    check_level(level)
    columns = ["judge", "better", "worse", "p_truth", "p_judge", "p_both"]
    rows = []
    for name in agreement.judges:
        truth, judge = _orders(agreement, name)
        means = agreement.better_means
        for i, j in np.argwhere((truth >= level) & (judge >= level).T):
            under_truth = means[agreement.truth][:, i] > means[agreement.truth][:, j]
            under_judge = means[name][:, j] > means[name][:, i]
            both = float((under_truth & under_judge).mean())
            labels = agreement.systems[i], agreement.systems[j]
            rows.append((name, *labels, truth[i, j], judge[j, i], both))
    table = pd.DataFrame(rows, columns=columns).assign(level=level)
    place = {name: i for i, name in enumerate(agreement.judges)}
    table = table.sort_values("p_both", ascending=False, kind="stable")
    return table.sort_values("judge", key=lambda x: x.map(place), kind="stable", ignore_index=True)


def _orders(agreement: Agreement, judge: str) -> tuple[FloatArray, FloatArray]:
    """Return the probabilities that each system is better than each other, by truth and judge."""
    means = agreement.better_means
    return order_shares(means[agreement.truth]), order_shares(means[judge])


def _decided(above: FloatArray, level: float) -> FloatArray:
    """Return 1 where the first of a pair is better, -1 where it is worse, 0 if undecided."""
    return np.asarray((above >= level).astype(float) - (above >= level).T)
