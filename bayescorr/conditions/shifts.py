"""Which systems a judge favours: shifts of ranks and of standardised true means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bayescorr._draws import estimates_of
from bayescorr._numbers import FloatArray, check_level
from bayescorr.coefficients.ranks import true_ranks

if TYPE_CHECKING:
    from bayescorr.conditions.agreement import Agreement

_ROUNDING = 1e-9


def shifts(agreement: Agreement, level: float = 0.95) -> pd.DataFrame:
    r"""Return by how much every judge moves every system, compared with the truth.

    A true mean is standardised over the systems of its condition, draw by draw:
    :math:`z_s = (\mu_s - \bar\mu) / sd(\mu)`. The shift of a system is its z under the judge
    less that under the truth. Positive shifts favour the system, also those of ranks: a shift of 2
    means two ranks better.

    Parameters
    ----------
    level : float
        Probability inside the intervals, each of one system on its own.

    Returns
    -------
    DataFrame
        One row per judge and system, the most favoured first: judge, system, shift (posterior
        mean), lower, upper, observed, p_favoured (the shift is positive; no shift counts as half),
        rank_shift (posterior mean), rank_lower, rank_upper, rank_observed, level.
    """
    check_level(level)
    means = agreement.better_means
    tables = []
    for name in agreement.judges:
        observed = agreement.better_observed(name)
        pairs = ((means[agreement.truth], means[name]), tuple(x[None] for x in observed))
        (moved, climbed), (seen, seen_climbed) = (_shifts(*pair) for pair in pairs)
        table = estimates_of(moved, level).rename(columns={"estimate": "shift"}).drop(columns="sd")
        table.insert(0, "judge", name)
        table.insert(1, "system", agreement.systems)
        table["observed"] = seen[0]
        table["p_favoured"] = (0.5 + 0.5 * np.sign(moved)).mean(axis=0)
        ranks = estimates_of(climbed, level)
        table["rank_shift"] = ranks["estimate"]
        table["rank_lower"] = np.floor(ranks["lower"]).astype(int)
        table["rank_upper"] = np.ceil(ranks["upper"]).astype(int)
        table["rank_observed"] = seen_climbed[0]
        order = ["p_favoured", "shift"]
        tables.append(table.sort_values(order, ascending=False, kind="stable"))
    return pd.concat(tables, ignore_index=True).assign(level=level)


def _shifts(truth: FloatArray, judge: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return shifts of standardised means and of ranks, draws x systems, better is higher."""
    climbed = true_ranks(truth) - true_ranks(judge)
    moved = _standardised(judge) - _standardised(truth)
    moved[np.abs(moved) < _ROUNDING] = 0  # the judge scores as the truth does
    return moved, climbed.astype(float)


def _standardised(means: FloatArray) -> FloatArray:
    """Return means less their mean over their standard deviation; 0 if all are equal."""
    apart = means - means.mean(axis=1, keepdims=True)
    sd = apart.std(axis=1, keepdims=True)
    return np.asarray(np.divide(apart, sd, out=np.zeros_like(apart), where=sd > 0))
