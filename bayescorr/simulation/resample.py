"""Simulation by resampling the topics at hand."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from bayescorr._numbers import FloatArray
from bayescorr.errors import OptionError
from bayescorr.scores.check import observed_means
from bayescorr.simulation.base import Simulator


class ResampleSimulator(Simulator):
    r"""Simulate collections by drawing topics of a given one with replacement.

    The given topics are the whole population, so that the true mean of a system is its mean over
    all of them, :math:`\mu_j = \frac{1}{n} \sum_i x_{ij}`. Nothing is assumed about how scores are
    distributed, but no more than the given topics can ever be seen, so that true differences are
    as large as the observed ones: collections look a little more reliable than they are.

    Drawn with replacement, topics repeat, which continuous scores never do and for which normal
    models have infinite densities. With ``smooth`` h > 0 a topic is the mix

    .. math:: \bar x + \frac{(x_i - \bar x) + h\,(x_k - x_l) / \sqrt 2}{\sqrt{1 + h^2}}

    of three random ones, k and l different: means and covariances stay those of the given topics,
    up to the factor n / (n - 1) of the covariance of what is added.

    Parameters
    ----------
    scores : DataFrame or array
        Scores of systems (columns) on topics (rows), of any range.
    truth : {"simulator", "original"}
        The same here; the argument is that of the other simulators.
    smooth : float
        How much of two other topics is mixed into each topic; 0 for none. Scores can then lie a
        little outside of their range.

    References
    ----------
    B. W. Silverman, G. A. Young. The bootstrap: to smooth or not to smooth? Biometrika 74(3), 1987.

    Examples
    --------
    >>> simulator = ResampleSimulator(np.array([[0.1, 0.2], [0.3, 0.5], [0.8, 0.5]]))
    >>> simulator.sample(4, random_seed=1)
        sys1  sys2
    t1   0.3   0.5
    t2   0.3   0.5
    t3   0.8   0.5
    t4   0.8   0.5
    >>> simulator.true_means.round(6).tolist()
    [0.4, 0.4]
    """

    kind: ClassVar[str] = "resample"

    def __init__(self, scores: Any, truth: str = "simulator", smooth: float = 0.0) -> None:
        super().__init__(scores, truth)
        if not (np.isfinite(smooth) and smooth >= 0):
            raise OptionError(f"smooth is {smooth}, a number of at least 0 is needed.", "Try 0.5.")
        self.smooth = float(smooth)

    def _draw(self, n_topics: int, rng: np.random.Generator) -> FloatArray:
        values, total = self._values, len(self._values)
        drawn: FloatArray = values[rng.integers(total, size=n_topics)]
        if not self.smooth:
            return drawn
        first = rng.integers(total, size=n_topics)
        second = (first + rng.integers(1, total, size=n_topics)) % total
        added = self.smooth * (values[first] - values[second]) / np.sqrt(2)
        centre = self._simulated_means
        mixed: FloatArray = centre + (drawn - centre + added) / np.sqrt(1 + self.smooth**2)
        return mixed

    @cached_property
    def _simulated_means(self) -> FloatArray:
        means = observed_means(pd.DataFrame(self._values))
        return np.asarray(means, dtype=np.float64)

    def _state(self) -> dict[str, Any]:
        return {"truth": self.truth, "smooth": self.smooth}

    @classmethod
    def _from_state(cls, scores: pd.DataFrame, state: dict[str, Any]) -> Self:
        return cls(scores, **state)
