"""What holds for all systems at once: intervals of all ranks, and sets that contain the true top.

Marginal statements hold one at a time with the level, and all of them together with less. Joint
statements hold together, counted on the same draws.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayescorr._numbers import check_count
from bayescorr.coefficients import rank_sets
from bayescorr.errors import listing

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit


@dataclass(frozen=True, eq=False)
class JointRanks:
    """Intervals of the true ranks of all systems that hold together.

    Attributes
    ----------
    level : float
        The least joint probability that was asked for.
    probability : float
        P(every true rank lies in its interval).
    marginal_level : float
        The level of each interval alone.
    table : DataFrame
        One row per system, in observed order: system, rank_lower, rank_upper.
    """

    level: float
    probability: float
    marginal_level: float
    table: pd.DataFrame = field(repr=False)

    def __str__(self) -> str:
        return (
            f"All {len(self.table)} true ranks lie in their intervals with probability "
            f"{self.probability:.3f} together (each alone: {self.marginal_level * 100:.4g}%)."
        )


@dataclass(frozen=True)
class TopSet:
    """The smallest set of systems that contains the whole true top k.

    Attributes
    ----------
    k : int
        Number of systems in the top.
    level : float
        The least probability that was asked for.
    systems : list
        The set, in observed order.
    probability : float
        P(the set contains the whole true top k).
    smallest : bool
        Whether no smaller set reaches the level. False if the search was stopped.
    """

    k: int
    level: float
    systems: list[Hashable]
    probability: float
    smallest: bool

    def __str__(self) -> str:
        size = len(self.systems)
        what = "the truly best system" if self.k == 1 else f"the whole true top {self.k}"
        if size == 1:
            return f"{self.systems[0]} is {what} with probability {self.probability:.3f}."
        return (
            f"These {size} systems contain {what} with probability {self.probability:.3f}: "
            f"{listing(self.systems)}."
        )


def joint_ranks(fit: Fit, level: float = 0.95) -> JointRanks:
    """Return intervals of the true ranks of all systems that hold together.

    All systems get the same marginal level, the lowest one for which all intervals hold together
    with probability at least ``level``, where each draw is judged by the intervals of all others.
    Few draws cannot show a high level: ``probability`` may then be lower. :meth:`Fit.ranking` also
    has the marginal intervals.

    Parameters
    ----------
    level : float
        Least joint probability.

    Returns
    -------
    JointRanks
        Prints as a sentence with both levels; ``table`` has the intervals.

    References
    ----------
    J. Besag, P. Green, D. Higdon, K. Mengersen. Bayesian computation and stochastic systems.
    Statistical Science 10(1), 1995, section 6.3.
    M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm. Inference for ranks with applications to
    mobility across neighbourhoods and academic achievement across countries. Review of Economic
    Studies 91(1), 2024 (the frequentist peer).

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
    >>> print(fit.joint_ranks(0.8))
    All 4 true ranks lie in their intervals with probability 0.9... together (each alone: 80%).
    """
    found = rank_sets.joint_rank_intervals(fit.true_ranks, level, sampled=True)
    table = pd.DataFrame(
        {"system": fit.systems, "rank_lower": found.lower, "rank_upper": found.upper}
    )
    return JointRanks(level, found.probability, found.marginal_level, table)


def top_set(fit: Fit, k: int = 1, level: float = 0.95) -> TopSet:
    """Return the smallest set of systems that contains the whole true top k.

    With k = 1, this is the smallest set that contains the truly best system.

    Parameters
    ----------
    k : int
        Number of systems in the top.
    level : float
        Least probability that the set contains the whole top.

    Returns
    -------
    TopSet
        Prints as a sentence; has ``systems`` and ``probability``.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
    >>> print(fit.top_set(level=0.8))
    These 2 systems contain the truly best system with probability 0.8...: bm25-b0.4, bm25.
    """
    found = rank_sets.top_set(fit.true_ranks, check_k(fit, k), level)
    return TopSet(int(k), level, _named(fit, found.members), found.probability, found.smallest)


def could_be_top(fit: Fit, k: int = 1, level: float = 0.95) -> list[Hashable]:
    """Return the systems that cannot be excluded from the true top k, one system at a time.

    A system is excluded if it is outside with a probability of at least ``level``. This is a
    marginal statement; :meth:`Fit.top_set` excludes systems together.

    Parameters
    ----------
    k, level
        As in :meth:`Fit.top_set`.

    Returns
    -------
    list
        Systems in observed order.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
    >>> fit.could_be_top(2, level=0.8)
    ['bm25-b0.4', 'bm25', 'bm25-stop']
    """
    return _named(fit, rank_sets.could_be_top(fit.true_ranks, check_k(fit, k), level))


def check_k(fit: Fit, k: int) -> int:
    """Return ``k`` if it is a number of systems of the fit."""
    return check_count(k, "k", most=len(fit.systems))


def _named(fit: Fit, members: NDArray[np.bool_]) -> list[Hashable]:
    return [system for system, member in zip(fit.systems, members, strict=True) if member]
