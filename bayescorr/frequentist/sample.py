"""One table of scores made ready for the estimators, with the random numbers that they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayescorr._numbers import FloatArray
from bayescorr._random import RandomSeed, generator
from bayescorr._threads import fill
from bayescorr.scores.ties import NOISE, level_ties

Integers = NDArray[np.int64]
Result = TypeVar("Result")

# Each purpose has its own stream of random numbers, so that what a method says does not depend on
# which other methods are asked: new purposes go at the end.
_STREAMS = ("bootstrap", "noise", "chi", "SHw", "SHwo", "SH", "pairs")


@dataclass(frozen=True, eq=False)
class Sample:
    """Scores with systems in observed order, best first, and everything derived from them once.

    Matrices over pairs have the lower-ranked system j as row and the higher-ranked one i < j as
    column; their upper triangle is 0.

    Attributes
    ----------
    values : ndarray
        Topics by systems, best system first; higher is better.
    means : ndarray
        Observed means; equal ones are exactly equal.
    order : ndarray
        Column of the given table that each system comes from.
    draws : int
        T: how many draws, resamples or pairs of samples are taken.
    seed : int
        Where all random numbers start.
    """

    values: FloatArray
    means: FloatArray
    order: Integers
    draws: int
    seed: int
    _memory: dict[Callable[[Sample], Any], Any] = field(default_factory=dict, repr=False)

    @property
    def topics(self) -> int:
        """How many topics there are (n)."""
        return len(self.values)

    @property
    def systems(self) -> int:
        """How many systems there are (m)."""
        return len(self.means)

    @property
    def pairs(self) -> float:
        """How many pairs of systems there are."""
        return self.systems * (self.systems - 1) / 2

    @cached_property
    def noise(self) -> float:
        """Differences of means below this are floating-point noise."""
        return NOISE * float(np.abs(self.values).max())

    @cached_property
    def by_system(self) -> FloatArray:
        """The scores as systems by topics, which kernels read along."""
        return np.ascontiguousarray(self.values.T)

    @cached_property
    def first(self) -> Integers:
        """Place of the first system of the tied group that each system belongs to."""
        new = np.r_[True, self.means[1:] != self.means[:-1]]
        return np.maximum.accumulate(np.where(new, np.arange(self.systems), 0))

    @cached_property
    def differences(self) -> FloatArray:
        """Observed mean of each pair's differences, never negative."""
        return np.tril(self.means[None, :] - self.means[:, None])

    @cached_property
    def sd(self) -> FloatArray:
        """Sample standard deviation of each pair's differences; exactly 0 when constant."""
        from bayescorr.frequentist import _kernels

        steps = 2 * self.topics
        return self.over_pairs(_kernels.pair_sd, self.by_system, self.noise, steps=steps)

    @cached_property
    def ap_weights(self) -> tuple[FloatArray, FloatArray]:
        """AP weight of a discordant pair by its lower system: with one above its tie, or within.

        The average of 1 / (rank - 1) over all orders of the tied systems; without ties it is
        1 / (j - 1) for the system at rank j.
        """
        place = np.arange(self.systems)
        reciprocals = np.r_[0.0, np.cumsum(np.r_[0.0, 1 / place[1:]])]
        starts, group, sizes = np.unique(self.first, return_inverse=True, return_counts=True)
        ends = starts + sizes
        total = reciprocals[ends] - reciprocals[starts]
        # The system at place p of a tie has p - start others of it above: sum of (p - start) / p.
        inside = sizes - starts * total - (starts == 0)
        above = (total / sizes)[group]
        within = (2 * inside / np.maximum(sizes * (sizes - 1), 1))[group]
        return above, within

    @cached_property
    def tied(self) -> NDArray[np.bool_]:
        """Which pairs (row below column) have equal observed means."""
        place = np.arange(self.systems)
        return (place[None, :] >= self.first[:, None]) & (place[None, :] < place[:, None])

    @cached_property
    def weights(self) -> dict[str, FloatArray]:
        """Weight of each discordant pair in 1 - tau and in 1 - tau_ap (equations 3 and 4)."""
        m = self.systems
        above, within = self.ap_weights
        ap = np.where(self.tied, within[:, None], above[:, None])
        return {
            "tau": np.tril(np.full((m, m), 4 / (m * (m - 1))), -1),
            "tau_ap": np.tril(ap, -1) * 2 / (m - 1),
        }

    def over_pairs(self, kernel: Callable[..., None], *arguments: Any, steps: int) -> FloatArray:
        """Fill a matrix over pairs with ``kernel``, which takes about ``steps`` steps per pair."""
        out = np.zeros((self.systems, self.systems))
        return fill(kernel, *arguments, out=out, work=self.pairs * steps)

    def stream(self, purpose: str) -> np.random.Generator:
        """Start the random numbers of a purpose; the same ones at every call."""
        return np.random.default_rng([self.seed, _STREAMS.index(purpose)])

    def once(self, function: Callable[[Sample], Result]) -> Result:
        """Call ``function(sample)`` the first time and remember what it returned."""
        if function not in self._memory:
            self._memory[function] = function(self)
        result: Result = self._memory[function]
        return result


def make_sample(values: FloatArray, *, draws: int = 1000, random_seed: RandomSeed = None) -> Sample:
    """Make a sample of checked scores (topics by systems, higher is better, none missing).

    Ties in the observed means keep the order of the columns.

    Examples
    --------
    >>> make_sample(np.array([[0.1, 0.5, 0.2], [0.3, 0.5, 0.2]]), random_seed=1).order
    array([1, 0, 2])
    """
    values = np.asarray(values, dtype=np.float64)
    means = level_ties(values.mean(axis=0), scale=float(np.abs(values).max()))
    order = np.argsort(-means, kind="stable")
    seed = int(generator(random_seed).integers(2**63))
    return Sample(np.ascontiguousarray(values[:, order]), means[order], order, draws, seed)


def bootstrap_means(sample: Sample) -> FloatArray:
    """Means (draws x systems) over topics resampled with replacement, jointly for all systems."""
    n, size = sample.topics, sample.draws
    topics = sample.stream("bootstrap").integers(n, size=(size, n))
    places = topics + n * np.arange(size)[:, None]
    counts = np.bincount(places.ravel(), minlength=n * size).reshape(size, n)
    means: FloatArray = counts.astype(np.float64) @ sample.values / n
    return means


def normal_noise(sample: Sample) -> FloatArray:
    """Draw normal noise (draws x systems) whose covariance is exactly that of the scores.

    With Z the centred scores and g standard normal, Z'g has covariance Z'Z: no factor is needed.
    """
    g = sample.stream("noise").standard_normal((sample.draws, sample.topics))
    centred = sample.values - sample.values.mean(axis=0)
    noise: FloatArray = g @ centred / np.sqrt(sample.topics - 1)
    return noise


def t_noise(sample: Sample) -> FloatArray:
    """Draws of a multivariate t with n - 1 degrees of freedom: one chi-square for all systems."""
    degrees = sample.topics - 1
    chi = np.sqrt(sample.stream("chi").chisquare(degrees, sample.draws) / degrees)
    return sample.once(normal_noise) / chi[:, None]
