"""How close to the truth the ranking by another set of topics would be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescorr._draws import interval
from bayescorr._numbers import FloatArray, check_level
from bayescorr._optional import require
from bayescorr._random import RandomSeed
from bayescorr.coefficients import correlate, resolve
from bayescorr.errors import OptionError
from bayescorr.frequentist.sample import Sample, make_sample
from bayescorr.planning import extrapolation
from bayescorr.planning.population import Population, draw_population
from bayescorr.planning.search import check_sizes, smallest
from bayescorr.scores.check import sort_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescorr.bayes.result import Fit

Coefficient = str | Callable[..., Any]


@dataclass(frozen=True, eq=False)
class ExpectedCoefficient:
    """Posterior predictive distribution of a coefficient for topic sets of several sizes.

    Attributes
    ----------
    method, coefficient : str
        Model and coefficient.
    observed_topics : int
        How many topics the model was fitted to.
    extend : bool
        Whether the sets contain those topics, or are new.
    n_topics : tuple of int
        Sizes of the sets.
    draws : array, sizes x draws
        Draws of the coefficient between the truth and the means over such a set.
    extrapolation : DataFrame
        What ML and MSQD say of new sets, see :func:`~bayescorr.planning.extrapolation.extrapolate`;
        empty where they say nothing.
    """

    method: str
    coefficient: str
    observed_topics: int
    extend: bool
    n_topics: tuple[int, ...]
    draws: FloatArray = field(repr=False)
    extrapolation: pd.DataFrame = field(repr=False)

    def table(self, level: float = 0.95, target: float | None = None) -> pd.DataFrame:
        """Mean and band by size: n_topics, coefficient, estimate, sd, lower, upper, level, ...

        Then ``p_target``, the probability to reach ``target``, if one is given, and a column for
        each frequentist extrapolation.
        """
        lower, upper = interval(self.draws.T, level)
        table = pd.DataFrame(
            {
                "n_topics": self.n_topics,
                "coefficient": self.coefficient,
                "estimate": self.draws.mean(axis=1),
                "sd": self.draws.std(axis=1, ddof=1),
                "lower": lower,
                "upper": upper,
                "level": level,
            }
        )
        if target is not None:
            table["p_target"] = self.probability(target)
        for method, rows in self.extrapolation.groupby("method"):
            table[str(method)] = rows["estimate"].to_numpy()
        return table

    def probability(self, target: float) -> FloatArray:
        """P(coefficient >= target) for each size."""
        return np.asarray((self.draws >= target).mean(axis=1))

    def plot(
        self, level: float = 0.9, *, target: float | None = None, ax: Axes | None = None
    ) -> Axes:
        """Draw the curve of the mean with its band, and the frequentist extrapolations."""
        plt = require("matplotlib.pyplot", extra="report")
        if ax is None:
            _, ax = plt.subplots(figsize=(6, 4), layout="constrained")
        table = self.table(level)
        sizes = table["n_topics"]
        band = f"{level:.0%} of {'extended' if self.extend else 'new'} sets"
        ax.fill_between(
            sizes, table["lower"], table["upper"], color="#0072B2", alpha=0.2, label=band
        )
        ax.plot(
            sizes, table["estimate"], "o-", color="#0072B2", ms=4, label=f"mean ({self.method})"
        )
        styles = {"ML": ("#D55E00", "--"), "MSQD": ("#009E73", ":")}
        for method, rows in self.extrapolation.groupby("method"):
            colour, line = styles[str(method)]
            ax.plot(rows["n_topics"], rows["estimate"], line, color=colour, label=str(method))
        now = f"topics now: {self.observed_topics}"
        ax.axvline(self.observed_topics, color="0.6", lw=0.8, zorder=0, label=now)
        if target is not None:
            ax.axhline(target, color="0.3", lw=0.8, ls="-.", label=f"target {target:g}")
        ax.set(
            xlabel="number of topics", ylabel=f"{_label(self.coefficient)} with the true ranking"
        )
        ax.legend(frameon=False)
        return ax

    def __repr__(self) -> str:
        kind = "the topics at hand and more" if self.extend else "new topics"
        title = f"{self.coefficient} with the true ranking, over {kind} ({self.method})"
        return f"{title}\n{self.table().to_string(index=False, float_format='{:.3f}'.format)}"


@dataclass(frozen=True)
class TopicsNeeded:
    """How many topics a coefficient needs to reach a target.

    Attributes
    ----------
    topics : int or None
        Smallest number of topics with P(coefficient >= target) >= probability; None if that is
        more than ``max_topics``.
    topics_on_average : int or None
        Smallest number with E[coefficient] >= target.
    extrapolated : dict
        The same by the frequentist extrapolation, by method.
    """

    method: str
    coefficient: str
    target: float
    probability: float
    observed_topics: int
    extend: bool
    max_topics: int
    topics: int | None
    topics_on_average: int | None
    extrapolated: dict[str, int | None]

    def table(self) -> pd.DataFrame:
        """One row per criterion: method, criterion, topics (missing if more than the maximum)."""
        wanted, average = (
            f"{left} >= {self.target:g}" for left in (self.coefficient, f"E[{self.coefficient}]")
        )
        rows = [
            (self.method, f"P({wanted}) >= {self.probability:g}", self.topics),
            (self.method, average, self.topics_on_average),
            *((method, average, topics) for method, topics in self.extrapolated.items()),
        ]
        table = pd.DataFrame(rows, columns=["method", "criterion", "topics"])
        return table.astype({"topics": "Int64"})

    def __str__(self) -> str:
        kind = "topics in all, those at hand among them," if self.extend else "new topics"
        goal = (
            f"{self.coefficient} of at least {self.target:g} with probability {self.probability:g}"
        )
        if self.topics is None:
            return f"More than {self.max_topics} {kind} are needed for a {goal}."
        return (
            f"{self.topics} {kind} are needed for a {goal}; there are {self.observed_topics} now."
        )


def expected_coefficient(
    fit: Fit,
    n_topics: int | Iterable[int] | None = None,
    coefficient: Coefficient = "tau",
    *,
    extend: bool = False,
    draws: int | None = 1000,
    random_seed: RandomSeed = None,
) -> ExpectedCoefficient:
    r"""Predict how a ranking by another set of topics would correlate with the true one.

    For every posterior draw of the true means :math:`\mu` and the covariance :math:`\Sigma` of a
    topic's scores, the means over a set of n' new topics are drawn from
    :math:`N(\mu, \Sigma / n')`, and the coefficient computed between :math:`\mu` and them (the
    scenario of Bavdaz 2018, section 6.2.4). What comes out covers both what is not known of the
    population of topics and which topics would be drawn from it.

    Parameters
    ----------
    fit : Fit
        A fit of a model that knows the covariance, such as the default one.
    n_topics : int or sequence of int, optional
        Sizes of the topic sets; from half to eight times the topics at hand when left out.
    coefficient : str or callable
        Name of a coefficient, or a function f(truth, observed).
    extend : bool
        False: a new set from the same population. True: the topics at hand, whose scores are
        known, with new ones added until there are ``n_topics`` in all.
    draws : int, optional
        How many posterior draws, spread evenly; None for all of them.
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
    >>> from bayescorr.models.flat import Flat
    >>> class Known(Flat):  # quick: the covariance of the scores, taken as known
    ...     def covariance(self, draws, true_means, data, priors, rng):
    ...         return np.array([np.cov(data.values.T)] * len(true_means))
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :6], Known(), random_seed=1)
    >>> expected = bayescorr.expected_coefficient(fit, [25, 50, 100], random_seed=1)
    >>> expected.table(0.9)[["n_topics", "estimate", "lower", "ML"]].round(2)
       n_topics  estimate  lower    ML
    0        25      0.75   0.33  0.75
    1        50      0.82   0.60  0.82
    2       100      0.87   0.60  0.88

    The default model knows the covariance, but takes longer to fit:

    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), random_seed=1)  # doctest: +SKIP
    >>> bayescorr.expected_coefficient(fit, [25, 50, 100]).table(0.9)  # doctest: +SKIP
    """
    name = resolve(coefficient).name
    n = len(fit.scores)
    if n_topics is None:
        steps = (1, 1.5, 2, 3, 4, 6, 8) if extend else (0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8)
        n_topics = sorted({max(1, round(step * n)) for step in steps})
    sizes = check_sizes(n_topics, least=n if extend else 1)
    population = draw_population(fit, draws, random_seed)
    values = [_coefficient(population, coefficient, fit, size, extend) for size in sizes]
    sample = _sample(fit, name, extend)
    return ExpectedCoefficient(
        method=fit.method,
        coefficient=name,
        observed_topics=n,
        extend=extend,
        n_topics=sizes,
        draws=np.array(values),
        extrapolation=extrapolation.table(sample, sizes, name, extrapolation.METHODS),
    )


def check_target(target: float) -> None:
    """Refuse a value that no correlation can be required to have."""
    if not -1 < target < 1:
        raise OptionError(
            f"The target is {target:g}, a number between -1 and 1 is needed.",
            "Only infinitely many topics would give the true ranking for sure; try 0.9.",
        )


def topics_needed(
    fit: Fit,
    coefficient: Coefficient = "tau",
    target: float = 0.9,
    probability: float = 0.95,
    *,
    extend: bool = False,
    max_topics: int = 10_000,
    draws: int | None = 1000,
    random_seed: RandomSeed = None,
) -> TopicsNeeded:
    r"""Find how many topics are needed for a ranking close to the true one.

    The smallest n' with :math:`P(\tau \ge target) \ge probability` under the posterior predictive
    distribution of :func:`expected_coefficient`. The same random numbers serve all n', with which
    tau never falls as a new set grows, so bisection finds it; for other coefficients, and for
    extended sets of hardly more topics than now, it does so up to small wiggles.

    Parameters
    ----------
    fit, coefficient, extend, draws, random_seed
        As in :func:`expected_coefficient`.
    target : float
        The value that the coefficient should reach.
    probability : float
        How probable that should be.
    max_topics : int
        Where to stop searching.

    Returns
    -------
    TopicsNeeded
        Prints as a sentence; ``.topics`` is the number.

    References
    ----------
    A. Bavdaz. Toward rank correlation as a measure of confidence in information retrieval
    experiment results. Master's thesis, Delft University of Technology, 2018, section 6.2.4.
    J. Urbano, M. Marrero. Toward estimating the rank correlation between the test collection
    results and the true system performance. SIGIR 2016 (ML and MSQD).

    Examples
    --------
    >>> import bayescorr
    >>> from bayescorr.models.flat import Flat
    >>> class Known(Flat):  # quick: the covariance of the scores, taken as known
    ...     def covariance(self, draws, true_means, data, priors, rng):
    ...         return np.array([np.cov(data.values.T)] * len(true_means))
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :6], Known(), random_seed=1)
    >>> print(bayescorr.topics_needed(fit, "tau", 0.6, 0.8, random_seed=1))
    16 new topics are needed for a tau of at least 0.6 with probability 0.8; there are 50 now.

    The default model knows the covariance, but takes longer to fit:

    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), random_seed=1)  # doctest: +SKIP
    >>> bayescorr.topics_needed(fit, target=0.8).topics  # doctest: +SKIP
    """
    check_level(probability)
    name = resolve(coefficient).name
    check_target(target)
    n = len(fit.scores)
    least = n if extend else 1
    check_sizes(max_topics, least)
    population = draw_population(fit, draws, random_seed)
    known: dict[int, FloatArray] = {}

    def values(size: int) -> FloatArray:
        if size not in known:
            known[size] = _coefficient(population, coefficient, fit, size, extend)
        return known[size]

    found = smallest(lambda n: (values(n) >= target).mean() >= probability, least, max_topics)
    average = smallest(lambda n: values(n).mean() >= target, least, max_topics)
    sample = _sample(fit, name, extend)
    return TopicsNeeded(
        method=fit.method,
        coefficient=name,
        target=target,
        probability=probability,
        observed_topics=n,
        extend=extend,
        max_topics=max_topics,
        topics=found,
        topics_on_average=average,
        extrapolated={
            method: smallest(_reaches(sample, method, name, target), 1, max_topics)
            for method in extrapolation.METHODS
            if sample is not None
        },
    )


def _coefficient(
    population: Population, coefficient: Coefficient, fit: Fit, size: int, extend: bool
) -> FloatArray:
    """Draws of the coefficient for one size."""
    means = population.extended(size - len(fit.scores)) if extend else population.new(size)
    found = correlate(
        population.true_means, means, coefficient, higher_is_better=fit.higher_is_better
    )
    return np.asarray(found[resolve(coefficient).name])


def _reaches(sample: Sample, method: str, name: str, target: float) -> Callable[[int], bool]:
    """Whether the extrapolation to a number of topics reaches the target."""
    return lambda size: extrapolation.expected(sample, method, name, size) >= target


def _sample(fit: Fit, name: str, extend: bool) -> Sample | None:
    """Prepare the scores for the frequentist extrapolation; None where it says nothing."""
    scores = sort_labels(fit.scores)
    values = scores.to_numpy() if fit.higher_is_better else 0.0 - scores.to_numpy()
    if extend or name not in extrapolation.COEFFICIENTS or np.isnan(values).any():
        return None
    return make_sample(values, draws=2, random_seed=0)


def _label(name: str) -> str:
    return resolve(name).label if name.startswith("tau") else name
