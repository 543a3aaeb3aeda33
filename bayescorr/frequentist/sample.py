"""A table of scores prepared for the estimators, and the random numbers that they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayescorr._numbers import FloatArray, row_factor
from bayescorr._random import RandomSeed, generator
from bayescorr._threads import fill
from bayescorr.scores.strata import Task
from bayescorr.scores.ties import NOISE, level_ties

Integers = NDArray[np.int64]
Result = TypeVar("Result")

#: Number of counts to hold at a time.
_MOST_COUNTS = 10_000_000

# Each purpose has its own stream of random numbers, so that a method's results do not depend on
# which other methods run. Add new purposes at the end.
_STREAMS = ("bootstrap", "noise", "chi", "SHw", "SHwo", "SH", "pairs", "ranks")


@dataclass(frozen=True, eq=False)
class Sample:
    """Scores with systems in observed order, best first, and quantities derived from them.

    Matrices over pairs have the lower-ranked system j as row and the higher-ranked one i < j as
    column; their upper triangle is 0.

    Attributes
    ----------
    values : ndarray
        Topics by systems, best system first (ties in column order); higher is better.
    means : ndarray
        Observed means, weighted over tasks if there are several; equal ones are exactly equal.
    order : ndarray
        Column of the given table that each system comes from.
    draws : int
        T: number of draws, resamples or pairs of samples.
    seed : int
        Seed of all random numbers.
    other_topics : int, optional
        Number of further topics whose means play the truth; by default the true means do. Draws of
        the truth then have the noise of such a set in addition.
    tasks : tuple of Task
        Topics and weight of each task, if there are several.
    summary : callable, optional
        How weighted scores are summarised, if not by their mean: a function of values (topics x
        systems) and weights (draws x topics). ``means`` are then observed summaries.
    """

    values: FloatArray
    means: FloatArray
    order: Integers
    draws: int
    seed: int
    other_topics: int | None = None
    tasks: tuple[Task, ...] = ()
    summary: Callable[[FloatArray, FloatArray], FloatArray] | None = None
    _memory: dict[Callable[[Sample], Any], Any] = field(default_factory=dict, repr=False)

    @property
    def topics(self) -> int:
        """Number of topics (n)."""
        return len(self.values)

    @property
    def effective_topics(self) -> float:
        """Number of topics that leaves the same noise: 1 / (1/n + 1/n_B), n for true means."""
        others = self.other_topics
        return self.topics if others is None else 1 / (1 / self.topics + 1 / others)

    @property
    def systems(self) -> int:
        """Number of systems (m)."""
        return len(self.means)

    @property
    def pairs(self) -> float:
        """Number of pairs of systems."""
        return self.systems * (self.systems - 1) / 2

    @cached_property
    def noise(self) -> float:
        """Largest difference of means that counts as floating-point noise."""
        return NOISE * float(np.abs(self.values).max())

    @cached_property
    def deviations(self) -> FloatArray:
        r"""Deviations r of the scores from the observed means, topics x systems.

        With tasks k, those from the means of the tasks are weighted so that :math:`r'r / (n (n -
        1))` is the covariance :math:`\sum_k w_k^2 S_k / n_k` of the weighted means.
        """
        n = self.topics
        if not self.tasks:
            return np.asarray(self.values - self.values.mean(axis=0))
        result = np.empty_like(self.values)
        for _, rows, weight in self.tasks:
            scores, size = self.values[rows], len(rows)
            factor = weight * np.sqrt(n * (n - 1) / (size * (size - 1)))
            result[rows] = factor * (scores - scores.mean(axis=0))
        return result

    @cached_property
    def degrees(self) -> float:
        r"""Degrees of freedom of the variance of observed means: n - 1.

        With tasks, those of Welch and Satterthwaite, :math:`(\sum_k v_k)^2 / \sum_k v_k^2 / (n_k -
        1)`, where :math:`v_k` is the mean variance of a difference that task k adds.
        """
        if not self.tasks:
            return self.topics - 1
        parts = [self.deviations[task.rows] for task in self.tasks]
        sizes = np.array([len(part) for part in parts]) - 1
        v = np.array([float(np.square(r - r.mean(axis=1, keepdims=True)).sum()) for r in parts])
        return float(v.sum() ** 2 / (v**2 / sizes).sum()) if v.any() else float(sizes.sum())

    @cached_property
    def by_system(self) -> FloatArray:
        """Scores as systems by topics, contiguous for kernels; deviations if there are tasks."""
        return np.ascontiguousarray((self.deviations if self.tasks else self.values).T)

    def of_task(self, task: Task) -> Sample:
        """Return the scores on one task, systems in the order of this sample."""
        values = np.ascontiguousarray(self.values[task.rows])
        means, order = values.mean(axis=0), np.arange(self.systems)
        return Sample(values, means, order, self.draws, self.seed)

    @cached_property
    def tied(self) -> NDArray[np.bool_]:
        """Which pairs (row below column) have equal observed means."""
        return np.tril(self.means[None, :] == self.means[:, None], -1)

    @cached_property
    def differences(self) -> FloatArray:
        """Observed mean of each pair's differences, never negative."""
        return np.tril(self.means[None, :] - self.means[:, None])

    @cached_property
    def sd(self) -> FloatArray:
        """Sample standard deviation of each pair's differences; exactly 0 when constant."""
        from bayescorr.frequentist import _kernels

        return self.over_pairs(_kernels.pair_sd, self.by_system, self.noise, steps=2 * self.topics)

    @cached_property
    def weights(self) -> dict[str, FloatArray]:
        """Weight of each discordant pair in 1 - tau and in 1 - tau_ap (equations 3 and 4).

        In tau_ap it is the average of 1 / (rank - 1) of the lower system over all orders of the
        systems that it is tied with.
        """
        m = self.systems
        reciprocals = np.r_[0.0, np.cumsum(np.r_[0.0, 1 / np.arange(1, m)])]
        _, starts, group, sizes = np.unique(
            -self.means, return_index=True, return_inverse=True, return_counts=True
        )
        total = reciprocals[starts + sizes] - reciprocals[starts]
        above = total / sizes
        # The system at position p of a tie has p - start others of it above: the sum of
        # (p - start) / p, for pairs within the tie.
        inside = sizes - starts * total - (starts == 0)
        within = 2 * inside / np.maximum(sizes * (sizes - 1), 1)
        ap = np.where(self.tied, within[group][:, None], above[group][:, None])
        return {
            "tau": np.tril(np.full((m, m), 4 / (m * (m - 1))), -1),
            "tau_ap": np.tril(ap, -1) * 2 / (m - 1),
        }

    def over_pairs(self, kernel: Callable[..., None], *arguments: Any, steps: int) -> FloatArray:
        """Fill a matrix over pairs with ``kernel``, which takes about ``steps`` steps per pair."""
        out = np.zeros((self.systems, self.systems))
        return fill(kernel, *arguments, out=out, work=self.pairs * steps)

    def stream(self, purpose: str) -> np.random.Generator:
        """Return the random numbers of a purpose, from their start."""
        return np.random.default_rng([self.seed, _STREAMS.index(purpose)])

    def once(self, function: Callable[[Sample], Result]) -> Result:
        """Return ``function(sample)``, computed the first time only."""
        if function not in self._memory:
            self._memory[function] = function(self)
        result: Result = self._memory[function]
        return result


def make_sample(
    values: FloatArray,
    *,
    draws: int = 1000,
    random_seed: RandomSeed = None,
    other_topics: int | None = None,
    tasks: tuple[Task, ...] = (),
    summary: Callable[[FloatArray, FloatArray], FloatArray] | None = None,
) -> Sample:
    """Make a sample of checked scores: topics x systems, higher is better, none missing.

    Examples
    --------
    >>> make_sample(np.array([[0.1, 0.5, 0.2], [0.3, 0.5, 0.2]]), random_seed=1).order
    array([1, 0, 2])
    """
    values = np.asarray(values, dtype=np.float64)
    tasks = tasks if len(tasks) > 1 else ()
    means = values.mean(axis=0)
    if tasks:
        means = np.sum([task.weight * values[task.rows].mean(axis=0) for task in tasks], axis=0)
    if summary is not None:
        means = summary(values, np.full((1, len(values)), 1 / len(values)))[0]
    means = level_ties(means, scale=float(np.abs(values).max()))
    order = np.argsort(-means, kind="stable")
    seed = int(generator(random_seed).integers(2**63))
    ordered = np.ascontiguousarray(values[:, order])
    return Sample(ordered, means[order], order, draws, seed, other_topics, tasks, summary)


def bootstrap_means(sample: Sample) -> FloatArray:
    """Draw means (draws x systems) over topics resampled with replacement (in tasks), jointly.

    Further topics are drawn from the resampled ones, which are then the population.
    """
    stream, other = sample.stream("bootstrap"), sample.other_topics
    if not sample.tasks:
        return _resampled(sample.values, sample.draws, stream, other, sample.summary)
    total = np.zeros((sample.draws, sample.systems))
    for _, rows, weight in sample.tasks:
        share = None if other is None else max(1, round(other * len(rows) / sample.topics))
        total += weight * _resampled(sample.values[rows], sample.draws, stream, share)
    return total


def _resampled(
    values: FloatArray,
    size: int,
    stream: np.random.Generator,
    other: int | None,
    summary: Callable[[FloatArray, FloatArray], FloatArray] | None = None,
) -> FloatArray:
    n = len(values)
    result = np.empty((size, values.shape[1]))
    # In blocks, since there may be thousands of topics.
    step = max(1, _MOST_COUNTS // n)
    for start in range(0, size, step):
        drawn = min(step, size - start)
        topics = stream.integers(n, size=(drawn, n))
        cells = topics + n * np.arange(drawn)[:, None]
        counts = np.bincount(cells.ravel(), minlength=n * drawn).reshape(drawn, n)
        number = n
        if other is not None:
            counts, number = stream.multinomial(other, counts / n), other
        weights = counts.astype(np.float64)
        result[start : start + drawn] = (
            weights @ values / number if summary is None else summary(values, weights / number)
        )
    return result


def normal_noise(sample: Sample) -> FloatArray:
    """Draw normal noise (draws x systems) with the covariance of the scores."""
    # With Z the centred scores and g standard normal, Z'g has covariance Z'Z: no factor is needed.
    centred = row_factor(sample.deviations)
    g = sample.stream("noise").standard_normal((sample.draws, len(centred)))
    return np.asarray(g @ centred / np.sqrt(sample.topics - 1))


def t_noise(sample: Sample) -> FloatArray:
    """Draw from a multivariate t with n - 1 degrees of freedom, as ``normal_noise`` does."""
    degrees = sample.degrees
    chi = np.sqrt(sample.stream("chi").chisquare(degrees, sample.draws) / degrees)
    return sample.once(normal_noise) / chi[:, None]
