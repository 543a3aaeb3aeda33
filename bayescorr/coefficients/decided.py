"""Pairs of systems whose order is decided, together or one by one: arrays in, arrays out.

A relation is a boolean matrix: row better than column.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayescorr._numbers import FloatArray, check_level
from bayescorr.coefficients.rank_sets import draws_needed
from bayescorr.coefficients.ranks import order_shares

Relation = NDArray[np.bool_]

#: Parts of the draws, each of which checks the pairs that the others decide.
PARTS = 4


class Decided(NamedTuple):
    """Pairs of systems that are decided.

    Attributes
    ----------
    better : array of bool, systems x systems
        Whether the system of the row is decided to be better than that of the column.
    probability : float
        Share of the draws in which all these pairs are in this order.
    """

    better: Relation
    probability: float


def decided_together(means: FloatArray, level: float = 0.95, *, sampled: bool = False) -> Decided:
    r"""Return a large set of ordered pairs whose orders all hold together at the level.

    The set B of pairs is built greedily, so that

    .. math:: P(\mu_i > \mu_j \text{ for all } (i, j) \in B) \ge level.

    Each step decides the pair with the highest probability given the pairs before it, while the
    joint probability, counted on the draws, stays at least the level. The result is all pairs on
    which the remaining draws agree. Hence it is transitive, and no pair can be added.

    Pairs that are chosen on the draws that also count their probability look better than they are.
    With ``sampled``, each of four parts of the draws therefore counts the probability of the pairs
    that the other three choose, and the share of draws that must agree rises until that
    probability reaches the level (cross-validation).

    Parameters
    ----------
    means : array, draws x systems
        Draws of the true means, higher is better. Of pairs that are equally probable, the one with
        the larger mean difference comes first, then the one with earlier columns.
    level : float
        Least joint probability.
    sampled : bool
        Whether the draws are a sample from a distribution, rather than the distribution itself.
        With too few draws for the level, ``probability`` may be lower.

    Examples
    --------
    >>> means = np.array([[3, 2, 1]] * 17 + [[2, 3, 1]] * 2 + [[1, 2, 3]])
    >>> found = decided_together(means, 0.9)
    >>> found.better.astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [0, 0, 0]])
    >>> found.probability
    0.95
    """
    draws = np.ascontiguousarray(means, dtype=np.float64)
    size = len(draws)
    budget = size - draws_needed(level, size)
    if not sampled or size < PARTS:
        price, kept = _prices(draws, budget)
        return Decided(price >= 0, float(kept.mean()))
    budget, probability = _checked_budget(draws, level)
    return Decided(_prices(draws, budget)[0] >= 0, probability)


def _prices(draws: FloatArray, budget: int) -> tuple[NDArray[np.int64], Relation]:
    """Return the price of each pair and the draws kept, as ``drop_for_agreement`` does."""
    from bayescorr.coefficients import _search

    size, m = draws.shape
    failures = np.rint(size * (1 - order_shares(draws))).astype(np.int64)
    above, below = np.nonzero((failures <= budget) & ~np.eye(m, dtype=bool))
    centre = np.ascontiguousarray(draws.T).mean(axis=1)
    first = np.lexsort((centre[below] - centre[above], failures[above, below]))
    pairs = np.column_stack([above[first], below[first]])
    found: tuple[NDArray[np.int64], Relation] = _search.drop_for_agreement(
        draws, failures, pairs, budget
    )
    return found


def _checked_budget(draws: FloatArray, level: float) -> tuple[int, float]:
    """Return how many draws to drop, and the cross-validated probability of what they decide.

    Draws stay in order, so that the parts are chains.
    """
    from bayescorr.coefficients import _search

    size = len(draws)
    most = size - draws_needed(level, size)
    # The share to drop from which on each draw contradicts a pair that the other parts decide.
    shares = np.full(size, np.inf)
    for part in np.array_split(np.arange(size), PARTS):
        others = np.delete(draws, part, axis=0)
        budget = len(others) - draws_needed(level, len(others))
        first = _search.first_failures(draws[part], _prices(others, budget)[0])
        shares[part] = np.where(first < 0, np.inf, first / len(others))
    # Just below the share from which on too many draws contradict.
    limit = min(float(np.sort(shares)[most]), 1.0)
    dropped = min(most, max(0, math.ceil(limit * size - 1e-9) - 1))
    return dropped, float((shares > dropped / size).mean())


def decided_one_by_one(means: FloatArray, level: float = 0.95) -> Decided:
    r"""Return the pairs that are ordered with at least the level, each on its own.

    A pair is decided if :math:`P(\mu_i > \mu_j) \ge level`. All of them together hold with a lower
    probability, which is returned, and they need not be transitive.

    Examples
    --------
    >>> means = np.array([[3, 2, 1]] * 18 + [[2, 3, 1], [3, 1, 2]])
    >>> decided_one_by_one(means, 0.95)[1]
    0.9
    """
    draws = np.ascontiguousarray(means, dtype=np.float64)
    better = order_shares(draws) >= check_level(level) - 1e-12
    holds = np.ones(len(draws), dtype=bool)
    for i, j in zip(*np.nonzero(better), strict=True):
        holds &= draws[:, i] > draws[:, j]
    return Decided(better, float(holds.mean()))


def direct(better: Relation) -> Relation:
    """Return the pairs of a partial order that do not follow from others: its Hasse diagram.

    Examples
    --------
    >>> direct(np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)).astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """
    counts = better.astype(np.float32)
    return np.asarray(better & ~(counts @ counts > 0))


def tiers(better: Relation) -> NDArray[np.int64]:
    """Return the tier of each system: 1 plus the length of the longest chain of better systems.

    The number of tiers is the largest number of systems of which every two are decided.

    Examples
    --------
    >>> tiers(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool))
    array([1, 2, 2])
    """
    found = np.ones(len(better), dtype=np.int64)
    # A system comes after all that are better than it.
    for j in np.argsort(better.sum(axis=0), kind="stable"):
        found[j] = 1 + max(found[better[:, j]], default=0)
    return found
