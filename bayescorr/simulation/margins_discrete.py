"""Distributions of scores on a grid, such as precision at 10 or reciprocal rank."""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, signal, special, stats

from bayescorr._numbers import FloatArray
from bayescorr.errors import Argument, OptionError, ScoresError, listing
from bayescorr.simulation.margins import Margin, minimise

IntArray = NDArray[np.int64]

_TOLERANCE = 1e-4  # scores are often stored with four decimals


def score_support(support: str | ArrayLike) -> FloatArray:
    """Return the possible scores of a measure.

    Parameters
    ----------
    support : str or array
        "p10" or "p@10" for precision at any cutoff, "rr" for reciprocal rank down to rank 1,000
        ("rr@10" for another cutoff), or the scores themselves.

    Examples
    --------
    >>> score_support("p5")
    array([0. , 0.2, 0.4, 0.6, 0.8, 1. ])
    >>> score_support("rr@2")
    array([0. , 0.5, 1. ])
    """
    if isinstance(support, str):
        found = re.fullmatch(r"(p|rr)@?(\d*)", support.lower())
        if found is None or found[0] == "p" or (found[2] and int(found[2]) == 0):
            raise OptionError(
                f"Unknown support {support!r}.",
                'Use "p10" for precision, "rr" or "rr@10" for reciprocal rank, or a list.',
            )
        cutoff = int(found[2] or 1000)
        if found[1] == "p":
            return np.arange(cutoff + 1) / cutoff
        return np.concatenate([[0.0], 1 / np.arange(cutoff, 0, -1)])
    points = np.unique(np.asarray(support, dtype=float))
    if points.ndim != 1 or len(points) < 2 or not np.isfinite(points).all():
        raise OptionError(
            f"The support must have at least two distinct finite scores; got {support!r}.",
            'Use a list of scores, or the name of a measure such as "p10" or "rr".',
        )
    return points


def support_index(x: ArrayLike, support: FloatArray) -> IntArray:
    """Return the position of each score in the support, within 1e-4."""
    values = np.asarray(x, dtype=float)
    right = np.clip(np.searchsorted(support, values), 1, len(support) - 1)
    nearer = values - support[right - 1] < support[right] - values
    index = np.where(nearer, right - 1, right)
    off = np.abs(support[index] - values) > _TOLERANCE
    if off.any():
        found = listing(f"{value:g}" for value in np.unique(values[off]))
        raise ScoresError(
            f"Some scores are not in the support: {found}.",
            ("Set ", Argument("support"), " to the possible scores, or omit it if continuous."),
        )
    return index.astype(np.int64)


class DiscreteMargin(Margin):
    """Distribution on the points of a support, given by their probabilities."""

    support: FloatArray

    @cached_property
    @abstractmethod
    def probabilities(self) -> FloatArray:
        """Probability of each point of the support."""

    @property
    def low(self) -> float:  # type: ignore[override]
        """Lowest possible score."""
        return float(self.support[0])

    @property
    def high(self) -> float:  # type: ignore[override]
        """Highest possible score."""
        return float(self.support[-1])

    @cached_property
    def steps(self) -> FloatArray:
        """Cdf at each point of the support; the last is exactly 1."""
        return np.append(np.minimum(np.cumsum(self.probabilities)[:-1], 1.0), 1.0)

    @cached_property
    def _normal_steps(self) -> FloatArray:
        return np.asarray(special.ndtri(self.steps[:-1]))

    @cached_property
    def _moments(self) -> tuple[float, float]:
        mean = float(self.probabilities @ self.support)
        return mean, float(self.probabilities @ (self.support - mean) ** 2)

    def density(self, x: ArrayLike) -> FloatArray:
        """Return the probability of ``x``, which must be in the support."""
        return np.asarray(self.probabilities[support_index(x, self.support)])

    def cdf(self, x: ArrayLike) -> FloatArray:
        """Return the probability of a score of at most ``x``."""
        near = np.asarray(x, dtype=float) + 1e-12
        return np.append(0.0, self.steps)[np.searchsorted(self.support, near, side="right")]

    def quantile(self, p: ArrayLike) -> FloatArray:
        """Return the smallest score whose cdf is at least ``p``."""
        return np.asarray(self.support[np.searchsorted(self.steps[:-1], p)])[()]

    def normal_quantile(self, z: ArrayLike) -> FloatArray:
        """Return the quantile at the standard normal probability of ``z``."""
        return np.asarray(self.support[np.searchsorted(self._normal_steps, z)])[()]


@dataclass(frozen=True, eq=False, repr=False)
class BetaBinomialMargin(DiscreteMargin):
    """Beta-binomial distribution of the position in the support, fitted by maximum likelihood."""

    name: ClassVar[str] = "beta-binomial"
    support: FloatArray
    a: float
    b: float
    df: float = 2.0

    @classmethod
    def fit(cls, x: FloatArray, support: FloatArray) -> BetaBinomialMargin:
        """Fit to a sample of scores in the support."""
        size = len(support) - 1
        index = support_index(x, support)
        counts = np.bincount(index, minlength=size + 1)
        seen = np.flatnonzero(counts)
        weights = counts[seen] / len(index)

        def loss(parameters: FloatArray) -> float:
            a, b = np.exp(parameters)
            logs = special.betaln(seen + a, size - seen + b) - special.betaln(a, b)
            return -float(weights @ logs)

        mean = np.clip(float(index.mean()) / size, 0.01, 0.99)
        start = np.log([2 * mean, 2 * (1 - mean)])
        fitted = minimise(loss, start, [(np.log(1e-3), np.log(1e4))] * 2)
        return cls(support, *np.exp(fitted).tolist())

    @cached_property
    def probabilities(self) -> FloatArray:
        """Probability of each point of the support."""
        size = len(self.support) - 1
        values = stats.betabinom.pmf(np.arange(size + 1), size, self.a, self.b)
        return np.asarray(values / values.sum())


@dataclass(frozen=True, eq=False, repr=False)
class DiscreteKernelMargin(DiscreteMargin):
    r"""Discrete kernel estimate (Wang & van Ryzin, 1981), scaled to sum to 1.

    An observation at position i of the support adds the weight 1 - b to that position and
    (1 - b) b^k / 2 to each position k steps away.
    """

    name: ClassVar[str] = "discrete-kernel"
    support: FloatArray
    counts: IntArray
    bandwidth: float

    @classmethod
    def candidates(cls, x: FloatArray, *support: FloatArray) -> list[DiscreteKernelMargin]:
        """Return fits with 1, 2, 5 and 10 times the bandwidth of cross-validation, if below 1."""
        first = cls.fit(x, *support)
        bandwidths = [first.bandwidth * factor for factor in (1.0, 2.0, 5.0, 10.0)]
        return [cls(first.support, first.counts, b) for b in bandwidths if b < 1]

    @classmethod
    def fit(cls, x: FloatArray, support: FloatArray) -> DiscreteKernelMargin:
        """Fit with the bandwidth of least-squares cross-validation."""
        counts = np.bincount(support_index(x, support), minlength=len(support))
        size = counts.sum()

        def loss(bandwidth: float) -> float:
            values = _smooth(counts, bandwidth)
            others = (values - (1 - bandwidth)) / (size - 1)
            return float(((values / size) ** 2).sum() - 2 * counts @ others / size)

        tried = np.linspace(0, 0.99, 34)
        best = int(np.argmin([loss(bandwidth) for bandwidth in tried]))
        bounds = (tried[max(best - 1, 0)], tried[min(best + 1, len(tried) - 1)])
        found = optimize.minimize_scalar(loss, bounds=bounds, method="bounded").x
        return cls(support, counts, float(found))

    @cached_property
    def probabilities(self) -> FloatArray:
        """Probability of each point of the support."""
        values = _smooth(self.counts, self.bandwidth)
        return np.asarray(values / values.sum())

    @cached_property
    def df(self) -> float:  # type: ignore[override]
        """Effective degrees of freedom: the sum of each observation's share of its own mass."""
        seen = self.counts > 0
        shares = (1 - self.bandwidth) / self.probabilities[seen]
        return float(self.counts[seen] @ shares / self.counts.sum())


def _smooth(counts: IntArray, bandwidth: float) -> FloatArray:
    """Return the sum of the kernels of all observations, by one filter from each end."""
    values = counts.astype(float)
    forward = signal.lfilter([1.0], [1.0, -bandwidth], values)
    backward = signal.lfilter([1.0], [1.0, -bandwidth], values[::-1])[::-1]
    around = (forward + backward) / 2  # both include the observations at the point itself
    return np.asarray((1 - bandwidth) * around)
