"""By how much the winner wins: as observed, and after the posterior has shrunk the lead."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bayescorr._draws import estimates_of
from bayescorr._numbers import FloatArray
from bayescorr.claims.systems import better_is_higher
from bayescorr.errors import OptionError

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit


@dataclass(frozen=True, eq=False)
class Winner:
    """The lead of the observed winner over the runner-up and over the median system.

    Attributes
    ----------
    system, runner_up
        The observed best and second best system; equal means are sorted by label.
    observed : tuple of float
        Observed lead over the runner-up and over the median, positive where the winner is better.
    draws : array, draws x 2
        The same leads in true means.
    """

    system: Hashable
    runner_up: Hashable
    observed: tuple[float, float]
    draws: FloatArray = field(repr=False)

    def table(self, level: float = 0.95) -> pd.DataFrame:
        """Return one row per lead: over, observed, posterior (mean), lower, upper, p_positive."""
        posterior = estimates_of(self.draws, level).rename(columns={"estimate": "posterior"})
        posterior.insert(0, "over", ["runner-up", "median"])
        posterior.insert(1, "observed", self.observed)
        posterior["p_positive"] = (self.draws > 0).mean(axis=0)
        return posterior.drop(columns="sd")

    def __str__(self) -> str:
        return self.in_words()

    def in_words(self, level: float = 0.95) -> str:
        """Say both leads in one line, with credible intervals of this level."""

        def lead(row: pd.Series) -> str:
            return (
                f"{row['observed']:.4f} observed, {row['posterior']:.4f} in the posterior "
                f"({level * 100:g}% interval {row['lower']:.4f} to {row['upper']:.4f})"
            )

        first, second = (lead(row) for _, row in self.table(level).iterrows())
        return (
            f"Lead of {self.system} over the runner-up {self.runner_up}: {first}; "
            f"over the median system: {second}."
        )


def winner(fit: Fit) -> Winner:
    r"""Return the lead of the observed winner over the runner-up and the median system.

    The observed lead of a winner is too large on average, since luck helped it to win (the winner's
    curse). The posterior of a model whose prior draws systems together, such as the default model,
    shrinks the lead; that of ``flat`` does not:

    .. math:: \mu_{(1)} - \mu_{(2)}, \quad \mu_{(1)} - \mathrm{median}_j \, \mu_j

    where (1) and (2) are the observed best and second best systems, and the median is over all
    systems.

    Returns
    -------
    Winner
        Prints as a sentence; ``table(level)`` has the observed and the posterior leads.

    References
    ----------
    I. Andrews, T. Kitagawa, A. McCloskey. Inference on winners. Quarterly Journal of Economics
    139(1), 2024.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
    >>> fit.winner().table()[["over", "observed", "posterior"]].round(3)
            over  observed  posterior
    0  runner-up     0.018      0.019
    1     median     0.019      0.022
    """
    if len(fit.systems) < 2:
        raise OptionError("A lead needs at least 2 systems; found 1.")
    sign = 1.0 if fit.higher_is_better else -1.0
    observed, means = sign * fit.observed_means.to_numpy(), better_is_higher(fit)
    leads = (float(observed[0] - observed[1]), float(observed[0] - np.median(observed)))
    draws = np.column_stack(
        [means[:, 0] - means[:, 1], means[:, 0] - np.median(means, axis=1)],
    )
    return Winner(fit.systems[0], fit.systems[1], leads, draws)
