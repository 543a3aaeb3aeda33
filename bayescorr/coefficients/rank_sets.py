"""Ranks and sets of systems that hold together, with a joint probability counted on the draws.

Arrays in, arrays out. Ranks are those of :func:`bayescorr.coefficients.ranks.true_ranks`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayescorr._numbers import check_count, check_level

Integers = NDArray[np.int64]

#: Sets that a search for the smallest one looks at before it settles for the best one found.
MOST_SETS = 20_000


class RankIntervals(NamedTuple):
    """Intervals of the ranks of all systems that hold together.

    Attributes
    ----------
    lower, upper : array, systems
        Best and worst rank of each system.
    marginal_level : float
        The level of each interval alone that makes them hold together.
    probability : float
        Share of the draws in which every rank lies in its interval.
    """

    lower: Integers
    upper: Integers
    marginal_level: float
    probability: float


class TopSet(NamedTuple):
    """A set of systems that contains the whole true top k.

    Attributes
    ----------
    members : array of bool, systems
        Whether each system belongs to the set.
    probability : float
        Share of the draws whose whole top k is in the set.
    smallest : bool
        Whether no smaller set reaches the level. False if the search was stopped.
    """

    members: NDArray[np.bool_]
    probability: float
    smallest: bool


def draws_needed(level: float, draws: int) -> int:
    """Return the smallest number of draws whose share is at least the level.

    Examples
    --------
    >>> draws_needed(0.95, 4000), draws_needed(0.95, 10)
    (3800, 10)
    """
    # The product may exceed a whole number by a rounding error.
    return max(1, math.ceil(check_level(level) * draws - 1e-9))


def rank_intervals(ranks: Integers, level: float) -> tuple[Integers, Integers]:
    r"""Return the equal-tailed interval of the rank of each system, one system at a time.

    The interval holds the ranks r with :math:`P(R \le r) \ge t` and :math:`P(R \ge r) \ge t`, where
    t = (1 - level) / 2, so less than t is outside on either side.

    Parameters
    ----------
    ranks : array, draws x systems
        Ranks of the true means.
    level : float
        Least probability inside each interval.

    Examples
    --------
    >>> ranks = np.array([[1, 2]] * 8 + [[2, 1]] * 2)
    >>> rank_intervals(ranks, 0.9)
    (array([1, 1]), array([2, 2]))
    >>> rank_intervals(ranks, 0.5)
    (array([1, 2]), array([1, 2]))
    """
    least = _tail_draws(level, len(ranks))
    ordered = np.sort(ranks, axis=0)
    return ordered[least - 1], ordered[len(ranks) - least]


def joint_rank_intervals(
    ranks: Integers, level: float = 0.95, *, sampled: bool = False
) -> RankIntervals:
    r"""Return the narrowest equal-tailed intervals that hold all ranks together at the level.

    All systems get the same marginal level, the lowest one, though never below ``level``, for which

    .. math:: P(l_1 \le R_1 \le u_1, \ldots, l_m \le R_m \le u_m) \ge level.

    It is found exactly for the draws at hand: a draw lies in all intervals with tails t if the
    smallest tail probability of its ranks, its depth, is at least t (Besag et al. 1995).

    Intervals look better on the draws that they are made from than they are. With ``sampled``, each
    draw is therefore judged by the intervals of all others (leave-one-out).

    Parameters
    ----------
    ranks : array, draws x systems
        Ranks of the true means.
    level : float
        Least joint probability.
    sampled : bool
        Whether the draws are a sample from a distribution, rather than the distribution itself.
        With too few draws for the level, ``probability`` may be lower.

    References
    ----------
    J. Besag, P. Green, D. Higdon, K. Mengersen. Bayesian computation and stochastic systems.
    Statistical Science 10(1), 1995, section 6.3.

    Examples
    --------
    >>> ranks = np.array([[1, 2, 3]] * 36 + [[2, 1, 3]] * 2 + [[1, 3, 2]] * 2)
    >>> joint_rank_intervals(ranks, 0.9)[:2]
    (array([1, 1, 2]), array([2, 3, 3]))
    >>> joint_rank_intervals(ranks, 0.8)[2:]
    (0.8, 0.9)
    """
    draws, systems = ranks.shape
    depth = np.full(draws, draws)
    for j in range(systems):
        counts = np.bincount(ranks[:, j])
        at_most = np.cumsum(counts)
        tails = np.minimum(at_most, draws - at_most + counts)
        np.minimum(depth, tails[ranks[:, j]], out=depth)
    # Without itself, a draw has one draw less in its tail.
    depth -= sampled
    alone = _tail_draws(level, draws)
    enough = int(np.partition(depth, draws - (need := draws_needed(level, draws)))[draws - need])
    least = max(min(enough, alone), 1)
    marginal = float(level) if least == alone else 1 - 2 * least / draws
    ordered = np.sort(ranks, axis=0)
    probability = float((depth >= least).mean())
    return RankIntervals(ordered[least - 1], ordered[draws - least], marginal, probability)


def could_be_top(ranks: Integers, k: int, level: float = 0.95) -> NDArray[np.bool_]:
    r"""Return which systems cannot be excluded from the true top k, one system at a time.

    A system is excluded if :math:`P(R > k) \ge level`. Systems are excluded one by one, so together
    their exclusion is less probable; :func:`top_set` excludes them together.

    Parameters
    ----------
    ranks : array, draws x systems
        Ranks of the true means.
    k : int
        Number of systems in the top.
    level : float
        Probability from which a system counts as outside.

    Examples
    --------
    >>> could_be_top(np.array([[1, 2, 3]] * 9 + [[1, 3, 2]]), 2, 0.8)
    array([ True,  True, False])
    """
    outside = (ranks > check_count(k, "k")).sum(axis=0)
    return np.asarray(outside < draws_needed(level, len(ranks)))


def top_set(ranks: Integers, k: int = 1, level: float = 0.95) -> TopSet:
    r"""Return the smallest set of systems that contains the whole true top k at the level.

    The set S has the fewest systems among those with

    .. math:: P(\{j : R_j \le k\} \subseteq S) \ge level,

    and of several such sets it is the most probable one. With k = 1 it contains the true best
    system, or all of them where identical systems are the best. Systems are left out by branch and
    bound: those that are rarely in the top come first, and a branch ends when even the cheapest
    choice among the others cannot beat the best set so far.

    Parameters
    ----------
    ranks : array, draws x systems
        Ranks of the true means. Of sets that are equally good, the one with earlier columns wins.
    k : int
        Number of systems in the top.
    level : float
        Least probability that the whole top is in the set.

    Examples
    --------
    >>> ranks = np.array([[1, 2, 3]] * 7 + [[2, 1, 3]] * 2 + [[3, 2, 1]])
    >>> top_set(ranks, 1, 0.9)
    TopSet(members=array([ True,  True, False]), probability=0.9, smallest=True)
    """
    from bayescorr.coefficients import _search

    draws, systems = ranks.shape
    tops, weights = _distinct(ranks <= check_count(k, "k"))
    budget = draws - draws_needed(level, draws)
    counts = weights @ tops
    # Last columns first among equals, so that they are the ones to leave out.
    order = np.argsort(counts[::-1], kind="stable")
    candidates = (systems - 1 - order)[counts[::-1][order] <= budget]
    rows, which = np.nonzero(tops[:, candidates].T)[::-1], np.zeros(len(candidates) + 1, np.int64)
    np.cumsum(tops[:, candidates].sum(axis=0), out=which[1:])
    left_out, cost, complete = _search.most_left_out(
        np.ascontiguousarray(rows[0]), which, weights, budget, MOST_SETS
    )
    members = np.ones(systems, dtype=bool)
    members[candidates[left_out]] = False
    return TopSet(members, (draws - int(cost)) / draws, bool(complete))


def _distinct(tops: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], Integers]:
    """Return the distinct rows and how often each occurs."""
    packed = np.packbits(tops, axis=1)
    _, first, counts = np.unique(
        packed.view([("", packed.dtype)] * packed.shape[1]), return_index=True, return_counts=True
    )
    return tops[first], np.asarray(counts, dtype=np.int64)


def _tail_draws(level: float, draws: int) -> int:
    """Return the smallest number of draws in a tail that belongs to an equal-tailed interval."""
    return draws_needed((1 - check_level(level)) / 2, draws)
