"""How to spend new items over the tasks of a benchmark, so that its ranking improves most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from bayescorr._draws import estimates_of
from bayescorr._numbers import FloatArray, check_count, largest_remainders
from bayescorr._random import RandomSeed, generator
from bayescorr.coefficients import correlate, resolve
from bayescorr.coefficients.registry import AnyCoefficient
from bayescorr.errors import Argument, OptionError
from bayescorr.planning.population import draw_noise
from bayescorr.scores.check import observed_means
from bayescorr.scores.strata import tasks_of

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit

Counts = NDArray[np.int64]

#: New items are given to tasks in this number of portions.
_PORTIONS = 50
#: Most draws times pairs of systems to average over when portions are given.
_MOST_PAIRS = 100_000


@dataclass(frozen=True, eq=False)
class Allocation:
    """How to spend new items over tasks, and what that buys.

    Attributes
    ----------
    coefficient : str
        The coefficient with the true ranking.
    spend : int
        Number of new items.
    items : DataFrame
        One row per task: task, weight, items (observed), and the new items by plan: best, equal
        (the same for all tasks) and proportional (to the observed numbers).
    draws : DataFrame
        Predicted coefficient by posterior draw: columns now, equal, proportional and best.
    """

    coefficient: str
    spend: int
    items: pd.DataFrame
    draws: pd.DataFrame

    def table(self, level: float = 0.95) -> pd.DataFrame:
        """Return one row per plan: plan, coefficient, estimate, sd, lower, upper, level."""
        table = estimates_of(self.draws.to_numpy(), level).assign(level=level)
        table.insert(0, "plan", list(self.draws.columns))
        table.insert(1, "coefficient", self.coefficient)
        return table

    def __str__(self) -> str:
        best = self.items[self.items["best"] > 0].sort_values("best", ascending=False)
        shares = ", ".join(f"{row.best:,} to {row.task}" for row in best.itertuples())
        means = self.draws.mean()
        gain = self.draws["best"] - self.draws["equal"]
        error = gain.std() / np.sqrt(len(gain))
        return (
            f"Of {self.spend:,} new items, give {shares}: expected {self.coefficient} "
            f"{means['best']:.3f}, now {means['now']:.3f}. The same number for every task would "
            f"give {means['equal']:.3f} (difference {gain.mean():+.4f}, Monte Carlo error "
            f"{error:.4f})."
        )


def allocate_items(
    fit: Fit,
    spend: int = 500,
    coefficient: AnyCoefficient = "tau",
    *,
    draws: int | None = 1000,
    random_seed: RandomSeed = None,
) -> Allocation:
    r"""Divide new items among tasks so that the observed ranking gets closest to the true one.

    With :math:`a_k` new items, the variance of the observed difference of systems i and j is

    .. math:: V_{ij}(a) = \sum_k w_k^2\, \frac{\sigma_{kij}^2}{n_k + a_k},

    where :math:`\sigma_{kij}^2` is the variance of the difference on an item of task k. The items
    go, a portion at a time, to the task where they reduce the expected number of swapped pairs
    most,

    .. math:: \sum_{i < j} E\left[\Phi\left(-|\delta_{ij}| / \sqrt{V_{ij}(a)}\right)\right],

    over posterior draws of the true differences :math:`\delta_{ij}`. Close pairs, tasks with large
    weights and few items, and tasks whose items tell systems apart badly therefore count most. What
    each plan buys is then predicted from posterior draws, with the observed items kept.

    Parameters
    ----------
    fit : Fit
        A fit of several tasks (``strata=``) of a model with a covariance between systems, such as
        the default model.
    spend : int
        Number of new items.
    coefficient : str or callable
        Name of a coefficient, or a function f(truth, observed), to predict.
    draws : int, optional
        Number of posterior draws, evenly spaced; None for all of them.
    random_seed : int or Generator, optional
        The same seed gives the same numbers.

    Returns
    -------
    Allocation
        Prints as a sentence; has ``items`` by task and ``table(level)`` by plan.

    References
    ----------
    J. Neyman. On the two different aspects of the representative method. Journal of the Royal
    Statistical Society 97(4), 1934.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(scores, strata=tasks, random_seed=1)  # doctest: +SKIP
    >>> print(bayescorr.allocate_items(fit, 500, random_seed=1))  # doctest: +SKIP
    """
    total = check_count(spend, "spend")
    check_tasks(fit.scores)
    rng = generator(random_seed)
    drawn = [draw_noise(part, draws, rng) for part in fit.parts]
    means = np.stack([one.true_means for one in drawn])
    noise = np.stack([one.noise for one in drawn])
    tasks = tasks_of(fit.scores)
    weights = np.array([task.weight for task in tasks])
    sizes = np.array([len(task.rows) for task in tasks])
    observed: FloatArray = np.array(
        [observed_means(part.scores).to_numpy() for part in fit.parts], dtype=np.float64
    )
    truth = np.einsum("k,kdm->dm", weights, means)
    plans = {
        "now": np.zeros(len(sizes), dtype=np.int64),
        "equal": largest_remainders(total, np.ones_like(sizes)),
        "proportional": largest_remainders(total, sizes),
        "best": _best(truth, pair_variances(noise), weights, sizes, total),
    }
    name = resolve(coefficient).name
    found = {}
    for plan, added in plans.items():
        extended = _extended(observed, means, noise, weights, sizes, added)
        values = correlate(truth, extended, coefficient, higher_is_better=fit.higher_is_better)
        found[plan] = values[name]
    items = pd.DataFrame({"task": list(fit.tasks), "weight": weights, "items": sizes})
    for plan in ("best", "equal", "proportional"):
        items[plan] = plans[plan]
    return Allocation(name, total, items, pd.DataFrame(found))


def check_tasks(scores: pd.DataFrame) -> None:
    """Raise an error unless the items of the scores belong to several tasks."""
    if len(tasks_of(scores)) < 2:
        raise OptionError(
            "There are no tasks to divide new items among.",
            ("Fit the scores with ", Argument("strata"), ", the task of each item."),
        )


def pair_variances(noise: FloatArray) -> FloatArray:
    """Return the variance of each pair's difference on one item, tasks x pairs.

    ``noise`` has draws of an item's noise, tasks x draws x systems.
    """
    first, second = np.triu_indices(noise.shape[-1], 1)
    products = np.einsum("kdi,kdj->kij", noise, noise) / noise.shape[1]
    variances = np.einsum("kii->ki", products)
    apart = variances[:, first] + variances[:, second] - 2 * products[:, first, second]
    return np.asarray(np.maximum(apart, 0.0))


def _best(
    truth: FloatArray, variances: FloatArray, weights: FloatArray, sizes: Counts, total: int
) -> Counts:
    """Give the items to tasks a portion at a time, each to the task where it helps most."""
    first, second = np.triu_indices(truth.shape[1], 1)
    size = max(10, min(len(truth), _MOST_PAIRS // len(first)))
    chosen = np.linspace(0, len(truth) - 1, size).round().astype(int)
    apart = np.abs(truth[chosen][:, first] - truth[chosen][:, second])
    weighted = weights[:, None] ** 2 * variances
    # Equal systems are never swapped.
    moving = (weighted.sum(axis=0) > 0) & (apart.max(axis=0) > 0)
    apart, weighted = apart[:, moving], weighted[:, moving]
    added = np.zeros(len(sizes), dtype=np.int64)

    def swaps(counts: Counts) -> float:
        sd = np.sqrt((weighted / counts[:, None]).sum(axis=0))
        return float(ndtr(-apart / sd).mean(axis=0).sum())

    while (left := total - int(added.sum())) > 0:
        portion = min(left, max(1, total // _PORTIONS))
        trials = added + portion * np.eye(len(sizes), dtype=np.int64)
        added = trials[int(np.argmin([swaps(sizes + trial) for trial in trials]))]
    return added


def _extended(
    observed: FloatArray,
    means: FloatArray,
    noise: FloatArray,
    weights: FloatArray,
    sizes: Counts,
    added: Counts,
) -> FloatArray:
    r"""Return weighted means over observed and new items, draws x systems.

    .. math:: \sum_k w_k (n_k \bar x_k + a_k \mu_k + \sqrt{a_k} \epsilon_k) / (n_k + a_k)
    """
    total = np.zeros(means.shape[1:])
    for k, count in enumerate(added):
        mean = observed[k] + np.zeros_like(means[k])
        if count:
            new = count * means[k] + np.sqrt(count) * noise[k]
            mean = (sizes[k] * observed[k] + new) / (sizes[k] + count)
        total += weights[k] * mean
    return total
