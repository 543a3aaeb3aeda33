"""Simulate collections by resampling topics."""

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
    r"""Simulate collections by drawing topics of a given collection with replacement.

    The given topics are the population, so the true mean of a system is its mean over all of them,
    :math:`\mu_j = \frac{1}{n} \sum_i x_{ij}`. The simulator makes no assumption about the
    distribution of scores. Because true differences are as large as the observed ones, simulated
    collections look slightly more reliable than real ones.

    Resampled topics repeat, which continuous scores never do; a normal model can then have an
    infinite density. With ``smooth`` h > 0, a topic is the mix

    .. math:: \bar x + \frac{(x_i - \bar x) + h\,(x_k - x_l) / \sqrt 2}{\sqrt{1 + h^2}}

    of three random topics, k and l distinct. The mix keeps the means and, up to the factor
    n / (n - 1) in its second term, the covariances of the given topics.

    Parameters
    ----------
    scores : DataFrame or array
        Scores of systems (columns) on topics (rows), of any range.
    truth : {"simulator", "original", "shrunk"}
        The first two are the same here; other simulators distinguish them. With "shrunk" the true
        means of each collection are a draw from their posterior, see :meth:`case`; scores move with
        the means, and some leave their range.
    smooth : float
        Weight h of the two other topics in each topic; 0 for none. Smoothed scores can lie slightly
        outside the range of the given ones.

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
            raise OptionError(f"smooth must be at least 0; got {smooth}.", "For example, use 0.5.")
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

    def _moved(self, means: FloatArray) -> Self:
        moved = type(self)(self.scores, smooth=self.smooth)
        moved._values = self._values + (means - self._simulated_means)
        return moved

    @cached_property
    def _simulated_means(self) -> FloatArray:
        return np.asarray(observed_means(pd.DataFrame(self._values)), dtype=np.float64)
