"""A table of scores prepared for the estimators, and the random numbers that they share."""

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

# Each purpose has its own stream of random numbers, so that a method's results do not depend on
# which other methods run. Add new purposes at the end.
_STREAMS = ("bootstrap", "noise", "chi", "SHw", "SHwo", "SH", "pairs")


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
        Observed means; equal ones are exactly equal.
    order : ndarray
        Column of the given table that each system comes from.
    draws : int
        T: number of draws, resamples or pairs of samples.
    seed : int
        Seed of all random numbers.
    """

    values: FloatArray
    means: FloatArray
    order: Integers
    draws: int
    seed: int
    _memory: dict[Callable[[Sample], Any], Any] = field(default_factory=dict, repr=False)

    @property
    def topics(self) -> int:
        """Number of topics (n)."""
        return len(self.values)

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
    def by_system(self) -> FloatArray:
        """The scores as systems by topics, contiguous for kernels."""
        return np.ascontiguousarray(self.values.T)

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


def make_sample(values: FloatArray, *, draws: int = 1000, random_seed: RandomSeed = None) -> Sample:
    """Make a sample of checked scores: topics x systems, higher is better, none missing.

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
    """Draw means (draws x systems) over topics resampled with replacement, jointly."""
    n, size = sample.topics, sample.draws
    topics = sample.stream("bootstrap").integers(n, size=(size, n))
    cells = topics + n * np.arange(size)[:, None]
    counts = np.bincount(cells.ravel(), minlength=n * size).reshape(size, n)
    return np.asarray(counts.astype(np.float64) @ sample.values / n)


def normal_noise(sample: Sample) -> FloatArray:
    """Draw normal noise (draws x systems) with the covariance of the scores."""
    # With Z the centred scores and g standard normal, Z'g has covariance Z'Z: no factor is needed.
    g = sample.stream("noise").standard_normal((sample.draws, sample.topics))
    centred = sample.values - sample.values.mean(axis=0)
    return np.asarray(g @ centred / np.sqrt(sample.topics - 1))


def t_noise(sample: Sample) -> FloatArray:
    """Draw from a multivariate t with n - 1 degrees of freedom, as ``normal_noise`` does."""
    degrees = sample.topics - 1
    chi = np.sqrt(sample.stream("chi").chisquare(degrees, sample.draws) / degrees)
    return sample.once(normal_noise) / chi[:, None]
