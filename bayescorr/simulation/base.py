"""The base class of simulators."""

from __future__ import annotations

from abc import ABC, abstractmethod
from inspect import signature
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescorr._memory import check_memory
from bayescorr._numbers import FloatArray, check_count
from bayescorr._optional import require
from bayescorr._random import RandomSeed, generator
from bayescorr.errors import choose
from bayescorr.scores.check import check_scores, observed_means, sort_labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Simulator(ABC):
    """A source of simulated scores with known true means.

    A subclass draws topics and computes expected scores with systems sorted by label. This class
    restores the order of the given scores.
    """

    kind: ClassVar[str]

    def __init__(self, scores: pd.DataFrame | ArrayLike, truth: str = "simulator") -> None:
        self.scores: pd.DataFrame = check_scores(scores, warn=False)
        self.truth = choose(truth, ("original", "simulator"), "truth")
        # Sort systems by label: their order must not change what a seed draws.
        ordered = sort_labels(self.scores)
        self._values: FloatArray = ordered.to_numpy()
        self._positions = ordered.columns.get_indexer(self.scores.columns)
        # Identical systems share one drawn column, so that they stay identical.
        _, first, self._copies = np.unique(
            self._values, axis=1, return_index=True, return_inverse=True
        )
        self._distinct = np.asarray(first, dtype=np.intp)

    @property
    def systems(self) -> pd.Index[Any]:
        """Labels of the systems, in the order of the scores."""
        return self.scores.columns

    @abstractmethod
    def _draw(self, n_topics: int, rng: np.random.Generator) -> FloatArray:
        """Draw scores, topics by systems sorted by label."""

    @property
    @abstractmethod
    def _simulated_means(self) -> FloatArray:
        """Return the expected scores of the systems sorted by label."""

    def state(self) -> dict[str, Any]:
        """Return what a file must store besides the scores: by default, the arguments."""
        return {name: getattr(self, name) for name in list(signature(type(self)).parameters)[1:]}

    @classmethod
    def from_state(cls, scores: pd.DataFrame, state: dict[str, Any]) -> Self:
        """Return the simulator with these scores and this state."""
        return cls(scores, **state)

    @property
    def true_means(self) -> pd.Series[float]:
        """True mean score of each system, as defined by ``truth``."""
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
            The same seed draws the same scores, independent of the order of rows and columns.

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
        check_sample(check_count(n_topics, "n_topics"), len(self.systems))
        scores = self._draw(n_topics, generator(random_seed))
        digits = len(str(n_topics))
        topics = pd.Index([f"t{i:0{digits}}" for i in range(1, n_topics + 1)])
        return pd.DataFrame(scores[:, self._positions], index=topics, columns=self.systems)

    def sample_means(
        self, n_topics: int, size: int, random_seed: RandomSeed = None
    ) -> pd.DataFrame:
        """Draw the observed means of ``size`` collections of ``n_topics`` topics each.

        Parameters
        ----------
        n_topics, random_seed
            As in :meth:`sample`.
        size : int
            Number of collections.

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
        check_sample(check_count(n_topics, "n_topics"), len(self.systems))
        check_sample(check_count(size, "size"), len(self.systems), "collections")
        rng = generator(random_seed)
        means = [self._draw(n_topics, rng).mean(axis=0) for _ in range(size)]
        return pd.DataFrame(np.array(means)[:, self._positions], columns=self.systems)

    def diagnostics(self, n_topics: int = 10_000, random_seed: RandomSeed = 0) -> pd.DataFrame:
        """Compare the original scores with a large simulated collection.

        Parameters
        ----------
        n_topics, random_seed
            As in :meth:`sample`.

        Returns
        -------
        DataFrame
            Columns statistic, system, other, original and simulated, with one row per system for
            the statistics "mean" and "variance" and one per pair of systems for "correlation".
            Constant systems have no correlations.

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

        def statistics(x: FloatArray) -> FloatArray:
            correlations = np.atleast_2d(np.corrcoef(x[:, varies].T))[upper]
            return np.concatenate([x.mean(axis=0), x.var(axis=0, ddof=1), correlations])

        counts = (len(names), len(names), len(rows))
        return pd.DataFrame(
            {
                "statistic": np.repeat(["mean", "variance", "correlation"], counts).tolist(),
                "system": np.concatenate([names, names, names[rows]]),
                "other": np.concatenate([np.full(2 * len(names), None), names[columns]]),
                "original": statistics(original),
                "simulated": statistics(simulated),
            }
        )

    def plot_diagnostics(self, n_topics: int = 10_000, random_seed: RandomSeed = 0) -> Figure:
        """Plot simulated against original means, variances and correlations.

        Parameters
        ----------
        n_topics, random_seed
            As in :meth:`sample`.

        Returns
        -------
        matplotlib Figure
            One panel per statistic.
        """
        plt = require("matplotlib.pyplot", extra="report")
        figure: Figure = plt.figure(figsize=(12, 4), layout="constrained")
        panels = self.diagnostics(n_topics, random_seed).groupby("statistic", sort=False)
        for k, (statistic, points) in enumerate(panels, 1):
            ax = figure.add_subplot(1, 3, k)
            ax.scatter(points["original"], points["simulated"], s=12, alpha=0.5, linewidths=0)
            ax.axline((points["original"].mean(),) * 2, slope=1, color="0.5", linewidth=1)
            ax.set(title=f"{statistic}s", xlabel="original", ylabel="simulated")
        return figure

    def save(self, path: str | PathLike[str]) -> None:
        """Write the simulator to a JSON file that :func:`bayescorr.load_simulator` reads.

        Parameters
        ----------
        path : path
            The file; an existing one is overwritten.
        """
        from bayescorr.simulation.files import save_simulator

        save_simulator(self, path)

    def __repr__(self) -> str:
        topics, systems = self.scores.shape
        return f"{type(self).__name__}({systems} systems, from {topics} topics)"


def check_sample(number: int, systems: int, what: str = "topics") -> None:
    """Raise an error if this number of simulated topics or collections does not fit in memory."""
    # Scores, the numbers they are drawn from, a reordered copy and labels.
    size = number * (4 * 8 * systems + 100.0)
    check_memory(size, f"Simulating {number:,} {what} of {systems} systems", f"Use fewer {what}.")
