"""The base class of simulators."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from inspect import signature
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescorr._memory import check_memory
from bayescorr._numbers import FloatArray, check_count
from bayescorr._optional import require
from bayescorr._random import RandomSeed, generator
from bayescorr.errors import BayescorrWarning, OptionError, ScoresError, choose, listing
from bayescorr.scores.check import check_scores, observed_means, sort_labels
from bayescorr.scores.strata import refuse_seeds, refuse_strata

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Case(NamedTuple):
    """Scores for a method to see, and the means that their ranking is compared with."""

    scores: pd.DataFrame
    #: True means, or observed means over other topics.
    means: pd.Series[float]
    #: Number of these other topics; None for true means.
    other_topics: int | None = None


class Simulator(ABC):
    """A source of simulated scores with known true means.

    A subclass draws topics and computes expected scores with systems sorted by label. This class
    restores the order of the given scores.
    """

    kind: ClassVar[str]

    def __init__(self, scores: pd.DataFrame | ArrayLike, truth: str = "simulator") -> None:
        refuse_strata(scores, "A simulator", "Simulate one task, or the scores without tasks.")
        refuse_seeds(scores)
        self.scores: pd.DataFrame = check_scores(scores, warn=False)
        self.truth = choose(truth, ("original", "shrunk", "simulator"), "truth")
        #: Means that the systems were moved to, by ``with_means``.
        self._moved_to: FloatArray | None = None
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
        """Return what a file must store besides the scores: arguments, and means moved to."""
        names = list(signature(type(self)).parameters)[1:]
        means = None if self._moved_to is None else self._moved_to.tolist()
        return {name: getattr(self, name) for name in names} | {"means": means}

    @classmethod
    def from_state(cls, scores: pd.DataFrame, state: dict[str, Any]) -> Self:
        """Return the simulator with these scores and this state."""
        state = dict(state)
        means = state.pop("means", None)
        simulator = cls(scores, **state)
        return simulator if means is None else simulator.with_means(means)

    @abstractmethod
    def _moved(self, means: FloatArray) -> Self:
        """Return a simulator whose expected scores are ``means``, systems sorted by label."""

    def with_means(
        self, means: Mapping[Any, float] | pd.Series[Any] | ArrayLike | None = None
    ) -> Self:
        """Return a simulator whose expected scores are the given means.

        Parameters
        ----------
        means : Series, mapping or sequence, optional
            Means by system, or one per system in order. Systems without one keep theirs. Default:
            the means of the original scores.

        Returns
        -------
        Simulator
            A new simulator. Its ``truth`` is "simulator".

        Examples
        --------
        >>> from bayescorr import ResampleSimulator
        >>> simulator = ResampleSimulator([[0.1, 0.2], [0.3, 0.5], [0.8, 0.5]])
        >>> simulator.with_means({"sys1": 0.5}).true_means.round(6).tolist()
        [0.5, 0.4]
        """
        current = pd.Series(self._simulated_means[self._positions], self.systems)
        given = self._labelled(observed_means(self.scores) if means is None else means)
        current[given.index] = given
        target = np.empty(len(current))
        target[self._positions] = current
        moved = self._moved(target)
        # The means of the original scores are no longer the true means.
        moved.truth = "simulator"
        moved._moved_to = np.asarray(current, dtype=np.float64)
        return moved

    def _labelled(self, means: Mapping[Any, float] | pd.Series[Any] | ArrayLike) -> pd.Series[Any]:
        """Return means by system."""
        if not isinstance(means, (Mapping, pd.Series)):
            values = np.asarray(means, dtype=float)
            if values.shape != (len(self.systems),):
                raise ScoresError(
                    f"means must have one value for each of {len(self.systems)} systems; "
                    f"got shape {values.shape}.",
                    "To change some systems only, use a dict of means by system.",
                )
            return pd.Series(values, self.systems)
        given = pd.Series(dict(means.items()), dtype=float)
        for system in given.index:
            if system not in self.systems:
                raise OptionError(
                    f"Unknown system {system!r}.", f"Choose one of: {listing(self.systems)}."
                )
        return given

    @property
    def true_means(self) -> pd.Series[float]:
        """True mean score of each system, as defined by ``truth``."""
        if self.truth == "shrunk":
            raise OptionError(
                "Each collection has its own true means.", "Use case(), which returns both."
            )
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
        if self.truth == "shrunk":
            return self.case(n_topics, random_seed).scores
        scores = self._draw(n_topics, generator(random_seed))
        digits = len(str(n_topics))
        topics = pd.Index([f"t{i:0{digits}}" for i in range(1, n_topics + 1)])
        return pd.DataFrame(scores[:, self._positions], index=topics, columns=self.systems)

    def case(self, n_topics: int, random_seed: RandomSeed = None) -> Case:
        """Draw a collection together with its true means.

        Observed means are more spread than true means, by the noise of their topics. A simulator
        that takes observed means as the truth is therefore an optimist: its collections are more
        reliable than real ones. With ``truth="shrunk"``, the true means of each collection are a
        draw from the posterior of the default model, given the original scores.

        Parameters
        ----------
        n_topics, random_seed
            As in :meth:`sample`.

        Returns
        -------
        Case
            The scores, and the true means of the same systems.
        """
        if self.truth != "shrunk":
            return Case(self.sample(n_topics, random_seed), self.true_means)
        rng = generator(random_seed)
        draws = self._posterior
        moved = self.with_means(self._attainable(draws[rng.integers(len(draws))]))
        return Case(moved.sample(n_topics, rng), moved.true_means)

    @cached_property
    def _posterior(self) -> FloatArray:
        """Draws of the true means under the default model, draws x systems."""
        from bayescorr.bayes.fit import fit

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BayescorrWarning)
            found = fit(
                self.scores, inference="laplace", random_seed=0, progressbar=False, warn=False
            )
        draws = found.true_means.stack(sample=("chain", "draw")).transpose("sample", "system")
        return np.asarray(draws.to_numpy(), dtype=float)

    def _attainable(self, means: FloatArray) -> FloatArray:
        """Return the means, within what the simulator can have."""
        return means

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
        if self.truth == "shrunk":
            means = [self.case(n_topics, rng).scores.mean() for _ in range(size)]
            return pd.DataFrame(np.array(means), columns=self.systems)
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
