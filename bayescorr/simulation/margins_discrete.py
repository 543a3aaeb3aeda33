"""Distributions of scores on a grid, such as precision at 10 or reciprocal rank."""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, signal, special

from bayescorr._numbers import FloatArray
from bayescorr.errors import OptionError, ScoresError, listing
from bayescorr.simulation.margins import Margin, minimise

IntArray = NDArray[np.int64]

_TOLERANCE = 1e-4  # scores are often stored with four decimals


def score_support(support: str | ArrayLike) -> FloatArray:
    """Scores that a measure can have.

    Parameters
    ----------
    support : str or array
        "p10", "p@10" or any other cutoff for precision, "rr" for reciprocal rank down to rank
        1,000 ("rr@10" for another cutoff), or the scores themselves.

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
                'Choose precision ("p10"), reciprocal rank ("rr", "rr@10") or give the scores.',
            )
        cutoff = int(found[2] or 1000)
        if found[1] == "p":
            return np.arange(cutoff + 1) / cutoff
        return np.concatenate([[0.0], 1 / np.arange(cutoff, 0, -1)])
    points = np.unique(np.asarray(support, dtype=float))
    if points.ndim != 1 or len(points) < 2 or not np.isfinite(points).all():
        raise OptionError(
            "A support needs at least two different finite scores.",
            'Give them as an array, or name the measure ("p10", "rr").',
        )
    return points


def support_index(x: ArrayLike, support: FloatArray) -> IntArray:
    """Position in the support of each score, within 1e-4.

    Examples
    --------
    >>> support_index([0.2, 1.0], score_support("p5"))
    array([1, 5])
    """
    values = np.asarray(x, dtype=float)
    right = np.clip(np.searchsorted(support, values), 1, len(support) - 1)
    nearer = values - support[right - 1] < support[right] - values
    index = np.where(nearer, right - 1, right)
    off = np.abs(support[index] - values) > _TOLERANCE
    if off.any():
        found = listing(f"{value:g}" for value in np.unique(values[off]))
        raise ScoresError(
            f"Scores that are not in the support: {found}.",
            "Give the support of the measure, or support=None for continuous scores.",
        )
    return index.astype(np.int64)


class DiscreteMargin(Margin):
    """Distribution on the points of a support: all follows from their probabilities."""

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
        """Probability of ``x``, which must be in the support."""
        return np.asarray(self.probabilities[support_index(x, self.support)])

    def cdf(self, x: ArrayLike) -> FloatArray:
        """Probability of a score of at most ``x``."""
        near = np.asarray(x, dtype=float) + 1e-12
        return np.append(0.0, self.steps)[np.searchsorted(self.support, near, side="right")]

    def quantile(self, p: ArrayLike) -> FloatArray:
        """Smallest score whose cdf is at least ``p``."""
        return np.asarray(self.support[np.searchsorted(self.steps[:-1], p)])[()]

    def normal_quantile(self, z: ArrayLike) -> FloatArray:
        """Quantile at the probability that a standard normal variable is below ``z``."""
        return np.asarray(self.support[np.searchsorted(self._normal_steps, z)])[()]

    @classmethod
    def from_dict(cls, parameters: dict[str, Any]) -> Self:
        """Make a margin again from the parameters that ``to_dict`` gave."""
        arrays = {k: np.asarray(v) if isinstance(v, list) else v for k, v in parameters.items()}
        return cls(**arrays)


@dataclass(frozen=True, eq=False, repr=False)
class BetaBinomialMargin(DiscreteMargin):
    """Beta-binomial distribution of the position in the support, fitted by maximum likelihood.

    Examples
    --------
    >>> margin = BetaBinomialMargin(score_support("p10"), 1.0, 1.0)
    >>> round(margin.mean, 6)
    0.5
    """

    name: ClassVar[str] = "beta-binomial"
    support: FloatArray
    a: float
    b: float
    df: float = 2.0

    @classmethod
    def fit(cls, x: FloatArray, support: FloatArray) -> BetaBinomialMargin:
        """Fit to a sample of scores of the support."""
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
        k = np.arange(size + 1)
        choices = special.gammaln(size + 1) - special.gammaln(k + 1) - special.gammaln(size - k + 1)
        logs = special.betaln(k + self.a, size - k + self.b) - special.betaln(self.a, self.b)
        values = np.exp(choices + logs)
        return np.asarray(values / values.sum())


@dataclass(frozen=True, eq=False, repr=False)
class DiscreteKernelMargin(DiscreteMargin):
    r"""Discrete kernel estimate (Wang & van Ryzin, 1981), scaled to sum to 1.

    An observation at position i of the support gives the weight 1 - b to that position and
    (1 - b) b^k / 2 to each position k steps away.

    Examples
    --------
    >>> margin = DiscreteKernelMargin(score_support("p2"), np.array([2, 1, 1]), bandwidth=0.0)
    >>> margin.probabilities
    array([0.5 , 0.25, 0.25])
    """

    name: ClassVar[str] = "discrete-kernel"
    support: FloatArray
    counts: IntArray
    bandwidth: float

    @classmethod
    def fit(
        cls, x: FloatArray, support: FloatArray, multiplier: float = 1.0
    ) -> DiscreteKernelMargin:
        """Fit to a sample: ``multiplier`` times the bandwidth of least-squares cross-validation."""
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
        return cls(support, counts, min(float(found) * multiplier, 1 - 1e-6))

    @cached_property
    def probabilities(self) -> FloatArray:
        """Probability of each point of the support."""
        values = _smooth(self.counts, self.bandwidth)
        return np.asarray(values / values.sum())

    @cached_property
    def df(self) -> float:  # type: ignore[override]
        """Effective degrees of freedom: the sum of the shares of observations in their own mass."""
        seen = self.counts > 0
        shares = (1 - self.bandwidth) / self.probabilities[seen]
        return float(self.counts[seen] @ shares / self.counts.sum())


def _smooth(counts: IntArray, bandwidth: float) -> FloatArray:
    """Sum of the kernels of all observations, by one filter from each end of the support."""
    values = counts.astype(float)
    forward = signal.lfilter([1.0], [1.0, -bandwidth], values)
    backward = signal.lfilter([1.0], [1.0, -bandwidth], values[::-1])[::-1]
    around = (forward + backward) / 2  # each of the two holds the observations at the point itself
    return np.asarray((1 - bandwidth) * around)
