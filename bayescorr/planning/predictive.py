"""Predict how a ranking on another set of topics would correlate with the true ranking."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bayescorr._draws import estimates_of
from bayescorr._numbers import FloatArray, check_count, check_level
from bayescorr._optional import require
from bayescorr._random import RandomSeed
from bayescorr.coefficients import COEFFICIENTS, correlate, resolve
from bayescorr.coefficients.registry import AnyCoefficient
from bayescorr.errors import Argument, OptionError
from bayescorr.planning import extrapolation
from bayescorr.planning.needed import TopicsNeeded as TopicsNeeded
from bayescorr.planning.needed import error_interval
from bayescorr.planning.population import draw_population
from bayescorr.planning.search import check_sizes, default_sizes, smallest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescorr.bayes.result import Fit


@dataclass(frozen=True, eq=False)
class ExpectedCoefficient:
    """Posterior predictive distribution of a coefficient for topic sets of several sizes.

    Attributes
    ----------
    method, coefficient : str
        Model and coefficient.
    observed_topics : int
        Number of topics that the model was fitted to.
    extend : bool
        Whether the sets contain those topics, or only new ones.
    n_topics : tuple of int
        Sizes of the sets.
    draws : array, sizes x draws
        Draws of the coefficient between the true means and the means over such a set.
    extrapolation : DataFrame
        The result of :func:`~bayescorr.planning.extrapolation.extrapolate`; empty for extended
        sets, missing scores and coefficients that it does not support.
    """

    method: str
    coefficient: str
    observed_topics: int
    extend: bool
    n_topics: tuple[int, ...]
    draws: FloatArray
    extrapolation: pd.DataFrame

    def table(self, level: float = 0.95, target: float | None = None) -> pd.DataFrame:
        """Return one row per size: n_topics, coefficient, estimate, sd, lower, upper, level.

        Then p_target, the probability to reach a ``target`` if given, and one column for each
        frequentist extrapolation.
        """
        table = estimates_of(self.draws.T, level).assign(level=level)
        table.insert(0, "n_topics", self.n_topics)
        table.insert(1, "coefficient", self.coefficient)
        if target is not None:
            table["p_target"] = self.probability(target)
        for method, rows in self.extrapolation.groupby("method"):
            table[str(method)] = rows["estimate"].to_numpy()
        return table

    def probability(self, target: float) -> FloatArray:
        """Return P(coefficient >= target) for each size."""
        return np.asarray((self.draws >= target).mean(axis=1))

    def plot(
        self, level: float = 0.9, *, target: float | None = None, ax: Axes | None = None
    ) -> Axes:
        """Plot mean and interval against the size, and the frequentist extrapolations."""
        if ax is None:
            plt = require("matplotlib.pyplot", extra="report")
            ax = plt.subplots(figsize=(6, 4), layout="constrained")[1]
        table, sizes = self.table(level), self.n_topics
        band = f"{level * 100:g}% of {'extended' if self.extend else 'new'} sets"
        mean, blue = f"mean ({self.method})", "#0072B2"
        ax.fill_between(sizes, table["lower"], table["upper"], color=blue, alpha=0.2, label=band)
        ax.plot(sizes, table["estimate"], "o-", color=blue, ms=4, label=mean)
        for method, colour, line in (("ML", "#D55E00", "--"), ("MSQD", "#009E73", ":")):
            if method in table:
                ax.plot(sizes, table[method], line, color=colour, label=method)
        n = self.observed_topics
        ax.axvline(n, color="0.6", lw=0.8, zorder=0, label=f"observed topics: {n}")
        if target is not None:
            ax.axhline(target, color="0.3", lw=0.8, ls="-.", label=f"target {target:g}")
        label = getattr(COEFFICIENTS.get(self.coefficient), "label", self.coefficient)
        ax.set(xlabel="number of topics", ylabel=f"{label} with the true ranking")
        ax.legend(frameon=False)
        return ax

    def __repr__(self) -> str:
        kind = "the observed and new topics" if self.extend else "new topics"
        title = f"{self.coefficient} with the true ranking, over {kind} ({self.method})"
        return f"{title}\n{self.table().to_string(index=False, float_format='{:.3f}'.format)}"


def expected_coefficient(
    fit: Fit,
    n_topics: int | Iterable[int] | None = None,
    coefficient: AnyCoefficient = "tau",
    *,
    extend: bool = False,
    draws: int | None = 1000,
    random_seed: RandomSeed = None,
) -> ExpectedCoefficient:
    r"""Predict how a ranking on another set of topics would correlate with the true ranking.

    For every posterior draw of the true means :math:`\mu` and the covariance :math:`\Sigma` of a
    topic's scores, draw the means over n' new topics from :math:`N(\mu, \Sigma / n')` and compute
    the coefficient between :math:`\mu` and these means (Bavdaz 2018, section 6.2.4). The result
    reflects both the uncertainty about the population of topics and the sampling of topics from it.

    Parameters
    ----------
    fit : Fit
        A fit of a model with a covariance between systems, such as the default model.
    n_topics : int or sequence of int, optional
        Sizes of the topic sets; by default from half to eight times the observed number.
    coefficient : str or callable
        Name of a coefficient, or a function f(truth, observed).
    extend : bool
        False: sets of new topics only. True: the observed topics, with their known scores, plus new
        ones up to ``n_topics`` in total.
    draws : int, optional
        Number of posterior draws, evenly spaced; None for all of them.
    random_seed : int or Generator, optional
        The same seed gives the same draws.

    Returns
    -------
    ExpectedCoefficient
        With methods ``table(level)``, ``probability(target)`` and ``plot(level)``.

    References
    ----------
    A. Bavdaz. Toward rank correlation as a measure of confidence in information retrieval
    experiment results. Master's thesis, Delft University of Technology, 2018.
    J. Urbano, M. Marrero. Toward estimating the rank correlation between the test collection
    results and the true system performance. SIGIR 2016 (ML and MSQD).

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), random_seed=1)  # doctest: +SKIP
    >>> bayescorr.expected_coefficient(fit, [25, 50, 100]).table(0.9)  # doctest: +SKIP
    """
    name, n = resolve(coefficient).name, len(fit.scores)
    sizes = check_sizes(
        default_sizes(n, extend) if n_topics is None else n_topics, observed=n if extend else 0
    )
    drawn = _predictions(fit, coefficient, extend, draws, random_seed)
    sample = None if extend else extrapolation.sample_of(fit, name)
    return ExpectedCoefficient(
        method=fit.method,
        coefficient=name,
        observed_topics=n,
        extend=extend,
        n_topics=sizes,
        draws=np.array([drawn(size) for size in sizes]),
        extrapolation=extrapolation.table(sample, sizes, name),
    )


def topics_needed(
    fit: Fit,
    coefficient: AnyCoefficient = "tau",
    target: float = 0.9,
    probability: float = 0.95,
    *,
    extend: bool = False,
    max_topics: int = 10_000,
    draws: int | None = 1000,
    random_seed: RandomSeed = None,
) -> TopicsNeeded:
    r"""Find the number of topics that a ranking needs to be close to the true ranking.

    This is the smallest n' with :math:`P(\tau \ge target) \ge probability` under the posterior
    predictive distribution of :func:`expected_coefficient`, found by bisection. All n' share the
    same random numbers, so tau never decreases as a new set grows. Other coefficients, and tau of
    slightly extended sets, may decrease a little.

    Parameters
    ----------
    fit, coefficient, extend, draws, random_seed
        As in :func:`expected_coefficient`, which also lists the references.
    target : float
        Value that the coefficient should reach.
    probability : float
        Probability with which it should reach the target.
    max_topics : int
        Largest number of topics to consider.

    Returns
    -------
    TopicsNeeded
        Prints as a sentence; ``.topics`` is the number, and ``.lower`` and ``.upper`` a 95%
        interval for the Monte Carlo error of the probability.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), random_seed=1)  # doctest: +SKIP
    >>> bayescorr.topics_needed(fit, target=0.8, random_seed=1).topics  # doctest: +SKIP
    """
    check_target(target)
    check_level(probability, "probability")
    name, n = resolve(coefficient).name, len(fit.scores)
    least = n if extend else 1
    most = check_count(max_topics, "max_topics", least)
    drawn = cache(_predictions(fit, coefficient, extend, draws, random_seed))
    sample = None if extend else extrapolation.sample_of(fit, name)
    lower, upper = error_interval(drawn, target, probability, least, most)
    return TopicsNeeded(
        method=fit.method,
        coefficient=name,
        target=target,
        probability=probability,
        observed_topics=n,
        extend=extend,
        max_topics=most,
        topics=smallest(lambda n: (drawn(n) >= target).mean() >= probability, least, most),
        topics_on_average=smallest(lambda n: drawn(n).mean() >= target, least, most),
        extrapolated=extrapolation.needed(sample, name, target, most),
        lower=lower,
        upper=upper,
    )


def check_target(target: float) -> None:
    """Raise an error unless a correlation can reach the target with finitely many topics."""
    number = isinstance(target, int | float | np.number) and not isinstance(target, bool)
    if not number or not -1 < target < 1:
        raise OptionError(
            (Argument("target"), f" must be between -1 and 1; got {target!r}."),
            ("Use a value such as ", Argument("target", 0.9), "."),
        )


def _predictions(
    fit: Fit, coefficient: AnyCoefficient, extend: bool, draws: int | None, random_seed: RandomSeed
) -> Callable[[int], FloatArray]:
    """Return the function that draws the coefficient for topic sets of a given size."""
    name, n = resolve(coefficient).name, len(fit.scores)
    population = draw_population(fit, draws, random_seed)
    truth, better = population.true_means, fit.higher_is_better

    def drawn(size: int) -> FloatArray:
        means = population.extended(size - n) if extend else population.new(size)
        return correlate(truth, means, coefficient, higher_is_better=better)[name]

    return drawn
