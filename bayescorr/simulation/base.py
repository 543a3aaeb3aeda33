"""What every simulator of collections offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescorr._numbers import FloatArray
from bayescorr._random import RandomSeed, generator
from bayescorr.errors import OptionError, choose
from bayescorr.scores.check import check_scores, observed_means, sort_labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TRUTHS = ("original", "simulator")


class Simulator(ABC):
    """A source of simulated scores whose true means are known.

    A subclass says how to draw topics and what the means of its scores are, both with the systems
    sorted by label; this class puts the labels back.
    """

    kind: ClassVar[str]

    def __init__(self, scores: pd.DataFrame | ArrayLike, truth: str = "simulator") -> None:
        self.scores: pd.DataFrame = check_scores(scores, warn=False)
        self.truth = choose(truth, TRUTHS, "truth")
        # Systems sorted by label: the order given must not change what a seed draws.
        ordered = sort_labels(self.scores)
        self._values: FloatArray = ordered.to_numpy()
        self._positions = ordered.columns.get_indexer(self.scores.columns)
        # Identical systems share one column of what is drawn, so that they stay identical.
        _, first, self._copies = np.unique(
            self._values, axis=1, return_index=True, return_inverse=True
        )
        self._distinct = np.asarray(first, dtype=np.intp)

    @property
    def systems(self) -> pd.Index[Any]:
        """Labels of the systems, in the order given."""
        return self.scores.columns

    @abstractmethod
    def _draw(self, n_topics: int, rng: np.random.Generator) -> FloatArray:
        """Draw scores, topics by systems sorted by label."""

    @property
    @abstractmethod
    def _simulated_means(self) -> FloatArray:
        """Return the expected scores of the systems sorted by label."""

    @abstractmethod
    def _state(self) -> dict[str, Any]:
        """Return what a file must hold to make the simulator again, besides the scores."""

    @classmethod
    @abstractmethod
    def _from_state(cls, scores: pd.DataFrame, state: dict[str, Any]) -> Self:
        """Make the simulator again."""

    @property
    def true_means(self) -> pd.Series[float]:
        """True mean score of each system, by the definition of truth that was asked for."""
        if self.truth == "original":
            means = np.asarray(observed_means(self.scores), dtype=float)
        else:
            means = self._simulated_means[self._positions]
        return pd.Series(means, index=self.systems, name="true_mean")

    def sample(self, n_topics: int, random_seed: RandomSeed = None) -> pd.DataFrame:
        """Draw the scores of all systems on new topics.

        Parameters
        ----------
        n_topics : int
            Number of topics.
        random_seed : int, Generator or None
            The same seed draws the same scores, whatever the order of the original ones.

        Returns
        -------
        DataFrame
            Topics t01, t02, ... by the original systems.

        Examples
        --------
        >>> from bayescorr import ResampleSimulator
        >>> simulator = ResampleSimulator([[0.1, 0.2], [0.3, 0.5], [0.8, 0.5]])
        >>> simulator.sample(2, random_seed=1)
            sys1  sys2
        t1   0.3   0.5
        t2   0.3   0.5
        """
        scores = self._draw(_positive(n_topics, "topics"), generator(random_seed))
        digits = len(str(n_topics))
        topics = pd.Index([f"t{i:0{digits}}" for i in range(1, n_topics + 1)])
        return pd.DataFrame(scores[:, self._positions], index=topics, columns=self.systems)

    def sample_means(
        self, n_topics: int, size: int, random_seed: RandomSeed = None
    ) -> pd.DataFrame:
        """Draw the observed means of ``size`` collections of ``n_topics`` topics each.

        Parameters
        ----------
        n_topics : int
            Number of topics of each collection.
        size : int
            Number of collections.
        random_seed : int, Generator or None
            The same seed draws the same means.

        Returns
        -------
        DataFrame
            One row per collection, one column per system.

        Examples
        --------
        >>> from bayescorr import ResampleSimulator
        >>> simulator = ResampleSimulator([[0.1, 0.2], [0.3, 0.5], [0.8, 0.5]])
        >>> simulator.sample_means(50, 2, random_seed=1).round(3)
            sys1   sys2
        0  0.394  0.386
        1  0.418  0.422
        """
        _positive(n_topics, "topics")
        rng = generator(random_seed)
        means = [self._draw(n_topics, rng).mean(axis=0) for _ in range(_positive(size, "sets"))]
        return pd.DataFrame(np.array(means)[:, self._positions], columns=self.systems)

    def diagnostics(self, n_topics: int = 10_000, random_seed: RandomSeed = 0) -> pd.DataFrame:
        """Compare the original scores with a large simulated collection.

        Parameters
        ----------
        n_topics : int
            Number of simulated topics.
        random_seed : int, Generator or None
            The same seed gives the same numbers.

        Returns
        -------
        DataFrame
            One row per system (statistic "mean" and "variance") and per pair of systems
            (statistic "correlation"): statistic, system, other, original, simulated. Correlations
            of systems that do not vary are left out.

        Examples
        --------
        >>> from bayescorr import ResampleSimulator
        >>> simulator = ResampleSimulator([[0.1, 0.2], [0.3, 0.5], [0.8, 0.5]])
        >>> simulator.diagnostics(1000)[["statistic", "original", "simulated"]].round(1)
             statistic  original  simulated
        0         mean       0.4        0.4
        1         mean       0.4        0.4
        2     variance       0.1        0.1
        3     variance       0.0        0.0
        4  correlation       0.7        0.7
        """
        simulated = self.sample(n_topics, random_seed).to_numpy()
        original = self.scores.to_numpy()
        names = np.asarray(self.systems, dtype=object)
        varies = np.flatnonzero((np.ptp(original, axis=0) > 0) & (np.ptp(simulated, axis=0) > 0))
        upper = np.triu_indices(len(varies), 1)
        rows, columns = varies[upper[0]], varies[upper[1]]
        correlations = [np.corrcoef(x[:, varies].T)[upper] for x in (original, simulated)]
        return pd.DataFrame(
            {
                "statistic": ["mean"] * len(names)
                + ["variance"] * len(names)
                + ["correlation"] * len(rows),
                "system": np.concatenate([names, names, names[rows]]),
                "other": np.concatenate([np.full(2 * len(names), None), names[columns]]),
                "original": np.concatenate([*_moments(original), correlations[0]]),
                "simulated": np.concatenate([*_moments(simulated), correlations[1]]),
            }
        )

    def plot_diagnostics(self, n_topics: int = 10_000, random_seed: RandomSeed = 0) -> Figure:
        """Draw original against simulated means, variances and correlations.

        The points are those of :meth:`diagnostics`.

        Parameters
        ----------
        n_topics, random_seed
            As in :meth:`diagnostics`.

        Returns
        -------
        matplotlib Figure
            A panel per statistic.

        Examples
        --------
        >>> from bayescorr import ResampleSimulator
        >>> simulator = ResampleSimulator([[0.1, 0.2], [0.3, 0.5], [0.8, 0.5]])
        >>> [ax.get_title() for ax in simulator.plot_diagnostics(1000).axes]
        ['means', 'variances', 'correlations']
        """
        from bayescorr.simulation.plots import plot_diagnostics

        return plot_diagnostics(self.diagnostics(n_topics, random_seed))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the simulator to a JSON file that :func:`bayescorr.load_simulator` reads.

        Parameters
        ----------
        path : path
            The file; one that is there is overwritten.

        Examples
        --------
        >>> import tempfile
        >>> from bayescorr import load_simulator
        >>> from bayescorr import ResampleSimulator
        >>> simulator = ResampleSimulator([[0.1, 0.2], [0.3, 0.5], [0.8, 0.5]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     simulator.save(f"{folder}/simulator.json")
        ...     load_simulator(f"{folder}/simulator.json")
        ResampleSimulator(2 systems, from 3 topics)
        """
        from bayescorr.simulation.files import save_simulator

        save_simulator(self, path)

    def __repr__(self) -> str:
        topics, systems = self.scores.shape
        return f"{type(self).__name__}({systems} systems, from {topics} topics)"


def _moments(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    return x.mean(axis=0), x.var(axis=0, ddof=1)


def _positive(number: int, what: str) -> int:
    if int(number) != number or number < 1:
        raise OptionError(f"{number} {what} asked for.", "Ask for a whole number, at least 1.")
    return int(number)
