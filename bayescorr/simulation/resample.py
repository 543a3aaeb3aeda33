"""Simulation by resampling the topics at hand."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayescorr.scores.check import observed_means
from bayescorr.simulation.base import Simulator

FloatArray = NDArray[np.float64]


class ResampleSimulator(Simulator):
    r"""Simulate collections by drawing topics of a given one with replacement.

    The given topics are the whole population, so that the true mean of a system is its mean over
    all of them, :math:`\mu_j = \frac{1}{n} \sum_i x_{ij}`. Nothing is assumed about how scores are
    distributed, but no more than the given topics can ever be seen, so that true differences are
    as large as the observed ones: collections look a little more reliable than they are.

    Parameters
    ----------
    scores : DataFrame or array
        Scores of systems (columns) on topics (rows), of any range.
    truth : {"simulator", "original"}
        The same here; the argument is that of the other simulators.

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

    def _draw(self, n_topics: int, rng: np.random.Generator) -> FloatArray:
        return self._values[rng.integers(len(self._values), size=n_topics)]

    @cached_property
    def _simulated_means(self) -> FloatArray:
        means = observed_means(pd.DataFrame(self._values))
        return np.asarray(means, dtype=np.float64)

    def _state(self) -> dict[str, Any]:
        return {"truth": self.truth}

    @classmethod
    def _from_state(cls, scores: pd.DataFrame, state: dict[str, Any]) -> Self:
        return cls(scores, **state)
