"""Confidence sets for the ranks of all systems, for the best system and for the top k."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from bayescorr._memory import check_memory
from bayescorr._numbers import FloatArray, check_count, check_level
from bayescorr._random import RandomSeed
from bayescorr.errors import Argument, OptionError, choose
from bayescorr.frequentist.api import prepare
from bayescorr.frequentist.sample import Sample

Better = NDArray[np.bool_]

# Variances below this share of those of the two systems are floating-point noise.
_NOISE = 1e-12


@dataclass(frozen=True, eq=False)
class RankConfidence:
    """Frequentist confidence sets for ranks; all of them hold together at their level.

    Attributes
    ----------
    systems : list
        Systems in observed order, the best first.
    observed : Series
        Observed means, on the scale of the scores.
    statistics : array, systems x systems
        Studentised difference of the row's system and the column's, positive if the row is better.
    resampled : array, draws x pairs
        The same of the resamples, less the observed difference; pairs as in ``numpy.triu_indices``.
    bootstrap : str
        The kind of bootstrap.
    """

    systems: list[Any]
    observed: pd.Series = field(repr=False)
    statistics: FloatArray = field(repr=False)
    resampled: NDArray[np.float32] = field(repr=False)
    bootstrap: str

    def better(self, level: float = 0.95) -> pd.DataFrame:
        """Return which systems (rows) are better than which (columns), all at once at the level."""
        found = step_down(self.statistics, self.resampled, level)
        return pd.DataFrame(found, index=self.systems, columns=self.systems)

    def table(self, level: float = 0.95) -> pd.DataFrame:
        """Return one row per system: system, observed_mean, rank_lower, rank_upper, level."""
        better = self.better(level).to_numpy()
        return pd.DataFrame(
            {
                "system": self.systems,
                "observed_mean": self.observed.to_numpy(),
                "rank_lower": 1 + better.sum(axis=0),
                "rank_upper": len(better) - better.sum(axis=1),
                "level": check_level(level),
            }
        )

    def best(self, level: float = 0.95) -> list[Any]:
        """Return the systems that may be truly the best."""
        return self.top(1, level)

    def top(self, k: int, level: float = 0.95) -> list[Any]:
        """Return the systems that may be in the true top k: those that fewer than k surely beat."""
        m = len(self.systems)
        table = self.table(level)
        return table.loc[table["rank_lower"] <= check_count(k, "k", most=m), "system"].tolist()

    def __repr__(self) -> str:
        title = f"Frequentist 95% confidence sets for ranks ({self.bootstrap} bootstrap)"
        return f"{title}\n{self.table().drop(columns='level').to_string(index=False)}"


def rank_confidence_sets(
    scores: pd.DataFrame,
    *,
    bootstrap: str = "normal",
    resamples: int = 1000,
    higher_is_better: bool = True,
    missing: str = "error",
    random_seed: RandomSeed = None,
) -> RankConfidence:
    r"""Compute simultaneous confidence sets for the true ranks of all systems.

    All hypotheses "i is not better than j", for ordered pairs of systems, are tested together with

    .. math:: T_{ij} = \frac{\bar x_i - \bar x_j}{s_{ij} / \sqrt n}

    where :math:`s_{ij}` is the standard deviation over topics of the difference of the two scores.
    Those with :math:`T_{ij} > c` are rejected, where c is the quantile at the level of

    .. math:: \max_{(i, j)} \frac{(\bar x^*_i - \bar x^*_j) - (\bar x_i - \bar x_j)}
        {s^*_{ij} / \sqrt n}

    over resamples of whole topics. The step is repeated with the maximum over the hypotheses that
    are not yet rejected, until no other is rejected (Romano & Wolf 2005). The rank of system i then
    lies between one more than the number of systems that are better, and m less the number of
    systems that are worse:

    .. math:: R_i = \{ |\{j: H_{ji} \text{ rejected}\}| + 1, \dots,
        m - |\{j: H_{ij} \text{ rejected}\}| \}

    The sets of all systems hold together with probability at least the level, in repeated samples
    of many topics (Mogstad et al. 2024, section 3). So do the set that contains the true best
    system and, for every k at once, the set that contains the whole true top k.

    Identical systems are never told apart. If true means tie, the sets contain all ranks that the
    tied systems could have.

    Parameters
    ----------
    scores : DataFrame
        Topics by systems.
    bootstrap : {"normal", "topics", "plug-in"}
        "normal" draws the scores of n topics from a normal distribution with the observed
        covariance and computes the standard deviation of each resample. For two systems it is the
        paired t-test. "topics" draws n of the observed topics with replacement instead; pairs that
        differ on few topics make it cautious. "plug-in" keeps the observed :math:`s_{ij}`, as the R
        package csranks does; with few topics its sets are too small.
    resamples : int
        Number of resamples of the topics.
    higher_is_better : bool
        False for measures where the lowest mean is the best.
    missing : {"error", "drop", "zero"}
        How to treat missing scores.
    random_seed : int, Generator or None
        The same seed gives the same sets, whatever the order of topics and systems.

    Returns
    -------
    RankConfidence
        With methods ``table(level)``, ``best(level)``, ``top(k, level)`` and ``better(level)``.

    References
    ----------
    M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm. Inference for ranks with applications to
    mobility across neighbourhoods and academic achievement across countries. Review of Economic
    Studies 91(1), 2024.
    J. P. Romano, M. Wolf. Exact and approximate stepdown methods for multiple hypothesis testing.
    Journal of the American Statistical Association 100, 2005.

    Examples
    --------
    >>> import bayescorr
    >>> scores = bayescorr.load_dataset("demo").iloc[:, ::6]
    >>> rank_confidence_sets(scores, random_seed=1).table(0.9).iloc[:, [0, 2, 3]]
           system  rank_lower  rank_upper
    0  dense-late           1           1
    1         dph           2           3
    2      ql-rm1           2           3
    3        bm25           4           4
    4    bool-and           5           5
    """
    kind = choose(bootstrap, BOOTSTRAPS, "bootstrap")
    check_count(resamples, "resamples")
    # The sample itself has no draws of use here.
    frame, sample = prepare(scores, 2, higher_is_better, missing, random_seed)
    what = (f"{resamples:,} ", Argument("resamples"), f" of {sample.systems} systems")
    check_memory(8.0 * resamples * sample.pairs, what, ("Use fewer ", Argument("resamples"), "."))
    # Pairs with the better system first: above the diagonal.
    differences, sd = sample.differences.T, sample.sd.T
    statistics = np.triu(_ratio(differences * np.sqrt(sample.topics), sd), 1)
    resampled = np.empty((resamples, int(sample.pairs)), np.float32)
    pairs = np.triu_indices(sample.systems, 1)
    rng = sample.stream("ranks")
    # Threads slow down linear algebra on many small matrices.
    with threadpool_limits(1):
        for row in resampled:
            row[:] = BOOTSTRAPS[kind](sample, sd, rng)[pairs]
    # Where the difference is the same on every topic, nothing is random.
    resampled[:, sd[pairs] == 0] = 0
    means = sample.means if higher_is_better else 0.0 - sample.means
    return RankConfidence(
        systems=frame.columns[sample.order].tolist(),
        observed=pd.Series(means, index=frame.columns[sample.order]),
        statistics=statistics - statistics.T,
        resampled=resampled,
        bootstrap=kind,
    )


def step_down(statistics: FloatArray, resampled: NDArray[np.float32], level: float) -> Better:
    """Return which systems (rows) are better than which (columns), by stepwise rejection.

    Parameters
    ----------
    statistics : array, systems x systems
        Antisymmetric; systems in observed order, so that no entry above the diagonal is negative.
    resampled : array, draws x pairs
        Of pairs above the diagonal, with expectation 0.
    level : float
        Probability that no rejection is wrong.

    Examples
    --------
    >>> resampled = np.linspace(-2, 2, 21)[:, None]
    >>> step_down(np.array([[0, 2.5], [-2.5, 0]]), resampled, 0.9)
    array([[False,  True],
           [False, False]])
    """
    place = math.ceil(check_level(level) * (len(resampled) + 1) - 1e-9)
    if place > len(resampled):
        least = math.ceil(level / (1 - level))
        raise OptionError(
            f"{len(resampled):,} resamples are too few for the level {level:g}.",
            ("Use ", Argument("resamples", max(1000, least)), " or more."),
        )
    m = len(statistics)
    first, second = np.triu_indices(m, 1)
    observed = statistics[first, second]
    left = np.ones(len(observed), dtype=bool)
    # Whether the worse of two systems is better is never rejected, so it stays to the end.
    reverse = (-resampled).max(axis=1)
    while left.any():
        largest = np.maximum(reverse, resampled[:, left].max(axis=1))
        critical = np.partition(largest, place - 1)[place - 1]
        rejected = left & (observed > critical)
        if not rejected.any():
            break
        left &= ~rejected
    better = np.zeros((m, m), dtype=bool)
    better[first, second] = ~left
    return better


def _normal(sample: Sample, sd: FloatArray, rng: np.random.Generator) -> FloatArray:
    n = sample.topics
    return _studentise(rng.standard_normal((n, n)) @ sample.deviations / np.sqrt(n - 1))


def _topics(sample: Sample, sd: FloatArray, rng: np.random.Generator) -> FloatArray:
    n = sample.topics
    return _studentise(sample.deviations[rng.integers(n, size=n)])


def _plug_in(sample: Sample, sd: FloatArray, rng: np.random.Generator) -> FloatArray:
    n = sample.topics
    noise = rng.standard_normal(n) @ sample.deviations / np.sqrt(n - 1)
    return _ratio(noise[:, None] - noise, sd)


#: How topics are resampled: functions of the sample, the sd of each pair and random numbers.
BOOTSTRAPS: dict[str, Callable[[Sample, FloatArray, np.random.Generator], FloatArray]] = {
    "normal": _normal,
    "topics": _topics,
    "plug-in": _plug_in,
}


def _studentise(values: FloatArray) -> FloatArray:
    """Return the studentised difference of every two columns."""
    n = len(values)
    means = values.mean(axis=0)
    covariance = np.atleast_2d(np.cov(values, rowvar=False))
    own = np.diag(covariance)
    total = own[:, None] + own
    variance = total - 2 * covariance
    variance = np.where(variance > _NOISE * total, variance, 0.0)
    return _ratio((means[:, None] - means) * np.sqrt(n), np.sqrt(variance))


def _ratio(differences: FloatArray, sd: FloatArray) -> FloatArray:
    """Divide; a difference without any spread is infinitely large, unless it is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(differences == 0, 0.0, differences / sd)
