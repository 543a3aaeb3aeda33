"""What an analysis of more or other topics would decide: about two systems, or about the top k.

Every posterior draw is taken as the truth in turn. Topics are drawn from it, what is known is
updated in closed form (:mod:`bayescorr.planning.conjugate`), and the claim is judged anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import chdtri

from bayescorr._numbers import FloatArray
from bayescorr._random import RandomSeed
from bayescorr._threads import fill
from bayescorr.planning.conjugate import Belief
from bayescorr.planning.population import draw_population, spread
from bayescorr.scores.strata import tasks_of

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit

Flags = NDArray[np.bool_]


class Outcome(NamedTuple):
    """What T future analyses decide.

    Attributes
    ----------
    decided : array of bool
        Whether the pair is ordered, or the top known, with at least the wanted probability.
    as_observed : array of bool
        Whether it is decided as the observed means have it.
    equal : array of bool
        Whether the two systems are practically equal with at least the wanted probability.
    """

    decided: Flags
    as_observed: Flags
    equal: Flags


@dataclass(frozen=True, eq=False)
class Future:
    """Future analyses of a pair of systems (``k`` = 1 of two), or of the top k of all systems.

    Attributes
    ----------
    means : array, draws x systems
        All posterior draws of the true means of the systems in question, in observed order; higher
        is better.
    truth, noise : array, T x systems
        Chosen draws of the true means, and of the deviation of one topic.
    variance : array, T
        Draws of the variance on one topic of the difference of the two systems at the boundary.
    boundary : tuple of int
        These two systems: the pair itself, or the last of the top and the first below it.
    topics_worth : float
        Number of topics that the posterior is worth, with the prior.
    n_topics : int
        Number of observed topics.
    observed, scatter : float
        On these topics, the mean of the difference at the boundary, and the sum of squares around
        it.
    uniform : array, T
        Uniform random numbers, for the scatter of new topics.
    k, level, rope, extend
        Size of the top, and the options of :func:`bayescorr.expected_decision`.
    """

    means: FloatArray
    truth: FloatArray
    noise: FloatArray
    variance: FloatArray
    boundary: tuple[int, int]
    topics_worth: float
    n_topics: int
    observed: float
    scatter: float
    uniform: FloatArray
    k: int
    level: float
    rope: float
    extend: bool

    @cached_property
    def is_pair(self) -> bool:
        """Whether the question is about two systems only."""
        return int(self.means.shape[1]) == 2

    @cached_property
    def centre(self) -> FloatArray:
        """Posterior means."""
        return np.asarray(self.means.mean(axis=0))

    @cached_property
    def belief(self) -> Belief:
        """What is known of the difference at the boundary."""
        first, second = self.boundary
        difference = float(self.centre[first] - self.centre[second])
        return Belief.from_draws(difference, self.variance, self.topics_worth)

    @cached_property
    def leaders(self) -> NDArray[np.intp]:
        """The k systems with the highest posterior means."""
        return np.argsort(-self.centre, kind="stable")[: self.k]

    @cached_property
    def posterior_probability(self) -> float:
        """The posterior probability that the leaders are ahead by more than ``rope``, now."""
        return float((gap(self.means, self.leaders) >= self.rope).mean())

    @cached_property
    def approximate_probability(self) -> float:
        """The same by the approximation that updates are made with."""
        if self.is_pair:
            return float(max(self.belief.above(self.rope), 1 - self.belief.above(-self.rope)))
        now = np.array([1 / np.sqrt(self.topics_worth)])
        return float(self._shares(self.centre[None], now)[0])

    @cached_property
    def p_apart(self) -> float:
        """The probability that the truth can be decided at all: by more than ``rope``."""
        top = np.argsort(-self.means, axis=1, kind="stable")[:, : self.k]
        return float((gap(self.means, top) >= self.rope).mean())

    def outcome(self, size: int) -> Outcome:
        """Return what is decided with topic sets of this size."""
        new = size - self.n_topics if self.extend else size
        if new == 0:
            return self._now()
        first, second = self.boundary
        sampled = self.truth + self.noise / np.sqrt(new)
        degrees = max(new - 1, 0)
        scatter = self.variance * (chdtri(degrees, 1 - self.uniform) if degrees else 0.0)
        belief = self.belief
        if not self.extend:
            belief = belief.without(self.n_topics, self.observed, self.scatter)
        after = belief.updated(new, sampled[:, first] - sampled[:, second], scatter)
        if self.is_pair:
            above, below = after.above(self.rope), 1 - after.above(-self.rope)
            # The first of the two has the higher observed mean.
            ahead = above >= self.level
            equal = (1 - above - below >= self.level) & (self.rope > 0)
            return Outcome(ahead | (below >= self.level), ahead, equal)
        start = self.centre * self.extend
        centres = (belief.topics * start + new * sampled) / after.topics
        # The noise of the present posterior, with the spread and the tails of the future one.
        scale = after.bound(self.level) / self.belief.bound(self.level) / np.sqrt(after.topics)
        decided = self._shares(centres, scale, self.level) >= self.level
        top = np.sort(np.argsort(-centres, axis=1, kind="stable")[:, : self.k], axis=1)
        same = (top == np.arange(self.k)).all(axis=1)
        return Outcome(decided, decided & same, np.zeros_like(decided))

    def _now(self) -> Outcome:
        """Judge the observed topics, which all futures share."""
        decided = self.posterior_probability >= self.level
        same = sorted(self.leaders.tolist()) == list(range(self.k))
        inside = np.abs(self.means[:, 0] - self.means[:, 1]) <= self.rope
        equal = self.is_pair and self.rope > 0 and inside.mean() >= self.level
        every = np.ones(len(self.truth), dtype=bool)
        return Outcome(every & decided, every & (decided and same), every & equal)

    def _shares(self, centres: FloatArray, scale: FloatArray, level: float = np.nan) -> FloatArray:
        """Return how surely the top stays on top; with a level, only whether it is reached."""
        from bayescorr.planning import _kernels

        return fill(
            _kernels.top_shares,
            # The mirror image of the noise is as likely, and halves its Monte Carlo error.
            *(np.ascontiguousarray(centres), np.concatenate([self.noise, -self.noise]), scale),
            *(self.k, self.rope, level),
            out=np.empty(len(centres)),
            work=2.0 * len(centres) * len(self.noise) * (self.k + 2),
        )


def gap(means: FloatArray, top: NDArray[np.intp]) -> FloatArray:
    """Return how far the worst of the top is above the best of the others, draw by draw.

    Examples
    --------
    >>> gap(np.array([[0.5, 0.3, 0.4], [0.2, 0.1, 0.4]]), np.array([0, 2])).round(1)
    array([0.1, 0.1])
    """
    inside = np.zeros(means.shape, dtype=bool)
    np.put_along_axis(inside, np.broadcast_to(top, (len(means), top.shape[-1])), True, axis=1)
    lowest = np.where(inside, means, np.inf).min(axis=1)
    return np.asarray(lowest - np.where(inside, -np.inf, means).max(axis=1))


def futures_of(
    fit: Fit,
    systems: list[int],
    k: int,
    *,
    level: float,
    rope: float,
    extend: bool,
    draws: int | None,
    random_seed: RandomSeed,
) -> Future:
    """Draw futures of ``systems``, given by their positions in ``fit.systems``, in this order."""
    columns = fit.scores.columns.get_indexer(fit.observed_means.index[systems])
    sign = 1.0 if fit.higher_is_better else -1.0
    means = sign * fit.ordered_means[:, systems]
    boundary = (0, 1) if len(systems) == 2 else _boundary(means, k)
    pair = (int(columns[boundary[0]]), int(columns[boundary[1]]))
    population = draw_population(fit, draws, random_seed, pair)
    return Future(
        means=means,
        truth=sign * population.true_means[:, columns],
        noise=sign * population.noise[:, columns],
        variance=population.variance,
        boundary=boundary,
        topics_worth=population.spread / float(spread(np.cov(fit.ordered_means, rowvar=False))),
        n_topics=len(fit.scores),
        observed=sign * float(population.observed[pair[0]] - population.observed[pair[1]]),
        scatter=_scatter(fit.scores, pair),
        uniform=population.uniform,
        k=k,
        level=level,
        rope=rope,
        extend=extend,
    )


def _scatter(scores: pd.DataFrame, pair: tuple[int, int]) -> float:
    """Return the sum of squares of the difference of two systems, as if no score were missing.

    With tasks, it is that of topics whose mean has the variance of the mean over tasks.
    """
    difference = scores.iloc[:, pair[0]] - scores.iloc[:, pair[1]]
    found, n = 0.0, len(scores)
    for task in tasks_of(scores):
        squares = float(difference.iloc[task.rows].var(ddof=0))
        found += n * task.weight**2 * n / len(task.rows) * np.nan_to_num(squares)
    return float(found)


def _boundary(means: FloatArray, k: int) -> tuple[int, int]:
    """Return the last of the top k and the first below it that is not identical to it."""
    order = np.argsort(-means.mean(axis=0), kind="stable")
    same = (means[:, order] == means[:, order[k - 1], None]).all(axis=0)
    below, above = np.flatnonzero(~same[k:]), np.flatnonzero(~same[: k - 1])
    if len(below):
        return int(order[k - 1]), int(order[k + below[0]])
    return int(order[above[-1]]), int(order[k - 1])
